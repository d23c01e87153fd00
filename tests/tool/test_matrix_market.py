# SPDX-License-Identifier: BSD-3-Clause
"""Every variant of the Matrix Market format that the tool reads."""

from tool import ToolTest, main

GENERAL = [[1, 0, 2.5], [0, -3, 0]]
SYMMETRIC = [[2, -1, 0], [-1, 2, 4], [0, 4, 7]]
SKEW = [[0, 1, -2], [-1, 0, 3], [2, -3, 0]]


class MatrixMarket(ToolTest):

    def check(self, text, matrix, precision="double", options=()):
        read = self.read_back(text, "matrix.mtx", precision, options)
        self.assert_same(read, matrix, precision)

    def test_coordinate_general(self):
        self.check("%%MatrixMarket matrix coordinate real general\n"
                   "2 3 3\n1 1 1\n1 3 2.5e0\n2 2 -3\n", GENERAL)

    def test_coordinate_integer(self):
        self.check("%%MatrixMarket matrix coordinate integer general\n"
                   "2 2 3\n1 1 1\n1 2 -4\n2 2 +3\n", [[1, -4], [0, 3]])

    def test_coordinate_pattern(self):
        self.check("%%MatrixMarket matrix coordinate pattern general\n2 3 3\n1 1\n2 3\n1 2\n",
                   [[1, 1, 0], [0, 0, 1]])
        self.check("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n",
                   [[1, 1], [1, 0]])

    def test_coordinate_symmetric(self):
        for field in ("real", "integer"):
            self.check("%%%%MatrixMarket matrix coordinate %s symmetric\n3 3 5\n"
                       "1 1 2\n2 1 -1\n2 2 2\n3 2 4\n3 3 7\n" % field, SYMMETRIC)

    def test_coordinate_skew_symmetric(self):
        self.check("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 3\n"
                   "2 1 -1\n3 1 2\n3 2 -3\n", SKEW)

    def test_array_general(self):
        for field in ("real", "integer"):
            self.check("%%%%MatrixMarket matrix array %s general\n2 3\n1\n4\n2\n5\n3\n6\n" % field,
                       [[1, 2, 3], [4, 5, 6]])

    def test_array_symmetric(self):
        self.check("%%MatrixMarket matrix array real symmetric\n3 3\n2\n-1\n0\n2\n4\n7\n",
                   SYMMETRIC)

    def test_array_skew_symmetric(self):
        self.check("%%MatrixMarket matrix array integer skew-symmetric\n3 3\n-1\n2\n-3\n", SKEW)

    def test_repeated_coordinates_are_summed(self):
        self.check("%%MatrixMarket matrix coordinate real general\n2 2 4\n"
                   "1 1 1\n2 2 5\n1 1 0.5\n1 1 -3\n", [[-1.5, 0], [0, 5]])
        self.check("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 3\n1 1\n2 1\n2 1\n",
                   [[1, 2], [2, 0]])

    def test_comments_blank_lines_and_case(self):
        self.check("%%matrixmarket MATRIX Coordinate REAL General\n% a comment\n\n%%\n  \t\n"
                   "  2\t3  3 \n% another\n\n 1 1 1.0\n1 3 2.5\n   % and one\n2 2 -3\n\n\n", GENERAL)

    def test_line_ends(self):
        text = ("%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 2.5\n2 2 -3")
        self.check(text, GENERAL)
        self.check(text.replace("\n", "\r\n").encode(), GENERAL)

    def test_numbers(self):
        self.check("%%MatrixMarket matrix array real general\n5 1\n+1.5\n.5\n2.\n1.0D+2\n-3E-1\n",
                   [[1.5], [0.5], [2], [100], [-0.3]])

    def test_smallest_numbers(self):
        # 1e-400 is zero in double precision, 4e-320 is a denormal number.
        self.write("m.mtx", "%%MatrixMarket matrix array real general\n1 2\n1e-400\n4e-320\n")
        values = self.svd("m.mtx")["singular_values"]
        self.assertEqual(values, [4e-320])

    def test_several_numbers_in_a_line(self):
        self.check("%%MatrixMarket matrix array real general\n2 3\n1 4\n2 5 3\n6\n",
                   [[1, 2, 3], [4, 5, 6]])

    def test_no_entries(self):
        self.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 0\n")
        report = self.svd("m.mtx")
        self.assertEqual((report["singular_values"], report["rank"]), ([0, 0], 0))
        self.assertEqual(report["relative_residual"], 0)

    def test_no_rows(self):
        for text in ("array real general\n0 4\n", "coordinate pattern general\n0 4 0\n",
                     "array real symmetric\n0 0\n", "array real skew-symmetric\n0 0\n"):
            self.write("m.mtx", "%%MatrixMarket matrix " + text)
            self.assertEqual(self.svd("m.mtx")["singular_values"], [])

    def test_one_by_one_skew_symmetric(self):
        self.write("m.mtx", "%%MatrixMarket matrix array real skew-symmetric\n1 1\n")
        self.assertEqual(self.svd("m.mtx")["singular_values"], [0])

    def test_precision(self):
        self.check("%%MatrixMarket matrix coordinate real general\n"
                   "2 3 3\n1 1 1\n1 3 2.5\n2 2 -3\n", GENERAL, "single", ("--precision", "single"))

    def test_name_does_not_matter(self):
        self.write("m.txt", "%%MatrixMarket matrix array real general\n1 1\n-2\n")
        self.assertEqual(self.svd("m.txt")["singular_values"], [2])

    def test_long_lines(self):
        self.check("%%MatrixMarket matrix array real general\n% " + "x" * 200000 + "\n1 2\n" +
                   " " * 100000 + "3\n4\n", [[3, 4]])


if __name__ == "__main__":
    main()
