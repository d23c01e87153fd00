# SPDX-License-Identifier: BSD-3-Clause
"""What record.py, plot.py and report.py share: recorded results, and the hashes that date them.

A record is perf/results/<machine>/<bench>.json:

    schema, bench, machine, date    1, one of HEADERS, a short name, ISO 8601
    context                         of the machine, the build and the sources, see perf/harness/context.hpp; a `note`,
                                    written by hand, goes into docs/results
    results                         one object per (case, method), see FIELDS
    kernels                         one object per (method, extents): seconds and launches by label; not
                                    of bench_…_accuracy
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tokens import token_hash

PERF = Path(__file__).resolve().parent
ROOT = PERF.parent
HASHED_DIRECTORIES = ("core", "blas", "solvers", "distributed", "recommenders", "pictures")
# What each benchmark measures: of these headers and all that they include of ours the kernels and what
# enqueues them, and the options. What checks, prints or allocates before or after the clock runs may change.
HEADERS = {"bench_svd": ("carroll/svd.hpp",), "bench_svd_accuracy": ("carroll/svd.hpp",),
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
INCLUDE = re.compile(rb'^\s*#\s*include\s*<(carroll/[^>]+)>', re.MULTILINE)

# What is said of every measured time.
TIME_FIELDS = {
    "median": "seconds",
    "min": "seconds",
    "runs": "number of timed runs; 1: the very first run, with no other to warm up, as it took long",
    "gflops": "nominal 1e9 operations per second, see perf/svd/models.hpp and perf/*/contender.hpp",
    "gbs": "compulsory 1e9 bytes per second",
    "ratio": "time of the best peer over ours: above 1 means faster than every peer",
    "best_peer": "its name: the fastest whose result passed the check",
    "ratio_wrong": "the same for the fastest peer of all, where its result failed the check",
    "wrong_peer": "its name",
    "check": "ok, or what is wrong with the result",
    "error": "why there is no time",
}
SVD_FIELDS = {
    "group": "study, square, batch or scaling, see perf/svd/cases.hpp",
    "batch": "number of matrices",
    "rows": "rows of each",
    "cols": "columns of each",
    "precision": "single or double",
    "job": "vectors (thin U, S, V) or values (S)",
    "method": "carroll_<method>, lapack_<driver> or cusolver_<driver>",
    "tolerance": "on cosines, where it is not the default",
    "mse": "mean square error of the singular values against a long double reference",
    "residual": "LAPACK's ratio, see perf/svd/reference.hpp",
    "orthogonality": "the same",
    "sweeps": "Jacobi sweeps",
    "phases": "least operations and bytes of each phase of our method, see perf/perf/svd/models.hpp",
    **TIME_FIELDS,
}
DETERMINANT_FIELDS = {
    "group": "single, batch, stream, memory or huge, see perf/determinant/cases.hpp",
    "batch": "number of matrices",
    "n": "order of each",
    "precision": "single or double",
    "method": "carroll_<method>, lapack_getrf, cusolver_Xgetrf or cublas_getrfBatched",
    "copy": "gbs as a share of the bandwidth of a large copy",
    "equal_copy": "time of a copy that moves as many bytes over ours, of batches up to order 32",
    "growth": "DeterminantInfo::growth, the largest of any member",
    "log_error": "of the logarithm of the determinant's modulus",
    "residual": "the same in units of eps and what is to be expected, see perf/determinant/reference.hpp",
    "workspace": "bytes that the caller has to give beside the matrices, in units of theirs",
    "memory": "bytes taken from the device by the matrix and all else, in units of the matrix",
    **TIME_FIELDS,
}
ACCURACY_FIELDS = {
    "kind": "geometric or scaled_columns, see perf/svd/accuracy/matrices.hpp",
    "rows": "rows of each",
    "cols": "columns of each",
    "precision": "single or double",
    "nominal": "the condition number wanted",
    "method": "carroll_<method>, lapack_<driver> or cusolver_<driver>",
    "cond": "the condition number by the reference, the largest of several matrices",
    "max_error": "largest relative error of any singular value of any of them; null if not finite",
    "smallest_error": "the same of the smallest singular value",
    "check": "ok, or what the solver itself says went wrong",
    "error": "why there is no result",
}
PSEUDOINVERSE_FIELDS = {
    "group": "step, frames, dense, gram, inverse or product, see perf/pseudoinverse/cases.hpp",
    "frames": "number of problems",
    "n": "rows of each",
    "m": "depth columns",
    "k": "motion columns",
    "precision": "single or double, of A; Ceres and SuiteSparseQR compute in double precision",
    "method": "carroll_<method>, seed_<part>, ceres_, suitesparse_, lapack_ or cusolver_<method>",
    "enqueued": "seconds of one of several runs that follow each other without a word to the host",
    "read": "share of the speed at which as many bytes are read",
    "fill": "share of the speed at which as many bytes are written",
    "rel_error": "of x or of columns of the inverse, relative to their norm",
    "residual": "the same in units of eps·cond(A), see perf/pseudoinverse/reference.hpp",
    **TIME_FIELDS,
}
PSEUDOINVERSE_ACCURACY_FIELDS = {
    "n": "rows",
    "m": "depth columns",
    "precision": "single",
    "nominal": "the separation wanted",
    "method": "carroll_<method> or seed_tiled",
    "separation": "share of the motion column that is left beside the depth columns, by the reference",
    "rel_error": "of the motion step",
    "check": "ok, or what the solver itself says went wrong",
    "error": "why there is no result",
}
TRACKER_FIELDS = {
    "group": "frames",
    "instances": "execution space instances, each with a tracker of its own",
    "n": "samples",
    "m": "vertices",
    "motion": "ackermann or se3",
    "method": "carroll_esm",
    "enqueued": "seconds of a frame where frames follow each other without a word to the host",
    "heading": "error of the heading, degrees",
    "depth": "median relative error of the depths",
    "passes": "iterations",
    **{key: TIME_FIELDS[key] for key in ("median", "min", "runs", "check", "error")},
}
REDUCTION_FIELDS = {
    "function": "sum, dot, norm2 or asum",
    "length": "of the vectors",
    "precision": "single or double",
    "method": "carroll_<summation>, study_<strategy>, or a library's",
    "read": "share of the speed at which as many bytes are read",
    **TIME_FIELDS,
}
GEMV_FIELDS = {
    "rows": "of the matrix",
    "cols": "of the matrix",
    "op": "n, or t for the transpose",
    "precision": "single or double",
    "method": "carroll_automatic, cublas or openblas",
    "read": "share of the speed at which as many bytes are read",
    **TIME_FIELDS,
}
GEMM_FIELDS = {
    "group": "square, outer, skinny, tall or batch, see perf/gemm/cases.hpp",
    "batch": "number of products",
    "rows": "of the product",
    "cols": "of the product",
    "terms": "of each of its entries",
    "precision": "single, double, complex_single or complex_double",
    "method": "carroll_<method>, cublas or openblas",
    **TIME_FIELDS,
}
RECOMMENDERS_FIELDS = {
    "group": "als, als_implicit, sgd, recommend, neighbours or descent, see perf/recommenders/shapes.hpp",
    "data": "whose published sizes the made-up ratings have",
    "k": "factors; of neighbours how many are kept",
    "precision": "single",
    "method": "carroll_<method>, or a library's product of matrices: <library>_gemm",
    "floor": "share of the speed that the machine's rates of products and of reading allow; of sgd as if no cache "
             "held factors: above 1 where one does",
    "prepare": "seconds in which the host made the schedule of sgd",
    "descent": "of each iteration the root mean square errors: of what was learnt from, and of what was set apart",
    **TIME_FIELDS,
}
PICTURES_FIELDS = {
    "group": "denoise, encode, denoise_frames or robust_pca",
    "size": "width×height×planes, or frames×width×height",
    "method": "carroll_<effort>, carroll_<basis>, carroll_frames or carroll_pursuit",
    **{key: TIME_FIELDS[key] for key in ("median", "min", "runs", "gbs", "check", "error")},
}
DISTRIBUTED_FIELDS = {
    "function": "a call over ranks, or of the link between them",
    "size": "extents of the problem, of the link bytes",
    "method": "carroll_<variant>, carroll_one_rank for the plain solver, scalapack_<variant> or cusolverMg_getrf; of the "
              "link <transport>_wrapper or <transport>_raw",
    "ranks": "that took part; of cusolverMg devices",
    "transport": "of messages: nccl, or mpi through memory of the host",
    "compute": "seconds of the slowest rank's own members",
    "move": "seconds until results are where they are wanted",
    "digest": "of the bits of the result",
    **{key: TIME_FIELDS[key] for key in ("median", "min", "runs", "gflops", "gbs", "ratio", "best_peer",
                                          "ratio_wrong", "wrong_peer", "check", "error")},
}
FIELDS = {"bench_svd": SVD_FIELDS, "bench_svd_accuracy": ACCURACY_FIELDS,
          "bench_determinant": DETERMINANT_FIELDS, "bench_pseudoinverse": PSEUDOINVERSE_FIELDS,
          "bench_pseudoinverse_accuracy": PSEUDOINVERSE_ACCURACY_FIELDS,
          "bench_direct_tracker": TRACKER_FIELDS, "bench_reduction": REDUCTION_FIELDS,
          "bench_gemv": GEMV_FIELDS, "bench_gemm": GEMM_FIELDS, "bench_distributed": DISTRIBUTED_FIELDS,
          "bench_recommenders": RECOMMENDERS_FIELDS, "bench_pictures": PICTURES_FIELDS}
# What results have in common that are to be compared with each other.
CASE_FIELDS = {"bench_svd": ("group", "batch", "rows", "cols", "precision", "job"),
               "bench_determinant": ("group", "batch", "n", "precision"),
               "bench_pseudoinverse": ("group", "frames", "n", "m", "k", "precision"),
               "bench_reduction": ("function", "length", "precision"),
               "bench_gemv": ("rows", "cols", "op", "precision"),
               "bench_gemm": ("group", "batch", "rows", "cols", "terms", "precision"),
               "bench_recommenders": ("group", "data", "k", "precision"),
               "bench_pictures": ("group", "size"),
               "bench_distributed": ("function", "size", "ranks")}


def is_peer(method):
    """Is it another library's? Studies are ours, too, and of the link there are no peers but its raw calls."""
    return not method.startswith(("carroll_", "study_", "mpi_", "nccl_"))


def _tracked_files(root, directory):
    """Files of a directory that git would have in its tree; None where git cannot tell."""
    command = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard", "--", directory]
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


def tree_hash(directory, root=ROOT):
    """Hash of a source directory as it is on disk: what `git rev-parse HEAD:<directory>` gives when
    everything is committed. Needs no git, so that it works from an archive too."""
    tracked = _tracked_files(root, directory)
    ignored_suffixes = (".pyc", "~", ".swp")

    def wanted(path):
        if tracked is not None:
            return path.relative_to(root).as_posix() in tracked
        return not path.name.endswith(ignored_suffixes)

    path = Path(root) / directory
    digest = _hash_directory(path, wanted) if path.is_dir() else None
    return digest.hex() if digest is not None else "none"


def source_hashes(root=ROOT):
    return {directory: tree_hash(directory, root)[:16] for directory in HASHED_DIRECTORIES}


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


def measured_hash(bench, root=ROOT):
    """One hash of these files: of what they say, not of how they are written."""
    return token_hash([content.decode() for content in measured_sources(bench, root).values()])[:16]


def is_dirty(root=ROOT):
    """Whether the sources that are hashed differ from the last commit: "0", "1", or "unknown" without git."""
    for directory in HASHED_DIRECTORIES:
        command = ["git", "-C", str(root), "rev-parse", "HEAD:" + directory]
        try:
            answer = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return "unknown"
        if answer.strip() != tree_hash(directory, root):
            return "1"
    return "0"


def hashes_option(bench, root=ROOT):
    """The value of a benchmark's --hashes."""
    fields = source_hashes(root)
    fields["measured"] = measured_hash(bench, root)
    fields["dirty"] = is_dirty(root)
    return ",".join(f"{key}={value}" for key, value in fields.items())


def parse_hashes(text):
    return dict(field.split("=", 1) for field in text.split(",") if "=" in field)


def is_stale(record, root=ROOT):
    """Whether the sources that were measured have changed. Others of these directories may have: a
    record outlives solvers that it says nothing about."""
    recorded = parse_hashes(record["context"].get("hashes", ""))
    return recorded.get("measured") != measured_hash(record["bench"], root)


def load(path):
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    if record.get("schema") != 1:
        raise ValueError(f"{path}: not a record of schema 1")
    return record


def load_all(results=PERF / "results", bench="bench_svd"):
    """All records of a benchmark, by machine name."""
    return {path.parent.name: load(path) for path in sorted(Path(results).glob(f"*/{bench}.json"))}


def dump(record, path):
    """One result per line, so that a later record makes a readable difference."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    compact = {"separators": (",", ":"), "ensure_ascii": False}
    lists = [name for name in ("results", "kernels") if name in record]
    head = {key: value for key, value in record.items() if key not in lists}
    text = json.dumps(head, indent=1, ensure_ascii=False).rstrip("}").rstrip()
    for name in lists:
        rows = ",\n".join(json.dumps(row, **compact) for row in record[name])
        text += f',\n "{name}": [\n{rows}\n ]'
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text + "\n}\n", encoding="utf-8")
    temporary.replace(path)


def select(record, **wanted):
    """Results without an error whose fields equal the wanted ones; tolerance defaults to 0."""
    wanted.setdefault("tolerance", 0)
    return [
        row
        for row in record["results"]
        if "error" not in row
        and all(row.get(key, 0 if key == "tolerance" else None) == value for key, value in wanted.items())
    ]


def title(record):
    """Machine and date, for captions."""
    context = record["context"]
    where = context.get("device", "unknown device")
    backend = context.get("backend", "?")
    return f"{record['machine']} ({where}, {backend}), {record['date'][:10]}"


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in HEADERS:
        sys.exit(f"usage: records.py {'|'.join(HEADERS)}")
    print(hashes_option(sys.argv[1]))
