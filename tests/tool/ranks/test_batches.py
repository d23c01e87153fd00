# SPDX-License-Identifier: BSD-3-Clause
"""Batches, .npy files of three dimensions: each member has what it has by itself."""

import json
import math
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tool import ToolTest, main, npy_batch, npy_bytes, npy_matrix, read_npy  # noqa: E402

SVD_KEYS = ["status", "members", "rows", "cols", "precision", "backend", "statuses",
            "singular_values", "sweeps", "max_cosine", "relative_residual", "rank", "seconds"]
DET_KEYS = ["status", "members", "n", "precision", "backend", "determinants", "seconds"]
PINV_KEYS = ["status", "members", "rows", "motions", "depths", "precision", "backend", "method", "path", "statuses",
             "rank", "cutoff", "motion_step", "relative_gradient", "seconds"]
MEMBER_KEYS = ["status", "sign", "mantissa", "exponent", "log_abs", "value", "decimal", "growth"]


class BatchTest(ToolTest):

    def setUp(self):
        super().setUp()
        self.random = random.Random(3)

    def batch(self, members, rows, cols):
        return [[[self.random.gauss(0, 1) for _ in range(cols)] for _ in range(rows)]
                for _ in range(members)]

    def report(self, command, name, *arguments, keys, status=0):
        process = self.run_tool(command, name, "--json", *arguments)
        self.assertEqual((process.returncode, process.stderr), (status, b""), process.stdout)
        report = json.loads(process.stdout, parse_constant=lambda word: self.fail(word))
        self.assertEqual(list(report), keys)
        return report

    def test_svd(self):
        batch = self.batch(3, 7, 4)
        for name, order in (("c.npy", False), ("f.npy", True)):
            with self.subTest(order=order):
                self.write(name, npy_batch(batch, fortran=order))
                report = self.report("svd", name, "-o", "all", keys=SVD_KEYS)
                self.assertEqual((report["status"], report["members"]), ("success", 3))
                self.assertEqual(report["statuses"], ["success"] * 3)
                self.assertLess(report["relative_residual"], 1e-14)
                factors = [read_npy(self.path("all_%s.npy" % x))[1] for x in "USV"]
                for b, matrix in enumerate(batch):
                    self.write("one.npy", npy_matrix(matrix))
                    one = self.svd("one.npy", "-o", "one")
                    self.assertEqual(report["singular_values"][b], one["singular_values"])
                    self.assertEqual(report["rank"][b], one["rank"])
                    self.assertGreaterEqual(report["sweeps"], one["sweeps"])
                    alone = [read_npy(self.path("one_%s.npy" % x))[1] for x in "USV"]
                    self.assertEqual([factor[b] for factor in factors], alone)

    def test_svd_options(self):
        self.write("a.npy", npy_batch(self.batch(2, 3, 5), "<f4"))
        report = self.report("svd", "a.npy", "--rank", "2", "-o", "k", keys=SVD_KEYS)
        self.assertEqual((report["precision"], [len(s) for s in report["singular_values"]]),
                         ("single", [2, 2]))
        kind, V = read_npy(self.path("k_V.npy"))
        self.assertEqual((kind, len(V), len(V[0]), len(V[0][0])), ("f4", 2, 5, 2))
        report = self.report("svd", "a.npy", "--values-only", keys=SVD_KEYS)
        self.assertIsNone(report["relative_residual"])
        text = self.succeed("svd", "a.npy")
        self.assertIn("2 of 3 x 5, single precision", text)
        self.refuse("svd", "a.npy", "--energy", "0.5", says=("a.npy: ", "--energy"))
        self.refuse("svd", "a.npy", "--rank", "4", says="--rank asks for 4")

    def test_det(self):
        batch = self.batch(4, 5, 5)
        batch[1] = [[0.0] * 5] * 5
        batch[3][0][0] = math.nan
        self.write("a.npy", npy_batch(batch))
        report = self.report("det", "a.npy", keys=DET_KEYS, status=1)
        self.assertEqual(report["status"], "singular")
        for member, matrix in zip(report["determinants"], batch):
            self.assertEqual(list(member), MEMBER_KEYS)
            self.write("one.npy", npy_matrix(matrix))
            process = self.run_tool("det", "one.npy", "--json")
            one = json.loads(process.stdout)
            self.assertEqual(member, {key: one[key] for key in MEMBER_KEYS})
        self.assertIn("singular", self.run_tool("det", "a.npy").stdout.decode())
        self.refuse("det", "a.npy", "--exact", says=("a.npy: ", "--exact expects a matrix"))
        self.write("wide.npy", npy_batch(self.batch(2, 2, 3)))
        self.refuse("det", "wide.npy", says=("wide.npy: ", "2 x 3", "square"))

    def test_empty(self):
        self.write("none.npy", npy_bytes(b"", shape="(0, 3, 3)"))
        self.assertEqual(self.report("det", "none.npy", keys=DET_KEYS)["determinants"], [])
        self.write("empty.npy", npy_bytes(b"", shape="(2, 0, 0)"))
        values = [one["value"] for one in self.report("det", "empty.npy", keys=DET_KEYS)["determinants"]]
        self.assertEqual(values, [1, 1])
        report = self.report("svd", "none.npy", keys=SVD_KEYS)
        self.assertEqual((report["members"], report["singular_values"]), (0, []))

    def frames(self, name, batch, depth, residual, offsets, descr="<f8"):
        """A directory for `carroll pinv`; offsets of all frames, or of each."""
        os.makedirs(self.path(name), exist_ok=True)
        lists = offsets if isinstance(offsets[0], list) else [offsets]
        data = struct.pack("<%dq" % sum(map(len, lists)), *[x for row in lists for x in row])
        shape = "(%d,)" % len(offsets) if lists[0] is offsets else "(%d, %d)" % (len(lists), len(lists[0]))
        self.write(name + "/motion.npy", npy_batch(batch, descr))
        self.write(name + "/depth.npy", npy_matrix(depth, descr))
        self.write(name + "/residual.npy", npy_matrix(residual, descr))
        self.write(name + "/segment_offsets.npy", npy_bytes(data, "'<i8'", shape=shape))
        return name

    def frame(self, matrix, depth, residual, offsets, descr="<f8"):
        """The same of one frame."""
        self.frames("one", [matrix], [depth], [residual], offsets, descr)
        self.write("one/motion.npy", npy_matrix(matrix, descr))
        for name, values in (("depth", depth), ("residual", residual)):
            content = npy_matrix([values], descr).replace(b"(1, %d)" % len(values), b"(%d,)  " % len(values), 1)
            self.write("one/" + name + ".npy", content)
        return "one"

    def test_pinv(self):
        batch, (depth, residual) = self.batch(4, 9, 2), self.batch(2, 4, 9)
        each = [[0, 3, 9], [0, 0, 9], [0, 8, 9], [0, 4, 9]]
        for offsets in ([0, 5, 9], each):
            for descr in ("<f8", "<f4"):
                self.frames("all", batch, depth, residual, offsets, descr)
                report = self.report("pinv", "all", "--covariance", "--dense", "-o", "all",
                                     keys=PINV_KEYS + ["covariance"])
                self.assertEqual((report["status"], report["members"], report["depths"]), ("success", 4, 2))
                arrays = {x: read_npy(self.path("all_%s.npy" % x))[1]
                          for x in ("motion", "depth", "pinv", "covariance", "variances")}
                for f in range(4):
                    self.frame(batch[f], depth[f], residual[f], each[f] if offsets is each else offsets, descr)
                    one = json.loads(self.succeed("pinv", "one", "--json", "--covariance", "--dense", "-o", "x"))
                    for key in ("motion_step", "covariance", "rank", "cutoff"):
                        self.assertEqual(report[key][f], one[key], key)
                    self.assertGreaterEqual(report["relative_gradient"], one["relative_gradient"])
                    for name, array in arrays.items():
                        self.assertEqual(array[f], read_npy(self.path("x_%s.npy" % name))[1], name)
        self.assertIn("4 of 9 rows, 2 motion and 2 depth columns", self.succeed("pinv", "all"))
        batch[2][0][0] = math.nan
        self.frames("nan", batch, depth, residual, [0, 5, 9])
        report = self.report("pinv", "nan", keys=PINV_KEYS, status=1)
        self.assertEqual(report["statuses"], ["success", "success", "non_finite", "success"])

    def test_bad_frames(self):
        batch, (depth, residual) = self.batch(3, 4, 2), self.batch(2, 3, 4)
        self.frames("f", batch, depth[:2], residual, [0, 2, 4])
        self.refuse("pinv", "f", says=("f/depth.npy: is 2 x 4, must be 3 x 4", "3 frames of 4 rows"))
        self.frames("f", batch, depth, residual, [[0, 2, 4], [0, 3, 2], [0, 2, 4]])
        self.refuse("pinv", "f", says=("segment_offsets.npy", "at place 2 of frame 1", "must not fall"))
        self.frames("f", batch, depth, residual, [[0, 4], [0, 4]])
        self.refuse("pinv", "f", says=("segment_offsets.npy: is 2 x 2", "each of 3 frames"))
        self.frames("f", batch, depth, residual, [0, 2, 3])
        self.refuse("pinv", "f", says="must end with the number of rows, 4")
        self.write("f/motion.npy", npy_batch(batch)[:-1])
        self.refuse("pinv", "f", says=("f/motion.npy: ", "is truncated"))
        self.write("f/motion.npy", npy_bytes(b"", shape="(0, 4, 2)"))
        self.write("f/depth.npy", npy_bytes(b"", shape="(0, 4)"))
        self.write("f/residual.npy", npy_bytes(b"", shape="(0, 4)"))
        self.write("f/segment_offsets.npy", npy_bytes(struct.pack("<3q", 0, 2, 4), "'<i8'", shape="(3,)"))
        self.assertEqual(self.report("pinv", "f", keys=PINV_KEYS)["motion_step"], [])

    def test_bad_files(self):
        content = npy_batch(self.batch(2, 3, 3))
        self.write("short.npy", content[:-1])
        self.write("long.npy", content + b"\0")
        self.write("big.npy", npy_batch([[[1e300]]]))
        self.refuse("svd", "short.npy", says=("short.npy: ", "is truncated"))
        self.refuse("svd", "long.npy", says="1 byte more")
        self.refuse("svd", "big.npy", "--precision", "single", says="beyond single precision")
        huge = npy_bytes(struct.pack("<d", 1), shape="(2, 4294967296, 4294967296)")
        self.write("huge.npy", huge)
        self.refuse("svd", "huge.npy", says="huge.npy: ")


if __name__ == "__main__":
    main()
