#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the tables that report.py writes into README.md."""

import unittest

from source_tree import SourceTree

import report


class TestReport(SourceTree):
    def test_writes_the_block_and_nothing_else(self):
        self.assertEqual(self.run_report("--check").returncode, 1)
        self.assertIn("old", self.readme.read_text())
        self.assertEqual(self.run_report().returncode, 0)
        text = self.readme.read_text()
        (begin, end), (next_begin, _), *_, (_, last_end) = map(report.markers, report.BLOCKS)
        self.assertTrue(text.startswith("before\n" + begin))
        self.assertIn(f"{end}\nbetween\n{next_begin}", text)
        self.assertTrue(text.endswith(last_end + "\nafter\n"))
        self.assertNotIn("old", text)
        self.assertIn("| 32 × 24 | 0.1 | 0.2 (LAPACK gesdd) † 0.1 (cuSOLVER gesvda) | 2 | 50 % |", text)
        self.assertIn("| 1000 of 8 × 8 | 0.1 |", text)
        self.assertIn("| 8 × 8 | 0.1 | 0.1 | 0.13 | 0.1 | 0.1 | 0.13 |", text)  # of 100, 1000, 10000
        self.assertIn("| 512 × 512 | 10 | – | 1 | 10 | – | 2 |", text)  # 1e8 flops at the GEMM rates
        self.assertIn("| 1024 × 1024 | 80 | 3.00 | 1 | 80 | 3.00 | 2 |", text)
        self.assertIn("3.00 (single) and 3.00 (double) from 512 to 1024", text)
        self.assertIn("| Carroll | 1e-07 | 1e-07 | 1e-07 | 1e-07 |", text)
        self.assertIn("| cuSOLVER gesvda | – † | – † | – † | – † |", text)
        self.assertNotIn("stale", text)
        self.assertEqual(self.run_report("--check").returncode, 0)

    def test_says_stale(self):
        self.run_report()
        self.header("solvers", "svd_types.hpp", "// changed\n")
        self.assertEqual(self.run_report("--check").returncode, 1)
        self.run_report()
        self.assertIn("stale", self.readme.read_text())

    def test_determinants(self):
        self.run_report()
        text = self.readme.read_text()
        self.assertIn("| one matrix | single: Carroll, ms | GFLOP/s | best peer, ms | ratio | double:", text)
        self.assertIn("| 350 × 350 | 0.1 | 10 | 0.4 (LAPACK getrf) | 4 | 0.1 |", text)
        self.assertIn("| 1000 of 8 × 8 | 0.01 | 70 % | 0.04 (LAPACK getrf) † 0.02 (cuBLAS getrfBatched) | 4 |",
                      text)
        self.assertIn("| 100 of 64 × 64 | 0.1 | – |", text)
        self.assertIn("1.010·n² numbers (single precision) and 1.010·n² numbers (double precision)", text)
        self.assertIn("order 50000 takes 2.5 s in single precision, and fails its check: sign wrong", text)

    def test_pseudoinverses(self):
        self.run_report()
        text = self.readme.read_text()
        self.assertIn("| 120000 × (1000 + 1) | 0.024 | – | 0.96 (Ceres dense schur), 4.8 (SuiteSparseQR) | 40 | "
                      "0.024 |", text)
        self.assertIn("| 16 of 20000 × (1000 + 1) | 0.1 | 1.6e+05 | 75 % | 0.1 |", text)
        self.assertIn("| 120000 × (1024 + 1) | 12 | 91 % | 24 (tiled) | 2 | 12 | 91 % | – | – |", text)
        self.assertIn("| the thesis | 1e-06 | 1e-02 | 1e+00 | 1e+00 |", text)

    def test_trackers(self):
        self.run_report()
        self.assertIn("| in space, 2 instances | 1 | 1000 | 1111 | 0.001° | 0.2 % |", self.readme.read_text())

    def test_needs_its_markers(self):
        begin, end = report.markers("results")
        others = "".join(marks for name, marks in self.marks.items() if name != "results")
        for text in ("none", others, end + begin + others, begin * 2 + end + others, begin + end):
            self.readme.write_text(text)
            result = self.run_report()
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr.count("\n"), 1)
            self.assertEqual(self.readme.read_text(), text)

    def test_without_records(self):
        self.path.unlink()
        self.run_report()
        self.assertIn("Nothing has been recorded yet.", self.readme.read_text())


if __name__ == "__main__":
    unittest.main()
