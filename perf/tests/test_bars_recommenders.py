#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what reading.py, bars/ and pages/ make of bench_recommenders."""

import unittest

from source_tree import SourceTree

import bars.recommenders
import pages.recommenders
import reading
import fields
import records
from made_up.recommenders import raw_recommenders


class TestRecommenders(SourceTree):
    def table(self, raw, against=""):
        found = bars.recommenders.table(reading.compact(raw, "testbox"))
        return [bar for bar in found if bar.against.startswith(against)]

    def met(self, found):
        return [bars.is_met(bar, bar.valid) for bar in found]

    def test_fields(self):
        for device in (True, False):
            found = reading.compact(raw_recommenders("unknown", device), "testbox")
            for row in found["results"]:
                self.assertLessEqual(set(row), set(fields.RECOMMENDERS_FIELDS))
        row = records.select(found, group="sgd")[0]
        self.assertEqual((row["data"], row["k"], row["floor"], row["prepare"]), ("ml-1m", 64, 0.4, 0.75))
        row = records.select(found, group="descent", method="carroll_sgd")[0]
        self.assertEqual(row["descent"], [[0.8, 0.9], [0.75, 0.85], [0.71, 0.81]])
        row = records.select(found, method="carroll_best")[0]
        self.assertEqual((row["ratio"], row["best_peer"]), (0.625, "openblas_gemm"))

    def test_times_count_on_an_h200(self):
        found = self.table(raw_recommenders("unknown"), "milliseconds")
        self.assertEqual([bar.wanted for bar in found], [25, 110, 12])
        self.assertEqual(self.met(found), [True, False, True])
        raw = raw_recommenders("unknown")
        raw["context"]["device"] = "NVIDIA H100"
        self.assertEqual(self.table(raw, "milliseconds"), [])

    def test_what_was_not_measured_is_missed(self):
        raw = raw_recommenders("unknown")
        raw["benchmarks"] = [entry for entry in raw["benchmarks"] if "netflix" not in entry["name"]]
        self.assertEqual(self.met(self.table(raw, "milliseconds")), [True, False, True])

    def test_floor(self):
        raw = raw_recommenders("unknown")
        self.assertEqual(self.met(self.table(raw, "the machine")), [True] * 3)
        for entry in raw["benchmarks"]:
            entry["floor_fraction"] = 0.34
        self.assertEqual(self.met(self.table(raw, "the machine")), [False] * 3)

    def test_best_items(self):
        raw = raw_recommenders("unknown")
        found = self.table(raw, "product")
        self.assertEqual([round(bar.valid, 3) for bar in found], [0.625])
        self.assertEqual(self.met(found), [True])
        for entry in raw["benchmarks"]:
            entry["label"] = "check=an item is missing"
        self.assertEqual(self.met(self.table(raw, "product")), [False])
        self.assertEqual(self.table(raw_recommenders("unknown", device=False)), [])

    def test_wrong_results_meet_nothing(self):
        raw = raw_recommenders("unknown")
        for entry in raw["benchmarks"]:
            entry["label"] = "check=backward error"
        self.assertFalse(any(self.met(self.table(raw))))

    def test_notes(self):
        notes = bars.recommenders.notes(reading.compact(raw_recommenders("unknown"), "testbox"))
        self.assertIn("sgd ml-10m, k = 128, sgd: schedule made in 0.75 s, an epoch takes 10 ms", notes)
        self.assertIn("descent ml-100k, k = 32, sgd: error of what was set apart 0.8100 after 3 iterations", notes)

    def test_page(self):
        found = reading.compact(raw_recommenders("unknown"), "testbox")
        text = "\n".join(pages.recommenders.tables(found))
        self.assertIn("| ALS, an iteration, ML-20M shape, k = 128 | 20 | 0.05 | 40 % | – | – |", text)
        self.assertIn("| the 100 best items, ML-20M shape, k = 128 | 16 | 0.0625 | 60 % | 10 (cuBLAS gemm) | 0.62 |", text)
        self.assertNotIn("descent", text)
        self.assertIn("ynthetic", pages.recommenders.INTRODUCTION)
        self.assertIn("synthetic ratings: 20 ms (ALS, an iteration, ML-20M shape, k = 128); 120 ms",
                      pages.recommenders.tally(found))
        found = reading.compact(raw_recommenders("unknown", device=False), "testbox")
        self.assertIn("500 ms (ALS, an iteration, ML-1M shape, k = 64)", pages.recommenders.tally(found))


if __name__ == "__main__":
    unittest.main()
