# SPDX-License-Identifier: BSD-3-Clause
"""The commands of docs/recommenders/tutorial.md, and what it says of their results."""

import json
import os
import shlex
import subprocess
import sys
import textwrap

from ratings import RecommendTest
from tool import DATA, TOOL, main

TUTORIAL = os.path.join(DATA, "..", "..", "docs", "recommenders", "tutorial.md")


def blocks():
    """Indented blocks of the page."""
    with open(TUTORIAL, encoding="utf-8") as file:
        lines = file.read().splitlines()
    found, block = [], []
    for line in lines + [""]:
        if line.startswith("    "):
            block.append(line)
        elif block:
            found.append(textwrap.dedent("\n".join(block)))
            block = []
    return found


class Tutorial(RecommendTest):

    def test_commands(self):
        script = next(block for block in blocks() if block.startswith("python3 -"))
        program = textwrap.dedent(script.split("\n", 1)[1].rsplit("\nEND", 1)[0])
        ratings = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE,
                                 check=True).stdout.decode()
        self.write("ratings.csv", ratings)
        rows = [line.split(",") for line in ratings.splitlines()[1:]]
        self.write("clicks.csv", "".join("%s,%s\n" % (u, i) for u, i, r in rows if float(r) >= 4))
        commands = [line for block in blocks() for line in block.split("\n")
                    if line.startswith("carroll recommend")]
        self.assertGreater(len(commands), 8)
        results = {}
        for command in commands:
            words = shlex.split(command.split(">")[0])
            with self.subTest(command=command):
                process = self.run_tool(*words[1:], *["--json"] * ("--json" not in words))
                self.assertEqual((process.returncode, process.stderr), (0, b""))
                results[command] = json.loads(process.stdout)

        def error(*words):
            return next(report["test"]["rmse"] for command, report in results.items()
                        if all(word in command.split() for word in words))

        # "the second … is worse on those kept back"; "the best one"; "what others have to beat".
        self.assertGreater(error("als", "40"), error("als", "2"))
        bias = error("bias")
        for method in ("knn", "sgd", "gibbs", "svd"):
            self.assertLess(error(method), bias, method)
        self.assertLess(error("als", "2"), bias)
        self.assertLessEqual(error("gibbs"), 1.02 * min(error("als", "2"), error("sgd")))
        self.assertEqual(len(results[commands[-2]]["recommendations"]), 300)

    def test_a_step_too_large(self):
        script = next(block for block in blocks() if block.startswith("python3 -"))
        program = textwrap.dedent(script.split("\n", 1)[1].rsplit("\nEND", 1)[0])
        with open(self.path("ratings.csv"), "wb") as file:
            subprocess.run([sys.executable, "-c", program], stdout=file, check=True)
        report = self.report("ratings.csv", "--method", "sgd", "--factors", "4",
                             "--learning-rate", "0.9", status=1)
        self.assertEqual(report["status"], "overflow")


if __name__ == "__main__":
    main()
