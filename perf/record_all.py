#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Takes all records of a machine again, in a given time, what matters most first.

    perf/record_all.py --machine NAME [--time SECONDS] FOLDER [BENCH…]

FOLDER holds the executables, build/<preset>/bin. Each benchmark has a share of the time that is left, and
within it measures what matters most first; what it does not need goes to those after it. One that fails,
is not there or comes to no end leaves its record as it was, and the others go on. A table of all comes
last; exit status 1 if one of them has no new record.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import dating
import records

# In this order, with these shares of the time: those that take times first.
SHARES = {"bench_svd": 8, "bench_eigh": 4, "bench_qr": 2, "bench_solve": 2, "bench_lstsq": 2, "bench_complex": 2,
          "bench_determinant": 5,
          "bench_pseudoinverse": 6, "bench_direct_tracker": 2, "bench_reduction": 3, "bench_gemv": 2, "bench_gemm": 3,
          "bench_recommenders": 4, "bench_pictures": 3, "bench_narrow": 1, "bench_svd_accuracy": 3, "bench_pseudoinverse_accuracy": 1}
# Those that know no limit to their time: they take as long as they take, minutes.
UNLIMITED = ("bench_svd_accuracy", "bench_pseudoinverse_accuracy")


class Outcome(NamedTuple):
    bench: str
    seconds: float
    record: dict  # or None
    problem: str  # or ""


def limits(benches, left, total):
    """Seconds for the first of the benchmarks: when it begins nothing new, and when it is ended. What it does at last
    may take longer than was left, and so may measuring the machine before."""
    limit = left * SHARES[benches[0]] / sum(SHARES[bench] for bench in benches)
    return limit, min(left, 1.5 * limit + 0.04 * total)


def end(process):
    """Ends record.py and the benchmark that it runs."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def take(bench, arguments, limit, hard_limit):
    """Runs record.py for one benchmark."""
    executable = arguments.folder / bench
    if not executable.is_file():
        return Outcome(bench, 0, None, "not built")
    output = arguments.results / arguments.machine / f"{bench}.json"
    command = [sys.executable, str(dating.PERF / "record.py"), "--machine", arguments.machine,
               "--output", str(output), str(executable)]
    if bench not in UNLIMITED:
        command.append(f"--time-limit={limit:.0f}")
    begin = time.monotonic()
    # A group of its own, so that the benchmark ends with it.
    process = subprocess.Popen(command, start_new_session=True)
    try:
        status = process.wait(timeout=hard_limit)
    except subprocess.TimeoutExpired:
        end(process)
        return Outcome(bench, time.monotonic() - begin, None, f"ended after {hard_limit:.0f} s")
    except BaseException:
        end(process)
        raise
    seconds = time.monotonic() - begin
    if status != 0:
        return Outcome(bench, seconds, None, f"status {status}")
    return Outcome(bench, seconds, records.load(output), "")


def row(outcome):
    if outcome.record is None:
        return (outcome.bench, f"{outcome.seconds:.0f}", "", "", "", "", outcome.problem)
    results = outcome.record["results"]
    skipped = sum(result.get("error", "").startswith("skipped: the time limit") for result in results)
    failed = sum("error" in result for result in results) - skipped
    wrong = sum(result.get("check", "ok") != "ok" for result in results)
    return (outcome.bench, f"{outcome.seconds:.0f}", len(results), skipped, failed, wrong, "")


def show(outcomes):
    rows = [("benchmark", "seconds", "results", "no time", "failed", "wrong", "problem"),
            *(row(outcome) for outcome in outcomes)]
    widths = [max(len(str(line[column])) for line in rows) for column in range(len(rows[0]))]
    for line in rows:
        cells = [str(line[0]).ljust(widths[0]), *(str(cell).rjust(width)
                                                  for cell, width in zip(line[1:-1], widths[1:-1])), line[-1]]
        print("  ".join(cells).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--machine", required=True, help="short name, the folder of the records")
    parser.add_argument("--time", type=float, default=1500, help="seconds for all of them; default: 1500")
    parser.add_argument("--results", type=Path, default=dating.PERF / "results", help="default: perf/results")
    parser.add_argument("folder", type=Path, help="where the executables are: build/<preset>/bin")
    parser.add_argument("benches", nargs="*", metavar="BENCH", help="default: " + ", ".join(SHARES))
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.benches) - set(SHARES))
    if unknown:
        parser.error("unknown: " + ", ".join(unknown))
    if not arguments.folder.is_dir():
        parser.error(f"{arguments.folder} is no folder")

    deadline = time.monotonic() + arguments.time
    benches = [bench for bench in SHARES if bench in (arguments.benches or SHARES)]
    outcomes = []
    while benches:
        left = deadline - time.monotonic()
        if left <= 0:
            outcomes.append(Outcome(benches[0], 0, None, "no time left"))
        else:
            print(f"{benches[0]}: {left:.0f} s left for {len(benches)}", file=sys.stderr)
            outcomes.append(take(benches[0], arguments, *limits(benches, left, arguments.time)))
        benches.pop(0)
    show(outcomes)
    sys.exit(any(outcome.problem for outcome in outcomes))


if __name__ == "__main__":
    main()
