#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what bars/svd.py makes of a record."""

import unittest

from source_tree import SourceTree

import bars.svd


class TestSvdBars(SourceTree):
    def bar(self, number, **wanted):
        found = [bar for bar in bars.svd.table(self.record) if bar.number == number
                 and all(getattr(bar, key) == value for key, value in wanted.items())]
        self.assertEqual(len(found), 1)
        return found[0]

    def test_wrong_peers_are_counted_apart(self):
        bar = self.bar(1, matrices="6 x 64x64", precision="double")
        self.assertEqual((bar.fastest, bar.fastest_name), (1, "cusolver_gesvda"))
        self.assertEqual((bar.valid, bar.valid_name), (2, "lapack_gesdd"))
        self.assertFalse(bars.is_met(bar, bar.fastest))
        self.assertTrue(bars.is_met(bar, bar.valid))

    def test_nobody_to_compare_with(self):
        bar = self.bar(1, matrices="1000 x 8x8", precision="single")
        self.assertEqual((bar.valid, bar.valid_name), (None, ""))
        self.assertTrue(bars.is_met(bar, bar.valid))

    def test_values_only(self):
        bar = self.bar(3, matrices="32x24", precision="single")
        self.assertEqual((bar.fastest, bar.wanted, bar.at_most), (0.5, 0.6, True))
        self.assertTrue(bars.is_met(bar, bar.valid))

    def test_scaling(self):
        bar = self.bar(5, precision="single")
        self.assertEqual(bar.matrices, "100/1000/10000 x 8x8")
        self.assertAlmostEqual(bar.fastest, 0.3)
        self.assertFalse(bars.is_met(bar, bar.valid))

    def test_exponent(self):
        of = bars.svd.growth(self.record, "double")
        self.assertAlmostEqual(of[1024]["exponent"], 3)
        self.assertAlmostEqual(bars.svd.exponent(of), 3)
        self.assertEqual(of[512]["floors"], {"sweeps": 2e-3})
        self.assertIsNone(bars.svd.exponent({}))

    def test_host_has_bars_of_its_own(self):
        self.record["results"] = [row for row in self.record["results"]
                                  if not row["method"].startswith("cusolver")]
        self.assertEqual({bar.number for bar in bars.svd.table(self.record)}, {3, 4, 5})
        bar = self.bar(4, matrices="512x512", precision="single", against="LAPACK gesdd")
        self.assertEqual((bar.valid, bar.wanted), (2, 0.5))

    def test_prints_without_touching_the_readme(self):
        result = self.run_report("--bars", self.path)
        self.assertEqual(result.returncode, 0)
        self.assertIn("MISSED", result.stdout)
        self.assertIn("one matrix, single: time grows as n^3.00", result.stdout)
        self.assertIn("old", self.readme.read_text())


if __name__ == "__main__":
    unittest.main()
