#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of record.py, plot.py, report.py and the bars on small made-up measurements."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bars  # noqa: E402
import bars_determinant  # noqa: E402
import bars_svd  # noqa: E402
import record  # noqa: E402
import records  # noqa: E402
import report  # noqa: E402
import report_determinant  # noqa: E402
import report_svd  # noqa: E402

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


def raw_determinant(hashes, device=True):
    """As bench_determinant writes it: we are four times as fast as every peer, but cuBLAS returns what is
    wrong; order 350 is where the historical methods are."""
    benchmarks = []

    def add(case, method, seconds, label="check=ok", **counters):
        benchmarks.append(entry(f"determinant/{case}/{method}", seconds, label, log_error=1e-6, **counters))

    for precision in ("single", "double"):
        for extents, seconds in (("single/1x350", 1e-4), ("single/1x2000", 2e-3), ("batch/1000x8", 1e-5),
                                 ("batch/100x64", 1e-4)):
            case = f"{extents}/{precision}"
            add(case, "carroll_blocked", seconds, copy_fraction=0.7, growth=8.5, workspace=0.01)
            add(case, "lapack_getrf", 4 * seconds)
            if device:
                add(case, "cusolver_Xgetrf", 8 * seconds)
            if device and extents.startswith("batch"):
                add(case, "cublas_getrfBatched", 2 * seconds, "check=sign wrong")
        add(f"single/1x350/{precision}", "carroll_condensation", 5e-4, growth=8.5)
        add(f"single/1x350/{precision}", "carroll_dodgson", 1e-4, "check=status is breakdown")
        benchmarks.append({"name": f"kernels/1x350/{precision}/carroll_blocked/iterations:1",
                           "undisturbed_seconds": 1e-4, "time:carroll::determinant::panel": 8e-5,
                           "launches:carroll::determinant::panel": 6.0})
        if device:
            add(f"memory/1x20000/{precision}", "carroll_blocked", 0.1, memory=1.01)
    if device:
        add("huge/1x50000/single", "carroll_blocked", 2.5, "check=sign wrong")
    return {"context": {**context(hashes, "bench_determinant"), "device": "NVIDIA H200"},
            "benchmarks": benchmarks}


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
        self.header("solvers", "determinant.hpp", "#include <carroll/determinant_types.hpp>\n")
        self.header("solvers", "determinant_types.hpp", "#include <carroll/scaled_number.hpp>\n")
        self.header("core", "scaled_number.hpp", "// multiplies pivots\n")
        self.marks = {name: "\nold\n".join(report.markers(name)) for name in report.BLOCKS}
        self.readme.write_text("before\n" + "\nbetween\n".join(self.marks.values()) + "\nafter\n")
        self.hashes = records.hashes_option("bench_svd", self.root)
        self.record = record.compact(raw_measurement(self.hashes), "testbox")
        self.accuracy = record.compact(raw_accuracy(self.hashes), "testbox")
        folder = self.root / "perf" / "results" / "testbox"
        self.path = folder / "bench_svd.json"
        self.accuracy_path = folder / "bench_svd_accuracy.json"
        self.determinant = record.compact(
            raw_determinant(records.hashes_option("bench_determinant", self.root)), "testbox")
        self.determinant_path = folder / "bench_determinant.json"
        records.dump(self.determinant, self.determinant_path)
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
            self.assertLessEqual(set(row), set(records.SVD_FIELDS))
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
            self.assertEqual(set(row) | {"error"}, set(records.FIELDS["bench_svd_accuracy"]))
        row = records.select(self.accuracy, kind="geometric", nominal=1e14, method="cusolver_gesvda")[0]
        self.assertEqual((row["max_error"], row["check"]), (None, "info is not 0"))
        self.assertNotIn("kernels", self.accuracy)

    def test_determinant_fields(self):
        for row in self.determinant["results"]:
            self.assertLessEqual(set(row), set(records.DETERMINANT_FIELDS))
        row = records.select(self.determinant, n=350, precision="single", method="carroll_blocked")[0]
        self.assertEqual((row["group"], row["batch"], row["median"], row["gflops"]), ("single", 1, 1e-4, 10))
        self.assertEqual((row["copy"], row["growth"], row["log_error"], row["workspace"]),
                         (0.7, 8.5, 1e-6, 0.01))
        self.assertEqual((row["ratio"], row["best_peer"]), (4, "lapack_getrf"))
        row = records.select(self.determinant, n=64, precision="double", method="carroll_blocked")[0]
        self.assertEqual((row["ratio"], row["ratio_wrong"], row["wrong_peer"]),
                         (4, 2, "cublas_getrfBatched"))
        self.assertEqual(self.determinant["kernels"][0],
                         {"batch": 1, "n": 350, "precision": "single", "method": "carroll_blocked",
                          "undisturbed": 1e-4, "kernels": {"carroll::determinant::panel": [8e-5, 6]}})

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

    def test_each_benchmark_has_its_own_sources(self):
        self.assertEqual(sorted(records.measured_sources("bench_determinant", self.root)),
                         ["core/include/carroll/scaled_number.hpp",
                          "solvers/include/carroll/determinant_types.hpp"])
        self.header("core", "scaled_number.hpp", "// changed\n")
        self.assertTrue(records.is_stale(self.determinant, self.root))
        self.assertFalse(records.is_stale(self.record, self.root))

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
        (begin, end), (next_begin, next_end) = map(report.markers, report.BLOCKS)
        self.assertTrue(text.startswith("before\n" + begin))
        self.assertIn(f"{end}\nbetween\n{next_begin}", text)
        self.assertTrue(text.endswith(next_end + "\nafter\n"))
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

    def test_determinants(self):
        self.run_report()
        text = self.readme.read_text()
        self.assertIn("| one matrix | single: Carroll, ms | GFLOP/s | best peer, ms | ratio | double:", text)
        self.assertIn("| 350 × 350 | 0.1 | 10 | 0.4 (LAPACK getrf) | 4 | 0.1 |", text)
        self.assertIn("| 1000 of 8 × 8 | 0.01 | 70 % | 0.04 (LAPACK getrf) † 0.02 (cuBLAS getrfBatched) | 4 |",
                      text)
        self.assertIn("| 100 of 64 × 64 | 0.1 | – |", text)
        self.assertIn("1.010·n² numbers (single precision) and 1.010·n² numbers (double precision)", text)
        self.assertIn("order 50000 takes 2.5 s in single precision, and fails its check: sign wrong", text)

    def test_needs_its_markers(self):
        (begin, end), others = report.markers("results"), self.marks["determinant-results"]
        for text in ("none", others, end + begin + others, begin * 2 + end + others, begin + end):
            self.readme.write_text(text)
            result = self.run_report()
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr.count("\n"), 1)
            self.assertEqual(self.readme.read_text(), text)

    def test_without_records(self):
        self.path.unlink()
        self.run_report()
        self.assertIn("Nothing has been recorded yet.", self.readme.read_text())


class TestSvdBars(SourceTree):
    def bar(self, number, **wanted):
        found = [bar for bar in bars_svd.table(self.record) if bar.number == number
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
        of = bars_svd.growth(self.record, "double")
        self.assertAlmostEqual(of[1024]["exponent"], 3)
        self.assertAlmostEqual(bars_svd.exponent(of), 3)
        self.assertEqual(of[512]["floors"], {"sweeps": 2e-3})
        self.assertIsNone(bars_svd.exponent({}))

    def test_host_has_bars_of_its_own(self):
        self.record["results"] = [row for row in self.record["results"]
                                  if not row["method"].startswith("cusolver")]
        self.assertEqual({bar.number for bar in bars_svd.table(self.record)}, {3, 4, 5})
        bar = self.bar(4, matrices="512x512", precision="single", against="LAPACK gesdd")
        self.assertEqual((bar.valid, bar.wanted), (2, 0.5))

    def test_prints_without_touching_the_readme(self):
        result = self.run_report("--bars", self.path)
        self.assertEqual(result.returncode, 0)
        self.assertIn("MISSED", result.stdout)
        self.assertIn("one matrix, single: time grows as n^3.00", result.stdout)
        self.assertIn("old", self.readme.read_text())


class TestDeterminantBars(SourceTree):
    def bars(self, raw, **wanted):
        table = bars_determinant.table(record.compact(raw, "testbox"))
        return [bar for bar in table if all(getattr(bar, key) == value for key, value in wanted.items())]

    def bar(self, **wanted):
        found = self.bars(raw_determinant("unknown"), **wanted)
        self.assertEqual(len(found), 1)
        return found[0]

    def test_one_matrix(self):
        bar = self.bar(matrices="order 350", precision="single", against="cuSOLVER, cuBLAS")
        self.assertEqual((bar.number, bar.wanted, bar.valid, bar.valid_name), (5, 3, 8, "cusolver_Xgetrf"))
        bar = self.bar(matrices="order 350", precision="double", against="LAPACK")
        self.assertEqual((bar.wanted, bar.valid), (1, 4))
        bar = self.bar(matrices="order 2000", precision="single", against="PyTorch's slogdet")
        self.assertEqual((bar.wanted, bar.valid), (3, 2.3))
        self.assertFalse(bars.is_met(bar, bar.valid))

    def test_speedups_wanted(self):
        def wanted(n, batch=1):
            return bars_determinant.wanted_speedup({"n": n, "batch": batch})

        self.assertEqual([wanted(n) for n in (64, 4096, 8192, 10000, 20000, 32768)], [3, 3, 2, 2, 1.3, 1.15])
        self.assertEqual([wanted(n, 16) for n in (2, 32, 64, 256, 512)], [3, 3, 4, 4, None])

    def test_batches(self):
        bar = self.bar(matrices="1000 of order 8", precision="single", against="cuSOLVER, cuBLAS")
        self.assertEqual((bar.fastest, bar.fastest_name), (2, "cublas_getrfBatched"))
        self.assertEqual((bar.valid, bar.valid_name), (8, "cusolver_Xgetrf"))
        bar = self.bar(against="copy bandwidth", precision="double")
        self.assertEqual((bar.matrices, bar.wanted, bar.valid), ("1000 of order 8", 0.6, 0.7))

    def test_memory(self):
        bar = self.bar(number=7, precision="double")
        self.assertEqual((bar.matrices, bar.at_most, bar.valid), ("order 20000", True, 1.01))
        self.assertTrue(bars.is_met(bar, bar.valid))

    def test_wrong_results_meet_nothing(self):
        bar = self.bar(number=4)
        self.assertEqual(bar.matrices, "order 50000")
        self.assertFalse(bars.is_met(bar, bar.valid))

    def test_host_has_bars_of_its_own(self):
        raw = raw_determinant("unknown", device=False)
        self.assertEqual({bar.number for bar in self.bars(raw)}, {6})
        self.assertEqual([(bar.matrices, bar.valid) for bar in self.bars(raw, precision="single")],
                         [("1000 of order 8", 4), ("order 2000", 4)])

    def test_prints(self):
        result = self.run_report("--bars", self.determinant_path)
        self.assertEqual(result.returncode, 0)
        self.assertIn("order 50000", result.stdout)


@unittest.skipIf(matplotlib is None, "no matplotlib")
class TestPlot(SourceTree):
    def draw(self, *found):
        import plot

        return [path for record in found for path in plot.draw_all(record, self.root / "figures")]

    def test_draws_every_figure(self):
        import plot

        paths = self.draw(self.record, self.accuracy, self.determinant)
        self.assertEqual({path.stem for path in paths}, {stem for of in plot.FIGURES.values() for stem in of})
        shown = [solver.SHOWN_FIGURES | solver.LINKED_FIGURES for solver in (report_svd, report_determinant)]
        self.assertEqual({path.stem for path in paths}, {stem for of in shown for stem in of})
        for path in paths:
            self.assertEqual(path.read_bytes()[:4], b"\x89PNG")

    def test_leaves_out_what_was_not_measured(self):
        self.record["kernels"] = []
        for record_of_batches in (self.record, self.determinant):
            record_of_batches["results"] = [row for row in record_of_batches["results"]
                                            if row["group"] == "batch"]
        self.accuracy["results"] = []
        paths = self.draw(self.record, self.accuracy, self.determinant)
        self.assertEqual([path.stem for path in paths], ["svd_speedup", "svd_batch", "determinant_batch"])

    def test_labels_do_not_overlap(self):
        from plot_svd_accuracy import spread

        self.assertEqual(spread([0, 0, 5], 1, 0, 10), [0, 1, 5])
        self.assertEqual(spread([9.5, 9.6, 9.7], 1, 0, 10), [8, 9, 10])


if __name__ == "__main__":
    unittest.main()
