#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of reading.py and record.py on made-up output of the benchmarks."""

import json
import tempfile
import unittest
from pathlib import Path

from source_tree import SourceTree

import fields
import reading
import record
import records
from made_up.pseudoinverse import raw_pseudoinverse


class TestRecord(SourceTree):
    def test_survives_the_file(self):
        self.assertEqual(records.load(self.path), self.record)
        results = self.root / "perf" / "results"
        self.assertEqual(records.load_all(results), {"testbox": self.record})
        self.assertEqual(records.load_all(results, "bench_svd_accuracy"), {"testbox": self.accuracy})

    def test_one_line_per_result(self):
        lines = self.path.read_text().splitlines()
        self.assertEqual(sum('"group":' in line for line in lines), len(self.record["results"]))

    def test_fields(self):
        for row in self.record["results"]:
            self.assertLessEqual(set(row), set(fields.SVD_FIELDS))
        row = records.select(self.record, rows=32, precision="single", job="vectors",
                             method="carroll_preconditioned")[0]
        self.assertEqual((row["median"], row["min"], row["runs"]), (1e-4, 9e-5, 7))
        self.assertEqual((row["gflops"], row["mse"], row["sweeps"]), (10, 2e-13, 6))

    def test_best_peer_is_one_whose_check_passed(self):
        for row in records.select(self.record, method="carroll_preconditioned", group="study"):
            self.assertEqual((row["ratio"], row["best_peer"], row["check"]), (2, "lapack_gesdd", "ok"))
            self.assertEqual((row["ratio_wrong"], row["wrong_peer"]), (1, "cusolver_gesvda"))
        self.assertTrue(all("ratio" not in row for row in self.record["results"]
                            if not row["method"].startswith("carroll")))

    def test_phases(self):
        rows = [row for row in self.record["results"] if "phases" in row]
        self.assertEqual({row["cols"] for row in rows}, {512, 1024})
        self.assertEqual(rows[0]["phases"], {"sweeps": [1e8, 1e6]})

    def test_accuracy_fields(self):
        for row in self.accuracy["results"]:
            self.assertEqual(set(row) | {"error"}, set(fields.FIELDS["bench_svd_accuracy"]))
        row = records.select(self.accuracy, kind="geometric", nominal=1e14, method="cusolver_gesvda")[0]
        self.assertEqual((row["max_error"], row["check"]), (None, "info is not 0"))
        self.assertNotIn("kernels", self.accuracy)

    def test_determinant_fields(self):
        for row in self.determinant["results"]:
            self.assertLessEqual(set(row), set(fields.DETERMINANT_FIELDS))
        row = records.select(self.determinant, n=350, precision="single", method="carroll_blocked")[0]
        self.assertEqual((row["group"], row["batch"], row["median"], row["gflops"]), ("single", 1, 1e-4, 10))
        self.assertEqual((row["copy"], row["growth"], row["log_error"], row["workspace"]),
                         (0.5, 8.5, 1e-6, 0.01))
        self.assertNotIn("equal_copy", row)
        self.assertEqual((row["ratio"], row["best_peer"]), (4, "lapack_getrf"))
        row = records.select(self.determinant, n=8, precision="single", method="carroll_blocked")[0]
        self.assertEqual(row["equal_copy"], 0.7)
        row = records.select(self.determinant, n=64, precision="double", method="carroll_blocked")[0]
        self.assertEqual((row["ratio"], row["ratio_wrong"], row["wrong_peer"]),
                         (4, 2, "cublas_getrfBatched"))
        self.assertEqual(self.determinant["kernels"][0],
                         {"batch": 1, "n": 350, "precision": "single", "method": "carroll_blocked",
                          "undisturbed": 1e-4, "kernels": {"carroll::determinant::panel": [8e-5, 6]}})

    def test_pseudoinverse_fields(self):
        for row in self.pseudoinverse["results"]:
            self.assertLessEqual(set(row), set(fields.PSEUDOINVERSE_FIELDS))
        row = records.select(self.pseudoinverse, group="step", n=20000, m=1000, precision="double",
                             method="carroll_automatic")[0]
        self.assertEqual((row["frames"], row["k"], row["median"], row["read"], row["rel_error"]),
                         (1, 1, 4e-6, 0.5, 1e-7))
        self.assertEqual((row["ratio"], row["best_peer"]), (40, "ceres_dense_schur"))
        self.assertEqual(self.pseudoinverse["kernels"][0]["m"], 1000)
        device = reading.compact(raw_pseudoinverse("unknown", device=True), "testbox")
        row = records.select(device, group="step", n=20000, m=1000, precision="single",
                             method="carroll_automatic")[0]
        self.assertEqual(row["enqueued"], 2e-6)

    def test_pseudoinverse_accuracy_fields(self):
        for row in self.pseudoinverse_accuracy["results"]:
            self.assertEqual(set(row) | {"error"}, set(fields.PSEUDOINVERSE_ACCURACY_FIELDS))
        row = records.select(self.pseudoinverse_accuracy, nominal=1e-2, method="seed_tiled")[0]
        self.assertEqual((row["separation"], row["rel_error"]), (0.0101, 0.01))

    def test_tolerance_leaves_the_method_name(self):
        rows = records.select(self.record, rows=32, precision="single", tolerance=1e-4)
        self.assertEqual([row["method"] for row in rows], ["carroll_round_robin_shared"])

    def test_failed_check_and_missing_time_are_kept(self):
        rows = self.record["results"]
        self.assertTrue(any(row.get("check") == "vectors not orthonormal" for row in rows))
        self.assertEqual([row["error"] for row in rows if "error" in row],
                         ["skipped: the time limit is reached"])

    def test_kernels(self):
        row = self.record["kernels"][0]
        self.assertEqual(row["kernels"], {"carroll::svd::sweep": [8e-5, 6], "deep_copy": [1e-5, 1]})
        self.assertEqual((row["batch"], row["rows"], row["cols"]), (1, 32, 24))

    def test_nothing_private(self):
        for path in (self.path, self.accuracy_path, self.determinant_path):
            self.assertNotIn("secret", path.read_text())

    def test_not_a_number(self):
        self.assertIsNone(reading.rounded(float("nan")))
        self.assertIsNone(reading.rounded(float("inf")))
        self.assertEqual(reading.rounded(0.123456), 0.1235)

    def test_other_schema_is_refused(self):
        self.path.write_text(json.dumps({"schema": 2}))
        with self.assertRaises(ValueError):
            records.load(self.path)


class TestOpenblasCore(unittest.TestCase):
    def core(self, text):
        with tempfile.TemporaryDirectory() as folder:
            cpuinfo = Path(folder) / "cpuinfo"
            cpuinfo.write_text(text)
            return record.openblas_core(cpuinfo)

    def test_intel_is_told_by_its_instructions(self):
        intel = "vendor_id : GenuineIntel\nflags : fpu avx2 fma"
        self.assertEqual(self.core(intel), "HASWELL")
        self.assertEqual(self.core(intel + " avx512f avx512bw avx512dq avx512vl"), "SKYLAKEX")
        self.assertIsNone(self.core("vendor_id : GenuineIntel\nflags : fpu sse2"))

    def test_others_are_left_to_openblas(self):
        self.assertIsNone(self.core("vendor_id : AuthenticAMD\nflags : fpu avx2 fma"))
        self.assertIsNone(record.openblas_core(Path("/nowhere/cpuinfo")))


if __name__ == "__main__":
    unittest.main()
