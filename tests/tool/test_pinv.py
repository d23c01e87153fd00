# SPDX-License-Identifier: BSD-3-Clause
"""carroll pinv: least squares with the arrow Jacobian of visual SLAM, from arrays in a directory."""

import json
import math
import os
import random

from tool import EPS, ToolTest, main, npy_matrix, npy_vector, read_npy

PINV_KEYS = ["status", "rows", "motions", "depths", "precision", "backend", "method", "path", "rank",
             "cutoff", "motion_step", "relative_gradient", "seconds"]


class PinvTest(ToolTest):
    def arrays(self, motion, depth, offsets, residual, name="step", descr="<f8"):
        os.makedirs(self.path(name), exist_ok=True)
        self.write(name + "/motion.npy", npy_matrix(motion, descr, cols=1 if not motion else None))
        self.write(name + "/depth.npy", npy_vector(depth, descr))
        self.write(name + "/segment_offsets.npy", npy_vector(offsets, "<i8"))
        matrix = residual and isinstance(residual[0], list)
        self.write(name + "/residual.npy",
                   npy_matrix(residual, descr) if matrix else npy_vector(residual, descr))
        return name

    def example(self, descr="<f8"):
        """Two segments; solved by hand below."""
        return self.arrays([[1.0], [2.0], [3.0], [5.0]], [1.0, 1.0, 1.0, 2.0], [0, 2, 4],
                           [1.0, 2.0, 4.0, 3.0], descr=descr)

    def pinv(self, *arguments, status=0, keys=()):
        process = self.run_tool("pinv", *arguments, "--json")
        self.assertEqual((process.returncode, process.stderr), (status, b""), process.stdout)
        text = process.stdout.decode()
        self.assertEqual(text.count("\n"), 1)
        report = json.loads(text, parse_constant=lambda word: self.fail(word + " is not JSON"))
        self.assertEqual(sorted(report), sorted(PINV_KEYS + list(keys)))
        return report

    # By hand: e = (-0.5, 0.5 | 0.4, -0.2), e.e = 0.7, e.r = 0.5 + 1.6 - 0.6 = 1.5, y = 15/7;
    # xi_1 = 1.5 - 1.5 y, xi_2 = (10 - 13 y)/5.
    Y = 15 / 7
    XI = [1.5 - 1.5 * Y, 2 - 2.6 * Y]

    def test_step(self):
        for descr, precision in (("<f8", "double"), ("<f4", "single")):
            report = self.pinv(self.example(descr), "-o", "x")
            bound = 10 * EPS[precision]
            self.assertEqual((report["status"], report["rank"], report["precision"]),
                             ("success", 3, precision))
            self.assertEqual((report["rows"], report["motions"], report["depths"]), (4, 1, 2))
            self.assertAlmostEqual(report["motion_step"][0], self.Y, delta=bound)
            self.assertLess(report["relative_gradient"], bound)
            self.assertGreater(report["cutoff"], 0)
            kind, motion = read_npy(self.path("x_motion.npy"))
            self.assertEqual(kind, descr[1:])
            self.assertEqual(motion, report["motion_step"] if kind == "f8" else motion)
            depth = read_npy(self.path("x_depth.npy"))[1]
            for found, expected in zip(depth, self.XI):
                self.assertAlmostEqual(found, expected, delta=10 * bound)
        self.assertEqual(self.files(), ["step", "x_depth.npy", "x_motion.npy"])
        text = self.succeed("pinv", "step")
        for word in ("motion step", "2.142857", "rank", "3 of 3", "success"):
            self.assertIn(word, text)

    def test_several_right_hand_sides(self):
        self.arrays([[1.0], [2.0], [3.0], [5.0]], [1.0, 1.0, 1.0, 2.0], [0, 2, 4],
                    [[1.0, 0.0], [2.0, 0.0], [4.0, 0.0], [3.0, 0.0]])
        report = self.pinv("step", "-o", "x")
        self.assertAlmostEqual(report["motion_step"][0][0], self.Y, delta=1e-14)
        self.assertEqual(report["motion_step"][0][1], 0)
        self.assertEqual(len(read_npy(self.path("x_depth.npy"))[1]), 2)

    def test_dense_and_covariance(self):
        self.example()
        report = self.pinv("step", "-o", "x", "--dense", "--covariance", keys=["covariance"])
        inverse = read_npy(self.path("x_pinv.npy"))[1]
        self.assertEqual((len(inverse), len(inverse[0])), (3, 4))
        d = [1.0, 2.0, 4.0, 3.0]
        for row, expected in zip(inverse, [self.Y] + self.XI):
            self.assertAlmostEqual(sum(a * b for a, b in zip(row, d)), expected, delta=1e-13)
        variance = sum(a * a for a in inverse[0])
        self.assertAlmostEqual(report["covariance"][0][0], variance, delta=1e-13)
        self.assertAlmostEqual(variance, 1 / 0.7, delta=1e-13)
        variances = read_npy(self.path("x_variances.npy"))[1]
        for row, found in zip(inverse[1:], variances):
            self.assertAlmostEqual(found, sum(a * a for a in row), delta=1e-13)
        self.assertAlmostEqual(read_npy(self.path("x_covariance.npy"))[1][0][0], variance,
                               delta=1e-13)

    def test_damping_and_methods(self):
        self.example()
        plain = self.pinv("step")["motion_step"][0]
        normal = self.pinv("step", "--method", "normal_equations")
        self.assertEqual(normal["method"], "normal_equations")
        self.assertAlmostEqual(normal["motion_step"][0], plain, delta=1e-13)
        for method in ("automatic", "cholesky_qr", "structured_qr"):
            found = self.pinv("step", "--method", method)
            self.assertEqual(found["method"], method)
            self.assertAlmostEqual(found["motion_step"][0], plain, delta=1e-13)
        damped = self.pinv("step", "--damping", "0.5")
        self.assertLess(abs(damped["motion_step"][0]), abs(plain))
        self.assertLess(damped["relative_gradient"], 1e-14)
        single = self.pinv("step", "--precision", "single")
        self.assertEqual(single["precision"], "single")

    def test_paths(self):
        self.example()
        plain = self.pinv("step")
        self.assertEqual(plain["path"], "one_motion")
        tiles = self.pinv("step", "--path", "row_tiles")
        self.assertEqual(tiles["path"], "row_tiles")
        self.assertAlmostEqual(tiles["motion_step"][0], plain["motion_step"][0], delta=1e-13)
        self.refuse("pinv", "step", "--path", "segment_sums",
                    says=("options.path is segment_sums, which is for three or six motion columns",))
        self.refuse("pinv", "step", "--dense", "-o", "x", "--writer", "products" if
                    plain["backend"] != "Cuda" else "stretches", says=("options.writer is ", "which is for"))
        self.assertEqual(self.files(), ["step"])

    def test_deficient_rank_is_the_shortest_solution(self):
        # The motion column is the sum of the depth columns, and the third segment is empty.
        self.arrays([[1.0], [2.0]], [1.0, 2.0], [0, 1, 2, 2], [1.0, 2.0])
        report = self.pinv("step", "-o", "x")
        self.assertEqual((report["status"], report["rank"]), ("success", 2))
        self.assertAlmostEqual(report["motion_step"][0], 2 / 3, delta=1e-15)
        depth = read_npy(self.path("x_depth.npy"))[1]
        for found, expected in zip(depth, [1 / 3, 1 / 3, 0]):
            self.assertAlmostEqual(found, expected, delta=1e-15)

    def test_random_step_has_no_gradient(self):
        rng = random.Random(1)
        n, k, m = 500, 3, 20
        cuts = sorted(rng.randrange(n + 1) for _ in range(m - 1))
        self.arrays([[rng.gauss(0, 1) for _ in range(k)] for _ in range(n)],
                    [rng.gauss(0, 1) for _ in range(n)], [0] + cuts + [n],
                    [rng.gauss(0, 1) for _ in range(n)])
        self.assertLess(self.pinv("step")["relative_gradient"], 1e-15)

    def test_non_finite(self):
        self.arrays([[1.0], [math.nan]], [1.0, 1.0], [0, 2], [1.0, 1.0])
        report = self.pinv("step", "-o", "x", "--dense", status=1)
        self.assertEqual((report["status"], report["motion_step"], report["relative_gradient"]),
                         ("non_finite", [None], None))
        self.assertEqual(self.files(), ["step"])

    def test_no_rows(self):
        report = self.pinv(self.arrays([], [], [0, 0], []))
        self.assertEqual((report["status"], report["rank"], report["motion_step"]),
                         ("success", 0, [0]))

    def test_bad_input(self):
        good = ([[1.0], [2.0]], [1.0, 1.0], [0, 2], [1.0, 1.0])
        for place, value, words in (
                (1, [1.0], ("depth.npy", "is 1 x 1", "2 x 1")),
                (2, [0, 1], ("segment_offsets.npy", "ends with 1", "number of rows, 2")),
                (2, [1, 2], ("segment_offsets.npy", "begins with 1")),
                (2, [0, 2, 1, 2], ("segment_offsets.npy", "must not fall")),
                (2, [0, 3], ("segment_offsets.npy", "from 0 to 2")),
                (2, [], ("segment_offsets.npy", "0 x 1")),
                (3, [1.0, 1.0, 1.0], ("residual.npy", "is 3 x 1"))):
            arrays = list(good)
            arrays[place] = value
            self.arrays(*arrays)
            self.refuse("pinv", "step", "-o", "x", says=words)
        self.arrays(*good)
        self.refuse("pinv", "nowhere", says="nowhere/motion.npy: ")
        self.refuse("pinv", "step/depth.npy", says=("step/depth.npy: is a file", "a directory"))
        self.refuse("pinv", "step", "--dense", says="--dense needs -o")
        self.refuse("pinv", "step", "-o", "nowhere/x", says="nowhere/x_motion.npy")
        self.refuse("pinv", says="DIR is required")
        for option in ("--damping=-1", "--damping=nan", "--method=svd", "--path=svd", "--writer=svd", "--precision=half"):
            self.refuse("pinv", "step", option, says=option.split("=")[0])
        self.write("step/depth.npy", "no array")
        self.refuse("pinv", "step", says=("step/depth.npy", "not a NumPy"))

    def test_help(self):
        text = self.succeed("pinv", "--help")
        for word in ("DIR", "--dense", "--damping L", "--covariance", "--method M", "--path P", "--writer W", "--json",
                     "Exit status", *PINV_KEYS):
            self.assertIn(word, text)


if __name__ == "__main__":
    main()
