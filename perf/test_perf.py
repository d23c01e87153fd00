#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of record.py, plot.py and report.py on a small made-up measurement."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import record  # noqa: E402
import records  # noqa: E402
import report  # noqa: E402

try:
    import matplotlib  # noqa: F401
except ImportError:
    matplotlib = None


def entry(name, median, label="check=ok", **counters):
    """One of Google Benchmark's results."""
    return {"name": name + "/min_time:0.100/manual_time", "real_time": 1e3 * median,
            "median_seconds": median, "min_seconds": 0.9 * median, "runs": 7.0,
            "flops_per_second": 1e6 / median, "bytes_per_second": 1e5 / median,
            "residual": 0.5, "orthogonality": 0.25, "label": label, **counters}


def raw_measurement(hashes):
    """Two extents of the study and one batch, as bench_svd writes them."""
    benchmarks = []
    for precision in ("single", "double"):
        for extents in ("study/1x32x24", "study/1x48x36", "batch/100x8x8"):
            case = f"svd/{extents}/{precision}/vectors/"
            benchmarks += [
                entry(case + "lapack_gesdd", 2e-4, mse=1e-13),
                entry(case + "cusolver_gesvda", 1e-4, "check=vectors not orthonormal"),
                entry(case + "carroll_preconditioned", 1e-4, "check=ok;best_peer=lapack_gesdd",
                      best_peer_ratio=2.0, mse=2e-13, sweeps=6.0),
            ]
            if extents.startswith("study"):
                benchmarks.append(
                    entry(case + "carroll_round_robin_shared_tol1e-04", 3e-4,
                          "check=ok;best_peer=lapack_gesdd", best_peer_ratio=2 / 3, mse=1e-9))
    benchmarks.append({"name": "svd/square/1x512x512/single/vectors/carroll_cyclic/manual_time",
                       "error_occurred": True, "error_message": "skipped: the time limit is reached"})
    benchmarks.append({"name": "kernels/1x32x24/single/vectors/carroll_preconditioned/iterations:1",
                       "undisturbed_seconds": 1e-4, "time:carroll::svd::sweep": 8e-5,
                       "launches:carroll::svd::sweep": 6.0, "time:deep_copy": 1e-5,
                       "launches:deep_copy": 1.0})
    context = {"date": "2026-01-02T03:04:05+00:00", "host_name": "secret", "executable": "/secret/bench",
               "backend": "OpenMP", "device": "Test CPU", "hashes": hashes, "carroll_version": "0.1.0",
               "kokkos_version": "5.0.0", "kokkoskernels_version": "none", "compiler": "g++ 12",
               "host_library": "OpenBLAS 0.3 NO_AFFINITY", "host_threads": "2",
               "gemm_flops_single": "1e11", "gemm_flops_double": "5e10"}
    return {"context": context, "benchmarks": benchmarks}


class SourceTree(unittest.TestCase):
    """A source tree of its own, with a README, and a record of exactly these sources."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        for directory in records.HASHED_DIRECTORIES:
            (self.root / directory / "include").mkdir(parents=True)
            (self.root / directory / "include" / "a.hpp").write_text(f"// {directory}\n")
            (self.root / directory / "include.hpp").write_text("// sorts before the directory in git\n")
        self.readme = self.root / "README.md"
        self.readme.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
        hashes = records.source_hashes(self.root)
        self.hashes = ",".join(f"{k}={v}" for k, v in hashes.items()) + ",dirty=0"
        self.record = record.compact(raw_measurement(self.hashes), "testbox")
        self.path = self.root / "perf" / "results" / "testbox" / "bench_svd.json"
        records.dump(self.record, self.path)

    def run_report(self, *options):
        script = Path(report.__file__)
        return subprocess.run([sys.executable, "-B", script, "--root", self.root, *options],
                              capture_output=True, text=True, check=False)


class TestRecord(SourceTree):
    def test_survives_the_file(self):
        self.assertEqual(records.load(self.path), self.record)
        self.assertEqual(list(records.load_all(self.root / "perf" / "results")), ["testbox"])

    def test_one_line_per_result(self):
        lines = self.path.read_text().splitlines()
        self.assertEqual(sum('"group":' in line for line in lines), len(self.record["results"]))

    def test_fields(self):
        row = records.select(self.record, rows=32, precision="single", method="carroll_preconditioned")[0]
        self.assertLessEqual(set(row), set(records.RESULT_FIELDS))
        self.assertEqual((row["median"], row["min"], row["runs"]), (1e-4, 9e-5, 7))
        self.assertEqual((row["ratio"], row["best_peer"], row["check"]), (2, "lapack_gesdd", "ok"))
        self.assertEqual((row["gflops"], row["mse"], row["sweeps"]), (10, 2e-13, 6))

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

    def test_nothing_private(self):
        self.assertNotIn("secret", self.path.read_text())

    def test_not_a_number(self):
        self.assertIsNone(record.rounded(float("nan")))
        self.assertIsNone(record.rounded(float("inf")))
        self.assertEqual(record.rounded(0.123456), 0.1235)

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


class TestHashes(SourceTree):
    def test_change_makes_a_record_stale(self):
        self.assertFalse(records.is_stale(self.record, self.root))
        (self.root / "core" / "include" / "a.hpp").write_text("// changed\n")
        self.assertTrue(records.is_stale(self.record, self.root))

    def test_unknown_hashes_are_stale(self):
        self.record["context"]["hashes"] = "unknown"
        self.assertTrue(records.is_stale(self.record, self.root))

    @unittest.skipIf(shutil.which("git") is None, "no git")
    def test_agree_with_git(self):
        def git(*arguments):
            command = ["git", "-C", self.root, "-c", "user.name=t", "-c", "user.email=t@example.org",
                       "-c", "core.autocrlf=false", *arguments]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

        script = self.root / "solvers" / "run"
        script.write_text("#!/bin/sh\n")
        script.chmod(0o755)
        self.assertEqual(records.is_dirty(self.root), "unknown")
        without_git = records.source_hashes(self.root)
        git("init", "-q")
        (self.root / ".gitignore").write_text("*.log\n")
        git("add", ".")
        git("commit", "-q", "-m", "test")
        (self.root / "core" / "ignored.log").write_text("not part of the sources\n")
        for directory in records.HASHED_DIRECTORIES:
            self.assertEqual(records.tree_hash(directory, self.root), git("rev-parse", f"HEAD:{directory}"))
        self.assertEqual(records.source_hashes(self.root), without_git)
        self.assertEqual(records.is_dirty(self.root), "0")
        script.write_text("#!/bin/sh\ntrue\n")
        self.assertEqual(records.is_dirty(self.root), "1")
        self.assertIn("dirty=1", records.hashes_option(self.root))


class TestReport(SourceTree):
    def test_writes_the_block_and_nothing_else(self):
        self.assertEqual(self.run_report("--check").returncode, 1)
        self.assertIn("old", self.readme.read_text())
        self.assertEqual(self.run_report().returncode, 0)
        text = self.readme.read_text()
        self.assertTrue(text.startswith("before\n" + report.BEGIN))
        self.assertTrue(text.endswith(report.END + "\nafter\n"))
        self.assertNotIn("old", text)
        self.assertIn("| 32 × 24 | 0.1 | 0.2 (LAPACK gesdd) | 2 | 10 % |", text)
        self.assertIn("| 100 of 8 × 8 |", text)
        self.assertNotIn("stale", text)
        self.assertEqual(self.run_report("--check").returncode, 0)

    def test_says_stale(self):
        self.run_report()
        (self.root / "solvers" / "include" / "a.hpp").write_text("// changed\n")
        self.assertEqual(self.run_report("--check").returncode, 1)
        self.run_report()
        self.assertIn("stale", self.readme.read_text())

    def test_needs_its_markers(self):
        for text in ("none", report.END + report.BEGIN, report.BEGIN * 2 + report.END):
            self.readme.write_text(text)
            result = self.run_report()
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr.count("\n"), 1)
            self.assertEqual(self.readme.read_text(), text)

    def test_without_records(self):
        self.path.unlink()
        self.run_report()
        self.assertIn("Nothing has been recorded yet.", self.readme.read_text())


@unittest.skipIf(matplotlib is None, "no matplotlib")
class TestPlot(SourceTree):
    def test_draws_every_figure(self):
        import plot

        folder = self.root / "figures"
        paths = plot.draw_all(self.record, folder)
        self.assertEqual({path.stem for path in paths}, set(plot.FIGURES))
        for path in paths:
            self.assertEqual(path.read_bytes()[:4], b"\x89PNG")

    def test_leaves_out_what_was_not_measured(self):
        import plot

        self.record["kernels"] = []
        self.record["results"] = [row for row in self.record["results"] if row["group"] == "batch"]
        paths = plot.draw_all(self.record, self.root / "figures")
        self.assertEqual([path.stem for path in paths], ["svd_batch"])


if __name__ == "__main__":
    unittest.main()
