#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the tables that report.py writes into README.md and docs/results."""

import unittest

from source_tree import SourceTree

import records
import report


class TestReport(SourceTree):
    def written(self):
        """The page of the machine, after report.py."""
        self.assertEqual(self.run_report().returncode, 0)
        return self.page.read_text()

    def test_writes_the_block_and_nothing_else(self):
        told = self.run_script("--check")
        self.assertEqual((told.returncode, told.stdout), (1, ""))
        self.assertEqual(told.stderr, self.run_report("--check").stderr)
        self.assertIn("old", self.readme.read_text())
        self.assertFalse(self.page.exists())
        self.assertEqual(self.run_script().returncode, 0)
        text = self.readme.read_text()
        self.assertTrue(text.startswith("before\n" + report.BEGIN))
        self.assertTrue(text.endswith(report.END + "\nafter\n"))
        self.assertNotIn("old\n", text)
        self.assertEqual(self.run_report("--check").returncode, 0)

    def test_chooses_rows_for_the_readme_and_counts_those_lost(self):
        self.run_report()
        text = self.readme.read_text()
        self.assertIn("**[testbox: ", text)
        self.assertIn("](docs/results/testbox.md)**", text)
        self.assertIn("| SVD, 1000 of 8 × 8 | 0.1 |", text)
        self.assertIn("a peer is faster in 0 of ", text)
        self.assertIn("1000 frames/s (planar arc), 500 frames/s (in space)", text)
        for row in self.record["results"]:
            if "ratio" in row and row["rows"] == 32:
                row["ratio"] = 0.5
        records.dump(self.record, self.path)
        self.run_report()
        text = self.readme.read_text()
        self.assertIn("| SVD, 32 × 24 | 0.1 | 0.2 (LAPACK gesdd) † 0.1 (cuSOLVER gesvda) | **0.5** |", text)
        self.assertRegex(text, r"SVD: a peer is faster in [1-9]\d* of \d+ rows; the worst is 32 × 24, single precision, "
                               r"\*\*0.5\*\* \(LAPACK gesdd\)")

    def test_shows_the_machine_that_was_recorded_last(self):
        older = self.path.parent.parent / "older"
        older.mkdir()
        records.dump(dict(self.tracker, date="2025-01-02T00:00:00Z"), older / "bench_direct_tracker.json")
        self.run_report()
        text = self.readme.read_text()
        self.assertIn("**[testbox: ", text)
        self.assertNotIn("**[older: ", text)
        self.assertIn("](docs/results/older.md), 2025-01-02", text)

    def test_decompositions(self):
        text = self.written()
        self.assertIn("| 32 × 24 | 0.1 | 0.2 (LAPACK gesdd) † 0.1 (cuSOLVER gesvda) | 2 | 50 % |", text)
        self.assertIn("| 1000 of 8 × 8 | 0.1 |", text)
        self.assertIn("| 8 × 8 | 0.1 | 0.1 | 0.13 | 0.1 | 0.1 | 0.13 |", text)  # of 100, 1000, 10000
        self.assertIn("| 512 × 512 | 10 | – | 1 | 10 | – | 2 |", text)  # 1e8 flops at the GEMM rates
        self.assertIn("| 1024 × 1024 | 80 | 3.00 | 1 | 80 | 3.00 | 2 |", text)
        self.assertIn("3.00 (single) and 3.00 (double) from 512 to 1024", text)
        self.assertIn("| Carroll | 1e-07 | 1e-07 | 1e-07 | 1e-07 |", text)
        self.assertIn("| cuSOLVER gesvda | – † | – † | – † | – † |", text)
        self.assertNotIn("stale", text)

    def test_says_stale(self):
        self.run_report()
        self.header("solvers", "svd/types.hpp", "// changed\n")
        self.assertEqual(self.run_report("--check").returncode, 1)
        self.assertIn("stale", self.written())
        self.assertIn("of older kernels", self.readme.read_text())

    def test_a_page_without_records_goes(self):
        self.run_report()
        other = self.page.with_name("gone.md")
        other.write_text("of a machine of long ago\n")
        self.assertEqual(self.run_report("--check").returncode, 1)
        self.run_report()
        self.assertFalse(other.exists())

    def test_determinants(self):
        text = self.written()
        self.assertIn("| one matrix | single: Carroll, ms | GFLOP/s | best peer, ms | ratio | double:", text)
        self.assertIn("| 350 × 350 | 0.1 | 10 | 0.4 (LAPACK getrf) | 4 | 0.1 |", text)
        self.assertIn("| 1000 of 8 × 8 | 0.01 | 70 % | 0.04 (LAPACK getrf) † 0.02 (cuBLAS getrfBatched) | 4 |",
                      text)
        self.assertIn("| 100 of 64 × 64 | 0.1 | – |", text)
        self.assertIn("1.010·n² numbers (single precision) and 1.010·n² numbers (double precision)", text)
        self.assertIn("order 50000 takes 2.5 s in single precision, and fails its check: sign wrong", text)

    def test_pseudoinverses(self):
        text = self.written()
        self.assertIn("| 120000 × (1000 + 1) | 0.024 | – | 0.96 (Ceres dense schur), 4.8 (SuiteSparseQR) | 40 | "
                      "0.024 |", text)
        self.assertIn("| 16 of 20000 × (1000 + 1) | 0.1 | 1.6e+05 | 75 % | 0.1 |", text)
        self.assertIn("| 120000 × (1024 + 1) | 12 | 91 % | 24 (tiled) | 2 | 12 | 91 % | – | – |", text)
        self.assertIn("| the thesis | 1e-06 | 1e-02 | 1e+00 | 1e+00 |", text)

    def test_trackers(self):
        self.assertIn("| in space, 2 instances | 1 | 1000 | 1111 | 0.001° | 0.2 % |", self.written())

    def test_building_blocks(self):
        text = self.written()
        self.assertIn("| 2²⁶ | 0.0701 | 95 % | 0.0935 (CUB sum) | 1.3 | 0.0701 |", text)
        self.assertIn("| `dot`, 2²⁰ | 1.04 | 1.25 | 1.04 | 1.25 |", text)
        self.assertIn("| 2²⁰ | 0.0081 | 0.00202 | 0.0081 | 0.00405 |", text)  # the studies of sums
        self.assertIn("| 32 × 32, transposed | 0.003 | 80 % | 0.006 (cuBLAS) | 2 |", text)
        self.assertIn("| 10000 of 8 × 8 × 8 | 1 | 1 | 1.5 (cuBLAS) | 1.5 |", text)
        self.assertIn("| 4096 × 4096 × 4096 | 0.1 | 0.2 | 1 | 0.1 | 0.2 | 1 |", text)

    def test_needs_its_markers(self):
        begin, end = report.BEGIN, report.END
        for text in ("none", begin, end, end + begin, begin * 2 + end, begin + end * 2):
            self.readme.write_text(text)
            result = self.run_report()
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr.count("\n"), 1)
            self.assertEqual(self.readme.read_text(), text)

    def test_without_records(self):
        for path in self.path.parent.iterdir():
            path.unlink()
        self.run_report()
        self.assertIn("Nothing has been recorded yet.", self.readme.read_text())


if __name__ == "__main__":
    unittest.main()
