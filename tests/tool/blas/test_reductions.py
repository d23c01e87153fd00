# SPDX-License-Identifier: BSD-3-Clause
"""carroll sum, dot and norm: values, orders, types, complex numbers, and what cannot be had."""

import math
import random
import struct

from blas import SUMMATIONS, BlasTest, exact_dot, exact_sum, npy_vector, single
from tool import EPS, main, npy_bytes, npy_matrix

# Large numbers that cancel, after each has swallowed a small one.
CANCELLING = [1e100, 1.0, 3.0, 2.0**-60, 7.25, -1e100]


def random_vector(count, seed=5):
    source = random.Random(seed)
    return [source.uniform(-1, 1) * 10.0**source.randint(-12, 12) for _ in range(count)]


class Reductions(BlasTest):

    def test_sums(self):
        for count in (0, 1, 2, 3, 1000, 1024, 1025, 40000):
            x = random_vector(count)
            self.write("x.npy", npy_vector(x))
            size = sum(map(abs, x))
            for summation in SUMMATIONS:
                with self.subTest(count=count, summation=summation):
                    report = self.reduced("sum", "x.npy", "--summation", summation)
                    self.assertEqual((report["status"], report["count"], report["summation"],
                                      report["precision"]),
                                     ("success", count, summation, "double"))
                    error = abs(report["value"] - math.fsum(x))
                    self.assertLessEqual(error, 60 * EPS["double"] * size)
                    if summation == "exact":
                        self.assertEqual(report["value"], math.fsum(x))

    def test_cancellation(self):
        self.write("x.npy", npy_vector(CANCELLING))
        value = self.reduced("sum", "x.npy", "--summation", "exact")["value"]
        self.assertEqual(value, exact_sum(CANCELLING))
        self.assertNotEqual(self.reduced("sum", "x.npy")["value"], value)
        # What twice the precision can hold, compensated sums can.
        x = [1e16, 1.0, -1e16, 1.0, 2.0**-40]
        self.write("x.npy", npy_vector(x))
        self.assertEqual(self.reduced("sum", "x.npy", "--summation", "compensated")["value"],
                         exact_sum(x))

    def test_inner_products(self):
        x, y = random_vector(3000, 6), random_vector(3000, 7)
        self.write("x.npy", npy_vector(x))
        self.write("y.npy", npy_vector(y))
        size = sum(abs(a * b) for a, b in zip(x, y))
        for summation in SUMMATIONS:
            report = self.reduced("dot", "x.npy", "y.npy", "--summation", summation)
            self.assertLessEqual(abs(report["value"] - exact_dot(x, y)), 60 * EPS["double"] * size)
        self.assertEqual(report["value"], exact_dot(x, y))

    def test_norms(self):
        x = random_vector(2000, 8)
        self.write("x.npy", npy_vector(x))
        wanted = {"2": math.hypot(*x), "1": math.fsum(map(abs, x)), "max": max(map(abs, x))}
        for kind, value in wanted.items():
            report = self.reduced("norm", "x.npy", "--kind", kind)
            self.assertEqual((report["kind"], report["summation"]),
                             (kind, None if kind == "max" else "canonical"))
            self.assertLessEqual(abs(report["value"] - value), 60 * EPS["double"] * value)
        self.assertEqual(self.reduced("norm", "x.npy", "--kind", "max")["value"], wanted["max"])
        self.assertEqual(self.reduced("norm", "x.npy")["kind"], "2")
        for scale in (1e-300, 1e300):
            self.write("x.npy", npy_vector([3 * scale, -4 * scale]))
            self.assertAlmostEqual(self.reduced("norm", "x.npy")["value"] / scale, 5)

    def test_bits_do_not_depend_on_threads(self):
        x = random_vector(200000, 9)
        self.write("x.npy", npy_vector(x))
        for summation in SUMMATIONS:
            values = {self.reduced("sum", "x.npy", "--summation", summation, *flags)["value"]
                      for flags in ([], ["--kokkos-num-threads=1"])}
            self.assertEqual(len(values), 1)

    def test_types(self):
        for kind in ("f4", "f8", "i4", "i8"):
            for order in "<>":
                self.write("x.npy", npy_vector([1, -2, 4, 16], order + kind))
                report = self.reduced("sum", "x.npy")
                self.assertEqual((report["value"], report["precision"]),
                                 (19, "single" if kind == "f4" else "double"))
        self.write("x.npy", npy_vector([0.1, 0.2], "<f4"))
        report = self.reduced("sum", "x.npy", "--summation", "exact")
        self.assertEqual(single(report["value"]), single(single(0.1) + single(0.2)))
        self.assertLessEqual(len(repr(report["value"])), 11)
        report = self.reduced("sum", "x.npy", "--precision", "double", "--summation", "exact")
        self.assertEqual((report["value"], report["precision"]),
                         (single(0.1) + single(0.2), "double"))

    def test_matrices_in_the_order_of_the_file(self):
        # The sum of a chunk is not the same in every order.
        source = random.Random(3)
        A = [[source.uniform(-1, 1) for _ in range(37)] for _ in range(40)]
        rows = [a for row in A for a in row]
        columns = [row[j] for j in range(37) for row in A]
        for fortran, entries in ((False, rows), (True, columns)):
            self.write("A.npy", npy_matrix(A, fortran=fortran))
            self.write("a.npy", npy_vector(entries))
            for command in ("sum", "norm"):
                self.assertEqual(self.reduced(command, "A.npy")["value"],
                                 self.reduced(command, "a.npy")["value"])
        self.write("A.mtx", "%%%%MatrixMarket matrix array real general\n40 37\n%s\n" %
                   "\n".join(map(repr, columns)))
        self.assertEqual(self.reduced("sum", "A.mtx")["value"], self.reduced("sum", "a.npy")["value"])

    def test_matrix_market(self):
        self.write("s.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n1 1 5\n3 1 2\n")
        report = self.reduced("sum", "s.mtx")
        self.assertEqual((report["value"], report["count"]), (9, 9))
        self.assertEqual(self.reduced("norm", "s.mtx", "--kind", "1")["value"], 9)

    def test_pairs_of_shapes_and_orders(self):
        A = [[1, 2, 3], [4, 5, 6]]
        B = [[7, 8, 9], [10, 11, 12]]
        wanted = sum(a * b for ra, rb in zip(A, B) for a, b in zip(ra, rb))
        for fortran_a in (False, True):
            for fortran_b in (False, True):
                self.write("A.npy", npy_matrix(A, fortran=fortran_a))
                self.write("B.npy", npy_matrix(B, fortran=fortran_b))
                self.assertEqual(self.reduced("dot", "A.npy", "B.npy")["value"], wanted)
        files = {"row.npy": npy_matrix([[1, 2, 3]]), "column.npy": npy_matrix([[1], [2], [3]]),
                 "vector.npy": npy_vector([1, 2, 3]),
                 "column.mtx": "%%MatrixMarket matrix array real general\n3 1\n1 2 3\n"}
        for name, content in files.items():
            self.write(name, content)
        for x in files:
            for y in files:
                self.assertEqual(self.reduced("dot", x, y)["value"], 14)

    def test_mixed_precisions(self):
        self.write("x.npy", npy_vector([0.1], "<f4"))
        self.write("y.npy", npy_vector([0.1], "<f8"))
        for pair in (("x.npy", "y.npy"), ("y.npy", "x.npy")):
            report = self.reduced("dot", *pair, "--summation", "exact")
            self.assertEqual((report["value"], report["precision"]), (single(0.1) * 0.1, "double"))
        self.assertEqual(self.reduced("dot", "x.npy", "x.npy")["precision"], "single")

    def test_complex_numbers(self):
        x, y = [1 + 2j, -3.5 + 0.25j, 4j], [2 - 1j, 1 + 1j, 0.5 + 0j]
        for kind, precision in (("<c8", "single"), ("<c16", "double"), (">c16", "double")):
            self.write("x.npy", npy_vector(x, kind))
            self.write("y.npy", npy_vector(y, kind))
            for summation in SUMMATIONS:
                found = self.reduced("sum", "x.npy", "--summation", summation)
                self.assertEqual((complex(*found["value"]), found["count"], found["precision"]),
                                 (sum(x), 3, precision))
                self.assertEqual(
                    complex(*self.reduced("dot", "x.npy", "y.npy", "--summation",
                                          summation)["value"]),
                    sum(a.conjugate() * b for a, b in zip(x, y)))
                self.assertEqual(
                    complex(*self.reduced("dot", "x.npy", "y.npy", "--summation", summation,
                                          "--no-conjugate")["value"]),
                    sum(a * b for a, b in zip(x, y)))
            self.assertAlmostEqual(self.reduced("norm", "x.npy")["value"],
                                   math.sqrt(sum(abs(a)**2 for a in x)), 5)
            self.assertEqual(self.reduced("norm", "x.npy", "--kind", "1")["value"], 10.75)
            self.assertEqual(self.reduced("norm", "x.npy", "--kind", "max")["value"], 4)
        # A real vector and a complex one; matrices of two orders.
        self.write("r.npy", npy_vector([1.0, 2.0, 4.0]))
        self.assertEqual(complex(*self.reduced("dot", "r.npy", "y.npy")["value"]), 6 + 1j)
        self.assertEqual(complex(*self.reduced("dot", "y.npy", "r.npy")["value"]), 6 - 1j)
        data = struct.pack("<8d", 1, 2, 3, 4, 5, 6, 7, 8)
        self.write("C.npy", npy_bytes(data, "'<c16'", False, "(2, 2)"))
        self.write("F.npy", npy_bytes(data, "'<c16'", True, "(2, 2)"))
        a, b = [1 + 2j, 3 + 4j, 5 + 6j, 7 + 8j], [1 + 2j, 5 + 6j, 3 + 4j, 7 + 8j]
        self.assertEqual(complex(*self.reduced("dot", "C.npy", "F.npy", "--no-conjugate")["value"]),
                         sum(p * q for p, q in zip(a, b)))
        text = self.succeed("sum", "C.npy")
        self.assertRegex(text, r"(?m)^sum +1\.6000000000000000e\+01 \+ 2\.0000000000000000e\+01 i$")

    def test_not_finite(self):
        for values in ([1.0, math.nan], [math.inf, 1.0], [math.inf, -math.inf]):
            self.write("x.npy", npy_vector(values))
            self.write("y.npy", npy_vector([1.0, 1.0]))
            for command in (["sum", "x.npy"], ["dot", "x.npy", "y.npy"], ["norm", "x.npy"],
                            ["norm", "x.npy", "--kind", "max"]):
                report = self.reduced(*command, status=1)
                self.assertEqual((report["status"], report["value"]), ("non_finite", None))
        self.write("x.npy", npy_vector([1e308, 1e308]))
        report = self.reduced("sum", "x.npy", "--summation", "exact", status=1)
        self.assertEqual((report["status"], report["value"]), ("overflow", None))
        self.write("x.npy", npy_vector([1e308, 1e308, -1e308]))
        self.assertEqual(self.reduced("sum", "x.npy", "--summation", "exact")["value"], 1e308)

    def test_empty(self):
        for name, content in (("v.npy", npy_vector([])), ("m.npy", npy_bytes(b"", shape="(0, 3)"))):
            self.write(name, content)
            for command in ("sum", "norm"):
                report = self.reduced(command, name)
                self.assertEqual((report["status"], report["value"], report["count"]),
                                 ("success", 0, 0))

    def test_table(self):
        self.write("x.npy", npy_vector([0.1] * 10))
        text = self.succeed("sum", "x.npy", "--summation", "exact")
        for line in (r"input +x\.npy", "entries +10, double precision", "summation +exact",
                     "status +success", r"sum +1\.0000000000000000e\+00", "seconds +[0-9]"):
            self.assertRegex(text, "(?m)^%s" % line)
        self.assertIn("2-norm", self.succeed("norm", "x.npy"))
        self.assertIn("inner product", self.succeed("dot", "x.npy", "x.npy"))

    def test_wrong_shapes(self):
        self.write("x.npy", npy_vector([1, 2, 3]))
        self.write("y.npy", npy_vector([1, 2]))
        self.write("A.npy", npy_matrix([[1, 2, 3], [4, 5, 6]]))
        self.write("B.npy", npy_matrix([[1, 2], [3, 4], [5, 6]]))
        self.refuse("dot", "x.npy", "y.npy", says=("y.npy: ", "2 x 1", "3 x 1", "x.npy"))
        self.refuse("dot", "A.npy", "B.npy", says=("B.npy: ", "3 x 2", "2 x 3", "A.npy"))
        self.write("c.npy", npy_bytes(bytes(64), shape="(2, 2, 2)"))
        self.refuse("sum", "c.npy", says=("c.npy: ", "3 dimensions"))

    def test_other_commands_take_neither_vectors_nor_complex_numbers(self):
        self.write("x.npy", npy_vector([1, 2, 3]))
        self.write("z.npy", npy_vector([1j], "<c16"))
        for command in ("svd", "det"):
            self.refuse(command, "x.npy", says="1 dimension")
        self.refuse("svd", "z.npy", says="1 dimension")  # of matrices it takes complex numbers
        self.refuse("det", "z.npy", says="complex")
        for command in ("sum", "dot", "norm"):
            self.refuse(command, "none.npy", *["x.npy"] * (command == "dot"), says="No such file")

    def test_damage(self):
        content = npy_vector([1j, 2.0, 3.0], "<c16")
        self.write("x.npy", content[:-1])
        self.refuse("sum", "x.npy", says=("x.npy: is truncated", "48 bytes, 47"))
        self.write("x.npy", content + b"1")
        self.refuse("sum", "x.npy", says="1 byte more")
        self.write("x.npy", npy_vector([1.0, 1e300j], "<c16"))
        self.refuse("sum", "x.npy", "--precision", "single",
                    says=("beyond single precision", "row 2, column 1"))


if __name__ == "__main__":
    main()
