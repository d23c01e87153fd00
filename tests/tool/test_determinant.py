# SPDX-License-Identifier: BSD-3-Clause
"""What `carroll det` finds and how it reports it, against exact rational arithmetic."""

import json
import math
import random
import unittest
from fractions import Fraction

from tool import EPS, ToolTest, main, npy_matrix

DET_KEYS = ["status", "n", "precision", "backend", "sign", "mantissa", "exponent", "log_abs",
            "value", "decimal", "growth", "seconds"]
METHODS = ("blocked", "condensation", "salem_said", "dodgson")


def exact_determinant(matrix):
    rows = [[Fraction(x) for x in row] for row in matrix]
    determinant = Fraction(1)
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k] != 0), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            determinant = -determinant
        determinant *= rows[k][k]
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    return determinant


def integer_matrix(n, seed=1):
    source = random.Random(seed)
    return [[source.randint(-50, 50) for _ in range(n)] for _ in range(n)]


def diagonal(values):
    return [[float(x) if i == j else 0.0 for j in range(len(values))] for i, x in enumerate(values)]


class Determinants(ToolTest):

    def det(self, matrix, *arguments, status=0, descr="<f8", **keywords):
        self.write("a.npy", npy_matrix(matrix, descr, **keywords))
        process = self.run_tool("det", "a.npy", "--json", *arguments)
        self.assertEqual((process.returncode, process.stderr), (status, b""), process.stdout)
        text = process.stdout.decode()
        self.assertEqual(text.count("\n"), 1)
        report = json.loads(text, parse_constant=lambda word: self.fail(word + " is not JSON"))
        self.assertEqual(list(report), DET_KEYS)
        self.assertEqual(report["n"], len(matrix))
        return report

    def test_all_fields_agree_with_the_exact_determinant(self):
        for n in (1, 2, 3, 4, 7, 20, 40):
            matrix = integer_matrix(n, seed=n)
            exact = exact_determinant(matrix)
            for precision in ("single", "double"):
                for method in METHODS[:2]:
                    with self.subTest(n=n, precision=precision, method=method):
                        report = self.det(matrix, "--precision", precision, "--method", method)
                        self.assertEqual(report["status"], "success")
                        self.assertEqual(report["precision"], precision)
                        bound = 100 * n * n * EPS[precision]
                        found = Fraction(report["mantissa"]) * Fraction(2) ** report["exponent"]
                        self.assertLessEqual(abs(found / exact - 1), bound)
                        self.assertLessEqual(abs(Fraction(report["decimal"]) / exact - 1), bound)
                        self.assertLessEqual(abs(Fraction(report["value"]) / exact - 1), bound)
                        self.assertEqual(report["sign"], 1 if exact > 0 else -1)
                        self.assertTrue(1 <= abs(report["mantissa"]) < 2)
                        self.assertAlmostEqual(report["log_abs"], math.log(abs(exact)),
                                               delta=2 * bound)
                        self.assertGreaterEqual(report["growth"], 1)
                        self.assertGreater(report["seconds"], 0)

    def test_small_determinants_are_exact(self):
        self.assertEqual(self.det(diagonal([2, 2, 2]))["decimal"], "8e+0")
        self.assertEqual(self.det([[63245986, 102334155], [102334155, 165580141]],
                                  descr="<i8")["value"], 1)

    def test_numbers_beyond_a_double(self):
        report = self.det(diagonal([1e200, -3.0517e300, 1e300, 1e300, 1e134]))
        self.assertEqual(report["sign"], -1)
        self.assertIsNone(report["value"])
        self.assertRegex(report["decimal"], r"\A-3\.0517\d*e\+1234\Z|\A-3\.05169\d*e\+1234\Z")
        self.assertAlmostEqual(report["log_abs"], math.log(3.0517) + 1234 * math.log(10), places=9)
        report = self.det(diagonal([1e-200] * 4))
        self.assertIsNone(report["value"])
        self.assertEqual(report["sign"], 1)
        self.assertLess(report["exponent"], -2600)
        self.assertIn("e-", report["decimal"])

    def test_singular_matrices(self):
        report = self.det([[1, 2, 3], [4, 5, 6], [7, 8, 9]], status=1)
        self.assertEqual(report["status"], "singular")
        self.assertEqual((report["value"], report["sign"], report["mantissa"], report["exponent"]),
                         (0, 0, 0, 0))
        self.assertEqual(report["decimal"], "0")
        self.assertIsNone(report["log_abs"])

    def test_matrices_with_nan(self):
        for bad in (math.nan, math.inf):
            report = self.det([[1.0, 2.0], [bad, 3.0]], status=1)
            self.assertEqual(report["status"], "non_finite")
            for key in ("sign", "mantissa", "exponent", "log_abs", "value", "decimal", "growth"):
                self.assertIsNone(report[key])

    def test_methods(self):
        matrix = [[-2, -1, -1, -4], [-1, -2, -1, -6], [-1, -1, 2, 4], [2, 1, -3, -8]]
        for method in METHODS:
            report = self.det(matrix, "--method", method)
            self.assertAlmostEqual(report["value"], -8, delta=1e-13)
        report = self.det([[2, -1, 1], [1, 0, 1], [3, 1, 5]], "--method", "dodgson", status=1)
        self.assertEqual(report["status"], "breakdown")
        self.assertIsNone(report["value"])

    def test_precision_follows_the_file(self):
        matrix = integer_matrix(5)
        self.assertEqual(self.det(matrix, descr="<f4")["precision"], "single")
        self.assertEqual(self.det(matrix, descr="<i4")["precision"], "double")
        for fortran in (False, True):
            self.assertAlmostEqual(self.det(matrix, fortran=fortran)["value"] /
                                   float(exact_determinant(matrix)), 1, places=12)

    def test_nothing_has_determinant_one(self):
        self.assertEqual(self.det([], cols=0)["value"], 1)

    def test_table(self):
        self.write("a.npy", npy_matrix(diagonal([1e300, -1e300, 2.0])))
        text = self.succeed("det", "a.npy")
        self.assertRegex(text, r"(?m)^determinant +-2(\.0+\d*)?e\+600$|^determinant +-1\.9+\d*e\+600$")
        for word in ("a.npy", "3 x 3, double precision", "blocked", "success", "2^"):
            self.assertIn(word, text)
        self.write("b.npy", npy_matrix([[1.0, 1.0], [1.0, 1.0]]))
        process = self.run_tool("det", "b.npy")
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"singular: the determinant is exactly 0", process.stdout)

    def test_matrices_that_are_not_square(self):
        self.write("a.npy", npy_matrix([[1, 2], [3, 4], [5, 6]]))
        for arguments in ((), ("--json",)):
            self.refuse("det", "a.npy", *arguments, says=("a.npy: is 3 x 2", "square"))

    def test_words_that_make_no_sense(self):
        self.write("a.npy", npy_matrix([[1.0]]))
        self.refuse("det", says="INPUT is required")
        self.refuse("det", "a.npy", "b.npy", says="b.npy")
        self.refuse("det", "missing.npy", says="missing.npy: ")
        self.refuse("det", "", says="INPUT")
        for option in ("--method=lu", "--method=", "--precision=half", "--rank=1"):
            self.refuse("det", "a.npy", option, says=option.split("=")[0])

    def test_help(self):
        text = self.succeed("det", "--help")
        for word in ("INPUT", "--precision P", "--method M", "--json", "singular", "non_finite",
                     "breakdown", "Exit status", *METHODS, *DET_KEYS):
            self.assertIn(word, text)


if __name__ == "__main__":
    main()
