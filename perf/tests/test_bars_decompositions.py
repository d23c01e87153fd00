#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what record.py, bars/ and pages/ make of bench_eigh and bench_qr."""

import unittest

from source_tree import SourceTree

import bars.eigh
import bars.qr
import dating
import fields
import pages.eigh
import pages.qr
import reading
import records
from made_up.decompositions import raw_eigh, raw_qr


class TestDecompositionBars(SourceTree):
    def found(self, device=True):
        return reading.compact(self.raw("unknown", device), "testbox")

    def check_fields(self):
        for found in (self.found(), self.found(device=False)):
            self.assertTrue(found["results"])
            for row in found["results"]:
                self.assertLessEqual(set(row), set(fields.FIELDS[found["bench"]]))


class TestEighBars(TestDecompositionBars):
    raw = staticmethod(raw_eigh)

    def test_fields(self):
        self.check_fields()
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


class TestQrBars(TestDecompositionBars):
    raw = staticmethod(raw_qr)

    def test_fields(self):
        self.check_fields()
        self.assertEqual(len(self.found()["results"]), 48)
        self.assertNotIn("kernels", self.found())
        row = records.select(self.found(), rows=64, cols=8, precision="double", job="r", method="carroll_automatic")[0]
        self.assertEqual((row["group"], row["batch"], row["best_peer"]), ("batch", 2000, "cublas_geqrfBatched"))
        self.assertAlmostEqual(row["ratio"], 8, 2)

    def test_devices(self):
        table = bars.qr.table(self.found())
        self.assertEqual([bar.matrices for bar in table[::2]],
                         ["2000 x 64x8", "2000 x 32x32", "64 x 128x128", "2000 x 64x8, R", "2000 x 32x32, R",
                          "64 x 128x128, R", "512x512", "512x512, R"])
        self.assertEqual([bar.precision for bar in table], ["single", "double"] * 8)
        self.assertEqual([bar.wanted for bar in table[::2]], [2, 2, 2, 1, 1, 1, 1, 1])
        self.assertEqual({bar.number for bar in table}, {3})
        self.assertEqual({bar.matrices for bar in table if not bars.is_met(bar, bar.fastest)},
                         {"64 x 128x128", "512x512"})
        self.assertEqual({bar.fastest_name for bar in table if bar.matrices.startswith("512")}, {"cusolver_geqrf"})
        self.assertEqual({(bar.matrices, bar.precision) for bar in table if bar.valid is None},
                         {("512x512", "single"), ("512x512, R", "single")})
        self.assertIn("R alone", " ".join(bars.qr.notes(self.found())))

    def test_batches_alone_tell_a_device(self):
        found = self.found()
        found["results"] = [row for row in found["results"] if row["group"] == "batch"]
        self.assertEqual({bar.number for bar in bars.qr.table(found)}, {3})

    def test_hosts(self):
        found = self.found(device=False)
        table = bars.qr.table(found)
        self.assertEqual({(bar.number, bar.wanted) for bar in table}, {(5, 3)})
        self.assertEqual(len(table), 16)
        self.assertEqual({bar.fastest_name for bar in table if "pivoted" in bar.matrices}, {"lapack_geqp3"})
        self.assertEqual({bar.fastest_name for bar in table if "pivoted" not in bar.matrices}, {"lapack_geqrf"})
        self.assertEqual({bar.matrices for bar in table if not bars.is_met(bar, bar.fastest)},
                         {"2000 x 64x8, pivoted", "2000 x 32x32, pivoted"})
        self.assertEqual(bars.qr.notes(found), [])

    def test_page(self):
        lines = pages.qr.tables(self.found())
        names = ["| 2000 of 64 × 8", "| 2000 of 32 × 32", "| 64 of 128 × 128", "| 512 × 512"]
        self.assertEqual([line.split(" | ")[0] for line in lines],
                         ["", "| matrices", "| ---", *names, "", "| with pivoting", "| ---", *names])
        self.assertIn("| 0.00819 | 25 % | 0.0328 (cuBLAS geqrfBatched) | 4 |", lines[3])
        self.assertIn("† 0.107 (cuSOLVER geqrf)", lines[6])
        self.assertIn("| 0.0164 | 25 % | – | – |", lines[10])
        found = self.found(device=False)
        self.assertIn("(LAPACK geqp3) | 2.5 |", pages.qr.tables(found)[10])
        found["results"] = [row for row in found["results"] if not row["job"].endswith("_pivoted")]
        self.assertEqual(len(pages.qr.tables(found)), 7)

    def test_report(self):
        """README counts its rows in the line of all tallies; the page has them."""
        self.run_report()
        before = self.readme.read_text()
        self.assertNotIn("QR factorisations", self.page.read_text())
        hashes = dating.hashes_option("bench_qr", self.root)
        records.dump(reading.compact(raw_qr(hashes, device=False), "testbox"), self.path.with_name("bench_qr.json"))
        self.assertEqual(self.run_report().returncode, 0)
        text = self.readme.read_text()
        self.assertEqual(text.count("\n"), before.count("\n"))
        self.assertNotIn("| QR", text)
        self.assertIn("QR: a peer is faster in 4 of 16 rows; the worst is 512 × 512, single precision, **0.8** (LAPACK "
                      "geqrf).", text)
        self.assertIn("## QR factorisations", self.page.read_text())
        self.assertIn("| with pivoting | single: Carroll, ms | R alone |", self.page.read_text())
        self.assertEqual(self.run_report("--check").returncode, 0)


if __name__ == "__main__":
    unittest.main()
