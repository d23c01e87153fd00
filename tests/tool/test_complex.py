# SPDX-License-Identifier: BSD-3-Clause
"""Complex matrices: what `carroll svd` reads, computes and writes, and who refuses them."""

import json
import math

from tool import EPS, ToolTest, main, npy_batch, npy_complex, read_npy

MATRIX = [[1 + 2j, -3j, 0.5], [4, 0.25 - 1j, 2 + 2j]]
TALL = [[2 - 1j, 1j], [0.5j, 3], [1 - 1j, -2 + 4j], [0, 7j]]
COORDINATES = "%%MatrixMarket matrix coordinate complex "


class Complex(ToolTest):

    def decompose(self, name, *arguments, status=0):
        process = self.run_tool("svd", name, "--json", *arguments)
        self.assertEqual((process.returncode, process.stderr), (status, b""), process.stdout)
        return json.loads(process.stdout)

    def read_factor(self, name):
        """(dtype, list of rows or of numbers) of a file that the tool has written."""
        return read_npy(self.path(name))

    def check(self, content, matrix, name="matrix.npy", precision="double", options=()):
        """The factors put together are the matrix, in the precision that is expected."""
        self.write(name, content)
        report = self.decompose(name, "-o", "back", *options)
        self.assertEqual((report["status"], report["complex"], report["precision"]),
                         ("success", True, precision))
        self.assertEqual((report["rows"], report["cols"]), (len(matrix), len(matrix[0])))
        kinds, (U, S, V) = zip(*[self.read_factor("back_%s.npy" % x) for x in "USV"])
        self.assertEqual(kinds, ("c8", "f4", "c8") if precision == "single" else
                         ("c16", "f8", "c16"))
        for found, expected in zip(S, report["singular_values"]):
            self.assertAlmostEqual(found, expected, delta=EPS["single"] * S[0])
        size = math.sqrt(sum(abs(x)**2 for row in matrix for x in row))
        bound = 20 * EPS[precision] * size
        for i, row in enumerate(matrix):
            for j, x in enumerate(row):
                product = sum(U[i][k] * S[k] * V[j][k].conjugate() for k in range(len(S)))
                self.assertLessEqual(abs(product - x), bound)
        self.assertLessEqual(report["relative_residual"], 20 * EPS[precision])
        return report

    def test_npy(self):
        for matrix in (MATRIX, TALL):
            for fortran in (False, True):
                self.check(npy_complex(matrix, "<c16", fortran), matrix)
                self.check(npy_complex(matrix, ">c16", fortran), matrix)
                self.check(npy_complex(matrix, "<c8", fortran), matrix, precision="single")
        self.check(npy_complex(MATRIX, "<c8"), MATRIX, options=["--precision", "double"])
        self.check(npy_complex(MATRIX), MATRIX, precision="single",
                   options=["--precision", "single"])

    def test_known_values(self):
        # [1 i; i 1] is normal, its eigenvalues are 1 + i and 1 - i.
        self.write("m.npy", npy_complex([[1, 1j], [1j, 1]]))
        report = self.decompose("m.npy", "--values-only")
        for value in report["singular_values"]:
            self.assertAlmostEqual(value, math.sqrt(2), delta=1e-15)
        self.assertIsNone(report["relative_residual"])

    def test_coordinates(self):
        self.check(COORDINATES + "general\n2 3 5\n1 1 1 2\n1 2 0 -3\n2 1 4 0\n2 3 2 2\n1 3 .5 0\n",
                   [[1 + 2j, -3j, 0.5], [4, 0, 2 + 2j]], "m.mtx")
        self.check(COORDINATES + "symmetric\n2 2 2\n1 1 1 2\n2 1 3 -4\n",
                   [[1 + 2j, 3 - 4j], [3 - 4j, 0]], "m.mtx")
        self.check(COORDINATES + "skew-symmetric\n2 2 1\n2 1 3 -4\n", [[0, -3 + 4j], [3 - 4j, 0]],
                   "m.mtx")
        self.check("%%MatrixMarket MATRIX Coordinate COMPLEX Hermitian\n2 2 3\n1 1 1 0\n2 1 3 -4\n"
                   "2 2 -5 0\n", [[1, 3 + 4j], [3 - 4j, -5]], "m.mtx")

    def test_array(self):
        banner = "%%MatrixMarket matrix array complex "
        self.check(banner + "general\n2 2\n1 2\n3 4\n5 6\n7 8\n", [[1 + 2j, 5 + 6j],
                                                                   [3 + 4j, 7 + 8j]], "m.mtx")
        self.check(banner + "hermitian\n2 2\n1 0\n3 4\n7 0\n", [[1, 3 - 4j], [3 + 4j, 7]], "m.mtx",
                   precision="single", options=["--precision", "single"])

    def test_table_and_rank(self):
        self.write("m.npy", npy_complex(TALL))
        self.assertIn("4 x 2, complex, double precision", self.succeed("svd", "m.npy"))
        report = self.decompose("m.npy", "--rank", "1", "-o", "one")
        self.assertEqual(len(report["singular_values"]), 1)
        self.assertEqual([len(row) for row in self.read_factor("one_U.npy")[1]], [1] * 4)

    def test_not_finite(self):
        self.write("m.npy", npy_complex([[1, complex(0, math.inf)], [2, 3]]))
        report = self.decompose("m.npy", "-o", "none", status=1)
        self.assertEqual(report["status"], "non_finite")
        self.assertEqual(self.files(), ["m.npy"])

    def test_real_matrices_are_not_told_as_complex(self):
        self.write("m.mtx", "%%MatrixMarket matrix array real general\n1 1\n2\n")
        self.assertNotIn("complex", self.decompose("m.mtx"))
        self.assertNotIn("complex", self.succeed("svd", "m.mtx"))

    def test_bad_files(self):
        for text, says in (
            ("general\n1 1 1\n1 1 2\n", "line 3: has 3 words, expected 4: row, column, real and"),
            ("hermitian\n1 1 1\n1 1 2 1\n", "an imaginary part on the diagonal in row 1"),
            ("hermitian\n1 2 1\n1 1 2 0\n", "a symmetric matrix must be square"),
            ("hermitian\n2 2 1\n1 2 2 0\n", "above the diagonal"),
            ("strange\n1 1 1\n1 1 2 1\n", "skew-symmetric or Hermitian"),
            ("general\n1 1 1\n1 1 2 x\n", "'x'")):
            self.write("m.mtx", COORDINATES + text)
            self.refuse("svd", "m.mtx", says=["m.mtx", says])
        self.write("m.mtx", "%%MatrixMarket matrix array complex general\n1 1\n2\n")
        self.refuse("svd", "m.mtx", says="expected a real and an imaginary part of each entry")
        self.write("m.mtx", "%%MatrixMarket matrix array real hermitian\n1 1\n2\n")
        self.refuse("svd", "m.mtx", says="symmetry 'hermitian'")
        content = npy_complex(MATRIX)
        self.write("m.npy", content[:-8])
        self.refuse("svd", "m.npy", says="is truncated")
        self.write("m.npy", npy_complex([[1e39]]))
        self.refuse("svd", "m.npy", "--precision", "single", says="beyond single precision")

    def test_only_one_method(self):
        self.write("m.npy", npy_complex(TALL))
        for options in (["--method", "cyclic"], ["--method", "round_robin"],
                        ["--method", "truncated", "--rank", "1"]):
            self.refuse("svd", "m.npy", *options,
                        says="holds complex numbers, --method %s expects" % options[1])
        self.refuse("svd", "m.npy", "--method", "tall", says="holds complex numbers")

    def test_other_commands_refuse(self):
        self.write("m.npy", npy_complex([[1, 2j], [-2j, 3]]))
        self.write("m.mtx", COORDINATES + "general\n1 1 1\n1 1 1 2\n")
        self.refuse("det", "m.npy", says=["m.npy", "holds complex numbers"])
        self.refuse("det", "m.mtx", says=["m.mtx", "field 'complex', expected real"])
        self.write("b.npy", npy_batch([MATRIX], "<c16"))
        self.refuse("det", "b.npy", says=["b.npy", "holds complex numbers"])


class ComplexBatches(ToolTest):
    """Members of a batch are what they are alone, in both orders and precisions."""

    HERMITIAN = [[2, 1j], [-1j, 2]], [[5, 3 - 4j], [3 + 4j, -5]]
    SIDES = [[1j, 2], [3 - 1j, 0]], [[1, 1], [1j, 4]]

    def report(self, *arguments):
        process = self.run_tool(*arguments, "--json")
        self.assertEqual((process.returncode, process.stderr), (0, b""), process.stdout)
        return json.loads(process.stdout)

    def check(self, command, batches, outputs, options=()):
        """The same files from each member alone as of the batch; of several operands the first is "a.npy"."""
        names = [letter + ".npy" for letter in "ab"[:len(batches)]]
        for descr, fortran in (("<c16", False), ("<c16", True), ("<c8", True)):
            for name, batch in zip(names, batches):
                self.write(name, npy_batch(batch, descr, fortran))
            report = self.report(command, *options, *names, "-o", "all")
            precision = "single" if descr == "<c8" else "double"
            self.assertEqual((report["complex"], report["precision"], report["members"]), (True, precision, 2))
            together = {out: read_npy(self.path("all_%s.npy" % out)) for out in outputs}
            for b in range(2):
                for name, batch in zip(names, batches):
                    self.write(name, npy_complex(batch[b], descr))
                alone = self.report(command, *options, *names, "-o", "one")
                self.assertTrue(alone["complex"])
                for out, (kind, values) in together.items():
                    self.assertEqual(read_npy(self.path("one_%s.npy" % out)), (kind, values[b]), (command, out))
            self.assertLessEqual(report["relative_residual"], 20 * EPS[precision])
        for name, batch in zip(names, batches):
            self.write(name, npy_batch(batch, "<c16"))
        self.assertIn("complex, double precision", self.succeed(command, *options, *names))

    def test_svd(self):
        self.check("svd", [[MATRIX, [[2j, 1, 0], [0, 1 + 1j, 3]]]], "USV")

    def test_eigh(self):
        self.check("eigh", [self.HERMITIAN], "WV")

    def test_qr(self):
        self.check("qr", [[TALL, [[z * (2 + 1j) for z in row] for row in TALL]]], "QR")

    def test_lstsq(self):
        self.check("lstsq", [self.HERMITIAN, self.SIDES], "X")

    def test_pinv(self):
        self.check("pinv", [[TALL, TALL[::-1]]], ["pinv"], ["--general"])

    def test_solve(self):
        self.check("solve", [self.HERMITIAN, self.SIDES], "X")
        self.check("inverse", [self.HERMITIAN], "X")

    def test_refused(self):
        self.write("b.npy", npy_batch([MATRIX], "<c16"))
        self.refuse("svd", "b.npy", "--method", "cyclic", says="holds complex numbers, --method cyclic expects")
        self.refuse("eigh", "b.npy", says="expected as many rows as columns")
        self.write("b.npy", npy_batch([[[1, 1j], [1j, 1]]], "<c8"))
        self.refuse("eigh", "b.npy", says="is not Hermitian")
        content = npy_batch([MATRIX], "<c16")
        self.write("b.npy", content[:-8])
        self.refuse("svd", "b.npy", says="is truncated")


if __name__ == "__main__":
    main()
