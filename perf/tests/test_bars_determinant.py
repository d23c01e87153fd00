#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what bars/determinant.py makes of a record."""

import unittest

from source_tree import SourceTree

import bars.determinant
import reading
from made_up.determinant import raw_determinant


class TestDeterminantBars(SourceTree):
    def bars(self, raw, **wanted):
        table = bars.determinant.table(reading.compact(raw, "testbox"))
        return [bar for bar in table if all(getattr(bar, key) == value for key, value in wanted.items())]

    def bar(self, **wanted):
        found = self.bars(raw_determinant("unknown"), **wanted)
        self.assertEqual(len(found), 1)
        return found[0]

    def test_one_matrix(self):
        bar = self.bar(matrices="order 350", precision="single", against="cuSOLVER, cuBLAS")
        self.assertEqual((bar.number, bar.wanted, bar.valid, bar.valid_name), (5, 3, 8, "cusolver_Xgetrf"))
        bar = self.bar(matrices="order 350", precision="double", against="LAPACK")
        self.assertEqual((bar.wanted, bar.valid), (1, 4))
        bar = self.bar(matrices="order 2000", precision="single", against="PyTorch's slogdet")
        self.assertEqual((bar.wanted, bar.valid), (3, 2.3))
        self.assertFalse(bars.is_met(bar, bar.valid))

    def test_speedups_wanted(self):
        def wanted(n, batch=1):
            return bars.determinant.wanted_speedup({"n": n, "batch": batch})

        self.assertEqual([wanted(n) for n in (64, 4096, 8192, 10000, 20000, 32768)], [3, 3, 2, 2, 1.3, 1.15])
        self.assertEqual([wanted(n, 16) for n in (2, 32, 64, 256, 512)], [3, 3, 4, 4, None])

    def test_batches(self):
        bar = self.bar(matrices="1000 of order 8", precision="single", against="cuSOLVER, cuBLAS")
        self.assertEqual((bar.fastest, bar.fastest_name), (2, "cublas_getrfBatched"))
        self.assertEqual((bar.valid, bar.valid_name), (8, "cusolver_Xgetrf"))
        bar = self.bar(against="copy of as many bytes", precision="double")
        self.assertEqual((bar.matrices, bar.wanted, bar.valid), ("1000 of order 8", 0.6, 0.7))

    def test_memory(self):
        bar = self.bar(number=7, precision="double")
        self.assertEqual((bar.matrices, bar.at_most, bar.valid), ("order 20000", True, 1.01))
        self.assertTrue(bars.is_met(bar, bar.valid))

    def test_wrong_results_meet_nothing(self):
        bar = self.bar(number=4)
        self.assertEqual(bar.matrices, "order 50000")
        self.assertFalse(bars.is_met(bar, bar.valid))

    def test_host_has_bars_of_its_own(self):
        raw = raw_determinant("unknown", device=False)
        self.assertEqual({bar.number for bar in self.bars(raw)}, {6})
        self.assertEqual([(bar.matrices, bar.valid) for bar in self.bars(raw, precision="single")],
                         [("1000 of order 8", 4), ("order 2000", 4)])

    def test_prints(self):
        result = self.run_report("--bars", self.determinant_path)
        self.assertEqual(result.returncode, 0)
        self.assertIn("order 50000", result.stdout)


if __name__ == "__main__":
    unittest.main()
