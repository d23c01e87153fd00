# SPDX-License-Identifier: BSD-3-Clause
"""The tool under mpirun: the same output, files and exit status as without, told once."""

import json
import math
import os
import struct

from ranks import RANKS, RanksTest
from blas import npy_vector
from tool import DATA, main, npy_batch, npy_bytes, npy_matrix


class SharingTest(RanksTest):

    # --- the same output

    def test_sums(self):
        self.write("x.npy", npy_vector(self.numbers(10_000)))
        self.write("y.npy", npy_vector(self.numbers(10_000)))
        self.write("f.npy", npy_vector(self.numbers(5000), "<f4"))
        self.write("z.npy", npy_vector([complex(a, b) for a, b in zip(self.numbers(3000), self.numbers(3000))],
                                       "<c16"))
        for kind in ("canonical", "exact"):
            self.same("sum", "x.npy", "--summation", kind, engine="entries")
        self.same("dot", "x.npy", "y.npy", "--summation", "compensated", engine="entries")
        for kind in ("2", "1", "max"):
            self.same("norm", "x.npy", "--kind", kind, engine="entries", ranks=(3,))
        self.same("sum", "f.npy", engine="entries", ranks=(2, 5))
        self.same("sum", "z.npy", engine="entries", ranks=(2, 5))
        self.same("dot", "z.npy", "z.npy", "--no-conjugate", engine="entries", ranks=(3,))
        self.same("dot", "x.npy", "y.npy", "--precision", "double", engine="entries", ranks=(2,))

    def test_matrices_in_either_order(self):
        A = self.matrix(60, 70)
        self.write("c.npy", npy_matrix(A))
        self.write("f.npy", npy_matrix(A, fortran=True))
        self.write("s.npy", npy_matrix(A, "<f4", fortran=True))
        for pair in (("c.npy", "f.npy"), ("f.npy", "c.npy"), ("f.npy", "f.npy"), ("s.npy", "c.npy")):
            self.same("dot", *pair, engine="entries", ranks=(2, 3))
        self.same("norm", "f.npy", engine="entries", ranks=(2, 3))

    def test_gemv(self):
        self.write("wide.npy", npy_matrix(self.matrix(7, 4000)))
        self.write("wide_f.npy", npy_matrix(self.matrix(7, 4000), fortran=True))
        self.write("tall.npy", npy_matrix(self.matrix(300, 20), "<f4", fortran=True))
        self.write("long.npy", npy_vector(self.numbers(4000)))
        self.write("seven.npy", npy_vector(self.numbers(7)))
        self.write("twenty.npy", npy_vector(self.numbers(20), "<f4"))
        self.write("rows.npy", npy_vector(self.numbers(300), "<f4"))
        for wide in ("wide.npy", "wide_f.npy"):
            self.same("gemv", wide, "long.npy", "--y", "seven.npy", "--beta", "0.5", engine="columns",
                      outputs=("_y.npy",), ranks=(2, 3))
            self.same("gemv", wide, "seven.npy", "--transpose", engine="columns",
                      outputs=("_y.npy",), ranks=(2, 3))
        self.same("gemv", "tall.npy", "twenty.npy", "--y", "rows.npy", "--alpha", "3", engine="rows",
                  outputs=("_y.npy",), ranks=RANKS)
        self.same("gemv", "tall.npy", "rows.npy", "--transpose", engine="columns",
                  outputs=("_y.npy",), ranks=(2, 5))

    def test_gemv_shares_long_sums(self):
        matrix = npy_bytes(b"".join(b"\0\0\0\0\0\0\xf0\x3f" for _ in range(6000 * 2)), shape="(6000, 2)")
        self.write("A.npy", matrix)
        self.write("x.npy", npy_vector(self.numbers(6000)))
        self.same("gemv", "A.npy", "x.npy", "--transpose", engine="rows", outputs=("_y.npy",),
                  ranks=(2, 5))

    def test_batches(self):
        batch = [self.matrix(6, 4) for _ in range(7)]
        square = [self.matrix(5, 5) for _ in range(4)]
        square[2] = [[0.0] * 5] * 5
        for name, order in (("c", False), ("f", True)):
            self.write(name + ".npy", npy_batch(batch, "<f4", order))
            self.same("svd", name + ".npy", engine="members", outputs=("_U.npy", "_S.npy", "_V.npy"))
            self.write(name + "_square.npy", npy_batch(square, fortran=order))
            self.same("det", name + "_square.npy", engine="members", status=1)
        self.same("svd", "c.npy", "--values-only", "--rank", "2", engine="members", outputs=("_S.npy",),
                  ranks=(3,))
        self.write("short.npy", npy_batch(batch)[:-1])
        self.refuse_all("svd", "short.npy", says="is truncated")
        self.refuse_all("det", "c.npy", says="needs square ones")
        self.refuse_all("det", "c_square.npy", "--certified", says="--certified expects a matrix")

    def test_frames(self):
        os.mkdir(self.path("frames"))
        self.write("frames/motion.npy", npy_batch([self.matrix(30, 3) for _ in range(7)]))
        self.write("frames/depth.npy", npy_matrix(self.matrix(7, 30)))
        self.write("frames/residual.npy", npy_matrix(self.matrix(7, 30)))
        for shape, rows in (("(4,)", 1), ("(7, 4)", 7)):
            self.write("frames/segment_offsets.npy", npy_bytes(struct.pack("<4q", 0, 7, 20, 30) * rows, "'<i8'", shape=shape))
            self.same("pinv", "frames", "--covariance", "--dense", "--damping", "0.5", engine="members",
                      outputs=tuple("_%s.npy" % x for x in ("motion", "depth", "pinv", "covariance", "variances")),
                      ranks=(1, 2, 8))
        self.write("frames/depth.npy", npy_matrix(self.matrix(7, 30))[:-1])
        self.refuse_all("pinv", "frames", says="is truncated", ranks=(3,))
        self.write("frames/depth.npy", npy_matrix(self.matrix(7, 29)))
        self.refuse_all("pinv", "frames", says="is 7 x 29, must be 7 x 30", ranks=(3,))
        os.remove(self.path("frames/depth.npy"))
        self.refuse_all("pinv", "frames", says="depth.npy: No such file", ranks=(3,))

    def test_rows_of_a_determinant(self):
        A = self.matrix(300, 300)
        self.write("c.npy", npy_matrix(A))
        self.write("f.npy", npy_matrix(A, "<f4", fortran=True))
        for name in ("c.npy", "f.npy"):
            self.same("det", name, engine="rows", ranks=(2, 3))
        self.same("det", "c.npy", "--method", "condensation", engine="one_rank", ranks=(2,))
        A[299] = A[7] = [0.0] * 300
        self.write("singular.npy", npy_matrix(A))
        self.same("det", "singular.npy", engine="rows", status=1, ranks=(3,))
        self.write("short.npy", npy_matrix(A)[:-1])
        self.refuse_all("det", "short.npy", says="is truncated", ranks=(3,))
        self.write("wide.npy", npy_matrix(A[1:]))
        self.refuse_all("det", "wide.npy", says="is 299 x 300, a determinant needs", ranks=(2,))

    def test_rows_of_a_tall_matrix(self):
        A = self.matrix(700, 40)  # three blocks of rows
        self.write("c.npy", npy_matrix(A))
        self.write("f.npy", npy_matrix(A, "<f4", fortran=True))
        for name in ("c.npy", "f.npy"):
            self.same("svd", name, "--method", "tall", engine="rows",
                      outputs=("_U.npy", "_S.npy", "_V.npy"), ranks=(2, 3))
        self.same("svd", "c.npy", "--method", "tall", "--values-only", "--rank", "3", "--energy", "0.9",
                  engine="rows", outputs=("_S.npy",), ranks=(5,))
        plain = json.loads(self.succeed("svd", "c.npy", "--json"))
        tall = json.loads(self.succeed("svd", "c.npy", "--json", "--method", "tall"))
        self.assertEqual(list(plain), list(tall))
        self.assertLess(tall["relative_residual"], 1e-14)
        for one, other in zip(plain["singular_values"], tall["singular_values"]):
            self.assertLess(abs(one - other), 1e-13 * plain["singular_values"][0])
        A[699][3] = math.nan
        self.write("nan.npy", npy_matrix(A))
        self.same("svd", "nan.npy", "--method", "tall", engine="rows", status=1, ranks=(2,))
        self.write("wide.npy", npy_matrix(A[:39]))
        self.refuse_all("svd", "wide.npy", "--method", "tall", says="at least as many rows", ranks=(2,))
        self.refuse_all("svd", "c.npy", "--method", "tall", "--tolerance", "0", says="has no meaning", ranks=(2,))
        self.write("batch.npy", npy_batch([A, A]))
        self.refuse_all("svd", "batch.npy", "--method", "tall", says="expects a matrix", ranks=(2,))

    def test_matrix_market(self):
        path = os.path.join(DATA, "longley.mtx")
        self.same("sum", path, engine="entries", ranks=(2, 3))
        self.write("x.npy", npy_vector([1.0] * 7))
        self.same("gemv", path, "x.npy", engine="rows", outputs=("_y.npy",), ranks=(2, 5))
        self.same("svd", path, "--method", "tall", engine="rows", outputs=("_U.npy",), ranks=(2,))

    def test_more_ranks_than_rows(self):
        self.write("a.npy", npy_matrix([[1.0, 2.0], [3.0, 4.0]]))
        self.write("x.npy", npy_vector([0.5, 0.25]))
        self.write("empty.npy", npy_vector([]))
        self.same("gemv", "a.npy", "x.npy", engine="rows", outputs=("_y.npy",), ranks=(5,))
        self.same("sum", "x.npy", engine="entries", ranks=(5,))
        self.same("sum", "empty.npy", engine="entries", ranks=(3,))

    def test_what_one_rank_does(self):
        self.write("a.npy", npy_matrix(self.matrix(12, 5)))
        self.write("b.npy", npy_matrix(self.matrix(6, 6)))
        self.same("svd", "a.npy", engine="one_rank", outputs=("_U.npy", "_S.npy", "_V.npy"), ranks=(3,))
        self.same("det", "b.npy", engine="one_rank", ranks=(3,))
        self.same("gemm", "b.npy", "b.npy", engine="one_rank", outputs=("_C.npy",), ranks=(2,))
        self.same("add", "b.npy", "b.npy", engine="one_rank", outputs=("_C.npy",), ranks=(2,))

    def test_tables_and_help(self):
        self.write("x.npy", npy_vector(self.numbers(3000)))
        alone = [line for line in self.succeed("sum", "x.npy").split("\n") if "seconds" not in line]
        process = self.launch(3, "sum", "x.npy")
        lines = process.stdout.decode().split("\n")
        self.assertIn("ranks              3, entries", lines)
        self.assertEqual([line for line in lines if "seconds" not in line and
                          not line.startswith("ranks ")], alone)
        for arguments in (["--help"], ["svd", "--help"], ["--version"], ["occupancy", "--list"]):
            process = self.launch(3, *arguments)
            self.assertEqual((process.returncode, process.stderr), (0, b""))
            self.assertEqual(process.stdout.decode(), self.succeed(*arguments))

    def test_status_of_the_numerics(self):
        values = self.numbers(5000)
        values[4000] = math.nan
        self.write("nan.npy", npy_vector(values))
        self.same("sum", "nan.npy", engine="entries", status=1, ranks=(2, 3))
        self.write("a.npy", npy_matrix([[math.nan, 1.0], [1.0, 1.0]]))
        self.same("det", "a.npy", engine="one_rank", status=1, ranks=(2,))

    def test_info(self):
        info = json.loads(self.launch(3, "info", "--json").stdout)
        self.assertEqual((info["ranks"], len(info["devices"])), (3, 3))
        self.assertTrue(info["mpi"])
        text = self.launch(2, "info").stdout.decode()
        self.assertIn("rank 1", text)
        self.assertIn(info["mpi"], text)


if __name__ == "__main__":
    main()
