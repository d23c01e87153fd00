# SPDX-License-Identifier: BSD-3-Clause
"""carroll gemv, gemm and add: values, files, and shapes that do not fit."""

import math
import random

from blas import BlasTest, exact_dot, npy_vector
from tool import EPS, main, npy_matrix, read_npy

METHODS = ("automatic", "naive", "tiled", "blocked")


def random_matrix(rows, cols, seed=1):
    source = random.Random(seed)
    return [[source.uniform(-1, 1) for _ in range(cols)] for _ in range(rows)]


def transposed(A):
    return [list(column) for column in zip(*A)]


def multiplied(A, B):
    return [[exact_dot(row, column) for column in zip(*B)] for row in A]


class Products(BlasTest):

    def close(self, A, B, precision="double", terms=1):
        self.assertEqual((len(A), len(A[0])), (len(B), len(B[0])))
        bound = (terms + 4) * EPS[precision] * max(1, max(abs(b) for row in B for b in row))
        for ra, rb in zip(A, B):
            for a, b in zip(ra, rb):
                self.assertLessEqual(abs(a - b), bound)

    def test_gemv(self):
        A, y = random_matrix(7, 40), random_matrix(1, 7, 2)[0]
        x, z = random_matrix(1, 40, 3)[0], random_matrix(1, 7, 4)[0]
        self.write("A.npy", npy_matrix(A))
        self.write("x.npy", npy_vector(x))
        self.write("row.npy", npy_matrix([z]))
        self.write("y.npy", npy_vector(y))
        report = self.product("gemv", "A.npy", "x.npy", "-o", "p")
        kind, found = read_npy(self.path("p_y.npy"))
        self.assertEqual((kind, report["rows"], report["cols"], report["terms"]),
                         ("f8", 7, 1, 40))
        self.assertEqual((report["status"], report["precision"], report["method"]),
                         ("success", "double", None))
        self.close([found], [[exact_dot(row, x) for row in A]], terms=40)
        self.assertAlmostEqual(report["norm"], math.hypot(*found))
        self.product("gemv", "A.npy", "row.npy", "--transpose", "-o", "p")
        self.close([read_npy(self.path("p_y.npy"))[1]],
                   [[exact_dot(column, z) for column in zip(*A)]], terms=7)
        self.product("gemv", "A.npy", "x.npy", "--alpha", "2", "--beta=-0.5", "--y", "y.npy", "-o",
                     "p")
        self.close([read_npy(self.path("p_y.npy"))[1]],
                   [[2 * exact_dot(row, x) - 0.5 * b for row, b in zip(A, y)]], terms=80)
        self.product("gemv", "A.npy", "x.npy", "--y", "y.npy", "-o", "p")
        self.close([read_npy(self.path("p_y.npy"))[1]],
                   [[exact_dot(row, x) + b for row, b in zip(A, y)]], terms=40)

    def test_gemv_has_the_bits_of_dot(self):
        A, x = random_matrix(3, 5000, 5), random_matrix(1, 5000, 6)[0]
        self.write("A.npy", npy_matrix(A))
        self.write("x.npy", npy_vector(x))
        self.product("gemv", "A.npy", "x.npy", "-o", "p")
        for i, value in enumerate(read_npy(self.path("p_y.npy"))[1]):
            self.write("a.npy", npy_vector(A[i]))
            self.assertEqual(self.reduced("dot", "a.npy", "x.npy")["value"], value)

    def test_gemm(self):
        A, B, C = random_matrix(9, 33, 7), random_matrix(33, 5, 8), random_matrix(9, 5, 9)
        files = {"A": A, "At": transposed(A), "B": B, "Bt": transposed(B), "C": C}
        for name, matrix in files.items():
            self.write(name + ".npy", npy_matrix(matrix, fortran=name == "B"))
        wanted = multiplied(A, B)
        for method in METHODS:
            for a in ("A", "At"):
                for b in ("B", "Bt"):
                    with self.subTest(method=method, a=a, b=b):
                        report = self.product(
                            "gemm", a + ".npy", b + ".npy", "--method", method, "-o", "p",
                            *["--transpose-a"] * (a == "At"), *["--transpose-b"] * (b == "Bt"))
                        self.assertEqual((report["rows"], report["cols"], report["terms"]),
                                         (9, 5, 33))
                        self.assertEqual(report["method"],
                                         "blocked" if method == "automatic" else method)
                        kind, found = read_npy(self.path("p_C.npy"))
                        self.assertEqual(kind, "f8")
                        self.close(found, wanted, terms=33)
                        self.assertAlmostEqual(report["norm"],
                                               math.hypot(*[c for row in found for c in row]))
        self.product("gemm", "A.npy", "B.npy", "--alpha=-2", "--beta", "3", "--c", "C.npy", "-o", "p")
        self.close(read_npy(self.path("p_C.npy"))[1],
                   [[-2 * w + 3 * c for w, c in zip(rw, rc)] for rw, rc in zip(wanted, C)],
                   terms=100)

    def test_vendor(self):
        self.write("A.npy", npy_matrix([[1, 2], [3, 4]]))
        process = self.run_tool("gemm", "A.npy", "A.npy", "--method", "vendor", "--json")
        if process.returncode == 0:
            self.assertIn(b'"method":"vendor"', process.stdout)
        else:
            self.refuse("gemm", "A.npy", "A.npy", "--method", "vendor", says="KokkosKernels")

    def test_add(self):
        A, B = random_matrix(4, 3, 10), random_matrix(4, 3, 11)
        self.write("A.npy", npy_matrix(A))
        self.write("B.npy", npy_matrix(B, fortran=True))
        report = self.product("add", "A.npy", "B.npy", "-o", "p")
        self.assertEqual(read_npy(self.path("p_C.npy"))[1],
                         [[a + b for a, b in zip(ra, rb)] for ra, rb in zip(A, B)])
        self.assertEqual((report["rows"], report["cols"], report["terms"], report["kernel"]),
                         (4, 3, None, None))
        self.product("add", "A.npy", "B.npy", "--alpha=0.1", "--beta=-3", "-o", "p")
        self.assertEqual(read_npy(self.path("p_C.npy"))[1],
                         [[0.1 * a + -3 * b for a, b in zip(ra, rb)] for ra, rb in zip(A, B)])
        self.write("x.npy", npy_vector([1, 2], "<i8"))
        self.write("y.npy", npy_vector([0.5, 1], "<f4"))
        report = self.product("add", "x.npy", "y.npy", "-o", "p")
        self.assertEqual(read_npy(self.path("p_C.npy")), ("f8", [1.5, 3]))
        report = self.product("add", "y.npy", "y.npy", "-o", "p")
        self.assertEqual((read_npy(self.path("p_C.npy")), report["precision"]),
                         (("f4", [1, 2]), "single"))

    def test_nothing_to_multiply(self):
        self.write("A.npy", npy_matrix([], cols=3))
        self.write("x.npy", npy_vector([1, 2, 3]))
        report = self.product("gemv", "A.npy", "x.npy", "-o", "p")
        self.assertEqual((report["status"], report["rows"], report["norm"]), ("success", 0, 0))
        self.assertEqual(read_npy(self.path("p_y.npy")), ("f8", []))
        self.write("e.npy", npy_vector([]))
        report = self.product("gemv", "A.npy", "e.npy", "--transpose", "-o", "p")
        self.assertEqual(read_npy(self.path("p_y.npy")), ("f8", [0, 0, 0]))

    def test_not_finite(self):
        self.write("A.npy", npy_matrix([[1, math.nan], [3, 4]]))
        self.write("x.npy", npy_vector([1, 2]))
        self.write("h.npy", npy_matrix([[1e200, 1e200]]))
        for command in (["gemv", "A.npy", "x.npy"], ["gemm", "A.npy", "A.npy"],
                        ["add", "A.npy", "A.npy"], ["gemm", "h.npy", "h.npy", "--transpose-a"]):
            before = self.files()
            report = self.product(*command, "-o", "p", status=1)
            self.assertEqual((report["status"], report["norm"]), ("non_finite", None))
            self.assertEqual(self.files(), before)

    def test_table(self):
        self.write("A.npy", npy_matrix([[3, 0], [0, 4]]))
        self.write("x.npy", npy_vector([1, 1]))
        text = self.succeed("gemv", "A.npy", "x.npy", "--alpha", "2", "--y", "x.npy")
        for line in (r"input +A\.npy", r"input +x\.npy", r"result +2 A x \+ y$",
                     "size +2 x 1, sums of 2 terms, double precision", "kernel +[a-z_]+",
                     "status +success", r"Frobenius norm +1\.1401754250991379e\+01", "seconds +[0-9]"):
            self.assertRegex(text, "(?m)^%s" % line)
        self.assertEqual(self.files(), ["A.npy", "x.npy"])
        self.assertIn("written            p_C.npy", self.succeed("gemm", "A.npy", "A.npy", "-o", "p"))

    def test_wrong_shapes(self):
        self.write("A.npy", npy_matrix([[1, 2, 3], [4, 5, 6]]))
        self.write("B.npy", npy_matrix([[1, 2], [3, 4]]))
        self.write("x.npy", npy_vector([1, 2]))
        self.write("z.npy", npy_vector([1, 2, 3]))
        for arguments, says in (
                (["gemv", "A.npy", "x.npy"], ("x.npy: is 2 x 1", "vector of 3", "A.npy is 2 x 3")),
                (["gemv", "A.npy", "z.npy", "--transpose"],
                 ("z.npy: is 3 x 1", "vector of 2", "2 x 3, transposed 3 x 2")),
                (["gemv", "A.npy", "B.npy"], ("B.npy: is 2 x 2", "vector of 3")),
                (["gemv", "A.npy", "z.npy", "--y", "z.npy"], ("z.npy: is 3 x 1", "vector of 2")),
                (["gemv", "x.npy", "z.npy"], ("x.npy: ", "1 dimension")),
                (["gemm", "A.npy", "B.npy"], ("B.npy: is 2 x 2", "3 rows", "A.npy is 2 x 3")),
                (["gemm", "B.npy", "A.npy", "--transpose-b"],
                 ("A.npy: is 2 x 3, transposed 3 x 2", "2 rows", "B.npy is 2 x 2")),
                (["gemm", "A.npy", "x.npy"], ("x.npy: ", "1 dimension")),
                (["gemm", "B.npy", "A.npy", "--c", "B.npy"], ("B.npy: is 2 x 2", "2 x 3")),
                (["add", "A.npy", "B.npy"], ("B.npy: is 2 x 2", "2 x 3", "A.npy")),
                (["add", "x.npy", "z.npy"], ("z.npy: is 3 x 1", "2 x 1"))):
            with self.subTest(arguments=arguments):
                self.refuse(*arguments, "-o", "p", says=says)

    def test_output(self):
        self.write("A.npy", npy_matrix([[1, 2], [3, 4]]))
        self.write("p_C.npy", npy_matrix([[1, 2], [3, 4]]))
        self.refuse("gemm", "A.npy", "p_C.npy", "-o", "p", says="p_C.npy: is the input")
        self.refuse("add", "A.npy", "A.npy", "-o", "no/p", says="no/p_C.npy")
        self.refuse("gemv", "A.npy", "A.npy", "-o", "", says="--output")
        self.refuse("gemm", "A.npy", "none.npy", says="none.npy: ")


if __name__ == "__main__":
    main()
