# SPDX-License-Identifier: BSD-3-Clause
"""carroll eigh: eigenvalues of symmetric matrices in files, one or a batch."""

import os

from tool import EPS, ToolTest, main, npy_batch, npy_complex, npy_matrix, read_npy

KEYS = ["status", "n", "precision", "backend", "method", "eigenvalues", "sweeps", "rank", "negative",
        "relative_residual", "seconds"]
# Eigenvalues 1, 3 and 5.
MATRIX = [[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 5.0]]
INDEFINITE = [[0.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 7.0]]


class EighTest(ToolTest):
    def eigh(self, *arguments, status=0, keys=()):
        return self.json_report(KEYS + list(keys), "eigh", *arguments, status=status)

    def test_matrix(self):
        for descr, precision in (("<f8", "double"), ("<f4", "single"), ("<i4", "double")):
            matrix = MATRIX if descr[1] == "f" else [[int(x) for x in row] for row in MATRIX]
            self.write("a.npy", npy_matrix(matrix, descr))
            for method in ("backward_stable", "cholesky_jacobi"):
                report = self.eigh("a.npy", "--method", method, "-o", "x")
                bound = 20 * EPS[precision]
                self.assertEqual((report["status"], report["n"], report["precision"], report["rank"],
                                  report["negative"]), ("success", 3, precision, 3, 0))
                self.assert_close(report["eigenvalues"], [1, 3, 5], bound)
                self.assertLess(report["relative_residual"], bound)
                kind, W = read_npy(self.path("x_W.npy"))
                self.assertEqual(kind, "f4" if precision == "single" else "f8")
                self.assert_close(W, [1, 3, 5], bound)
                V = read_npy(self.path("x_V.npy"))[1]
                self.assert_close(V[0] + V[1] + V[2],
                                  [V[0][0], 0.5**0.5, 0, -V[0][0], 0.5**0.5, 0, 0, 0, 1], bound)

    def test_values_only(self):
        self.write("a.npy", npy_matrix(INDEFINITE))
        report = self.eigh("a.npy", "--values-only", "-o", "x")
        self.assert_close(report["eigenvalues"], [-2, 2, 7], 1e-14)
        self.assertEqual((report["negative"], report["relative_residual"]), (1, None))
        self.assertEqual(sorted(os.listdir(self.home)), ["a.npy", "x_W.npy"])

    def test_batch(self):
        self.write("a.npy", npy_batch([MATRIX, INDEFINITE, MATRIX]))
        report = self.eigh("a.npy", "-o", "x", keys=["members", "statuses"])
        self.assertEqual((report["members"], report["statuses"]), (3, ["success"] * 3))
        self.assertEqual((report["rank"], report["negative"]), ([3, 3, 3], [0, 1, 0]))
        for values, wanted in zip(report["eigenvalues"], ([1, 3, 5], [-2, 2, 7], [1, 3, 5])):
            self.assert_close(values, wanted, 1e-14)
        self.assertEqual(len(read_npy(self.path("x_V.npy"))[1]), 3)

    def test_triangle(self):
        other = [[2.0, 9.0, 9.0], [1.0, 2.0, 9.0], [0.0, 0.0, 5.0]]
        self.write("a.npy", npy_matrix(other))
        self.assert_close(self.eigh("a.npy", "--triangle", "lower")["eigenvalues"], [1, 3, 5], 1e-14)
        process = self.run_tool("eigh", "a.npy")
        self.assertEqual((process.returncode, process.stdout), (2, b""))
        self.assertIn(b"carroll: a.npy: is not symmetric: entries (1, 0) and (0, 1) differ",
                      process.stderr)
        self.assertEqual(process.stderr.count(b"\n"), 1)

    def test_hermitian(self):
        matrix = [[2, 1j, 0], [-1j, 2, 0], [0, 0, 5]]
        for descr, precision in (("<c16", "double"), ("<c8", "single")):
            self.write("a.npy", npy_complex(matrix, descr))
            for method in ("backward_stable", "cholesky_jacobi"):
                report = self.eigh("a.npy", "--method", method, "-o", "x", keys=["complex"])
                bound = 20 * EPS[precision]
                self.assertEqual((report["status"], report["complex"], report["precision"],
                                  report["rank"], report["negative"]),
                                 ("success", True, precision, 3, 0))
                self.assert_close(report["eigenvalues"], [1, 3, 5], bound)
                self.assertLess(report["relative_residual"], bound)
                kind, W = read_npy(self.path("x_W.npy"))
                self.assertEqual(kind, "f4" if precision == "single" else "f8")
                kind, V = read_npy(self.path("x_V.npy"))
                self.assertEqual(kind, descr[1:])
                for i in range(3):
                    for j in range(3):
                        product = sum(matrix[i][k] * V[k][j] for k in range(3))
                        self.assertLess(abs(product - W[j] * V[i][j]), bound)
        self.write("a.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n"
                   "1 1 2 0\n2 1 0 -1\n2 2 2 0\n")
        report = self.eigh("a.mtx", keys=["complex"])
        self.assert_close(report["eigenvalues"], [1, 3], 1e-14)
        self.assertIn("2 x 2, complex, double precision", self.succeed("eigh", "a.mtx"))

    def test_not_hermitian(self):
        self.write("a.npy", npy_complex([[2, 1j], [1j, 2]]))
        self.refuse("eigh", "a.npy", says="a.npy: is not Hermitian: entries (1, 0) and (0, 1) are "
                    "not conjugate; --triangle chooses a half")
        report = self.eigh("a.npy", "--triangle", "upper", keys=["complex"])
        self.assert_close(report["eigenvalues"], [1, 3], 1e-14)
        self.write("a.npy", npy_complex([[2 + 1j]]))
        self.refuse("eigh", "a.npy", says="a.npy: is not Hermitian: entry (0, 0) is not real")
        report = self.eigh("a.npy", "--triangle", "lower", "-o", "x", keys=["complex"])
        self.assertEqual((report["eigenvalues"], report["relative_residual"]), ([2], 0))

    def test_breakdown(self):
        self.write("a.npy", npy_matrix(INDEFINITE))
        report = self.eigh("a.npy", "--method", "cholesky_jacobi", "-o", "x", status=1)
        self.assertEqual((report["status"], report["eigenvalues"]), ("breakdown", [None] * 3))
        self.assertEqual(os.listdir(self.home), ["a.npy"])

    def test_not_finite(self):
        nan = float("nan")
        self.write("a.npy", npy_matrix([[1.0, nan], [nan, 1.0]]))
        self.assertEqual(self.eigh("a.npy", status=1)["status"], "non_finite")

    def test_bad_input(self):
        self.write("a.npy", npy_matrix([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]]))
        process = self.run_tool("eigh", "a.npy")
        self.assertEqual(process.returncode, 2)
        self.assertEqual(process.stderr,
                         b"carroll: a.npy: is 2 x 3, expected as many rows as columns\n")

    def test_table(self):
        self.write("a.npy", npy_matrix(MATRIX))
        process = self.run_tool("eigh", "a.npy")
        self.assertEqual(process.returncode, 0)
        self.assertIn(b"relative residual", process.stdout)
        self.assertIn(b"3, 0 negative", process.stdout)


if __name__ == "__main__":
    main()
