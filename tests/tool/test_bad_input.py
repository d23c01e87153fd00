# SPDX-License-Identifier: BSD-3-Clause
"""Input that is no matrix: status 2, one line that says why, no file left behind."""

import os
import resource
import struct

from tool import ToolTest, main, npy_bytes, npy_matrix

MATRIX = [[1.0, 2.0], [3.0, 4.0]]
DATA = struct.pack("<4d", 1, 2, 3, 4)
BANNER = "%%MatrixMarket matrix "


class BadInput(ToolTest):

    def reject(self, name, content, *says):
        """Refuses `content`, for every form of output."""
        self.write(name, content)
        line = self.refuse("svd", name, "-o", "out", says=(name + ": ",) + says)
        self.assertEqual(line, self.refuse("svd", name, "--json", "-o", "out"))

    # Files of any kind

    def test_missing(self):
        self.refuse("svd", "missing.npy", says=("missing.npy: No such file or directory",))
        self.refuse("svd", "nowhere/a.mtx", says=("nowhere/a.mtx: No such file or directory",))
        self.refuse("svd", "", says="the name of the file is empty")

    def test_directory(self):
        for name in ("dir", "dir.npy", "dir.mtx"):
            os.mkdir(self.path(name))
            self.refuse("svd", name, says=(name + ": is a directory",))

    def test_device(self):
        self.refuse("svd", "/dev/null", says="/dev/null: is a device")

    def test_not_readable(self):
        os.chmod(self.home, 0o755)
        self.write("a.npy", npy_matrix(MATRIX))
        os.chmod(self.path("a.npy"), 0)
        self.refuse("svd", "a.npy", says="a.npy: Permission denied", **self.as_nobody())

    def test_empty(self):
        for name in ("a.npy", "a.mtx", "a"):
            self.reject(name, b"", "is empty")

    def test_something_else(self):
        self.reject("a.txt", "1 2 3\n4 5 6\n", "neither a NumPy .npy nor a Matrix Market .mtx")
        self.reject("a.csv", b"\xff" * 1000, "neither")
        self.reject("a.npz", b"PK\x03\x04" + bytes(100), "ZIP archive", "numpy.save")
        self.reject("a.npy", "1 2 3\n", "not a NumPy .npy file")
        self.reject("a.npy", b"\x93NUMP", "not a NumPy .npy file")

    # NumPy

    def test_npy_truncated(self):
        for version in (1, 2, 3):
            content = npy_matrix(MATRIX, version=version)
            for length in list(range(6, 20)) + [64, 100]:
                self.reject("a.npy", content[:length], "truncated")
            self.reject("a.npy", content[:-1], "truncated", "2 x 2", "32 bytes", "31 are there")
            self.reject("a.npy", content[:-32], "truncated", "0 are there")

    def test_npy_too_long(self):
        self.reject("a.npy", npy_matrix(MATRIX) + b"\0", "1 byte more", "2 x 2")

    def test_npy_version(self):
        content = npy_matrix(MATRIX)
        for version in ((0, 0), (4, 0), (255, 255), (1, 1)):
            self.reject("a.npy", content[:6] + bytes(version) + content[8:],
                        "format version %d.%d" % version)

    def test_npy_types(self):
        for descr, says in (("'|O'", "Python objects"), ("'O'", "Python objects"),
                            ("'<c32'", "'<c32'"), ("'<f1'", "'<f1'"), ("'|V2'", "'|V2'"),
                            ("'<f16'", "'<f16'"), ("'<U4'", "'<U4'"), ("'|S8'", "'|S8'"),
                            ("'|V16'", "'|V16'"), ("'<M8[ns]'", "M8"), ("'<m8[s]'", "m8"),
                            ("'<i3'", "'<i3'"), ("''", "''"), ("'<'", "'<'"), ("'f'", "'f'"),
                            ("'<<f8'", "'<<f8'"), ("'<f8f8'", "'<f8f8'"), ("'float64'", "float64"),
                            ("'\\n'", ""), ("'<f88888'", ""),
                            ("[('a', '<f8'), ('b', '<f8')]", "structured"),
                            ("[('a', '<f8', (2,)), ('b', [('c', '|O')])]", "structured"),
                            ("('<f8', (2,))", "structured"), ("[]", "structured")):
            self.reject("a.npy", npy_bytes(DATA, descr), says)

    def test_npy_dimensions(self):
        for shape, count in (("()", 0), ("(4,)", 1), ("(4, )", 1), ("(1, 1, 2, 2)", 4),
                             ("(1, 1, 1, 1, 4)", 5), ("(%s)" % ("1, " * 100), 100)):
            self.reject("a.npy", npy_bytes(DATA, shape=shape),
                        "%d dimension" % count, "expected a matrix with 2")

    def test_npy_shape(self):
        for shape in ("(2, -2)", "(2, 2.0)", "(2, x)", "(2 2)", "[2, 2]", "2", "(2, 2", "(,)",
                      "(2,, 2)", "None", "(0x2, 2)", "(1e1, 2)", "(2, 99999999999999999999)"):
            self.reject("a.npy", npy_bytes(DATA, shape=shape), "header")

    def test_npy_shape_that_lies(self):
        for shape in ("(2, 3)", "(46341, 46341)", "(100000000, 2)"):
            self.reject("a.npy", npy_bytes(DATA, shape=shape))
        for shape in ("(4294967296, 4294967296)", "(9223372036854775807, 9223372036854775807)",
                      "(2147483648, 1)", "(0, 9223372036854775807)"):
            self.reject("a.npy", npy_bytes(DATA, shape=shape), "2147483647 rows or columns")
        self.reject("a.npy", npy_bytes(DATA, shape="(2147483647, 2147483647)"), "GiB")
        self.assert_little_memory()

    def test_npy_header(self):
        good = "'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)"
        for header in ("", "{", "}", "{}", "[]", "None", "{%s" % good, "%s}" % good,
                       "{%s}}" % good, "{%s}x" % good, "{%s} {}" % good, "{{%s}}" % good,
                       "{'descr': '<f8', 'fortran_order': False}",
                       "{'descr': '<f8', 'shape': (2, 2)}",
                       "{'fortran_order': False, 'shape': (2, 2)}",
                       "{%s, 'more': 1}" % good, "{%s, 'shape': (2, 2)}" % good,
                       "{'descr' '<f8', 'fortran_order': False, 'shape': (2, 2)}",
                       "{descr: '<f8', 'fortran_order': False, 'shape': (2, 2)}",
                       "{'descr': <f8, 'fortran_order': False, 'shape': (2, 2)}",
                       "{'descr': '<f8, 'fortran_order': False, 'shape': (2, 2)}",
                       "{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 2)}",
                       "{'descr': '<f8', 'fortran_order': Falsehood, 'shape': (2, 2)}",
                       "{'descr': [[[['<f8', 'fortran_order': False, 'shape': (2, 2)}",
                       "{'descr': %s, 'fortran_order': False, 'shape': (2, 2)}" % ("[" * 50000),
                       "\0" * 100, "{" * 1000):
            self.reject("a.npy", npy_bytes(DATA, header=header, version=2), "header")

    def test_npy_header_length_that_lies(self):
        content = npy_matrix(MATRIX, version=2)
        for length in (0, 1, 50, 2**31, 2**32 - 1):
            self.reject("a.npy", content[:8] + struct.pack("<I", length) + content[12:])
        self.reject("a.npy", content[:8] + struct.pack("<I", 3000000) + bytes(3000000),
                    "too long for a matrix")
        content = npy_matrix(MATRIX)
        for length in (0, 10, 65535):
            self.reject("a.npy", content[:8] + struct.pack("<H", length) + content[10:])

    def test_beyond_single_precision(self):
        for fortran in (False, True):
            self.write("a.npy", npy_matrix([[1, 2, 3], [4, 5, -1e39]], fortran=fortran))
            self.refuse("svd", "a.npy", "--precision", "single",
                        says=("row 2, column 3", "--precision double"))
            self.svd("a.npy")
        self.write("a.mtx", BANNER + "coordinate real general\n2 3 2\n1 1 1\n2 3 1e39\n")
        self.refuse("svd", "a.mtx", "--precision", "single",
                    says=("row 2, column 3", "--precision double"))

    # Matrix Market

    def test_mtx_banner(self):
        body = "\n1 1\n1\n"
        for banner, says in (
                ("1 1", "%%MatrixMarket"), ("% MatrixMarket matrix array real general", ""),
                ("%%MatrixMarket", "1 word, expected 5"),
                ("%%MatrixMarket matrix array real", "4 words"),
                ("%%MatrixMarket matrix array real general more", "6 words"),
                ("%%MatrixMarketmatrix array real general", ""),
                ("%%MatrixMarket vector array real general", "'vector'"),
                ("%%MatrixMarket matrix dense real general", "'dense'"),
                ("%%MatrixMarket matrix array float general", "'float'"),
                ("%%MatrixMarket matrix array pattern general", "pattern"),
                ("%%MatrixMarket matrix coordinate pattern skew-symmetric", "skew-symmetric"),
                ("%%MatrixMarket matrix array real hermitian", "'hermitian'"),
                ("%%MatrixMarket matrix array real symmetrical", "'symmetrical'"),
        ):
            self.reject("a.mtx", banner + body, "line 1: ", says)

    def test_mtx_size(self):
        for kind, sizes in (("array real general", ("2", "2 2 4", "2 x", "-2 2", "2.0 2", "2,2",
                                                    "1e1 2", "99999999999999999999 1")),
                            ("coordinate real general", ("2 2", "2 2 1 1", "2 2 -1", "2 2 one",
                                                         "-1 -1 0"))):
            for size in sizes:
                self.reject("a.mtx", BANNER + kind + "\n% comment\n\n" + size + "\n1 1 1\n",
                            "line 4: ")
        self.reject("a.mtx", BANNER + "array real general\n", "ends before")
        self.reject("a.mtx", BANNER + "array real general\n% comment\n\n", "ends before")

    def test_mtx_size_that_lies(self):
        for size in ("100000000 100000000 1", "2147483648 1 1",
                     "9223372036854775807 9223372036854775807 1",
                     "20000 20000 9223372036854775807"):
            self.reject("a.mtx", BANNER + "coordinate real general\n" + size + "\n1 1 1\n")
        self.reject("a.mtx", BANNER + "array real general\n20000 20000\n1\n",
                    "it has 1 entries, expected 400000000")
        self.assert_little_memory()

    def test_mtx_counts(self):
        coordinate = BANNER + "coordinate real general\n2 2 3\n1 1 1\n2 2 2\n"
        self.reject("a.mtx", coordinate, "2 entries, expected 3")
        self.reject("a.mtx", coordinate + "1 2 3\n2 1 4\n", "line 6: ", "more entries than the 3")
        array = BANNER + "array real general\n2 2\n1\n2\n3\n"
        self.reject("a.mtx", array, "3 entries, expected 4")
        self.reject("a.mtx", array + "4\n5\n", "line 7: ", "more entries than the 4")
        self.reject("a.mtx", array + "4 5\n", "line 6: ", "more entries than the 4")
        symmetric = BANNER + "array real symmetric\n2 2\n1\n2\n"
        self.reject("a.mtx", symmetric, "2 entries, expected 3")
        self.reject("a.mtx", symmetric + "3\n4\n", "more entries than the 3")
        skew = BANNER + "array real skew-symmetric\n2 2\n"
        self.reject("a.mtx", skew, "0 entries, expected 1")
        self.reject("a.mtx", skew + "1\n2\n", "more entries than the 1")

    def test_mtx_numbers(self):
        for word in ("x", "1.0x", "1,5", "--1", "+-1", "++1", "1e", "0x10", "1e+", ".", "-", "+",
                     "e5", "1.2.3", "1e5e5", "1e999", "-1e999", "1_000", "\x01", "\xe9"):
            self.reject("a.mtx", (BANNER + "array real general\n1 2\n1\n%s\n" % word)
                        .encode("latin-1"), "line 4: ")
        for word in ("1.5", "1e3", "nan", "inf", "x", "--1", "-", "1.", "0x1"):
            self.reject("a.mtx", BANNER + "array integer general\n1 2\n1\n%s\n" % word, "line 4: ")

    def test_mtx_entries(self):
        start = BANNER + "coordinate real general\n2 3 2\n1 1 1\n"
        for entry, says in (("0 1 1", "row 0 is outside 1 to 2"), ("3 1 1", "row 3 is outside"),
                            ("-1 1 1", "row -1"), ("1 0 1", "column 0 is outside 1 to 3"),
                            ("1 4 1", "column 4"), ("1 9999999999 1", "column 9999999999"),
                            ("1 1", "2 words, expected 3"), ("1", "1 word, "),
                            ("1 1 1 1", "4 words"), ("1.0 1 1", "'1.0'"), ("a 1 1", "'a'"),
                            ("1 b 1", "'b'"), ("1 1 c", "'c' is not a number"),
                            ("4294967297 1 1", "4294967297"),
                            ("99999999999999999999 1 1", "beyond 2^63")):
            self.reject("a.mtx", start + entry + "\n", "line 4: ", says)
        pattern = BANNER + "coordinate pattern general\n2 2 1\n"
        self.reject("a.mtx", pattern + "1 1 1\n", "3 words, expected 2")
        self.reject("a.mtx", pattern + "1\n", "1 word, expected 2")

    def test_mtx_symmetry(self):
        for field in ("real", "integer"):
            for format, size in (("coordinate", "2 3 0"), ("array", "2 3")):
                for symmetry in ("symmetric", "skew-symmetric"):
                    self.reject("a.mtx", BANNER + "%s %s %s\n%s\n" % (format, field, symmetry, size),
                                "square", "2 x 3")
        self.reject("a.mtx", BANNER + "coordinate real symmetric\n2 2 1\n1 2 1\n",
                    "above the diagonal")
        self.reject("a.mtx", BANNER + "coordinate real skew-symmetric\n2 2 1\n1 1 0\n",
                    "on the diagonal")

    def assert_little_memory(self):
        """No run so far has taken more than a GPU's driver alone may take: 2 GiB."""
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 2 * 1024**2)


if __name__ == "__main__":
    main()
