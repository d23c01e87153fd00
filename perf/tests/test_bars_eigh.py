#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what record.py, bars/ and pages/ make of bench_eigh."""

import unittest

from source_tree import SourceTree

import bars.eigh
import fields
import pages.eigh
import reading
import records
from made_up.eigh import raw_eigh


class TestEighBars(SourceTree):
    def found(self, device=True):
        return reading.compact(raw_eigh("unknown", device), "testbox")

    def test_fields(self):
        for found in (self.found(), self.found(device=False)):
            self.assertTrue(found["results"])
            for row in found["results"]:
                self.assertLessEqual(set(row), set(fields.FIELDS[found["bench"]]))
        row = records.select(self.found(), n=32, precision="double", job="values", method="carroll_backward_stable")[0]
        self.assertEqual((row["group"], row["batch"], row["best_peer"]), ("batch", 10000, "cusolver_XsyevBatched"))
        self.assertAlmostEqual(row["ratio"], 5, 2)

    def test_kernels(self):
        rows = [row for row in self.found()["kernels"] if row["n"] == 32 and row["job"] == "vectors"]
        self.assertEqual([(row["batch"], row["precision"], len(row["kernels"])) for row in rows],
                         [(10000, "single", 3), (10000, "double", 3)])

    def test_devices(self):
        table = bars.eigh.table(self.found())
        self.assertEqual(len(table), 20)
        wanted = {bar.matrices: bar.wanted for bar in table}
        self.assertEqual([wanted[name] for name in ("10000 x 32x32", "10000 x 8x8, values", "2000 x 64x64",
                                                    "1000 x 128x128", "512x512")], [4, 4, 1.5, 1, 1])
        self.assertEqual({bar.matrices for bar in table if not bars.is_met(bar, bar.fastest)},
                         {"2000 x 64x64", "2000 x 64x64, values"})
        wrong = [bar for bar in table if bar.fastest is not None and bar.valid is None]
        self.assertEqual({(bar.matrices, bar.precision) for bar in wrong},
                         {("512x512", "single"), ("512x512, values", "single")})

    def test_hosts(self):
        table = bars.eigh.table(self.found(device=False))
        self.assertEqual({(bar.number, bar.wanted, bar.fastest_name) for bar in table}, {(5, 3, "lapack_syev")})
        self.assertEqual(len(table), 8)
        self.assertTrue(all(bars.is_met(bar, bar.fastest) for bar in table))

    def test_page(self):
        found = self.found()
        lines = pages.eigh.tables(found)
        self.assertEqual([line.split(" | ")[0] for line in lines[3:]],
                         ["| 10000 of 8 × 8", "| 10000 of 32 × 32", "| 2000 of 64 × 64", "| 1000 of 128 × 128",
                          "| 512 × 512"])
        self.assertEqual(lines[4].count("50 %"), 2)
        self.assertIn("†", lines[-1])
        self.assertLess(pages.eigh.in_readme(found), set(pages.eigh.compared(found)))


if __name__ == "__main__":
    unittest.main()
