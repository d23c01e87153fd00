#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what bars/pseudoinverse.py makes of a record."""

import unittest

from source_tree import SourceTree

import bars.pseudoinverse
import reading
from made_up.pseudoinverse import raw_pseudoinverse, raw_pseudoinverse_accuracy


class TestPseudoinverseBars(SourceTree):
    def bars(self, raw, **wanted):
        table = bars.pseudoinverse.table(reading.compact(raw, "testbox"))
        return [bar for bar in table if all(getattr(bar, key) == value for key, value in wanted.items())]

    def bar(self, raw, **wanted):
        found = self.bars(raw, **wanted)
        self.assertEqual(len(found), 1)
        return found[0]

    def test_host(self):
        raw = raw_pseudoinverse("unknown")
        self.assertEqual({bar.number for bar in self.bars(raw)}, {2})
        bar = self.bar(raw, against="µs", precision="single")
        self.assertEqual((bar.matrices, bar.wanted, bar.at_most, bar.valid), ("120000×1000, k = 1", 30, True, 24))
        bar = self.bar(raw, against="Ceres' linear step", precision="single")
        self.assertAlmostEqual(bar.valid, 40)
        self.assertTrue(bars.is_met(bar, bar.valid))
        bar = self.bar(raw, against="SuiteSparseQR", precision="double")
        self.assertAlmostEqual(bar.valid, 200)
        self.assertFalse(bars.is_met(bar, bar.valid))

    def test_fill(self):
        raw = raw_pseudoinverse("unknown")
        bar = self.bar(raw, against="fill, by columns", precision="single")
        self.assertEqual((bar.matrices, bar.wanted, bar.valid), ("120000×1024, k = 1", 0.85, 0.91))
        bar = self.bar(raw, against="fill, by rows", precision="double")
        self.assertFalse(bars.is_met(bar, bar.valid))

    def test_device(self):
        raw = raw_pseudoinverse("unknown", device=True)
        self.assertEqual({bar.number for bar in self.bars(raw)}, {3})
        self.assertEqual(self.bar(raw, against="µs", precision="double").valid, 12)
        bar = self.bar(raw, against="read bandwidth", precision="single")
        self.assertEqual((bar.matrices, bar.wanted, bar.valid), ("16 of 20000×1000, k = 1", 0.7, 0.75))
        self.assertEqual(len(self.bars(raw, against="fill, by rows")), 8)
        self.assertAlmostEqual(self.bars(raw, against="PyTorch, gels")[1].valid, 45.8 / 12)

    def test_wrong_results_meet_nothing(self):
        raw = raw_pseudoinverse("unknown")
        for entry in raw["benchmarks"]:
            if "carroll" in entry["name"]:
                entry["label"] = "check=result wrong"
        for against in ("µs", "fill, by columns"):
            bar = self.bar(raw, against=against, precision="single")
            self.assertFalse(bars.is_met(bar, bar.valid))

    def test_accuracy(self):
        found = self.bars(raw_pseudoinverse_accuracy("unknown"))
        self.assertEqual([bar.matrices for bar in found], ["separation 1", "separation 0.01", "separation 0.0001"])
        self.assertTrue(all(bars.is_met(bar, bar.valid) for bar in found))

    def test_prints(self):
        for path in (self.pseudoinverse_path, self.pseudoinverse_accuracy_path):
            result = self.run_report("--bars", path)
            self.assertEqual(result.returncode, 0)
            self.assertIn("met", result.stdout)


if __name__ == "__main__":
    unittest.main()
