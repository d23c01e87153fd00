# SPDX-License-Identifier: BSD-3-Clause
"""What `carroll det --certified` and `--exact` prove, against exact rational arithmetic."""

import json
import math
import random
from fractions import Fraction

from determinant_case import DeterminantTest, diagonal, exact_determinant, to_single
from tool import EPS, main, npy_matrix


class Proofs(DeterminantTest):
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


if __name__ == "__main__":
    main()
