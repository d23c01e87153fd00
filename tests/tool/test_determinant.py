# SPDX-License-Identifier: BSD-3-Clause
"""What `carroll det` finds and how it reports it, against exact rational arithmetic."""

import json
import math
import random
import struct
import unittest
from fractions import Fraction

from tool import EPS, ToolTest, main, npy_matrix

DET_KEYS = ["status", "n", "precision", "backend", "sign", "mantissa", "exponent", "log_abs",
            "value", "decimal", "interval", "exact", "growth", "seconds"]
METHODS = ("blocked", "condensation", "salem_said", "dodgson", "condensation_in_place", "condensation_ping_pong",
           "condensation_read_only", "condensation_read_only_column")


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


def to_single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


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

    def test_intervals_contain_the_exact_determinant(self):
        source = random.Random(5)
        for n in (1, 2, 3, 4, 12, 30):
            matrix = [[source.gauss(0, 1) for _ in range(n)] for _ in range(n)]
            for precision in ("single", "double"):
                with self.subTest(n=n, precision=precision):
                    if precision == "single":
                        matrix = [[to_single(x) for x in row] for row in matrix]
                    exact = exact_determinant(matrix)
                    report = self.det(matrix, "--certified", "--precision", precision)
                    self.assertEqual(report["status"], "success")
                    lower, upper = [Fraction(end["mantissa"]) * Fraction(2) ** end["exponent"]
                                    for end in report["interval"]]
                    # Written with as many digits as tell it from its neighbours.
                    mantissa = report["mantissa"]
                    value = Fraction(to_single(mantissa) if precision == "single" else mantissa)
                    value *= Fraction(2) ** report["exponent"]
                    self.assertTrue(lower <= exact <= upper and lower <= value <= upper)
                    self.assertLessEqual(upper - lower, 2 * EPS[precision] * abs(exact))
                    for end in report["interval"]:
                        self.assertLessEqual(abs(Fraction(end["decimal"]) / exact - 1),
                                             2 * EPS[precision])
                    self.assertIsNone(report["exact"])
                    self.assertIsNone(report["growth"])
        self.assertIsNone(self.det([[2.0]])["interval"])

    def test_what_cannot_be_certified(self):
        report = self.det([[0.1] * 5] * 5, "--certified", status=1)
        self.assertEqual(report["status"], "not_certified")
        lower, upper = report["interval"]
        self.assertLess(lower["mantissa"], 0)
        self.assertGreater(upper["mantissa"], 0)
        report = self.det([[1.0] * 5] * 5, "--certified", status=1)
        self.assertEqual(report["status"], "singular")
        self.assertEqual([end["mantissa"] for end in report["interval"]], [0, 0])
        report = self.det([[math.nan, 1.0], [0.0, 1.0]], "--certified", status=1)
        self.assertEqual(report["status"], "non_finite")
        self.assertEqual(report["interval"], [{"mantissa": None, "exponent": None,
                                               "decimal": None}] * 2)

    def test_exact_determinants(self):
        source = random.Random(6)
        for n, bits in ((0, 1), (1, 63), (2, 63), (3, 62), (8, 63), (30, 63)):
            matrix = [[source.randint(-2**bits, 2**bits - 1) for _ in range(n)] for _ in range(n)]
            for fortran in (False, True):
                with self.subTest(n=n, bits=bits, fortran=fortran):
                    report = self.det(matrix, "--exact", descr="<i8", fortran=fortran, cols=n)
                    exact = exact_determinant(matrix)
                    self.assertEqual(report["exact"], str(exact))
                    self.assertEqual(report["status"], "success")
                    self.assertIsNone(report["precision"])
                    self.assertIsNone(report["growth"])
                    self.assertEqual(report["sign"], 1 if exact > 0 else -1)
                    found = Fraction(report["mantissa"]) * Fraction(2) ** report["exponent"]
                    self.assertLessEqual(abs(found / exact - 1), EPS["double"] / 2)
                    self.assertLessEqual(abs(Fraction(report["decimal"]) / exact - 1),
                                         EPS["double"])
                    if abs(exact) < 2**1023:
                        self.assertEqual(report["value"], float(exact))
                    else:
                        self.assertIsNone(report["value"])

    def test_exact_of_every_type_of_integers(self):
        for descr, matrix in (("<u8", [[2**63 - 1, 1], [2, 2**62 + 1]]),
                              (">i8", [[-2**63, 1], [3, 2**53 + 1]]),
                              ("<i4", [[-2**31, 5], [7, 2**31 - 1]]),
                              ("|u1", [[255, 1], [3, 254]]), ("|b1", [[True, True], [False, True]]),
                              ("<f8", [[2.0**60, 1.0], [3.0, -5.0]]),
                              ("<f4", [[16777216.0, 1.0], [3.0, -5.0]])):
            with self.subTest(descr=descr):
                report = self.det(matrix, "--exact", descr=descr)
                self.assertEqual(report["exact"], str(exact_determinant(matrix)))
        report = self.det([[1, 2, 3], [4, 5, 6], [7, 8, 9]], "--exact", descr="<i8", status=1)
        self.assertEqual((report["status"], report["exact"], report["value"]), ("singular", "0", 0))

    def test_exact_of_matrix_market_files(self):
        head = "%%MatrixMarket matrix "
        for text, exact in (
                ("array integer general\n2 2\n9007199254740993\n1\n1\n1\n", 9007199254740992),
                ("coordinate integer general\n2 2 4\n1 1 -9223372036854775808\n2 2 3\n"
                 "2 2 4\n1 2 0\n", -7 * 2**63),
                ("coordinate integer skew-symmetric\n2 2 1\n2 1 9007199254740993\n",
                 9007199254740993**2),
                ("array real general\n1 1\n-3e2\n", -300),
                ("coordinate pattern general\n2 2 2\n1 2\n2 1\n", -1)):
            with self.subTest(text=text):
                self.write("a.mtx", (head + text).encode())
                report = json.loads(self.succeed("det", "a.mtx", "--exact", "--json"))
                self.assertEqual(report["exact"], str(exact))
        for text, says in (
                ("array real general\n1 1\n2.5\n", ("line 3", "'2.5'", "no integer")),
                ("array real general\n1 1\n9007199254740993.5\n", ("line 3", "no integer")),
                ("array real general\n1 1\nnan\n", ("line 3", "no integer")),
                ("array integer general\n1 1\n9223372036854775808\n", "line 3"),
                ("coordinate integer general\n1 1 2\n1 1 9223372036854775807\n1 1 1\n",
                 ("row 1, column 1", "64 bits"))):
            with self.subTest(text=text):
                self.write("a.mtx", (head + text).encode())
                self.refuse("det", "a.mtx", "--exact", says=says)

    def test_what_is_no_integer(self):
        for descr, matrix, place in (("<f8", [[1.0, 2.0], [3.0, 4.5]], "row 2, column 2"),
                                     ("<f8", [[1.0, 2.0**63], [3.0, 4.0]], "row 1, column 2"),
                                     ("<f8", [[1.0, 2.0], [math.nan, 4.0]], "row 2, column 1"),
                                     ("<f4", [[1.0, -math.inf], [3.0, 4.0]], "row 1, column 2"),
                                     ("<u8", [[2**63, 2], [3, 4]], "row 1, column 1")):
            with self.subTest(descr=descr, place=place):
                self.write("a.npy", npy_matrix(matrix, descr))
                self.refuse("det", "a.npy", "--exact",
                            says=("a.npy: has an entry that is no integer", place))

    def test_tables_of_proofs(self):
        self.write("a.npy", npy_matrix([[2**62, 1], [3, 2**61 + 1]], "<i8"))
        text = self.succeed("det", "a.npy", "--exact")
        self.assertRegex(text, r"(?m)^exact +10633823966279326987842142500670144509$")
        self.assertIn("2 x 2, integers", text)
        self.write("b.npy", npy_matrix(diagonal([0.5, 3.0, 0.25, -1.0])))
        text = self.succeed("det", "b.npy", "--certified")
        self.assertRegex(text, r"(?m)^at least +-3\.7\d*e-1$")
        self.assertRegex(text, r"(?m)^at most +-3\.7\d*e-1$")

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
