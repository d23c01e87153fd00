# SPDX-License-Identifier: BSD-3-Clause
"""carroll sum, dot, norm, gemv, gemm and add: help, words that make no sense, damaged files."""

import json
import os
import random

from blas import NORM_KEYS, PRODUCT_KEYS, REDUCTION_KEYS, BlasTest, npy_vector
from test_mutations import mutate
from tool import main, npy_matrix

OPTIONS = {
    "sum": ["INPUT", "--summation S", "canonical", "compensated", "exact", *REDUCTION_KEYS],
    "dot": ["X", "Y", "--summation S", "--no-conjugate", *REDUCTION_KEYS],
    "norm": ["INPUT", "--kind K", "--summation S", *NORM_KEYS],
    "gemv": ["A", "X", "--transpose", "--alpha X", "--beta X", "--y FILE", "_y.npy", *PRODUCT_KEYS],
    "gemm": ["A", "B", "--transpose-a", "--transpose-b", "--alpha X", "--beta X", "--c FILE",
             "--method M", "naive", "tiled", "blocked", "vendor", "_C.npy", *PRODUCT_KEYS],
    "add": ["A", "B", "--alpha X", "--beta X", "_C.npy", *PRODUCT_KEYS],
}
SEEDS = [
    ("x.npy", npy_vector([1.5, -2.0, 0.25])),
    ("x.npy", npy_vector([1.5 + 1j, -2.0, 0.25j], ">c8")),
    ("x.npy", npy_matrix([[1, 2, 3]], "<i2", fortran=True)),
    ("x.mtx", b"%%MatrixMarket matrix coordinate real general\n3 1 2\n1 1 1.5\n3 1 -2\n"),
]


class Usage(BlasTest):

    def test_help(self):
        overview = self.succeed("--help")
        for command, words in OPTIONS.items():
            self.assertRegex(overview, r"(?m)^ +%s " % command)
            text = self.succeed(command, "--help")
            for word in [*words, "--precision P", "--json", "Exit status", "non_finite"]:
                self.assertIn(word, text)
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            self.assertNotRegex(text, r"[ \t]\n|\n\n\n|[^\n]\Z")
            self.assertTrue(text.isascii())

    def test_words_that_make_no_sense(self):
        self.write("x.npy", npy_vector([1, 2]))
        two = ["x.npy", "x.npy"]
        for arguments, says in (
                (["sum"], "INPUT is required"), (["dot", "x.npy"], "Y is required"),
                (["gemv", "x.npy"], "X is required"), (["gemm"], "is required"),
                (["sum", *two], "x.npy"), (["dot", *two, "x.npy"], "x.npy"),
                (["sum", ""], "INPUT"), (["dot", "x.npy", ""], "Y"), (["dot", "", "x.npy"], "X"),
                (["gemv", "x.npy", ""], "X"), (["gemm", "", "x.npy"], "A"),
                (["sum", "x.npy", "--summation", "pairwise"], "--summation"),
                (["sum", "x.npy", "--kind", "1"], "--kind"),
                (["sum", "x.npy", "--no-conjugate"], "--no-conjugate"),
                (["norm", "x.npy", "--kind", "inf"], "--kind"),
                (["norm", "x.npy", "--kind", "max", "--summation", "exact"], "--kind max"),
                (["norm", "x.npy", "-o", "p"], "-o"),
                (["gemv", *two, "--beta", "2"], "--beta needs --y"),
                (["gemm", *two, "--beta", "2"], "--beta needs --c"),
                (["gemm", *two, "--c", ""], "--c"),
                (["gemv", *two, "--transpose-a"], "--transpose-a"),
                (["add", *two, "--transpose"], "--transpose"),
                (["add", *two, "--alpha", "nan"], "--alpha"),
                (["add", *two, "--beta", "inf"], "--beta"),
                (["add", *two, "--alpha", "two"], "--alpha"),
                (["add", *two, "--precision", "single", "--alpha", "1e60"],
                 "--alpha is beyond single precision"),
                (["gemm", *two, "--method", "fast"], "--method"),
                (["add", *two, "-o", "p/"], "--output")):
            with self.subTest(arguments=arguments):
                self.refuse(*arguments, says=says)

    def test_damaged_files(self):
        source = random.Random(int(os.environ.get("CARROLL_SEED", "1898")))
        outcomes = {0: 0, 1: 0, 2: 0}
        self.write("A.npy", npy_matrix([[1, 2, 3], [4, 5, 6]]))
        commands = (["sum"], ["norm", "--summation", "exact"], ["dot", "x.npy"], ["gemv", "A.npy"],
                    ["add", "x.npy"])
        for name, content in SEEDS:
            self.write("x.npy", SEEDS[0][1])
            for round in range(int(os.environ.get("CARROLL_MUTATIONS", "40"))):
                mutant = mutate(content, source)
                self.write(name, mutant)
                process = self.run_tool(*commands[round % len(commands)], name, "--json")
                self.assertIn(process.returncode, outcomes, (name, mutant, process.stderr))
                outcomes[process.returncode] += 1
                if process.returncode == 2:
                    self.assertRegex(process.stderr, rb"\Acarroll: [^\n]+\n\Z", mutant)
                    self.assertEqual(process.stdout, b"", mutant)
                else:
                    self.assertEqual(process.stderr, b"", mutant)
                    json.loads(process.stdout)
        self.assertGreater(outcomes[2], 40)
        self.assertGreater(outcomes[0], 2)


if __name__ == "__main__":
    main()
