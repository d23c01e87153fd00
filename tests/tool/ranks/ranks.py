# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the tool under mpirun share."""

import json
import os
import random
import subprocess
import sys

ABOVE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [ABOVE, os.path.join(ABOVE, "blas")]

from tool import TOOL, ToolTest  # noqa: E402

MPIEXEC = os.environ.get("CARROLL_MPIEXEC", "")
OPEN_MPI = bool(MPIEXEC) and b"Open" in subprocess.run([MPIEXEC, "--version"], capture_output=True).stdout
# Where a test does not say how many; .ci/run --full tries others.
RANKS = tuple(int(p) for p in os.environ.get("CARROLL_RANKS", "3").split(","))
EVERY_NUMBER = "CARROLL_RANKS" in os.environ


def tried(ranks):
    """Of several numbers that a test names, the largest of up to three, but for .ci/run --full."""
    few = [p for p in ranks if p <= 3]
    return ranks if EVERY_NUMBER or not few else (max(few),)


def launcher(ranks):
    # What mpirun itself says of a job that has failed is not the tool's: -q.
    return [MPIEXEC, *(["-q"] if OPEN_MPI else []), "-n", str(ranks)]


def without_times(text):
    report = json.loads(text)
    ranks = report.pop("ranks", 1), report.pop("engine", None)
    report.pop("seconds")
    return report, ranks


class RanksTest(ToolTest):

    def setUp(self):
        super().setUp()
        if not MPIEXEC:
            self.skipTest("a build without MPI")
        self.random = random.Random(7)

    def numbers(self, count):
        return [self.random.gauss(0, 1) * 2.0 ** self.random.randint(-30, 30) for _ in range(count)]

    def matrix(self, rows, cols):
        return [self.numbers(cols) for _ in range(rows)]

    def launch(self, ranks, *arguments, **keywords):
        keywords.setdefault("stdout", subprocess.PIPE)
        keywords.setdefault("stderr", subprocess.PIPE)
        keywords.setdefault("cwd", self.home)
        keywords.setdefault("timeout", 240)
        return subprocess.run([*launcher(ranks), TOOL, *arguments], **keywords)

    def same(self, *arguments, engine=None, status=0, outputs=(), ranks=RANKS):
        """The same JSON and the same files with any number of ranks; how two of them share it."""
        alone = self.run_tool(*arguments, "--json", *(["-o", "alone"] if outputs else []))
        self.assertEqual((alone.returncode, alone.stderr), (status, b""))
        expected, _ = without_times(alone.stdout)
        expected.pop("kernel", None)
        for p in tried(ranks):
            with self.subTest(arguments=arguments, ranks=p):
                process = self.launch(p, *arguments, "--json", *(["-o", "ranks"] if outputs else []))
                self.assertEqual((process.returncode, process.stderr), (status, b""))
                self.assertEqual(process.stdout.count(b"\n"), 1)
                report, told = without_times(process.stdout)
                report.pop("kernel", None)  # each rank has its own
                self.assertEqual(json.dumps(report), json.dumps(expected))
                self.assertEqual(told, (p, engine) if p > 1 else (1, None))
                for name in outputs:
                    with open(self.path("alone" + name), "rb") as a, \
                            open(self.path("ranks" + name), "rb") as b:
                        self.assertEqual(a.read(), b.read())
                    os.remove(self.path("ranks" + name))

    def refuse_all(self, *arguments, says, ranks=(2, 5), keep=True):
        """One line on standard error and status 2, the same as without ranks."""
        alone = self.refuse(*arguments, says=says) if keep else None
        for p in tried(ranks):
            with self.subTest(arguments=arguments, ranks=p):
                process = self.launch(p, *arguments)
                line = process.stderr.decode()
                self.assertEqual((process.returncode, process.stdout), (2, b""), line)
                self.assertRegex(line, r"\Acarroll: [^\n]+\n\Z")
                self.assertIn(says, line)
                if alone:
                    self.assertEqual(line, alone)
