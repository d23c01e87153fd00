# SPDX-License-Identifier: BSD-3-Clause
"""carroll solve and carroll inverse: systems and matrices in files, one or a batch."""

import math
import os
import struct

from tool import EPS, ToolTest, main, npy_batch, npy_bytes, npy_complex, npy_matrix, read_npy

KEYS = ["status", "n", "columns", "precision", "backend", "rcond", "ill_conditioned", "growth", "relative_residual",
        "seconds"]
MATRIX = [[0.0, 1.0, 2.0], [2.0, 0.0, 4.0], [4.0, 0.0, 0.0]]  # 1-norm 6, that of the inverse 1
SIDES = [[8.0, 1.0], [14.0, 2.0], [4.0, 0.0]]
SOLUTION = [[1.0, 0.0], [2.0, 0.0], [3.0, 0.5]]
INVERSE = [[0.0, 0.0, 0.25], [1.0, -0.5, 0.25], [0.0, 0.25, -0.125]]
SINGULAR = [[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 1.0]]


class SolveTest(ToolTest):
    def run_json(self, *arguments, status=0, keys=()):
        return self.json_report(KEYS + list(keys), *arguments, status=status)

    def test_system(self):
        for descr, precision in (("<f8", "double"), ("<f4", "single"), ("<i4", "double")):
            whole = [[int(x) for x in row] for row in MATRIX]
            self.write("a.npy", npy_matrix(whole if descr == "<i4" else MATRIX, descr))
            self.write("b.npy", npy_matrix(SIDES, "<f4" if descr == "<f4" else "<f8"))
            for path in ("automatic", "team", "host_batch", "warp", "tiled"):
                report = self.run_json("solve", "a.npy", "b.npy", "-o", "x", "--path", path)
                self.assertEqual((report["status"], report["n"], report["columns"], report["precision"]),
                                 ("success", 3, 2, precision))
                self.assertAlmostEqual(report["rcond"], 1 / 6, delta=EPS[precision])
                self.assertEqual((report["ill_conditioned"], report["growth"]), (False, 1))
                self.assertEqual(report["relative_residual"], 0)
                kind, values = read_npy(self.path("x_X.npy"))
                self.assertEqual((kind, values), ("f4" if precision == "single" else "f8", SOLUTION))
        self.assertEqual(sorted(os.listdir(self.home)), ["a.npy", "b.npy", "x_X.npy"])

    def test_precisions_of_two_files(self):
        self.write("a.npy", npy_matrix(MATRIX, "<f4"))
        self.write("b.npy", npy_matrix(SIDES, "<f8"))
        self.assertEqual(self.run_json("solve", "a.npy", "b.npy")["precision"], "double")
        report = self.run_json("solve", "a.npy", "b.npy", "--precision", "single")
        self.assertEqual(report["precision"], "single")

    def test_complex(self):
        matrix, sides = [[0, 2j], [1 + 1j, 1]], [[-2 + 4j], [4 + 5j]]
        for descr, precision in (("<c16", "double"), ("<c8", "single")):
            self.write("a.npy", npy_complex(matrix, descr))
            self.write("b.npy", npy_complex(sides, descr))
            for path in ("automatic", "team", "host_batch", "warp", "tiled"):
                report = self.run_json("solve", "a.npy", "b.npy", "-o", "x", "--path", path, keys=["complex"])
                self.assertEqual((report["status"], report["complex"], report["precision"], report["growth"]),
                                 ("success", True, precision, 1))
                self.assertAlmostEqual(report["rcond"], 1 / (1.5 + 1.5 * 0.5**0.5), delta=EPS[precision])
                self.assertLess(report["relative_residual"], EPS["double"])  # X is exact
                self.assertEqual(read_npy(self.path("x_X.npy")), (descr[1:], [[3 + 1j], [2 + 1j]]))
            self.run_json("inverse", "a.npy", "-o", "x", keys=["complex"])
            self.assertEqual(self.read("x_X.npy"), [[0.25 + 0.25j, 0.5 - 0.5j], [-0.5j, 0]])
        self.assertIn("2 x 2, complex, single precision", self.succeed("solve", "a.npy", "b.npy"))
        self.write("b.npy", npy_matrix([[1.0], [1.0]]))  # real and complex are complex, and as precise as either
        report = self.run_json("solve", "a.npy", "b.npy", "-o", "x", keys=["complex"])
        self.assertEqual((report["precision"], read_npy(self.path("x_X.npy"))[0]), ("double", "c16"))
        self.write("a.mtx", b"%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 2 0\n2 1 0 4\n")
        self.run_json("inverse", "a.mtx", "-o", "x", keys=["complex"])
        self.assertEqual(self.read("x_X.npy"), [[0, -0.25j], [0.25j, -0.125]])

    def test_vector(self):
        self.write("a.npy", npy_matrix(MATRIX))
        self.write("b.npy", npy_bytes(struct.pack("<3d", 8, 14, 4), shape="(3,)"))
        self.assertEqual(self.run_json("solve", "a.npy", "b.npy", "-o", "x")["columns"], 1)
        self.assertEqual(self.read("x_X.npy"), [1, 2, 3])

    def test_matrix_market(self):
        self.write("a.mtx", b"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 1 4\n")
        self.write("b.mtx", b"%%MatrixMarket matrix array real general\n2 1\n6\n4\n")
        self.run_json("solve", "a.mtx", "b.mtx", "-o", "x")
        self.assertEqual(self.read("x_X.npy"), [[1], [1]])

    def test_inverse(self):
        self.write("a.npy", npy_matrix(MATRIX))
        report = self.run_json("inverse", "a.npy", "-o", "x")
        self.assertEqual((report["n"], report["columns"], report["rcond"]), (3, 3, 1 / 6))
        self.assertEqual(self.read("x_X.npy"), INVERSE)

    def test_batch(self):
        self.write("a.npy", npy_batch([MATRIX, SINGULAR, MATRIX]))
        self.write("b.npy", npy_batch([SIDES] * 3))
        for command in (("solve", "a.npy", "b.npy"), ("inverse", "a.npy")):
            report = self.run_json(*command, "-o", "x", status=1, keys=["members", "statuses"])
            self.assertEqual((report["status"], report["members"]), ("singular", 3))
            self.assertEqual(report["statuses"], ["success", "singular", "success"])
            self.assertEqual(report["rcond"], [1 / 6, 0, 1 / 6])
            self.assertEqual(report["ill_conditioned"], [False, True, False])
            self.assertIsNone(report["relative_residual"])
            found, expected = self.read("x_X.npy"), SOLUTION if command[0] == "solve" else INVERSE
            self.assertEqual((found[0], found[2]), (expected, expected))
            self.assertTrue(all(math.isnan(x) for row in found[1] for x in row))

    def test_not_finite(self):
        self.write("a.npy", npy_matrix(MATRIX))
        self.write("b.npy", npy_matrix([[1.0], [float("nan")], [2.0]]))
        report = self.run_json("solve", "a.npy", "b.npy", "-o", "x", status=1)
        self.assertEqual((report["status"], report["rcond"]), ("non_finite", None))
        self.assertEqual(sorted(os.listdir(self.home)), ["a.npy", "b.npy"])

    def test_extreme_sizes(self):
        self.write("a.npy", npy_matrix([[3e300, 1e300], [1e300, 2e300]]))
        self.write("b.npy", npy_matrix([[4e-8], [3e-8]]))
        report = self.run_json("solve", "a.npy", "b.npy", "-o", "x")
        self.assertLess(report["relative_residual"], 1e-15)
        self.assertAlmostEqual(self.read("x_X.npy")[1][0] / 1e-308, 1, delta=1e-14)

    def test_ill_conditioned(self):
        self.write("a.npy", npy_matrix([[1.0, 1.0], [1.0, 1.0 + EPS["double"]]]))
        report = self.run_json("inverse", "a.npy")
        self.assertEqual((report["status"], report["ill_conditioned"]), ("success", True))
        process = self.run_tool("inverse", "a.npy")
        self.assertIn(b"ill-conditioned", process.stdout)

    def test_empty(self):
        self.write("a.mtx", b"%%MatrixMarket matrix array real general\n0 0\n")
        self.assertEqual(self.run_json("inverse", "a.mtx")["rcond"], 1)

    def test_shapes(self):
        self.write("a.npy", npy_matrix(MATRIX))
        self.write("wide.npy", npy_matrix([[1.0, 2.0]]))
        self.write("batch.npy", npy_batch([MATRIX, MATRIX]))
        self.write("three.npy", npy_batch([SIDES] * 3))
        self.write("two.npy", npy_matrix([[1.0], [2.0]]))
        for arguments, words in (
                (("solve", "wide.npy", "a.npy"), b"carroll: wide.npy: is 1 x 2, must be square\n"),
                (("inverse", "wide.npy"), b"carroll: wide.npy: is 1 x 2, must be square\n"),
                (("solve", "a.npy", "two.npy"),
                 b"carroll: two.npy: is 2 x 1, must have 3 rows: a.npy is 3 x 3\n"),
                (("solve", "batch.npy", "three.npy"),
                 b"carroll: three.npy: has 3 members, batch.npy has 2\n"),
                (("solve", "batch.npy", "a.npy"),
                 b"carroll: a.npy: has 2 dimensions, expected a batch with 3\n"),
                (("solve", "a.npy", "missing.npy"),
                 b"carroll: missing.npy: No such file or directory\n")):
            process = self.run_tool(*arguments, "-o", "x")
            self.assertEqual((process.returncode, process.stdout, process.stderr), (2, b"", words))
        self.assertNotIn("x_X.npy", os.listdir(self.home))

    def test_usage(self):
        self.write("a.npy", npy_matrix(MATRIX))
        for arguments in (("solve", "a.npy"), ("inverse",), ("inverse", "a.npy", "--path", "tiles"),
                          ("solve", "a.npy", "")):
            process = self.run_tool(*arguments)
            self.assertEqual((process.returncode, process.stdout), (2, b""))
            self.assertEqual(process.stderr.count(b"\n"), 1, process.stderr)

    def test_table(self):
        self.write("a.npy", npy_matrix(MATRIX))
        self.write("b.npy", npy_matrix(SIDES))
        process = self.run_tool("solve", "a.npy", "b.npy", "-o", "x")
        self.assertEqual(process.returncode, 0)
        for words in (b"right-hand sides", b"rcond              0.167", b"relative residual", b"x_X.npy"):
            self.assertIn(words, process.stdout)


if __name__ == "__main__":
    main()
