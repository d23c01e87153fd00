# SPDX-License-Identifier: BSD-3-Clause
"""carroll scaling --ranks: what it tells, that its numbers fit together, and what makes no sense.
Nothing here depends on how long anything takes."""

import json
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tool import TOOL, ToolTest, main  # noqa: E402

MPIEXEC = os.environ.get("CARROLL_MPIEXEC", "")
KEYS = ["status", "operation", "size_is", "precision", "backend", "device", "most_ranks",
        "repetitions", "t_calc", "t_com", "network", "sizes"]
POINT_KEYS = ["ranks", "seconds", "absolute", "relative", "efficiency", "overhead", "karp_flatt",
              "others", "model"]
# What each operation is asked for, and by how many ranks: as many as a power of two, or not. All of them are measured by
# the same code; the sum has a model of its time, which knows both.
SMALL = (("sum", "100,5000", 3), ("sum", "100,5000", 4), ("dot", "100,5000", 4), ("norm2", "100", 3), ("gemv", "3,50", 4))


class RankScalingTest(ToolTest):

    def setUp(self):
        super().setUp()
        if not MPIEXEC:
            self.skipTest("a build without MPI")

    def scaling(self, ranks, *arguments):
        process = subprocess.run([MPIEXEC, "-n", str(ranks), TOOL, "scaling", *arguments, "--ranks",
                                  "--json"], cwd=self.home, capture_output=True, timeout=240)
        self.assertEqual((process.returncode, process.stderr), (0, b""))
        report = json.loads(process.stdout, parse_constant=lambda word: self.fail(word + " is not JSON"))
        self.assertEqual(list(report), KEYS)
        return report

    def close(self, a, b):
        self.assertTrue(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-15), (a, b))

    def test_every_operation(self):
        for operation, sizes, ranks in SMALL:
            numbers = [1, 2, ranks]
            with self.subTest(operation=operation, ranks=ranks):
                report = self.scaling(ranks, operation, "--sizes", sizes, "--repetitions", "3")
                self.assertEqual((report["operation"], report["most_ranks"]), (operation, ranks))
                self.assertEqual([str(of["size"]) for of in report["sizes"]], sizes.split(","))
                network = report["network"]
                self.assertEqual([entry["ranks"] for entry in network["all_gather"]], numbers[1:])
                for entry in (network["ping_pong"], *network["all_gather"]):
                    self.assertGreater(min(entry["latency"], entry["bandwidth"]), 0)
                self.assertEqual(report["t_com"], network["ping_pong"]["latency"])
                for of in report["sizes"]:
                    self.check(report, of, numbers)

    def check(self, report, of, numbers):
        T_s, T_1 = of["sequential_seconds"], of["points"][0]["seconds"]
        self.close(T_s, min(T_1, of["loop_seconds"]))
        self.assertEqual([point["ranks"] for point in of["points"]], numbers)
        for point in of["points"]:
            self.assertEqual(list(point), POINT_KEYS)
            p, T_p = point["ranks"], point["seconds"]
            self.close(point["absolute"], T_s / T_p)
            self.close(point["efficiency"], T_s / T_p / p)
            self.close(point["overhead"], p * T_p - T_s)
            if report["operation"] != "sum":
                self.assertEqual((point["others"], point["model"]), (None, None))
                continue
            self.assertEqual(list(point["others"]), ["collect", "tree", "exchange"])
            self.assertGreater(min(point["others"].values()), 0)
            steps = math.ceil(math.log2(p))
            self.close(point["model"]["tree"], (math.ceil(of["size"] / p) - 1) * report["t_calc"] +
                       steps * (report["t_calc"] + report["t_com"]))
        self.assertIsNotNone(of["amdahl"])

    def test_work_that_grows(self):
        report = self.scaling(2, "sum", "--sizes", "2000", "--repetitions", "3", "--scaled")
        points = report["sizes"][0]["scaled"]["points"]
        self.assertEqual([(point["ranks"], point["size"]) for point in points], [(1, 2000), (2, 4000)])
        self.assertIn("one_rank_seconds", points[0])

    def test_table(self):
        process = subprocess.run([MPIEXEC, "-n", "2", TOOL, "scaling", "sum", "--ranks", "--sizes", "50"],
                                 cwd=self.home, capture_output=True, timeout=240)
        for word in ("ping-pong", "all-gather", "collect*", "exchange*", "T_s"):
            self.assertIn(word, process.stdout.decode())

    def test_usage(self):
        self.refuse("scaling", "svd", "--ranks", says="--ranks is for sum, dot, norm2, gemv, not for svd")
        self.refuse("scaling", "sum", "--ranks", says="--ranks needs several ranks")
        self.refuse("scaling", "sum", "--ranks", "--threads", "1,2", says="--threads has no meaning")


if __name__ == "__main__":
    main()
