# SPDX-License-Identifier: BSD-3-Clause
"""What `carroll svd` finds, option by option, and how it reports it."""

import math
import os
import random
import struct
import unittest

from tool import DATA, EPS, JSON_KEYS, ToolTest, main, norm, npy_matrix, product, minus, read_npy


def random_matrix(rows, cols, seed=1):
    source = random.Random(seed)
    return [[source.uniform(-1, 1) for _ in range(cols)] for _ in range(rows)]


def diagonal(values, rows=None, cols=None):
    rows, cols = rows or len(values), cols or len(values)
    return [[values[i] if i == j else 0.0 for j in range(cols)] for i in range(rows)]


class Results(ToolTest):

    def orthonormal_error(self, Q):
        columns = list(zip(*Q))
        return max(abs(math.fsum(x * y for x, y in zip(a, b)) - (i == j))
                   for i, a in enumerate(columns) for j, b in enumerate(columns))

    def test_json_has_the_documented_keys_in_their_order(self):
        self.write("a.npy", npy_matrix(random_matrix(4, 3)))
        text = self.succeed("svd", "a.npy", "--json")
        places = [text.index('"%s":' % key) for key in JSON_KEYS]
        self.assertEqual(places, sorted(places))

    def test_report(self):
        self.write("a.npy", npy_matrix(diagonal([1.0, 3.0, 2.0], 5, 3)))
        report = self.svd("a.npy")
        self.assertEqual(report["status"], "success")
        self.assertEqual((report["rows"], report["cols"], report["rank"]), (5, 3, 3))
        self.assertEqual(report["precision"], "double")
        self.assertEqual(report["singular_values"], [3, 2, 1])
        self.assertLess(report["relative_residual"], 10 * EPS["double"])
        self.assertGreaterEqual(report["sweeps"], 0)
        self.assertLess(report["max_cosine"], 1e-14)
        self.assertGreater(report["seconds"], 0)
        self.assertIsInstance(report["backend"], str)

    def test_factors(self):
        for rows, cols in ((9, 5), (5, 9), (6, 6), (7, 1), (1, 7), (1, 1)):
            for precision in ("single", "double"):
                with self.subTest(rows=rows, cols=cols, precision=precision):
                    A = random_matrix(rows, cols)
                    self.write("a.npy", npy_matrix(A))
                    report = self.svd("a.npy", "-o", "f", "--precision", precision)
                    U, S, V = (read_npy(self.path("f_%s.npy" % x))[1] for x in "USV")
                    bound = 50 * EPS[precision]
                    self.assertLess(norm(minus(A, product(U, S, V))) / norm(A), bound)
                    self.assertLess(report["relative_residual"], bound)
                    self.assertLess(self.orthonormal_error(U), bound)
                    self.assertLess(self.orthonormal_error(V), bound)
                    self.assertEqual(sorted(S, reverse=True), S)
                    for told, stored in zip(report["singular_values"], S):
                        # The report has as many digits as tell the number from its neighbours.
                        code = "f" if precision == "single" else "d"
                        self.assertEqual(struct.unpack(code, struct.pack(code, told))[0], stored)

    def test_residual_is_that_of_the_factors(self):
        A = random_matrix(12, 8)
        self.write("a.npy", npy_matrix(A))
        for rank in range(1, 9):
            report = self.svd("a.npy", "-o", "f", "--rank", str(rank))
            U, S, V = (read_npy(self.path("f_%s.npy" % x))[1] for x in "USV")
            self.assertEqual((len(U[0]), len(S), len(V[0])), (rank, rank, rank))
            self.assertEqual((len(U), len(V)), (12, 8))
            self.assertEqual(report["singular_values"], S)
            self.assertEqual(report["rank"], 8)
            residual = norm(minus(A, product(U, S, V))) / norm(A)
            self.assertAlmostEqual(report["relative_residual"], residual, delta=1e-14)

    def test_truncated(self):
        # Singular values 1, 1/2, 1/4 ... of a matrix that is large enough for the random subspace.
        n, rank = 100, 6
        v = [1 / n**0.5] * n
        A = [[2.0**-i * ((i == j) - 2 * v[i] * v[j]) for j in range(n)] for i in range(n)]
        self.write("a.npy", npy_matrix(A))
        whole = self.svd("a.npy")
        report = self.svd("a.npy", "--rank", str(rank), "--method", "truncated", "-o", "f")
        U, S, V = (read_npy(self.path("f_%s.npy" % x))[1] for x in "USV")
        self.assertEqual((len(U[0]), len(S), len(V[0])), (rank, rank, rank))
        self.assertEqual(report["singular_values"], S)
        for value, expected in zip(S, whole["singular_values"]):
            self.assertAlmostEqual(value, expected, delta=100 * EPS["double"])
        self.assertGreater(report["power_steps"], 0)
        self.assertLess(report["triplet_residual"], 1e-8)
        self.assertGreater(report["error_bound"], whole["singular_values"][rank])
        self.assertLess(report["error_bound"], 20 * whole["singular_values"][rank])
        residual = norm(minus(A, product(U, S, V))) / norm(A)
        self.assertAlmostEqual(report["relative_residual"], residual, delta=1e-14)
        text = self.succeed("svd", "a.npy", "--rank", "6", "--method", "truncated")
        for word in ("power steps", "triplet residual", "error bound", "6 of 100 triplets"):
            self.assertIn(word, text)
        for word in ("sweeps", "cosine", "energy"):
            self.assertNotIn(word, text)

    def test_truncated_of_what_is_not_finite(self):
        self.write("a.npy", npy_matrix([[1.0, math.nan], [1.0, 1.0]]))
        report = self.svd("a.npy", "--rank", "1", "--method", "truncated", "-o", "f", status=1)
        self.assertEqual(report["status"], "non_finite")
        self.assertEqual((report["triplet_residual"], report["error_bound"]), (None, None))
        self.assertFalse(os.path.exists(self.path("f_S.npy")))

    def test_residual_at_the_ends_of_the_range(self):
        for precision, sizes in (("double", (1e-310, 1e-300, 1e-160, 1e160, 1e300, 1.5e307)),
                                 ("single", (1e-42, 1e-36, 1e-20, 1e20, 1e37))):
            for size in sizes:
                with self.subTest(precision=precision, size=size):
                    A = [[size * x for x in row] for row in random_matrix(6, 4)]
                    self.write("a.npy", npy_matrix(A))
                    whole = self.svd("a.npy", "--precision", precision)
                    part = self.svd("a.npy", "--precision", precision, "--rank", "2")
                    smallest = 2.0**-1074 if precision == "double" else 2.0**-149
                    self.assertLess(whole["relative_residual"],
                                    50 * EPS[precision] + 10 * smallest / size)
                    self.assertGreater(part["relative_residual"], 0.1)
                    self.assertLess(part["relative_residual"], 1)

    def test_overflow(self):
        # The largest singular value of this matrix is twice the largest number.
        largest = 1.7976931348623157e308
        self.write("a.npy", npy_matrix([[largest, largest], [largest, largest]]))
        report = self.svd("a.npy", "-o", "f", "--energy", "0.5", status=1)
        self.assertEqual(report["status"], "overflow")
        self.assertIsNone(report["singular_values"][0])
        self.assertIsNone(report["relative_residual"])
        self.assertIsNone(report["energy_rank"])
        self.assertEqual(self.files(), ["a.npy", "f_S.npy", "f_U.npy", "f_V.npy"])
        self.assertEqual(self.run_tool("svd", "a.npy").returncode, 1)

    def test_values_only(self):
        self.write("a.npy", npy_matrix(random_matrix(9, 5)))
        whole = self.svd("a.npy")
        report = self.svd("a.npy", "--values-only", "-o", "f")
        self.assertEqual(report["singular_values"], whole["singular_values"])
        self.assertIsNone(report["relative_residual"])
        self.assertEqual(self.files(), ["a.npy", "f_S.npy"])
        self.assertEqual(read_npy(self.path("f_S.npy")), ("f8", report["singular_values"]))
        report = self.svd("a.npy", "--values-only", "--rank", "2", "-o", "f")
        self.assertEqual(report["singular_values"], whole["singular_values"][:2])
        self.assertEqual(len(read_npy(self.path("f_S.npy"))[1]), 2)

    def test_energy(self):
        # Squares 16, 4, 4, 1: the fractions of their sum are 0.64, 0.8, 0.96 and 1.
        self.write("a.npy", npy_matrix(diagonal([2.0, 4.0, 1.0, 2.0])))
        for fraction, k in (("0", 0), ("0.1", 1), ("0.64", 1), ("0.6401", 2), ("0.8", 2),
                            ("0.9", 3), ("0.96", 3), ("0.961", 4), ("1", 4), ("1e-300", 1)):
            for more in ((), ("--values-only",), ("--rank", "1")):
                with self.subTest(fraction=fraction, more=more):
                    report = self.svd("a.npy", "--energy", fraction, *more)
                    self.assertEqual(report["energy_rank"], k)

    def test_energy_without_overflow_and_with_zeros(self):
        for size in (1e-320, 1e-200, 1e200, 1e307):
            self.write("a.npy", npy_matrix(diagonal([size, 3 * size, 0.0])))
            self.assertEqual(self.svd("a.npy", "--energy", "0.85")["energy_rank"], 1)
            self.assertEqual(self.svd("a.npy", "--energy", "0.95")["energy_rank"], 2)
            self.assertEqual(self.svd("a.npy", "--energy", "1")["energy_rank"], 2)
        self.write("a.npy", npy_matrix(diagonal([0.0, 0.0])))
        self.assertEqual(self.svd("a.npy", "--energy", "0.9")["energy_rank"], 0)
        self.write("a.npy", npy_matrix([], cols=3))
        self.assertEqual(self.svd("a.npy", "--energy", "0.9")["energy_rank"], 0)

    def test_rank_deficient(self):
        self.write("a.npy", npy_matrix([[i * j * 1.0 for j in range(1, 5)] for i in range(1, 8)]))
        report = self.svd("a.npy", "-o", "f")
        self.assertEqual(report["rank"], 1)
        U = read_npy(self.path("f_U.npy"))[1]
        self.assertLess(self.orthonormal_error(U), 1e-14)

    def test_methods_placements_and_paths(self):
        A = random_matrix(41, 37)
        self.write("a.npy", npy_matrix(A))
        expected = self.svd("a.npy")["singular_values"]
        choices = [("--method", "preconditioned"), ("--method", "cyclic"),
                   ("--method", "round_robin")]
        choices += [("--method", "round_robin", "--placement", p)
                    for p in ("global", "semi_shared", "shared")]
        choices += [("--path", p) for p in ("automatic", "registers", "tiles", "team", "warp", "fused",
                                         "tiled", "gram", "eigenbasis", "host_batch",
                                         "host_block")]
        for choice in choices:
            for precision in ("single", "double"):
                with self.subTest(choice=choice, precision=precision):
                    report = self.svd("a.npy", "--precision", precision, *choice)
                    bound = 100 * EPS[precision] * expected[0]
                    for value, other in zip(report["singular_values"], expected):
                        self.assertLess(abs(value - other), bound)
                    self.assertLess(report["relative_residual"], 100 * EPS[precision])

    def test_tolerance(self):
        self.write("a.npy", npy_matrix(random_matrix(30, 20)))
        fine, coarse = (self.svd("a.npy", "--method", "cyclic", "--tolerance", t)
                        for t in ("0", "1e-2"))
        self.assertLess(coarse["sweeps"], fine["sweeps"])
        self.assertGreater(coarse["max_cosine"], fine["max_cosine"])
        self.assertLessEqual(coarse["max_cosine"], 1e-2)

    def test_not_converged(self):
        self.write("a.npy", npy_matrix(random_matrix(30, 20)))
        for method in ("cyclic", "round_robin"):
            report = self.svd("a.npy", "--max-sweeps", "1", "--method", method, "-o", "f", status=1)
            self.assertEqual((report["status"], report["sweeps"]), ("not_converged", 1))
            self.assertEqual(self.files(), ["a.npy", "f_S.npy", "f_U.npy", "f_V.npy"])
        process = self.run_tool("svd", "a.npy", "--max-sweeps", "1", "--method", "cyclic")
        self.assertEqual((process.returncode, process.stderr), (1, b""))
        self.assertIn(b"not_converged", process.stdout)

    def test_not_finite(self):
        for value in (math.nan, math.inf, -math.inf):
            for kind in ("<f4", ">f8"):
                self.write("a.npy", npy_matrix([[1, 2], [value, 4], [5, 6]], kind))
                report = self.svd("a.npy", "-o", "f", "--energy", "0.9", status=1)
                self.assertEqual(report["status"], "non_finite")
                self.assertEqual(report["singular_values"], [None, None])
                self.assertEqual((report["relative_residual"], report["energy_rank"]), (None, None))
                self.assertEqual(self.files(), ["a.npy"])
        self.write("a.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\nnan\n")
        self.assertEqual(self.svd("a.mtx", status=1)["status"], "non_finite")
        process = self.run_tool("svd", "a.mtx")
        self.assertEqual((process.returncode, process.stderr), (1, b""))
        self.assertIn(b"non_finite", process.stdout)

    def test_table(self):
        self.write("a.npy", npy_matrix(random_matrix(40, 30)))
        text = self.succeed("svd", "a.npy", "--energy", "0.9", "-o", "f")
        for words in ("a.npy", "40 x 30, double precision", "success", "relative residual",
                      "energy rank", "for 0.9 of the energy", "f_U.npy", "f_S.npy", "f_V.npy"):
            self.assertIn(words, text)
        self.assertLess(max(len(line) for line in text.splitlines()), 80)
        self.assertLess(len(text.splitlines()), 48)
        text = self.succeed("svd", "a.npy", "--rank", "2")
        self.assertIn("with 2 of 30 triplets", text)
        self.assertNotIn("\n     3  ", text)

    def test_threads_give_the_same_bits(self):
        self.write("a.npy", npy_matrix(random_matrix(60, 40)))
        reports = [self.svd("a.npy", "--kokkos-num-threads=%d" % n) for n in (1, 2)]
        for key in set(JSON_KEYS) - {"seconds"}:
            self.assertEqual(reports[0][key], reports[1][key], key)

    @unittest.skipUnless(DATA, "CARROLL_DATA is not set")
    def test_shipped_matrices(self):
        report = self.svd(os.path.join(DATA, "longley.mtx"))
        values = report["singular_values"]
        self.assertEqual((report["rows"], report["cols"], report["rank"]), (16, 7, 7))
        self.assertAlmostEqual(values[0] / values[-1] / 4.859257e9, 1, delta=1e-6)
        report = self.svd(os.path.join(DATA, "hilbert_6.npy"))
        # N. J. Higham, "Accuracy and Stability of Numerical Algorithms", table 28.1: 1.50e7.
        values = report["singular_values"]
        self.assertAlmostEqual(values[0] / values[-1] / 1.495106e7, 1, delta=1e-6)


if __name__ == "__main__":
    main()
