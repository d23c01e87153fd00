#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what record.py, bars/ and pages/ make of bench_narrow."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from test_bars_decompositions import TestDecompositionBars

import bars.narrow
import dating
import pages.narrow
import reading
import records
from made_up.decompositions import raw_narrow


class TestNarrow(TestDecompositionBars):
    raw = staticmethod(raw_narrow)

    def test_fields(self):
        self.check_fields()
        self.assertEqual(len(self.found()["results"]), 18)

    def test_bars(self):
        self.assertEqual(bars.narrow.table(self.found()), [])
        self.assertIn("1 of 18 results have other bits", " ".join(bars.narrow.notes(self.found())))

    def test_page(self):
        lines = pages.narrow.tables(self.found())
        self.assertEqual([line.split(" | ")[0] for line in lines[3:]],
                         [f"| {job}, {case}" for job in ("svd", "eigh", "determinant")
                          for case in ("10000 of 8 × 8", "1000 of 64 × 64")])
        self.assertIn("| 0.00512 | 1.25 | 1.00 |", lines[3])
        self.assertIn("| 1.25 | 1.00 (wrong) |", lines[6])
        found = self.found()
        found["results"] = [row for row in found["results"] if row["method"] != "carroll_float16"]
        self.assertIn("| 0.00512 | – | 1.00 |", pages.narrow.tables(found)[3])

    def test_report(self):
        self.run_report()
        hashes = dating.hashes_option("bench_narrow", self.root)
        records.dump(reading.compact(raw_narrow(hashes), "testbox"), self.path.with_name("bench_narrow.json"))
        self.assertEqual(self.run_report().returncode, 0)
        self.assertIn("## Matrices in 16 bits", self.page.read_text())
        self.assertEqual(self.run_report("--check").returncode, 0)


if __name__ == "__main__":
    unittest.main()
