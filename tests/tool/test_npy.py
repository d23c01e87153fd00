# SPDX-License-Identifier: BSD-3-Clause
"""Every variant of the NumPy format that the tool reads."""

import json
import os
import struct
import threading

from tool import EPS, STRUCT_CODES, ToolTest, main, npy_bytes, npy_matrix

A = [[3, 1, 4], [1, 5, 9]]
TALL = [[2, 7], [1, 8], [2, 8]]
B = [[1, 0, 1], [0, 1, 1]]


class Npy(ToolTest):

    def test_types_orders_and_versions(self):
        for kind in STRUCT_CODES:
            for order in "<>" if kind[1] != "1" else "|":
                precision = "single" if kind in ("f2", "f4") else "double"
                matrix = B if kind == "b1" else A
                for fortran in (False, True):
                    with self.subTest(kind=kind, order=order, fortran=fortran):
                        read = self.read_back(npy_matrix(matrix, order + kind, fortran),
                                              precision=precision)
                        self.assert_same(read, matrix, precision)

    def test_versions(self):
        for version in (1, 2, 3):
            with self.subTest(version=version):
                self.assert_same(self.read_back(npy_matrix(TALL, version=version)), TALL)

    def test_fractions_and_signs(self):
        matrix = [[0.1, -2.5e-3], [1e10, -7.0], [0.0, -0.0]]
        for kind, precision in (("<f8", "double"), (">f4", "single")):
            with self.subTest(kind=kind):
                read = self.read_back(npy_matrix(matrix, kind), precision=precision)
                self.assert_same(read, matrix, precision)

    def test_every_half(self):
        # In the order of their bits: subnormal numbers, all others, both signs.
        bits = [k for k in range(1 << 16) if k >> 10 & 31 != 31]
        numbers = struct.unpack("<%de" % len(bits), struct.pack("<%dH" % len(bits), *bits))
        rows = [list(numbers[k:k + 248]) for k in range(0, len(numbers), 248)]
        self.write("a.npy", npy_matrix(rows, "<f2"))
        self.write("b.npy", npy_matrix(rows, "<f4"))
        self.write("c.npy", npy_matrix(rows, "<f8"))
        def value(*arguments):
            return json.loads(self.succeed(*arguments, "--json"))["value"]
        for kind in ("2", "1", "max"):
            self.assertEqual(value("norm", "a.npy", "--kind", kind),
                             value("norm", "b.npy", "--kind", kind))
        for more in ((), ("--precision", "double")):
            self.assertEqual(value("sum", "a.npy", *more), 0)
        self.assertEqual(value("dot", "a.npy", "c.npy"), value("dot", "c.npy", "c.npy"))

    def test_halves_that_are_not_finite(self):
        for bad in (float("inf"), float("-inf"), float("nan")):
            self.write("a.npy", npy_matrix([[1, bad], [2, 3]], "<f2"))
            report = json.loads(self.run_tool("svd", "a.npy", "--json").stdout)
            self.assertEqual(report["status"], "non_finite")

    def test_negative_integers(self):
        matrix = [[-128, 127], [-1, 0]]
        for kind in ("|i1", "<i2", ">i4", "<i8"):
            with self.subTest(kind=kind):
                self.assert_same(self.read_back(npy_matrix(matrix, kind)), matrix)

    def test_largest_unsigned_integers(self):
        for kind, largest in (("|u1", 2**8 - 1), ("<u2", 2**16 - 1), (">u4", 2**32 - 1),
                              ("<u8", 2**64 - 1)):
            with self.subTest(kind=kind):
                self.write("u.npy", npy_matrix([[largest]], kind))
                value = self.svd("u.npy")["singular_values"][0]
                self.assertLessEqual(abs(value - largest), 4 * EPS["double"] * largest)

    def test_precision(self):
        for kind in ("<f2", "<f4", "<f8", "<i4", "|b1"):
            for precision in ("single", "double"):
                with self.subTest(kind=kind, precision=precision):
                    read = self.read_back(npy_matrix(B, kind), precision=precision,
                                          options=("--precision", precision))
                    self.assert_same(read, B, precision)

    def test_header_as_other_writers_have_it(self):
        data = struct.pack("<4d", 1, 2, 3, 4)
        headers = {
            "no comma at the end": "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}",
            "another order": "{'shape': (2, 2), 'fortran_order': False, 'descr': '<f8'}",
            "double quotes": '{"descr": "<f8", "fortran_order": False, "shape": (2, 2), }',
            "no blanks": "{'descr':'<f8','fortran_order':False,'shape':(2,2)}",
            "long integers": "{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 2L), }",
            "native": "{'descr': '=f8', 'fortran_order': False, 'shape': (2, 2), }",
            "no byte order": "{'descr': 'f8', 'fortran_order': False, 'shape': (2, 2), }",
        }
        for name, header in headers.items():
            with self.subTest(name):
                read = self.read_back(npy_bytes(data, header=header))
                self.assert_same(read, [[1, 2], [3, 4]])

    def test_tile_edges(self):
        # Rows are turned into columns in tiles of 32.
        for rows, cols in ((31, 33), (65, 2), (1, 40), (40, 1)):
            matrix = [[(7 * i + 3 * j) % 11 + i / 64 for j in range(cols)] for i in range(rows)]
            with self.subTest(rows=rows, cols=cols):
                self.assert_same(self.read_back(npy_matrix(matrix)), matrix)

    def test_empty_matrices(self):
        for rows, cols in ((0, 0), (0, 3), (3, 0), (0, 2000000)):
            with self.subTest(rows=rows, cols=cols):
                self.write("e.npy", npy_bytes(b"", shape="(%d, %d)" % (rows, cols)))
                report = self.svd("e.npy", "-o", "e")
                self.assertEqual((report["rows"], report["cols"]), (rows, cols))
                self.assertEqual((report["singular_values"], report["rank"]), ([], 0))
                self.assertEqual(report["relative_residual"], 0)

    def test_name_does_not_matter(self):
        self.write("matrix", npy_matrix(A))
        self.assertEqual(self.svd("matrix")["cols"], 3)
        self.write("matrix.mtx", npy_matrix(A))
        self.assertEqual(self.svd("matrix.mtx")["cols"], 3)

    def test_pipe(self):
        for cut, status in ((0, 0), (1, 2)):
            os.mkfifo(self.path("pipe"))
            content = npy_matrix(A)
            writer = threading.Thread(target=self.write,
                                      args=("pipe", content[:len(content) - cut]))
            writer.start()
            process = self.run_tool("svd", "pipe", "--json")
            writer.join()
            self.assertEqual(process.returncode, status, process.stderr)
            os.unlink(self.path("pipe"))


if __name__ == "__main__":
    main()
