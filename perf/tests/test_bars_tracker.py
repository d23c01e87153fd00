#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what reading.py and bars/tracker.py make of bench_direct_tracker."""

import unittest

from source_tree import SourceTree

import bars.tracker
import reading
import fields
import records
from made_up.tracker import raw_tracker


class TestTrackerBars(SourceTree):
    def bars(self, raw, **wanted):
        table = bars.tracker.table(reading.compact(raw, "testbox"))
        return [bar for bar in table if all(getattr(bar, key) == value for key, value in wanted.items())]

    def test_fields(self):
        found = reading.compact(raw_tracker("unknown", device=True), "testbox")
        for row in found["results"]:
            self.assertLessEqual(set(row), set(fields.TRACKER_FIELDS))
        row = records.select(found, motion="se3", instances=2)[0]
        self.assertEqual((row["n"], row["m"], row["median"], row["enqueued"], row["passes"]),
                         (120000, 1002, 1e-3, 9e-4, 30))
        self.assertEqual((row["heading"], row["depth"]), (0.001, 0.002))
        self.assertEqual(found["kernels"][0]["kernels"], {"carroll::mesh::moments": [1e-4, 30]})

    def test_frames(self):
        for device, wanted, values in ((False, 20, (25, 25 / 0.6, 12.5 / 0.6)),
                                       (True, 500, (1000, 1000 / 0.6, 500 / 0.6))):
            found = self.bars(raw_tracker("unknown", device), against="frames/s")
            self.assertEqual([(bar.wanted, bar.at_most) for bar in found], 3 * [(wanted, False)])
            for bar, value in zip(found, values):
                self.assertAlmostEqual(bar.valid, value)
            self.assertEqual([bar.matrices.endswith("in a sequence") for bar in found], [False, True, True])

    def test_errors(self):
        raw = raw_tracker("unknown")
        self.assertEqual(len(self.bars(raw, against="heading, degrees")), 4)
        self.assertTrue(all(bars.is_met(bar, bar.valid) for bar in self.bars(raw)))
        for entry in raw["benchmarks"]:
            entry["label"] = "check=depths wrong"
        self.assertFalse(any(bars.is_met(bar, bar.valid) for bar in self.bars(raw)))

    def test_notes(self):
        notes = bars.tracker.notes(reading.compact(raw_tracker("unknown", device=True), "testbox"))
        self.assertEqual(notes[1], "ackermann, 2 instances: 2000 frames/s awaited, 2222 enqueued")


if __name__ == "__main__":
    unittest.main()
