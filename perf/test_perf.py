#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of record.py, plot.py, report.py and bars.py on small made-up measurements."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bars  # noqa: E402
import record  # noqa: E402
import records  # noqa: E402
import report  # noqa: E402

try:
    import matplotlib  # noqa: F401
except ImportError:
    matplotlib = None


def entry(name, median, label="check=ok", **counters):
    """One of Google Benchmark's results."""
    return {"name": name + "/iterations:1/manual_time", "real_time": 1e3 * median,
            "median_seconds": median, "min_seconds": 0.9 * median, "runs": 7.0,
            "flops_per_second": 1e6 / median, "bytes_per_second": 1e5 / median,
            "residual": 0.5, "orthogonality": 0.25, "label": label, **counters}


def context(hashes, bench):
    return {"date": "2026-01-02T03:04:05+00:00", "host_name": "secret", "executable": "/secret/bench",
            "backend": "OpenMP", "device": "Test CPU", "hashes": hashes, "carroll_version": "0.1.0",
            "kokkos_version": "5.0.0", "kokkoskernels_version": "none", "compiler": "g++ 12",
            "host_library": "OpenBLAS 0.3 NO_AFFINITY", "host_threads": "2", "bench": bench,
            "copy_bytes_per_second": "1e12", "gemm_flops_single": "1e11", "gemm_flops_double": "5e10"}


def raw_measurement(hashes):
    """As bench_svd writes it: we are always twice as fast as LAPACK, and as fast as a wrong peer."""
    benchmarks = []
    for precision in ("single", "double"):
        for extents, seconds in (("study/1x32x24", 1e-4), ("study/1x48x36", 1e-4),
                                 ("batch/1000x8x8", 1e-4), ("batch/6x64x64", 1e-4),
                                 ("square/1x512x512", 1e-2), ("square/1x1024x1024", 8e-2)):
            for job, share in (("vectors", 1), ("values", 0.5)):
                case = f"svd/{extents}/{precision}/{job}/"
                ours = seconds * share
                phases = {}
                if extents.startswith("square") and job == "vectors":
                    phases = {"flops:sweeps": 1e8, "bytes:sweeps": 1e6}
                benchmarks += [
                    entry(case + "carroll_preconditioned", ours, mse=2e-13, sweeps=6.0, **phases),
                    entry(case + "lapack_gesdd", 2 * ours, mse=1e-13),
                    entry(case + "cusolver_gesvda", ours, "check=vectors not orthonormal"),
                ]
            if extents.startswith("study"):
                benchmarks.append(entry(f"svd/{extents}/{precision}/vectors/"
                                        "carroll_round_robin_shared_tol1e-04", 3e-4, mse=1e-9))
            benchmarks.append(
                {"name": f"kernels/{extents.partition('/')[2]}/{precision}/vectors/"
                         "carroll_preconditioned/iterations:1",
                 "undisturbed_seconds": 1e-4, "time:carroll::svd::sweep": 8e-5,
                 "launches:carroll::svd::sweep": 6.0, "time:deep_copy": 1e-5, "launches:deep_copy": 1.0})
        for batch, seconds in ((100, 1e-5), (10000, 1.3e-3)):
            benchmarks.append(entry(f"svd/scaling/{batch}x8x8/{precision}/vectors/carroll_preconditioned",
                                    seconds))
    benchmarks.append({"name": "svd/square/1x512x512/single/vectors/lapack_gesvj/manual_time",
                       "error_occurred": True, "error_message": "skipped: the time limit is reached"})
    return {"context": context(hashes, "bench_svd"), "benchmarks": benchmarks}


def raw_accuracy(hashes):
    """As bench_svd_accuracy writes it; one driver fails, and returns what is not a number."""
    benchmarks = []
    for precision, conds in (("single", ("1e+01", "1e+06")), ("double", ("1e+02", "1e+14"))):
        for kind in ("geometric", "scaled_columns"):
            for cond in conds:
                for method, label, error in (("carroll_preconditioned", "ok", 1e-7),
                                             ("lapack_gesdd", "ok", 1e-3),
                                             ("cusolver_gesvda", "info is not 0", float("nan"))):
                    benchmarks.append(
                        {"name": f"accuracy/{kind}/128x128/{precision}/{cond}/{method}/iterations:1",
                         "cond": float(cond), "max_error": error, "smallest_error": error,
                         "label": "check=" + label})
    return {"context": context(hashes, "bench_svd_accuracy"), "benchmarks": benchmarks}


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
        self.header("solvers", "svd.hpp", "#include <carroll/svd_types.hpp>\n#include <vector>\n")
        self.header("solvers", "svd_types.hpp", "#include <carroll/detail/part.hpp>\n")
        self.header("solvers", "other.hpp", "#include <carroll/svd.hpp>\n")
        self.header("core", "detail/part.hpp", "#include <carroll/svd.hpp>\n// a circle does no harm\n")
        self.readme = self.root / "README.md"
        self.readme.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
        self.hashes = records.hashes_option("bench_svd", self.root)
        self.record = record.compact(raw_measurement(self.hashes), "testbox")
        self.accuracy = record.compact(raw_accuracy(self.hashes), "testbox")
        folder = self.root / "perf" / "results" / "testbox"
        self.path = folder / "bench_svd.json"
        self.accuracy_path = folder / "bench_svd_accuracy.json"
        records.dump(self.record, self.path)
        records.dump(self.accuracy, self.accuracy_path)

    def header(self, directory, name, text):
        path = self.root / directory / "include" / "carroll" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_report(self, *options):
        script = Path(report.__file__)
        return subprocess.run([sys.executable, "-B", script, "--root", self.root, *options],
                              capture_output=True, text=True, check=False)


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
            self.assertLessEqual(set(row), set(records.RESULT_FIELDS))
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
            self.assertEqual(set(row) | {"error"}, set(records.ACCURACY_FIELDS))
        row = records.select(self.accuracy, kind="geometric", nominal=1e14, method="cusolver_gesvda")[0]
        self.assertEqual((row["max_error"], row["check"]), (None, "info is not 0"))
        self.assertNotIn("kernels", self.accuracy)

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
        for path in (self.path, self.accuracy_path):
            self.assertNotIn("secret", path.read_text())

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
        self.header("core", "detail/part.hpp", "// changed\n")
        self.assertTrue(records.is_stale(self.record, self.root))

    def test_change_of_what_was_not_measured_does_not(self):
        self.header("solvers", "other.hpp", "// changed\n")
        self.header("solvers", "svd.hpp", "#include <carroll/svd_types.hpp>\n// checks more\n")
        self.header("solvers", "new.hpp", "// new\n")
        self.assertFalse(records.is_stale(self.record, self.root))

    def test_measured_sources_are_those_included(self):
        self.assertEqual(sorted(records.measured_sources("bench_svd", self.root)),
                         ["core/include/carroll/detail/part.hpp",
                          "solvers/include/carroll/svd_types.hpp"])

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
        self.assertIn("dirty=1", records.hashes_option("bench_svd", self.root))


class TestReport(SourceTree):
    def test_writes_the_block_and_nothing_else(self):
        self.assertEqual(self.run_report("--check").returncode, 1)
        self.assertIn("old", self.readme.read_text())
        self.assertEqual(self.run_report().returncode, 0)
        text = self.readme.read_text()
        self.assertTrue(text.startswith("before\n" + report.BEGIN))
        self.assertTrue(text.endswith(report.END + "\nafter\n"))
        self.assertNotIn("old", text)
        self.assertIn("| 32 × 24 | 0.1 | 0.2 (LAPACK gesdd) † 0.1 (cuSOLVER gesvda) | 2 | 50 % |", text)
        self.assertIn("| 1000 of 8 × 8 | 0.1 |", text)
        self.assertIn("| 8 × 8 | 0.1 | 0.1 | 0.13 | 0.1 | 0.1 | 0.13 |", text)  # of 100, 1000, 10000
        self.assertIn("| 512 × 512 | 10 | – | 1 | 10 | – | 2 |", text)  # 1e8 flops at the GEMM rates
        self.assertIn("| 1024 × 1024 | 80 | 3.00 | 1 | 80 | 3.00 | 2 |", text)
        self.assertIn("3.00 (single) and 3.00 (double) from 512 to 1024", text)
        self.assertIn("| Carroll | 1e-07 | 1e-07 | 1e-07 | 1e-07 |", text)
        self.assertIn("| cuSOLVER gesvda | – † | – † | – † | – † |", text)
        self.assertNotIn("stale", text)
        self.assertEqual(self.run_report("--check").returncode, 0)

    def test_says_stale(self):
        self.run_report()
        self.header("solvers", "svd_types.hpp", "// changed\n")
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


class TestBars(SourceTree):
    def bar(self, number, **wanted):
        found = [bar for bar in bars.table(self.record) if bar.number == number
                 and all(getattr(bar, key) == value for key, value in wanted.items())]
        self.assertEqual(len(found), 1)
        return found[0]

    def test_wrong_peers_are_counted_apart(self):
        bar = self.bar(1, matrices="6 x 64x64", precision="double")
        self.assertEqual((bar.fastest, bar.fastest_name), (1, "cusolver_gesvda"))
        self.assertEqual((bar.valid, bar.valid_name), (2, "lapack_gesdd"))
        self.assertFalse(bars.is_met(bar, bar.fastest))
        self.assertTrue(bars.is_met(bar, bar.valid))

    def test_nobody_to_compare_with(self):
        bar = self.bar(1, matrices="1000 x 8x8", precision="single")
        self.assertEqual((bar.valid, bar.valid_name), (None, ""))
        self.assertTrue(bars.is_met(bar, bar.valid))

    def test_values_only(self):
        bar = self.bar(3, matrices="32x24", precision="single")
        self.assertEqual((bar.fastest, bar.wanted, bar.at_most), (0.5, 0.6, True))
        self.assertTrue(bars.is_met(bar, bar.valid))

    def test_scaling(self):
        bar = self.bar(5, precision="single")
        self.assertEqual(bar.matrices, "100/1000/10000 x 8x8")
        self.assertAlmostEqual(bar.fastest, 0.3)
        self.assertFalse(bars.is_met(bar, bar.valid))

    def test_exponent(self):
        of = bars.growth(self.record, "double")
        self.assertAlmostEqual(of[1024]["exponent"], 3)
        self.assertAlmostEqual(bars.exponent(of), 3)
        self.assertEqual(of[512]["floors"], {"sweeps": 2e-3})
        self.assertIsNone(bars.exponent({}))

    def test_host_has_bars_of_its_own(self):
        self.record["results"] = [row for row in self.record["results"]
                                  if not row["method"].startswith("cusolver")]
        self.assertEqual({bar.number for bar in bars.table(self.record)}, {3, 4, 5})
        bar = self.bar(4, matrices="512x512", precision="single", against="LAPACK gesdd")
        self.assertEqual((bar.valid, bar.wanted), (2, 0.5))

    def test_prints_without_touching_the_readme(self):
        result = self.run_report("--bars", self.path)
        self.assertEqual(result.returncode, 0)
        self.assertIn("MISSED", result.stdout)
        self.assertIn("one matrix, single: time grows as n^3.00", result.stdout)
        self.assertIn("old", self.readme.read_text())


@unittest.skipIf(matplotlib is None, "no matplotlib")
class TestPlot(SourceTree):
    def test_draws_every_figure(self):
        import plot

        folder = self.root / "figures"
        paths = plot.draw_all(self.record, folder) + plot.draw_all(self.accuracy, folder)
        self.assertEqual({path.stem for path in paths}, {*plot.FIGURES, *plot.ACCURACY_FIGURES})
        self.assertEqual({path.stem for path in paths}, {*report.SHOWN_FIGURES, *report.LINKED_FIGURES})
        for path in paths:
            self.assertEqual(path.read_bytes()[:4], b"\x89PNG")

    def test_leaves_out_what_was_not_measured(self):
        import plot

        self.record["kernels"] = []
        self.record["results"] = [row for row in self.record["results"] if row["group"] == "batch"]
        self.accuracy["results"] = []
        folder = self.root / "figures"
        paths = plot.draw_all(self.record, folder) + plot.draw_all(self.accuracy, folder)
        self.assertEqual([path.stem for path in paths], ["svd_speedup", "svd_batch"])

    def test_labels_do_not_overlap(self):
        import plot

        self.assertEqual(plot.spread([0, 0, 5], 1, 0, 10), [0, 1, 5])
        self.assertEqual(plot.spread([9.5, 9.6, 9.7], 1, 0, 10), [8, 9, 10])


if __name__ == "__main__":
    unittest.main()
