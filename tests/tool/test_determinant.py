# SPDX-License-Identifier: BSD-3-Clause
"""What `carroll det` finds and how it reports it, against exact rational arithmetic."""

import math
import random
from fractions import Fraction

from determinant_case import DET_KEYS, DeterminantTest, diagonal, exact_determinant, integer_matrix
from tool import EPS, main, npy_matrix

METHODS = ("blocked", "condensation", "salem_said", "dodgson", "condensation_in_place", "condensation_ping_pong",
           "condensation_read_only", "condensation_read_only_column")


class Determinants(DeterminantTest):
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

    def test_exponents_of_tens_of_thousands(self):
        source = random.Random(9)
        for sign in (1, -1):
            # Rows of a diagonally dominant matrix, all but their units small integers.
            n = 64
            shifts = [sign * source.randint(850, 940) for _ in range(n)]
            rows = [[source.randint(-3, 3) + (200 if i == j else 0) for j in range(n)]
                    for i in range(n)]
            exact = exact_determinant(rows) * Fraction(2) ** sum(shifts)
            matrix = [[math.ldexp(x, shift) for x in row] for row, shift in zip(rows, shifts)]
            for arguments in ((), ("--certified",)):
                report = self.det(matrix, *arguments)
                self.assertGreater(sign * report["exponent"], 50000)
                found = Fraction(report["mantissa"]) * Fraction(2) ** report["exponent"]
                self.assertLessEqual(abs(found / exact - 1), 1e-13)
                # Rounded correctly to 17 digits, of which zeros at the end are left out.
                power = int(report["decimal"].split("e")[1])
                self.assertLessEqual(abs(Fraction(report["decimal"]) - found),
                                     Fraction(10) ** (power - 16) / 2)
                self.assertIsNone(report["value"])
                self.assertAlmostEqual(report["log_abs"] / (math.log(exact.numerator) -
                                                            math.log(exact.denominator)), 1)
            lower, upper = [Fraction(end["mantissa"]) * Fraction(2) ** end["exponent"]
                            for end in report["interval"]]
            self.assertTrue(lower <= exact <= upper)

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

    def test_paths(self):
        matrix = integer_matrix(40)
        exact = exact_determinant(matrix)
        for path in ("automatic", "scratch", "panels", "in_place"):
            report = self.det(matrix, "--path", path)
            self.assertAlmostEqual(report["value"] / float(exact), 1, places=10)
        self.assertAlmostEqual(self.det(matrix, "--path", "in_place", "--method", "condensation")["value"] /
                               float(exact), 1, places=10)
        self.refuse("det", "a.npy", "--path", "closed_form",
                    says=("a.npy: ", "options.path is closed_form, which takes orders from 0 to 3, not 40"))
        self.refuse("det", "a.npy", "--path", "strips", says=("--path",))
        for other in ("--certified", "--exact"):
            self.refuse("det", "a.npy", "--path", "panels", other, says=("--path has no meaning for " + other,))

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
        # Elimination proves nothing beyond order 3.
        self.write("c.npy", npy_matrix([[1.0] * 4] * 4))
        self.assertIn(b"singular: a pivot is exactly 0", self.run_tool("det", "c.npy").stdout)
        proved = self.run_tool("det", "c.npy", "--exact").stdout
        self.assertIn(b"singular: the determinant is exactly 0", proved)

    def test_matrices_that_are_not_square(self):
        self.write("a.npy", npy_matrix([[1, 2], [3, 4], [5, 6]]))
        for arguments in ((), ("--json",), ("--certified",), ("--exact",), ("--exact", "--json")):
            self.refuse("det", "a.npy", *arguments, says=("a.npy: is 3 x 2", "square"))

    def test_words_that_make_no_sense(self):
        self.write("a.npy", npy_matrix([[1.0]]))
        self.refuse("det", says="INPUT is required")
        self.refuse("det", "a.npy", "b.npy", says="b.npy")
        self.refuse("det", "missing.npy", says="missing.npy: ")
        self.refuse("det", "", says="INPUT")
        for option in ("--method=lu", "--method=", "--precision=half", "--rank=1"):
            self.refuse("det", "a.npy", option, says=option.split("=")[0])
        for options in (("--exact", "--certified"), ("--exact", "--method=blocked"),
                        ("--exact", "--precision=double"), ("--certified", "--method=dodgson")):
            names = [option.split("=")[0] for option in options]
            self.refuse("det", "a.npy", *options, says=names)
            self.refuse("det", "a.npy", *reversed(options), says=names)

    def test_help(self):
        text = self.succeed("det", "--help")
        for word in ("INPUT", "--precision P", "--method M", "--json", "singular", "non_finite",
                     "breakdown", "not_certified", "--certified", "--exact", "Exit status", *METHODS, *DET_KEYS):
            self.assertIn(word, text)


if __name__ == "__main__":
    main()
