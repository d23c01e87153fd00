#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what reading.py and bars/ make of bench_reduction, bench_gemv and bench_gemm."""

import unittest

from source_tree import SourceTree

import bars.gemm
import bars.gemv
import bars.reduction
import reading
import fields
import records
from made_up.blas import raw_gemm, raw_gemv, raw_reduction


class TestBlasBars(SourceTree):
    def bars(self, module, raw, **wanted):
        table = module.table(reading.compact(raw, "testbox"))
        return [bar for bar in table if all(getattr(bar, key) == value for key, value in wanted.items())]

    def test_fields(self):
        for raw in (raw_reduction("unknown"), raw_gemv("unknown"), raw_gemm("unknown")):
            found = reading.compact(raw, "testbox")
            self.assertTrue(found["results"])
            for row in found["results"]:
                self.assertLessEqual(set(row), set(fields.FIELDS[found["bench"]]))
        row = records.select(reading.compact(raw_gemv("unknown"), "testbox"), rows=10000000, op="t",
                             precision="double", method="carroll_automatic")[0]
        self.assertEqual((row["cols"], row["read"], row["ratio"], row["best_peer"]), (8, 0.8, 2, "cublas"))

    def test_studies_are_no_peers(self):
        found = reading.compact(raw_reduction("unknown"), "testbox")
        for row in records.select(found, function="sum", method="carroll_canonical"):
            self.assertEqual((row["ratio"], row["best_peer"]), (1.333, "cub_sum"))
        self.assertFalse([row for row in found["results"] if row["method"].startswith("study_") and "ratio" in row])

    def test_reductions_of_devices(self):
        raw = raw_reduction("unknown")
        read = self.bars(bars.reduction, raw, against="read bandwidth")
        self.assertEqual({bar.matrices for bar in read}, {"sum of 2²⁶", "dot of 2²⁶"})
        self.assertEqual({(bar.wanted, bar.valid) for bar in read}, {(0.92, 0.95)})
        self.assertEqual({bar.wanted for bar in self.bars(bars.reduction, raw, matrices="sum of 2²⁰")}, {1.2})
        self.assertTrue(all(bars.is_met(bar, bar.valid)
                            for bar in self.bars(bars.reduction, raw, against="compensated, time")))
        exact = self.bars(bars.reduction, raw, against="exact, time")
        self.assertEqual(len(exact), 4)
        self.assertFalse(any(bars.is_met(bar, bar.valid) for bar in exact))

    def test_reductions_of_hosts(self):
        raw = raw_reduction("unknown", device=False)
        self.assertEqual({bar.wanted for bar in self.bars(bars.reduction, raw, against="read bandwidth")}, {0.95})
        peers = self.bars(bars.reduction, raw, against="peers")
        self.assertEqual({(bar.matrices, bar.fastest_name) for bar in peers},
                         {("sum of 2¹⁰", ""), ("sum of 2²⁰", ""), ("dot of 2¹⁰", "openblas_dot"),
                          ("dot of 2²⁰", "openblas_dot")})

    def test_products_with_vectors(self):
        table = self.bars(bars.gemv, raw_gemv("unknown"))
        self.assertEqual(len(table), 13)
        self.assertTrue(all(bars.is_met(bar, bar.valid) for bar in table))
        self.assertAlmostEqual(table[-1].valid, 0.5)

    def test_products_of_matrices(self):
        raw = raw_gemm("unknown")
        square = self.bars(bars.gemm, raw, matrices="4096×4096×4096", against="peers")
        self.assertEqual([(bar.precision, bar.wanted, bars.is_met(bar, bar.valid)) for bar in square],
                         [("single", 0.8, False), ("double", 0.7, True)])
        self.assertEqual(len(self.bars(bars.gemm, raw, against="peers, by registers")), 1)
        self.assertEqual(len(self.bars(bars.gemm, raw, wanted=1.3)), 6)
        self.assertEqual({bar.wanted for bar in self.bars(bars.gemm, raw_gemm("unknown", device=False))}, {0.8})
        notes = bars.gemm.notes(reading.compact(raw, "testbox"))
        self.assertEqual(len(notes), 12)


if __name__ == "__main__":
    unittest.main()
