#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what reading.py, bars/ and pages/ make of bench_pictures."""

import unittest

from source_tree import SourceTree

import bars.pictures
import pages.pictures
import reading
import fields
import records
from made_up.pictures import raw_pictures


class TestPictures(SourceTree):
    def met(self, raw):
        return [bars.is_met(bar, bar.valid) for bar in bars.pictures.table(reading.compact(raw, "testbox"))]

    def test_fields(self):
        found = reading.compact(raw_pictures("unknown"), "testbox")
        for row in found["results"]:
            self.assertLessEqual(set(row), set(fields.PICTURES_FIELDS))
        row = records.select(found, group="robust_pca")[0]
        self.assertEqual((row["size"], row["method"], row["median"]), ("200x320x240", "carroll_pursuit", 0.5))

    def test_times_count_on_an_h200(self):
        self.assertEqual(self.met(raw_pictures("unknown")), [True, True, True, False])
        self.assertEqual(self.met(raw_pictures("unknown", device=False)), [])

    def test_what_is_wrong_or_missing_is_missed(self):
        raw = raw_pictures("unknown")
        raw["benchmarks"][0]["label"] = "check=has not denoised"
        raw["benchmarks"] = [entry for entry in raw["benchmarks"] if "cosines" not in entry["name"]]
        self.assertEqual(self.met(raw), [False, True, False, False])
        self.assertIn("denoise 512x512x1, carroll_fast: has not denoised",
                      bars.pictures.notes(reading.compact(raw, "testbox")))

    def test_page(self):
        found = reading.compact(raw_pictures("unknown"), "testbox")
        text = "\n".join(pages.pictures.tables(found))
        self.assertIn("| encode, 3840×2160×3, automatic | 3 | 8.29e+03 |", text)
        self.assertIn("| background and foreground, 200×320×240 | 500 | 30.7 |", text)
        self.assertIn("40 ms (denoise, σ = 25, 512×512×1, fast); 3 ms", pages.pictures.tally(found))


if __name__ == "__main__":
    unittest.main()
