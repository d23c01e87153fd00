# SPDX-License-Identifier: BSD-3-Clause
"""A source tree with records, for the tests of what reads and writes them."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

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


class SourceTree(unittest.TestCase):
    """A source tree of its own, with a README, and a record of exactly these sources."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        for directory in dating.HASHED_DIRECTORIES:
            (self.root / directory / "include").mkdir(parents=True)
            (self.root / directory / "include" / "a.hpp").write_text(f"// {directory}\n")
            (self.root / directory / "include.hpp").write_text("// sorts before the directory in git\n")
        self.header("solvers", "svd.hpp", "#include <carroll/svd/types.hpp>\n#include <vector>\n")
        self.header("solvers", "svd/types.hpp", "#include <carroll/detail/part.hpp>\n")
        self.header("solvers", "other.hpp", "#include <carroll/svd.hpp>\n")
        self.header("core", "detail/part.hpp", "#include <carroll/svd.hpp>\n// a circle does no harm\n")
        self.readme = self.root / "README.md"
        self.header("solvers", "determinant.hpp", "#include <carroll/determinant/types.hpp>\n")
        self.header("solvers", "determinant/types.hpp", "#include <carroll/scaled_number.hpp>\n")
        self.header("core", "scaled_number.hpp", "// multiplies pivots\n")
        self.header("solvers", "pseudoinverse.hpp", "#include <carroll/pseudoinverse/types.hpp>\n")
        self.header("solvers", "pseudoinverse/types.hpp", "// options\n")
        self.header("blas", "gemv.hpp", "#include <carroll/gemv/types.hpp>\n")
        self.header("blas", "gemv/types.hpp", "// options\n")
        self.header("solvers", "direct_tracker.hpp", "#include <carroll/pseudoinverse/types.hpp>\n")
        self.readme.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
        self.page = self.root / "docs" / "results" / "testbox.md"
        self.hashes = dating.hashes_option("bench_svd", self.root)
        self.record = reading.compact(raw_svd(self.hashes), "testbox")
        self.accuracy = reading.compact(raw_accuracy(self.hashes), "testbox")
        folder = self.root / "perf" / "results" / "testbox"
        self.path = folder / "bench_svd.json"
        self.accuracy_path = folder / "bench_svd_accuracy.json"
        self.determinant = reading.compact(
            raw_determinant(dating.hashes_option("bench_determinant", self.root)), "testbox")
        self.determinant_path = folder / "bench_determinant.json"
        records.dump(self.determinant, self.determinant_path)
        hashes = dating.hashes_option("bench_pseudoinverse", self.root)
        self.pseudoinverse = reading.compact(raw_pseudoinverse(hashes), "testbox")
        self.pseudoinverse_path = folder / "bench_pseudoinverse.json"
        records.dump(self.pseudoinverse, self.pseudoinverse_path)
        self.pseudoinverse_accuracy = reading.compact(raw_pseudoinverse_accuracy(hashes), "testbox")
        self.pseudoinverse_accuracy_path = folder / "bench_pseudoinverse_accuracy.json"
        records.dump(self.pseudoinverse_accuracy, self.pseudoinverse_accuracy_path)
        self.tracker = reading.compact(
            raw_tracker(dating.hashes_option("bench_direct_tracker", self.root), device=True), "testbox")
        records.dump(self.tracker, folder / "bench_direct_tracker.json")
        self.blocks = [reading.compact(raw(dating.hashes_option(bench, self.root)), "testbox")
                       for bench, raw in (("bench_reduction", raw_reduction), ("bench_gemv", raw_gemv),
                                          ("bench_gemm", raw_gemm), ("bench_recommenders", raw_recommenders))]
        for block in self.blocks:
            records.dump(block, folder / f"{block['bench']}.json")
        records.dump(self.record, self.path)
        records.dump(self.accuracy, self.accuracy_path)

    def header(self, directory, name, text):
        path = self.root / directory / "include" / "carroll" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_report(self, *options):
        script = Path(report.__file__)
        return subprocess.run([sys.executable, "-B", script, "--root", self.root, *options],
                              capture_output=True, text=True, check=False)
