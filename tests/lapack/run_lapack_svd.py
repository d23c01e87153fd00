#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs one of LAPACK's test programs on svd.in, with Carroll's SVD loaded before LAPACK.

The program runs twice: on svd.in as LAPACK ships it, for its own summary, and with a threshold that
prints every ratio. Exit status 0: every test of the drivers passed, each with a ratio that is a
number and below a bar of this script, every error exit was taken, and it was Carroll that was
called. With --wrong the library spoils an output a little, and the exit status is 0 if the program
complained about every driver.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

ROUTINES = ["gesvd", "gesdd", "gesvj", "gejsv", "gesvdx"]

# LAPACK asks for ratios below 50 and reaches 3.9 itself. Tests 30 and 33 divide a sum over columns
# by the largest entry of A, not by a norm.
BARS = collections.defaultdict(lambda: 5.0, {30: 10.0, 33: 10.0})

# The tests of the program that see each driver's values, left and right vectors.
TESTS = {"values": {"gesvd": 1, "gesdd": 8, "gesvj": 15, "gejsv": 19, "gesvdx": 23},
         "left": {"gesvd": 2, "gesdd": 9, "gesvj": 16, "gejsv": 20, "gesvdx": 24},
         "right": {"gesvd": 3, "gesdd": 10, "gesvj": 17, "gejsv": 21, "gesvdx": 25}}

RATIO = re.compile(r"^ M= *(\d+), N= *(\d+), type (\d), IWS=(\d), seed=.* test\( *(\d+)\)= *(\S+)",
                   re.MULTILINE)

Count = collections.namedtuple("Count", "calls refusals decompositions")


def run(options, text, wrong=None):
    """What the program prints, and the library's counts by routine, without the precision."""
    with tempfile.TemporaryDirectory() as folder:
        counts = os.path.join(folder, "counts")
        environment = dict(os.environ, CARROLL_LAPACK_COUNTS=counts)
        environment.pop("CARROLL_LAPACK_WRONG", None)
        if not options.not_preloaded:
            environment["LD_PRELOAD"] = options.library
        if wrong:
            environment["CARROLL_LAPACK_WRONG"] = wrong
        done = subprocess.run([options.program], input=text, capture_output=True, text=True,
                              env=environment, cwd=folder, check=False)
        if done.returncode != 0:
            sys.exit(f"wrong: {options.program} ended with {done.returncode}\n"
                     f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
        by_routine = {}
        if os.path.exists(counts):
            with open(counts, encoding="ascii") as lines:
                for line in lines:
                    name, *numbers = line.split()
                    by_routine[name] = Count(*map(int, numbers))
        return done.stdout, by_routine


def with_threshold(text, threshold):
    changed, times = re.subn(r"^\S+(?=\s+Threshold value)", threshold, text, flags=re.MULTILINE)
    if times != 1:
        sys.exit("wrong: the input has no line 'Threshold value'")
    return changed


def blocks_of_parameters(text):
    return int(re.search(r"^(\d+)\s+Number of parameter values", text, re.MULTILINE).group(1))


def passed_tests(output, blocks):
    """The number of the drivers' tests; complaints."""
    passed = [int(n) for n in re.findall(
        r"All tests for \wBD drivers +passed the threshold \( *(\d+) tests run\)", output)]
    complaints = [line.strip() for line in output.splitlines()
                  if re.search(r"BD drivers:.*failed|failed the tests|returned INFO|\*\*\*", line)]
    if len(passed) != blocks:
        complaints.append(f"{len(passed)} of {blocks} summaries say that all tests passed")
    return sum(passed), complaints


def check_error_exits(output, counts, letter):
    for routine in ROUTINES:
        found = re.search(
            rf"{letter}{routine} +passed the tests of the error exits \( *(\d+) tests", output,
            re.IGNORECASE)
        if routine == "gesvj" and not found:
            continue  # whose error exits the programs do not test
        count = counts.get(letter + routine, Count(0, 0, 0))
        if not found:
            yield f"{letter}{routine} did not pass the tests of the error exits"
        elif count.refusals != int(found.group(1)):
            yield f"{letter}{routine} refused {count.refusals} calls of {found.group(1)}"


def check_calls(problems, counts, letter):
    for routine in ROUTINES:
        wanted = sum(1 for m, n, *_ in problems
                     if m * n > 0 and (m >= n or routine not in ("gesvj", "gejsv")))
        done = counts.get(letter + routine, Count(0, 0, 0)).decompositions
        if done < wanted or done == 0:
            yield f"{letter}{routine} was called for {done} of {wanted} matrices"


def check_right(options, text, letter):
    blocks = blocks_of_parameters(text)
    output, counts = run(options, text)
    tests, complaints = passed_tests(output, blocks)
    complaints += check_error_exits(output, counts, letter)

    # Below everything, so that each ratio is printed. One that is NaN is above no threshold: it
    # passes by LAPACK's reckoning, and is missed here.
    output, counts = run(options, with_threshold(text, "-2.0"))
    ratios = [(tuple(map(int, problem[:4])), int(problem[4]), float(problem[5]))
              for problem in RATIO.findall(output)]
    if len(ratios) != tests or tests == 0:
        complaints.append(f"{len(ratios)} ratios of {tests} tests are numbers")
    problems = [key for key, test, _ in ratios if test == 1]
    complaints += check_calls(problems, counts, letter)

    worst = {}
    for key, test, ratio in ratios:
        worst[test] = max(worst.get(test, (ratio, key)), (ratio, key))
    for test, (ratio, (m, n, kind, _)) in sorted(worst.items()):
        if not ratio < BARS[test]:
            complaints.append(f"ratio {ratio} of test {test}, {m} x {n}, type {kind}: "
                              f"not below {BARS[test]}")
    for routine in ROUTINES:
        count = counts.get(letter + routine, Count(0, 0, 0))
        print(f"{letter}{routine}: {count.decompositions} decompositions, "
              f"{count.refusals} refusals")
    print(f"{tests} tests of drivers passed, {len(problems)} matrices; worst ratio "
          f"{max((ratio for ratio, _ in worst.values()), default=0)}; by test: " +
          " ".join(f"{test}:{ratio:g}" for test, (ratio, _) in sorted(worst.items())))
    return complaints


def check_wrong(options, text, letter):
    output, _ = run(options, text, options.wrong)
    failed = re.findall(r"BD drivers: *(\d+) out of *(\d+) tests failed", output)
    seen = collections.Counter(int(problem[4]) for problem in RATIO.findall(output))
    print(f"{options.wrong} spoiled: failed tests {failed}; by number {dict(sorted(seen.items()))}")
    for routine, test in TESTS[options.wrong].items():
        if not seen[test]:
            yield f"nobody noticed the spoiled {options.wrong} of {letter}{routine} (test {test})"
    if len(failed) != blocks_of_parameters(text):
        yield f"{len(failed)} of {blocks_of_parameters(text)} summaries complain"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, type=os.path.abspath,
                        help="xeigtsts or xeigtstd")
    parser.add_argument("--input", required=True, help="svd.in")
    parser.add_argument("--library", required=True, type=os.path.abspath,
                        help="what is loaded before LAPACK")
    parser.add_argument("--not-preloaded", action="store_true", help="LAPACK's own drivers")
    parser.add_argument("--wrong", choices=sorted(TESTS), help="spoil this output")
    options = parser.parse_args()
    letter = os.path.basename(options.program)[-1]
    with open(options.input, encoding="ascii") as file:
        text = file.read()
    check = check_wrong if options.wrong else check_right
    complaints = list(check(options, text, letter))
    for complaint in complaints:
        print(f"wrong: {complaint}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
