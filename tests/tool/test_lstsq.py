# SPDX-License-Identifier: BSD-3-Clause
"""carroll lstsq and carroll pinv --general: problems in files, one or a batch."""

import os

from tool import (EPS, ToolTest, main, npy_batch, npy_complex, npy_matrix, npy_vector,
                  read_npy)

KEYS = ["status", "rows", "cols", "precision", "backend", "rank", "sigma_max", "sigma_min",
        "relative_residual", "seconds"]
# A line as near to 6, 0 and 0 as can be; and a matrix of rank 1.
LINE, POINTS, FOUND = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [6.0, 0.0, 0.0], [5.0, -3.0]
ONES = [[1.0, 1.0], [1.0, 1.0]]


class LstsqTest(ToolTest):
    def lstsq(self, *arguments, status=0, keys=()):
        return self.json_report([*KEYS, "right_sides", *keys], "lstsq", *arguments, status=status)

    def pinv(self, *arguments, status=0, keys=()):
        return self.json_report(KEYS + list(keys), "pinv", "--general", *arguments, status=status)

    def test_vector(self):
        for descr, precision in (("<f8", "double"), ("<f4", "single")):
            self.write("a.npy", npy_matrix(LINE, descr))
            self.write("b.npy", npy_vector(POINTS, descr))
            report = self.lstsq("a.npy", "b.npy", "-o", "x")
            self.assertEqual((report["status"], report["rows"], report["cols"], report["rank"],
                              report["right_sides"], report["precision"]),
                             ("success", 3, 2, 2, 1, precision))
            kind, values = read_npy(self.path("x_X.npy"))
            self.assertEqual(kind, descr[1:])
            self.assert_close(values, FOUND, 100 * EPS[precision])
            self.assertAlmostEqual(report["relative_residual"], 6**0.5 / 6, delta=1e-6)
            self.assertEqual(self.files(), ["a.npy", "b.npy", "x_X.npy"])

    def test_two_precisions_are_double(self):
        self.write("a.npy", npy_matrix(LINE, "<f4"))
        self.write("b.npy", npy_vector(POINTS))
        self.assertEqual(self.lstsq("a.npy", "b.npy")["precision"], "double")
        self.assertEqual(self.lstsq("a.npy", "b.npy", "--precision", "single")["precision"], "single")

    def test_matrix_and_rank(self):
        self.write("a.npy", npy_matrix(ONES))
        self.write("b.npy", npy_matrix([[2.0, 4.0, 0.0], [2.0, 0.0, 0.0]]))
        report = self.lstsq("a.npy", "b.npy", "-o", "x")
        self.assertEqual((report["rank"], report["right_sides"]), (1, 3))
        self.assertAlmostEqual(report["sigma_max"], 2, delta=1e-14)
        self.assertEqual(report["sigma_max"], report["sigma_min"])
        self.assert_close(self.read("x_X.npy"), [[1, 1, 0], [1, 1, 0]], 1e-14)

    def test_complex(self):
        for descr, precision in (("<c16", "double"), ("<c8", "single")):
            self.write("a.npy", npy_complex([[1, 1j]], descr))  # the shortest of many solutions
            self.write("b.npy", npy_complex([[2, 2j]], descr))
            report = self.lstsq("a.npy", "b.npy", "-o", "x", keys=["complex"])
            self.assertEqual((report["status"], report["complex"], report["precision"],
                              report["rank"], report["right_sides"]),
                             ("success", True, precision, 1, 2))
            self.assertLess(report["relative_residual"], 20 * EPS[precision])
            report = self.pinv("a.npy", "-o", "x", keys=["complex"])
            self.assertEqual((report["rank"], report["precision"]), (1, precision))
            for name, expected in (("X", [[1, 1j], [-1j, 1]]), ("pinv", [[0.5], [-0.5j]])):
                kind, X = read_npy(self.path("x_%s.npy" % name))
                self.assertEqual(kind, descr[1:])
                for row, wanted in zip(X, expected):
                    for x, y in zip(row, wanted):
                        self.assertLess(abs(x - y), 20 * EPS[precision])
        self.assertIn("1 x 2, complex, single precision", self.succeed("pinv", "--general", "a.npy"))

    def test_real_and_complex_are_complex(self):
        self.write("a.npy", npy_matrix([[2.0]], "<f4"))
        self.write("b.npy", npy_complex([[2j]], "<c8"))
        report = self.lstsq("a.npy", "b.npy", "-o", "x", keys=["complex"])
        self.assertEqual(report["precision"], "single")
        self.assertLess(abs(read_npy(self.path("x_X.npy"))[1][0][0] - 1j), 1e-6)
        self.write("v.npy", npy_vector([4.0]))
        report = self.lstsq("b.npy", "v.npy", "-o", "y", keys=["complex"])
        self.assertEqual(report["precision"], "double")
        self.assertLess(abs(read_npy(self.path("y_X.npy"))[1][0] + 2j), 1e-14)

    def test_rcond(self):
        self.write("a.npy", npy_matrix([[1.0, 0.0], [0.0, 0.01]]))
        self.write("b.npy", npy_vector([1.0, 1.0]))
        self.assertEqual(self.lstsq("a.npy", "b.npy")["rank"], 2)
        report = self.lstsq("a.npy", "b.npy", "--rcond", "0.1", "-o", "x")
        self.assertEqual((report["rank"], report["sigma_min"]), (1, 1))
        self.assert_close(self.read("x_X.npy"), [1, 0], 1e-14)

    def test_pseudoinverse(self):
        self.write("a.npy", npy_matrix(ONES))
        report = self.pinv("a.npy", "-o", "x")
        self.assertEqual((report["status"], report["rank"]), ("success", 1))
        self.assertLess(report["relative_residual"], 1e-14)
        self.assert_close(self.read("x_pinv.npy"), [[0.25, 0.25], [0.25, 0.25]], 1e-14)
        self.write("w.mtx", b"%%MatrixMarket matrix array real general\n1 2\n3\n4\n")
        self.pinv("w.mtx", "-o", "w")
        self.assert_close(self.read("w_pinv.npy"), [[0.12], [0.16]], 1e-14)

    def test_batch(self):
        small = [[x / 2 for x in row] for row in LINE]
        none = [[0.0, 0.0]] * 3
        self.write("a.npy", npy_batch([LINE, small, none]))
        self.write("b.npy", npy_batch([[[x] for x in POINTS]] * 3))
        keys = ["members", "statuses"]
        report = self.lstsq("a.npy", "b.npy", "-o", "x", keys=keys)
        self.assertEqual((report["members"], report["statuses"], report["rank"]),
                         (3, ["success"] * 3, [2, 2, 0]))
        self.assertAlmostEqual(report["sigma_max"][0], 2 * report["sigma_max"][1], delta=1e-14)
        self.assertEqual(report["sigma_min"][2], 0)
        self.assert_close(self.read("x_X.npy"), [[[5], [-3]], [[10], [-6]], [[0], [0]]], 1e-13)
        report = self.pinv("a.npy", "-o", "p", keys=keys)
        inverse = self.read("p_pinv.npy")
        self.assertEqual((len(inverse), len(inverse[0]), len(inverse[0][0])), (3, 2, 3))
        self.assert_close(inverse[2], [[0] * 3] * 2, 0)

    def test_not_finite(self):
        self.write("a.npy", npy_matrix(LINE))
        self.write("b.npy", npy_vector([1.0, float("inf"), 0.0]))
        report = self.lstsq("a.npy", "b.npy", "-o", "x", status=1)
        self.assertEqual((report["status"], report["rank"], report["sigma_max"]),
                         ("non_finite", 0, None))
        self.assertEqual(self.files(), ["a.npy", "b.npy"])

    def test_overflow(self):
        self.write("a.npy", npy_matrix([[1e-300]]))
        self.write("b.npy", npy_vector([1e300]))
        self.assertEqual(self.lstsq("a.npy", "b.npy", "-o", "x", status=1)["status"], "overflow")
        self.assertEqual(self.read("x_X.npy"), [float("inf")])

    def test_empty(self):
        self.write("a.mtx", b"%%MatrixMarket matrix array real general\n0 3\n")
        report = self.pinv("a.mtx")
        self.assertEqual((report["rows"], report["cols"], report["rank"]), (0, 3, 0))

    def test_bad_input(self):
        self.write("a.npy", npy_matrix(LINE))
        self.write("b.npy", npy_vector([1.0, 2.0]))
        self.write("c.npy", npy_batch([LINE, LINE]))
        self.write("d.npy", npy_batch([LINE] * 3))
        for arguments, words in (
                (("lstsq", "a.npy", "b.npy"), "b.npy: has 2 rows, must have 3: as many as a.npy"),
                (("lstsq", "c.npy", "d.npy"), "d.npy: has 3 members, must have 2: as many as c.npy"),
                (("lstsq", "c.npy", "a.npy"), "a.npy: has 2 dimensions, expected a batch with 3"),
                (("lstsq", "a.npy", "none.npy"), "none.npy: "),
                (("lstsq", "a.npy"), "B"),
                (("lstsq", "a.npy", "b.npy", "--rcond", "1"), "--rcond"),
                (("lstsq", "a.npy", "b.npy", "--rcond", "nan"), "--rcond"),
                (("pinv", "a.npy", "--rcond", "0.1"), "--rcond needs --general"),
                (("pinv", "--general", "a.npy", "--dense", "-o", "x"),
                 "--dense has no meaning for --general"),
                (("pinv", "--general", "a.npy", "--path", "row_tiles"), "--path has no meaning"),
                (("pinv", "--general", "a.npy", "-o", "a.npy/"), "is a directory")):
            process = self.run_tool(*arguments)
            self.assertEqual((process.returncode, process.stdout), (2, b""), arguments)
            self.assertIn(words, process.stderr.decode())
            self.assertEqual(process.stderr.count(b"\n"), 1)
        self.assertEqual(len(os.listdir(self.home)), 4)

    def test_table_and_help(self):
        self.write("a.npy", npy_matrix(LINE))
        self.write("b.npy", npy_vector(POINTS))
        self.assertIn("rank 2", self.succeed("lstsq", "a.npy", "b.npy"))
        self.assertIn("rank 2", self.succeed("pinv", "--general", "a.npy"))
        self.assertIn("shortest", self.succeed("lstsq", "--help"))
        self.assertIn("--general", self.succeed("pinv", "--help"))


if __name__ == "__main__":
    main()
