# SPDX-License-Identifier: BSD-3-Clause
"""Hashes of the sources that a record is of, which date it: the value of a benchmark's --hashes.

    dating.py BENCH
"""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

from tokens import token_hash

PERF = Path(__file__).resolve().parent
ROOT = PERF.parent
DEVICES = ("Cuda", "HIP", "SYCL")  # Kokkos' names of backends
HASHED_DIRECTORIES = ("core", "blas", "solvers", "distributed", "recommenders", "pictures")
# What each benchmark measures: of these headers and all that they include of ours the kernels and what
# enqueues them, and the options. What checks, prints or allocates before or after the clock runs may change.
HEADERS = {"bench_svd": ("carroll/svd.hpp",), "bench_svd_accuracy": ("carroll/svd.hpp",),
           "bench_eigh": ("carroll/eigh.hpp",), "bench_qr": ("carroll/qr.hpp",),
           "bench_solve": ("carroll/solve.hpp",), "bench_lstsq": ("carroll/lstsq.hpp",),
           "bench_complex": tuple(f"carroll/{name}.hpp" for name in ("complex_svd", "eigh", "lstsq", "qr", "solve")),
           "bench_narrow": tuple(f"carroll/narrow/{name}.hpp" for name in ("determinant", "eigh", "svd")),
           "bench_determinant": ("carroll/determinant.hpp",),
           "bench_pseudoinverse": ("carroll/pseudoinverse.hpp",),
           "bench_pseudoinverse_accuracy": ("carroll/pseudoinverse.hpp",),
           "bench_direct_tracker": ("carroll/direct_tracker.hpp",),
           "bench_reduction": ("carroll/sum.hpp", "carroll/dot.hpp", "carroll/norm2.hpp", "carroll/asum.hpp",
                               "carroll/reduction_study.hpp"),
           "bench_gemv": ("carroll/gemv.hpp",),
           "bench_gemm": ("carroll/gemm.hpp",),
           "bench_recommenders": ("carroll/als.hpp", "carroll/sgd.hpp", "carroll/recommend.hpp", "carroll/neighbours.hpp"),
           "bench_pictures": tuple(f"carroll/{name}.hpp" for name in (
               "denoise", "denoise_frames", "robust_pca", "patch_factors", "picture_colours")),
           "bench_distributed": tuple(f"carroll/distributed/{name}.hpp" for name in (
               "communicator", "sum", "dot", "gemv", "gemm", "batch", "arrow_step", "tall_svd", "determinant", "svd", "als"))}
MEASURED = re.compile(r"carroll/(?:distributed/)?"
                      r"(detail/(?!(?:allocate|decimal|(?:\w+/)?(?:\w*access|compiled))\.hpp$).+|\w+/types\.hpp"
                      r"|scaled_number\.hpp|communicator\.hpp)$")
# What does not run where a benchmark does: on a device kernels of hosts and emulated devices, on a host code of devices,
# and of the emulation all but the functions that kernels of hosts call.
ELSEWHERE = {"on_device": re.compile(r"/(?:host|host_\w+|simd|emulated)/|/host_groups\.hpp$"),
             "on_host": re.compile(r"/cuda/|/emulated/(?:warp|threads\w*|turns|space|async_copy)\.hpp$")}
INCLUDE = re.compile(rb'^\s*#\s*include\s*<(carroll/[^>]+)>', re.MULTILINE)


def _tracked_files(root, directories):
    """Files of these directories that git would have in its tree; None where git cannot tell."""
    command = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard", "--", *directories]
    try:
        listing = subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return {name for name in listing.decode().split("\0") if name}


def _object_hash(kind, content):
    return hashlib.sha1(b"%s %d\0" % (kind, len(content)) + content)


def _hash_directory(path, wanted):
    """The git object hash of a directory as it is on disk, or None when nothing in it counts."""
    entries = []
    for child in path.iterdir():
        if child.is_dir() and not child.is_symlink():
            digest = _hash_directory(child, wanted)
            if digest is not None:
                entries.append((child.name + "/", b"40000", child.name, digest))
            continue
        if not wanted(child):
            continue
        if child.is_symlink():
            mode, content = b"120000", os.readlink(child).encode()
        else:
            mode = b"100755" if os.access(child, os.X_OK) else b"100644"
            content = child.read_bytes()
        entries.append((child.name, mode, child.name, _object_hash(b"blob", content).digest()))
    if not entries:
        return None
    entries.sort(key=lambda entry: entry[0].encode())
    tree = b"".join(mode + b" " + name.encode() + b"\0" + digest for _, mode, name, digest in entries)
    return _object_hash(b"tree", tree).digest()


def tree_hashes(directories, root=ROOT):
    """Hashes of source directories as they are on disk: what `git rev-parse HEAD:<directory>` gives when everything is
    committed. Needs no git, so that it works from an archive too."""
    tracked = _tracked_files(root, directories)
    return [_tree_hash(directory, root, tracked) for directory in directories]


def _tree_hash(directory, root, tracked):
    ignored_suffixes = (".pyc", "~", ".swp")

    def wanted(path):
        if tracked is not None:
            return path.relative_to(root).as_posix() in tracked
        return not path.name.endswith(ignored_suffixes)

    path = Path(root) / directory
    digest = _hash_directory(path, wanted) if path.is_dir() else None
    return digest.hex() if digest is not None else "none"


def source_hashes(root=ROOT):
    hashes = tree_hashes(HASHED_DIRECTORIES, root)
    return {directory: digest[:16] for directory, digest in zip(HASHED_DIRECTORIES, hashes)}


def measured_sources(bench, root=ROOT):
    """The files that a benchmark measures, by their paths from root, with their content."""
    found, wanted = {}, list(HEADERS[bench])
    while wanted:
        header = wanted.pop()
        for directory in HASHED_DIRECTORIES:
            path = Path(root) / directory / "include" / header
            name = path.relative_to(root).as_posix()
            if name in found or not path.is_file():
                continue
            found[name] = path.read_bytes()
            wanted += [match.decode() for match in INCLUDE.findall(found[name])]
    return {name: content for name, content in found.items() if MEASURED.search(name)}


def measured_hash(bench, root=ROOT, place=None):
    """One hash of these files, or of those that run "on_device" or "on_host": of what they say, not of how they are
    written."""
    return token_hash([content.decode() for name, content in measured_sources(bench, root).items()
                       if place is None or not ELSEWHERE[place].search(name)])[:16]


def is_dirty(root=ROOT):
    """Whether the sources that are hashed differ from the last commit: "0", "1", or "unknown" without git."""
    command = ["git", "-C", str(root), "rev-parse", *(f"HEAD:{directory}" for directory in HASHED_DIRECTORIES)]
    try:
        answer = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return "0" if answer.split() == tree_hashes(HASHED_DIRECTORIES, root) else "1"


def hashes_option(bench, root=ROOT):
    """The value of a benchmark's --hashes."""
    fields = source_hashes(root)
    fields["measured"] = measured_hash(bench, root)
    fields.update({place: measured_hash(bench, root, place) for place in ELSEWHERE})
    fields["dirty"] = is_dirty(root)
    return ",".join(f"{key}={value}" for key, value in fields.items())


def parse_hashes(text):
    return dict(field.split("=", 1) for field in text.split(",") if "=" in field)


def is_stale(record, root=ROOT):
    """Whether the sources that were measured have changed. Others of these directories may have: a record outlives
    solvers that it says nothing about, and one of a device changes of what hosts run."""
    recorded = parse_hashes(record["context"].get("hashes", ""))
    place = "on_device" if record["context"].get("backend") in DEVICES else "on_host"
    if place in recorded:
        return recorded[place] != measured_hash(record["bench"], root, place)
    return recorded.get("measured") != measured_hash(record["bench"], root)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in HEADERS:
        sys.exit(f"usage: dating.py {'|'.join(HEADERS)}")
    print(hashes_option(sys.argv[1]))
