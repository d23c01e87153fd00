# SPDX-License-Identifier: BSD-3-Clause
"""carroll qr: QR factorisations of matrices in files, one or a batch."""

import os

from tool import EPS, ToolTest, main, npy_batch, npy_complex, npy_matrix, read_npy

KEYS = ["status", "rows", "cols", "precision", "backend", "mode", "diagonal", "rank", "permutation",
        "relative_residual", "seconds"]
# Columns of lengths 5 and 13; R is [[5, 5], [0, 12]].
MATRIX = [[3.0, 3.0], [0.0, -12.0], [4.0, 4.0]]
R = [[5.0, 5.0], [0.0, 12.0]]
Q = [[0.6, 0.0], [0.0, -1.0], [0.8, 0.0]]


class QrTest(ToolTest):
    def qr(self, *arguments, status=0, keys=()):
        return self.json_report(KEYS + list(keys), "qr", *arguments, status=status)

    def flat(self, matrix):
        return [x for row in matrix for x in row]

    def test_matrix(self):
        for descr, precision in (("<f8", "double"), ("<f4", "single"), ("<i4", "double")):
            matrix = MATRIX if descr[1] == "f" else [[int(x) for x in row] for row in MATRIX]
            self.write("a.npy", npy_matrix(matrix, descr))
            report = self.qr("a.npy", "-o", "x")
            bound = 50 * EPS[precision]
            self.assertEqual((report["status"], report["rows"], report["cols"], report["precision"],
                              report["mode"], report["rank"], report["permutation"]),
                             ("success", 3, 2, precision, "thin", None, None))
            self.assert_close(report["diagonal"], [5, 12], bound)
            self.assertLess(report["relative_residual"], bound)
            self.assertEqual(read_npy(self.path("x_R.npy"))[0], "f4" if precision == "single" else "f8")
            self.assert_close(self.flat(self.read("x_R.npy")), self.flat(R), bound)
            self.assert_close(self.flat(self.read("x_Q.npy")), self.flat(Q), bound)
            self.assertEqual(sorted(os.listdir(self.home)), ["a.npy", "x_Q.npy", "x_R.npy"])

    def test_triangle_alone(self):
        self.write("a.npy", npy_matrix(MATRIX))
        report = self.qr("a.npy", "--mode", "r", "-o", "x")
        self.assertEqual(report["relative_residual"], None)
        self.assertEqual(sorted(os.listdir(self.home)), ["a.npy", "x_R.npy"])
        self.assert_close(self.flat(self.read("x_R.npy")), self.flat(R), 1e-13)

    def test_every_path(self):
        """Kernels that the device or the matrix has not give way to others, with the same factors."""
        self.write("a.npy", npy_matrix(MATRIX))
        for path in ("team", "host_batch", "host_block", "warp", "tiled", "slim", "tall"):
            report = self.qr("a.npy", "--path", path)
            self.assertEqual(report["status"], "success", path)
            self.assert_close(report["diagonal"], [5, 12], 1e-13)

    def test_full(self):
        self.write("a.npy", npy_matrix(MATRIX))
        self.qr("a.npy", "--mode", "full", "-o", "x")
        basis, triangle = self.read("x_Q.npy"), self.read("x_R.npy")
        self.assertEqual((len(basis), len(basis[0]), len(triangle), len(triangle[0])), (3, 3, 3, 2))
        self.assertEqual(list(triangle[2]), [0, 0])
        self.assertAlmostEqual(abs(basis[0][2]), 0.8, delta=1e-14)

    def test_pivots(self):
        self.write("a.npy", npy_matrix(MATRIX))
        report = self.qr("a.npy", "--pivot", "-o", "x")
        self.assertEqual((report["rank"], report["permutation"]), (2, [1, 0]))
        self.assert_close(report["diagonal"], [13 * 1.0, 60 / 13], 1e-13)
        self.assertLess(report["relative_residual"], 1e-14)
        kind, order = read_npy(self.path("x_P.npy"))
        self.assertEqual((kind, list(order)), ("i4", [1, 0]))
        self.assertEqual(self.qr("a.npy", "--pivot", "--rank-tolerance", "0.5")["rank"], 1)

    def test_batch(self):
        other = [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
        self.write("a.npy", npy_batch([MATRIX, other, MATRIX]))
        report = self.qr("a.npy", "--pivot", "-o", "x", keys=["members", "statuses"])
        self.assertEqual((report["members"], report["statuses"]), (3, ["success"] * 3))
        self.assertEqual((report["rank"], report["permutation"]), ([2, 1, 2], [[1, 0]] * 3))
        for values, wanted in zip(report["diagonal"], ([13, 60 / 13], [3**0.5, 0], [13, 60 / 13])):
            self.assert_close(values, wanted, 1e-13)
        self.assertEqual(len(self.read("x_Q.npy")), 3)

    def check_complex(self, content, matrix, *options, precision="double", name="a.npy"):
        """Q R is the matrix, in the precision that is expected, and R's diagonal real."""
        self.write(name, content)
        report = self.qr(name, "-o", "x", *options, keys=["complex"])
        self.assertEqual((report["status"], report["complex"], report["precision"]),
                         ("success", True, precision))
        (kind, basis), (_, triangle) = (read_npy(self.path("x_%s.npy" % x)) for x in "QR")
        self.assertEqual(kind, "c8" if precision == "single" else "c16")
        order = report["permutation"] or range(len(matrix[0]))
        for i, row in enumerate(matrix):
            for j, source in enumerate(order):
                total = sum(basis[i][k] * triangle[k][j] for k in range(len(triangle)))
                self.assertLess(abs(total - row[source]), 100 * EPS[precision])
        for k, x in enumerate(report["diagonal"]):
            self.assertEqual(triangle[k][k].imag, 0)
            self.assertGreaterEqual(x, 0)
            self.assertAlmostEqual(triangle[k][k].real, x, delta=20 * EPS["single"])
        self.assertLess(report["relative_residual"], 50 * EPS[precision])

    def test_complex(self):
        tall = [[3 + 4j, 1j], [0, 2 - 1j], [12j, 7]]
        hermitian = [[1, 3 + 4j], [3 - 4j, -5]]
        for fortran in (False, True):
            self.check_complex(npy_complex(tall, "<c16", fortran), tall)
            self.check_complex(npy_complex(tall, ">c8", fortran), tall, "--mode", "full",
                               precision="single")
        self.check_complex(npy_complex(tall, "<c8"), tall, "--precision", "double", "--pivot")
        self.check_complex("%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 1 0\n"
                           "2 1 3 -4\n2 2 -5 0\n", hermitian, name="a.mtx")
        self.assert_close(self.qr("a.npy", "--mode", "r", keys=["complex"])["diagonal"][:1], [13],
                          1e-5)
        self.assertIn("3 x 2, complex, single precision", self.succeed("qr", "a.npy"))

    def test_not_finite(self):
        self.write("a.npy", npy_matrix([[1.0, float("nan")], [2.0, 1.0]]))
        report = self.qr("a.npy", "-o", "x", status=1)
        self.assertEqual((report["status"], report["diagonal"]), ("non_finite", [None, None]))
        self.assertEqual(os.listdir(self.home), ["a.npy"])

    def test_empty(self):
        self.write("a.mtx", b"%%MatrixMarket matrix array real general\n0 3\n")
        report = self.qr("a.mtx")
        self.assertEqual((report["rows"], report["cols"], report["diagonal"]), (0, 3, []))

    def test_usage(self):
        self.write("a.npy", npy_matrix(MATRIX))
        for arguments, words in ((("--rank-tolerance", "0.1"), b"needs --pivot"),
                                 (("--rank-tolerance", "1", "--pivot"), b"--rank-tolerance"),
                                 (("--mode", "economy"), b"--mode"),
                                 (("--path", "tiles"), b"--path")):
            process = self.run_tool("qr", "a.npy", *arguments)
            self.assertEqual((process.returncode, process.stdout), (2, b""))
            self.assertIn(words, process.stderr)
            self.assertEqual(process.stderr.count(b"\n"), 1)

    def test_table(self):
        self.write("a.npy", npy_matrix(MATRIX))
        process = self.run_tool("qr", "a.npy", "--pivot")
        self.assertEqual(process.returncode, 0)
        self.assertIn(b"relative residual", process.stdout)
        self.assertIn(b"column 1", process.stdout)


if __name__ == "__main__":
    main()
