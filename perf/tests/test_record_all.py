#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of record_all.py with executables that only pretend to measure."""

import json
import subprocess
import sys
import time

from source_tree import SourceTree

import record_all
import dating
import records
from made_up.determinant import raw_determinant
from made_up.tracker import raw_tracker

PRETENDS = """#!{python}
import pathlib, sys, time
options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if "=" in word)
pathlib.Path(__file__ + ".options").write_text(" ".join(sys.argv[1:]))
{first}
pathlib.Path(options["benchmark_out"]).write_text({output!r})
"""


class TestRecordAll(SourceTree):
    def executable(self, bench, first="", output=""):
        path = self.root / "bin" / bench
        path.parent.mkdir(exist_ok=True)
        path.write_text(PRETENDS.format(python=sys.executable, first=first, output=output))
        path.chmod(0o755)
        return path

    def run_all(self, *words):
        script = dating.PERF / "record_all.py"
        return subprocess.run(
            [sys.executable, "-B", script, "--machine", "testbox", "--results", self.root / "new",
             self.root / "bin", *words], capture_output=True, text=True, check=False)

    def lines(self, run):
        return {line.split()[0]: line.split()[1:] for line in run.stdout.splitlines()
                if line.startswith("bench_")}

    def test_every_benchmark_has_a_share(self):
        launched = {"bench_distributed"}  # over ranks, which record_all.py does not start
        self.assertEqual(set(record_all.SHARES) | launched, set(dating.HEADERS))

    def test_shares_are_of_the_time_that_is_left(self):
        benches = list(record_all.SHARES)
        total = sum(record_all.SHARES.values())
        self.assertEqual(record_all.limits(benches, 1000, 1500)[0], 1000 * record_all.SHARES[benches[0]] / total)
        self.assertEqual(record_all.limits(benches[-1:], 300, 1500), (300, 300))

    def test_goes_on_after_failures_and_names_them(self):
        context = dating.hashes_option("bench_determinant", self.root)
        self.executable("bench_svd", "sys.exit(3)")
        raw = raw_determinant(context)
        raw["benchmarks"][0].update(error_occurred=True, error_message="skipped: the time limit is reached")
        found = self.executable("bench_determinant", output=json.dumps(raw))
        self.executable("bench_direct_tracker", "time.sleep(60)")
        begin = time.monotonic()
        run = self.run_all("--time", "24")
        self.assertLess(time.monotonic() - begin, 55)  # less than the sleep
        lines = self.lines(run)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(list(lines), list(record_all.SHARES))
        self.assertEqual(lines["bench_svd"][1:], ["status", "1"])
        results = self.determinant["results"]
        wrong = sum(row.get("check", "ok") != "ok" for row in results)
        self.assertEqual(lines["bench_determinant"][1:], [str(len(results)), "1", "0", str(wrong)])
        self.assertEqual(lines["bench_direct_tracker"][1:3], ["ended", "after"])
        self.assertEqual(lines["bench_pseudoinverse"][1:], ["not", "built"])
        self.assertIn("--time-limit=", (found.parent / (found.name + ".options")).read_text())
        new = {path.name for path in (self.root / "new" / "testbox").iterdir()}
        self.assertEqual(new, {"bench_determinant.json"})

    def test_takes_those_that_are_named(self):
        hashes = dating.hashes_option("bench_direct_tracker", self.root)
        self.executable("bench_direct_tracker", output=json.dumps(raw_tracker(hashes, device=True)))
        self.assertEqual(self.run_all().returncode, 1)  # the others are not built
        run = self.run_all("bench_direct_tracker")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(list(self.lines(run)), ["bench_direct_tracker"])
        record = records.load(self.root / "new" / "testbox" / "bench_direct_tracker.json")
        self.assertEqual(record["machine"], "testbox")

    def test_unknown_names_are_misuse(self):
        (self.root / "bin").mkdir()
        run = self.run_all("bench_x")
        self.assertEqual(run.returncode, 2)
        self.assertIn("unknown: bench_x", run.stderr)
