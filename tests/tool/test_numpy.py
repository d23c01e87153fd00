# SPDX-License-Identifier: BSD-3-Clause
"""The same files seen by NumPy: what it writes is read, what is written it reads."""

import unittest

from tool import EPS, ToolTest, main

try:
    import numpy
except ImportError:
    numpy = None


@unittest.skipIf(numpy is None, "NumPy is not installed")
class NumPy(ToolTest):

    def test_round_trip(self):
        source = numpy.random.default_rng(7)
        for kind in ("f2", ">f2", "f4", ">f4", "f8", ">f8", "i1", "i2", ">i4", "i8", "u1", "u2",
                     "u4", "u8", "?"):
            for order in "CF":
                with self.subTest(kind=kind, order=order):
                    A = (100 * source.random((9, 6))).astype(kind).copy(order)
                    numpy.save(self.path("a.npy"), A)
                    report = self.svd("a.npy", "-o", "f")
                    U, S, V = (numpy.load(self.path("f_%s.npy" % x)) for x in "USV")
                    precision = "single" if A.dtype.itemsize <= 4 and A.dtype.kind == "f" else "double"
                    self.assertEqual(report["precision"], precision)
                    self.assertEqual(S.dtype.name, "float32" if precision == "single" else "float64")
                    self.assertEqual((U.shape, S.shape, V.shape), ((9, 6), (6,), (6, 6)))
                    exact = A.astype("f8")
                    bound = 50 * EPS[precision] * numpy.linalg.norm(exact)
                    self.assertLess(numpy.linalg.norm(exact - (U * S) @ V.T), bound)
                    expected = numpy.linalg.svd(exact, compute_uv=False)
                    self.assertLess(numpy.abs(S - expected).max(), bound)
                    self.assertEqual(report["singular_values"],
                                     [float(str(s)) for s in S])

    def test_versions(self):
        A = numpy.arange(12.0).reshape(4, 3)
        for version in ((1, 0), (2, 0), (3, 0)):
            with open(self.path("a.npy"), "wb") as file:
                numpy.lib.format.write_array(file, A, version=version)
            self.assertEqual(self.svd("a.npy")["rank"], 2)

    def test_what_is_no_matrix(self):
        for array in (numpy.array([[1, "a"]], dtype=object), numpy.zeros((2, 2), "c32"),
                      numpy.zeros(2, [("a", "f8")]), numpy.zeros((2, 2), "S3"), numpy.zeros(3),
                      numpy.zeros((2, 2, 2, 2)), numpy.float64(1)):
            with self.subTest(dtype=array.dtype):
                numpy.save(self.path("a.npy"), array, allow_pickle=True)
                self.refuse("svd", "a.npy", says="a.npy: ")
        with open(self.path("a.npz"), "wb") as file:
            numpy.savez(file, A=numpy.eye(2))
        self.refuse("svd", "a.npz", says="ZIP archive")


if __name__ == "__main__":
    main()
