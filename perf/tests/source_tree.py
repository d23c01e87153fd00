# SPDX-License-Identifier: BSD-3-Clause
"""A source tree with records, for the tests of what reads and writes them."""

import atexit
import contextlib
import copy
import functools
import io
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the modules that are tested

import reading  # noqa: E402
import dating  # noqa: E402
import records  # noqa: E402
import report  # noqa: E402
from made_up.blas import raw_gemm, raw_gemv, raw_reduction  # noqa: E402
from made_up.determinant import raw_determinant  # noqa: E402
from made_up.pseudoinverse import raw_pseudoinverse, raw_pseudoinverse_accuracy  # noqa: E402
from made_up.recommenders import raw_recommenders  # noqa: E402
from made_up.tracker import raw_tracker  # noqa: E402
from made_up.svd import raw_accuracy, raw_svd  # noqa: E402


def write_header(root, directory, name, text):
    path = root / directory / "include" / "carroll" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_sources(root):
    for directory in dating.HASHED_DIRECTORIES:
        (root / directory / "include").mkdir(parents=True)
        (root / directory / "include" / "a.hpp").write_text(f"// {directory}\n")
        (root / directory / "include.hpp").write_text("// sorts before the directory in git\n")
    for directory, name, text in (
            ("solvers", "svd.hpp", "#include <carroll/svd/types.hpp>\n#include <vector>\n"),
            ("solvers", "svd/types.hpp", "#include <carroll/detail/part.hpp>\n"),
            ("solvers", "other.hpp", "#include <carroll/svd.hpp>\n"),
            ("core", "detail/part.hpp", "#include <carroll/svd.hpp>\n// a circle does no harm\n"),
            ("solvers", "determinant.hpp", "#include <carroll/determinant/types.hpp>\n"),
            ("solvers", "determinant/types.hpp", "#include <carroll/scaled_number.hpp>\n"),
            ("core", "scaled_number.hpp", "// multiplies pivots\n"),
            ("solvers", "pseudoinverse.hpp", "#include <carroll/pseudoinverse/types.hpp>\n"),
            ("solvers", "pseudoinverse/types.hpp", "// options\n"),
            ("blas", "gemv.hpp", "#include <carroll/gemv/types.hpp>\n"),
            ("blas", "gemv/types.hpp", "// options\n"),
            ("solvers", "direct_tracker.hpp", "#include <carroll/pseudoinverse/types.hpp>\n")):
        write_header(root, directory, name, text)
    (root / "README.md").write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")


def made_up_records(root):
    """By the names that tests know them by."""
    def made(bench, raw, **options):
        return reading.compact(raw(dating.hashes_option(bench, root), **options), "testbox")
    return {
        "record": made("bench_svd", raw_svd),
        "accuracy": made("bench_svd", raw_accuracy),
        "determinant": made("bench_determinant", raw_determinant),
        "pseudoinverse": made("bench_pseudoinverse", raw_pseudoinverse),
        "pseudoinverse_accuracy": made("bench_pseudoinverse", raw_pseudoinverse_accuracy),
        "tracker": made("bench_direct_tracker", raw_tracker, device=True),
        "blocks": [made("bench_reduction", raw_reduction), made("bench_gemv", raw_gemv),
                   made("bench_gemm", raw_gemm), made("bench_recommenders", raw_recommenders)],
    }


@functools.cache
def source_tree():
    """The tree that each test gets a copy of, and its records: hashes of it take most of a test's time."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    root = Path(folder.name)
    write_sources(root)
    made = made_up_records(root)
    for record in [made[name] for name in made if name != "blocks"] + made["blocks"]:
        records.dump(record, root / "perf" / "results" / "testbox" / f"{record['bench']}.json")
    return root, made


class SourceTree(unittest.TestCase):
    """A source tree of its own, with a README, and a record of exactly these sources."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        original, made = source_tree()
        shutil.copytree(original, self.root, dirs_exist_ok=True)
        for name, record in copy.deepcopy(made).items():
            setattr(self, name, record)
        self.readme = self.root / "README.md"
        self.page = self.root / "docs" / "results" / "testbox.md"
        folder = self.root / "perf" / "results" / "testbox"
        self.path = folder / "bench_svd.json"
        self.accuracy_path = folder / "bench_svd_accuracy.json"
        self.determinant_path = folder / "bench_determinant.json"
        self.pseudoinverse_path = folder / "bench_pseudoinverse.json"
        self.pseudoinverse_accuracy_path = folder / "bench_pseudoinverse_accuracy.json"

    def header(self, directory, name, text):
        write_header(self.root, directory, name, text)

    def run_script(self, *options):
        """report.py as its users start it."""
        return subprocess.run([sys.executable, "-B", report.__file__, "--root", self.root, *options],
                              capture_output=True, text=True, check=False)

    def run_report(self, *options):
        """The same in this process: Python takes longer to start than report.py to end."""
        command = [report.__file__, "--root", str(self.root), *map(str, options)]
        out, error, status = io.StringIO(), io.StringIO(), 0
        with mock.patch.object(sys, "argv", command), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            try:
                report.main()
            except SystemExit as end:
                status = end.code or 0
        if isinstance(status, str):
            error.write(status + "\n")
            status = 1
        return subprocess.CompletedProcess(command, status, out.getvalue(), error.getvalue())
