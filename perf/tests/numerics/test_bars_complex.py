#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what record.py, bars/ and pages/ make of bench_complex."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from test_bars_decompositions import TestDecompositionBars

import bars.decompositions.complex_numbers
import dating
import pages.decompositions.complex_numbers
import reading
import records
from made_up.decompositions import raw_complex


class TestComplexBars(TestDecompositionBars):
    raw = staticmethod(raw_complex)

    def test_fields(self):
        self.check_fields()
        self.assertEqual(len(self.found()["results"]), 72)
        row = records.select(self.found(), n=64, precision="double", job="pinv", method="carroll_automatic")[0]
        self.assertEqual((row["group"], row["batch"], row["best_peer"]), ("batch", 1000, "cublas_gelsBatched"))
        self.assertAlmostEqual(row["ratio"], 5, 2)

    def test_devices(self):
        table = bars.decompositions.complex_numbers.table(self.found())
        self.assertEqual([(bar.number, bar.matrices, bar.precision, bar.wanted, bar.fastest_name) for bar in table],
                         [(number, name + job, precision, wanted, peer)
                          for number, job, wanted, peer in ((3, ", solve", 1, "cublas_getrsBatched"),
                                                            (4, "", 4, "cusolver_gesvdjBatched"))
                          for name in ("10000 x 8x8", "10000 x 32x32") for precision in ("single", "double")])
        self.assertTrue(all(bars.is_met(bar, bar.fastest) for bar in table))
        self.assertEqual([(bar.matrices, bar.precision) for bar in table if bar.valid is None],
                         [("10000 x 32x32", "single")])
        self.assertIn("PyTorch", " ".join(bars.decompositions.complex_numbers.notes(self.found())))

    def test_hosts(self):
        found = self.found(device=False)
        table = bars.decompositions.complex_numbers.table(found)
        self.assertEqual({(bar.number, bar.wanted) for bar in table}, {(5, 3)})
        self.assertEqual([bar.matrices for bar in table[::2]], ["10000 x 8x8, eigh", "10000 x 32x32, eigh",
                                                               "10000 x 8x8, QR", "10000 x 32x32, QR"])
        self.assertEqual({bar.fastest_name for bar in table if not bars.is_met(bar, bar.fastest)}, {"lapack_geqrf"})
        self.assertEqual(bars.decompositions.complex_numbers.notes(found), [])

    def test_page(self):
        lines = pages.decompositions.complex_numbers.tables(self.found())
        names = ["| 10000 of 8 × 8", "| 10000 of 32 × 32", "| 1000 of 64 × 64"]
        self.assertEqual([line.split(" | ")[0] for line in lines], [
            line for heading in ("singular values", "eigenvalues", "QR", "linear equations", "least squares",
                                           "pseudoinverses")
            for line in ("", f"| {heading}", "| ---", *names)])
        self.assertIn("| 0.00512 | 0.0256 (cuSOLVER gesvdjBatched) | 5 |", lines[3])
        self.assertIn("| 0.00512 | 0.0102 (cuBLAS geqrfBatched) | 2 |", lines[15])

    def test_report(self):
        self.run_report()
        hashes = dating.hashes_option("bench_complex", self.root)
        records.dump(reading.compact(raw_complex(hashes), "testbox"), self.path.with_name("bench_complex.json"))
        self.assertEqual(self.run_report().returncode, 0)
        self.assertIn("## Complex numbers", self.page.read_text())
        self.assertIn("Complex numbers: a peer is faster in 0 of ", self.readme.read_text())


if __name__ == "__main__":
    unittest.main()
