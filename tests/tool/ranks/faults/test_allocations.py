# SPDX-License-Identifier: BSD-3-Clause
"""Ranks on which one allocation fails, one after the other of them, those among them that Kokkos makes in
destructors as it frees Views: one line and status 2, or the right result.

    test_allocations.py [--first 300] [--last 1000] [--step 31]
"""

import argparse
import os
import re
import subprocess
import sys

DIGEST = os.environ.get("CARROLL_RANK_DIGEST", "")
MPIEXEC = os.environ.get("CARROLL_MPIEXEC", "")
NO_MEMORY = os.environ.get("CARROLL_NO_MEMORY", "")  # the library of no_memory.cpp


def run(allocation=None):
    quiet = ["-q"] if b"Open" in subprocess.run([MPIEXEC, "--version"], capture_output=True).stdout else []
    fault = [] if allocation is None else ["env", "LD_PRELOAD=" + NO_MEMORY, "CARROLL_FAULT_BYTES=1",
                                           "CARROLL_FAULT_ALLOCATION=%d" % allocation]
    return subprocess.run([MPIEXEC, *quiet, "-n", "1", *fault, DIGEST, "-", "--solver", "rank_determinant"],
                          capture_output=True, timeout=240)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    for name, value in (("first", 300), ("last", 1000), ("step", 31)):
        parser.add_argument("--" + name, type=int, default=value)
    wishes = parser.parse_args()
    if not (DIGEST and MPIEXEC and NO_MEMORY):
        print("nothing but skipped tests")
        return 0
    right, refused, wrong = run().stdout, 0, 0
    for allocation in range(wishes.first, wishes.last, wishes.step):
        job = run(allocation)
        if job.returncode == 2 and not job.stdout and re.fullmatch(rb"digest: [^\n]+\n", job.stderr):
            refused += 1
        elif (job.returncode, job.stdout, job.stderr) != (0, right, b""):
            wrong += 1
            print("allocation %d: status %d, %r" % (allocation, job.returncode, job.stderr[-300:]), flush=True)
    print("%d refused, %d wrong" % (refused, wrong))
    return 0 if refused and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
