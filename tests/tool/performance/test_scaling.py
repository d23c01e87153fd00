# SPDX-License-Identifier: BSD-3-Clause
"""carroll scaling: what it tells, that its numbers fit together, and what makes no sense. Nothing here
depends on how long anything takes."""

import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tool import ToolTest, main  # noqa: E402

KEYS = ["status", "operation", "size_is", "precision", "backend", "device", "most_threads",
        "repetitions", "t_calc", "t_com", "fork_join", "sizes"]
SIZE_KEYS = ["size", "sequential_seconds", "loop_seconds", "points", "amdahl", "amdahl_overhead",
             "scaled"]
POINT_KEYS = ["threads", "seconds", "absolute", "relative", "efficiency", "overhead", "karp_flatt",
              "model"]
SMALL = {"svd": "8,12", "det": "8,12", "pinv": "200,300", "sum": "100,1000",
         "dot": "100,1000", "norm2": "100,1000", "add": "100,1000", "gemv": "8,12", "gemm": "8,12"}


class ScalingTest(ToolTest):
    def setUp(self):
        super().setUp()
        info = json.loads(self.succeed("info", "--json"))
        self.most = info["threads"] if info["default_execution_space"] == "OpenMP" else 1

    def scaling(self, *arguments):
        text = self.succeed("scaling", *arguments, "--json")
        self.assertEqual(text.count("\n"), 1)
        report = json.loads(text, parse_constant=lambda word: self.fail(word + " is not JSON"))
        self.assertEqual(list(report), KEYS)
        self.assertEqual(report["status"], "success")
        for of in report["sizes"]:
            self.assertEqual(list(of), SIZE_KEYS)
            for point in of["points"]:
                self.assertEqual(list(point), POINT_KEYS)
        return report

    def close(self, a, b):
        self.assertTrue(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-15), (a, b))

    def test_every_operation(self):
        for operation, sizes in SMALL.items():
            with self.subTest(operation=operation):
                report = self.scaling(operation, "--sizes", sizes, "--repetitions", "3")
                self.assertEqual(report["operation"], operation)
                self.assertEqual(report["repetitions"], 3)
                self.assertEqual([str(of["size"]) for of in report["sizes"]], sizes.split(","))
                threads = [point["threads"] for point in report["sizes"][0]["points"]]
                self.assertEqual((threads[0], threads[-1]), (1, self.most))
                self.assertEqual([entry["threads"] for entry in report["fork_join"]], threads)
                self.assertGreater(min(report["t_calc"], report["t_com"]), 0)
                for of in report["sizes"]:
                    self.check(report, of)

    def check(self, report, of):
        T_s, T_1 = of["sequential_seconds"], of["points"][0]["seconds"]
        self.assertLessEqual(T_s, T_1)
        self.assertEqual(T_s, min(T_1, of["loop_seconds"] or T_1))
        for point in of["points"]:
            p, T_p = point["threads"], point["seconds"]
            self.close(point["absolute"], T_s / T_p)
            self.close(point["relative"], T_1 / T_p)
            self.close(point["efficiency"], T_s / T_p / p)
            self.close(point["overhead"], p * T_p - T_s)
            if p == 1:
                self.assertIsNone(point["karp_flatt"])
            else:
                self.close(point["karp_flatt"], (T_p / T_s - 1 / p) / (1 - 1 / p))
            if report["operation"] != "sum":
                self.assertIsNone(point["model"])
                continue
            add, hand = report["t_calc"], report["t_com"]
            own = (-(-of["size"] // p) - 1) * add
            self.close(point["model"]["collect"], own + (p - 1) * (add + hand))
            for strategy in ("tree", "exchange"):
                self.close(point["model"][strategy], own + math.ceil(math.log2(p)) * (add + hand))
        if len(of["points"]) == 1:
            self.assertIsNone(of["amdahl"])
        if len(of["points"]) == 2:
            # Two times and two unknowns.
            p, T_p = of["points"][1]["threads"], of["points"][1]["seconds"]
            self.close(of["amdahl"]["seconds"], T_1)
            self.close(of["amdahl"]["serial_fraction"], (T_p / T_1 - 1 / p) / (1 - 1 / p))
            self.close(of["amdahl_overhead"]["seconds"], T_s)

    def test_work_that_grows(self):
        for operation, size, exponent in (("sum", 1000, 1), ("det", 8, 3)):
            report = self.scaling(operation, "--sizes", str(size), "--repetitions", "1", "--scaled")
            of = report["sizes"][0]
            for point in of["scaled"]["points"]:
                p = point["threads"]
                self.assertEqual(point["size"], round(size * p ** (1 / exponent)))
                self.close(point["scaled_speedup"], p * of["sequential_seconds"] / point["seconds"])
            self.assertEqual(of["scaled"]["gustafson"] is None, self.most == 1)
        report = self.scaling("sum", "--sizes", "100", "--repetitions", "1")
        self.assertIsNone(report["sizes"][0]["scaled"])

    def test_threads(self):
        report = self.scaling("sum", "--sizes", "100", "--threads", "1", "--repetitions", "1")
        self.assertEqual([point["threads"] for point in report["sizes"][0]["points"]], [1])
        too_many = str(self.most + 1)
        self.refuse("scaling", "sum", "--sizes", "100", "--threads", too_many,
                    says=("--threads asks for " + too_many, str(self.most)))
        if self.most > 1:
            report = self.scaling("sum", "--sizes", "100", "--threads", "2,2", "--repetitions", "1")
            self.assertEqual([point["threads"] for point in report["sizes"][0]["points"]], [1, 2])
            report = self.scaling("sum", "--sizes", "100", "--repetitions", "1",
                                  "--kokkos-num-threads=1")
            self.assertEqual(report["most_threads"], 1)

    def test_table(self):
        text = self.succeed("scaling", "sum", "--sizes", "1000", "--repetitions", "1", "--scaled")
        for words in ("sum, double precision", "t_calc", "t_com", "parallel region", "T_s",
                      "efficiency", "Karp-Flatt", "collect", "scaled speed-up"):
            self.assertIn(words, text)
        self.assertEqual("Amdahl" in text, self.most > 1)

    def test_words_that_make_no_sense(self):
        self.refuse("scaling", says="OPERATION is required")
        self.refuse("scaling", "lu", says=("OPERATION: 'lu' is none of svd, ", "sum"))
        self.refuse("scaling", "", says="OPERATION: ''")
        for text in ("0", "-1", "x", "1,", ",1", "1,,2", "1 2", "1.5", "99999999999999999999"):
            self.refuse("scaling", "sum", "--sizes=" + text, says="--sizes: '%s' is no list" % text)
            self.refuse("scaling", "sum", "--threads=" + text,
                        says="--threads: '%s' is no list" % text)
        self.refuse("scaling", "sum", "--repetitions=0", says="--repetitions")
        self.refuse("scaling", "sum", "extra", says="extra")

    def test_help(self):
        text = self.succeed("scaling", "--help")
        for word in ("OPERATION", "--sizes N,N,...", "--threads P,P,...", "--scaled",
                     "--repetitions N", "--json", "Exit status", "gustafson", "one_thread_seconds",
                     "scaled_speedup", "serial_fraction", *KEYS, *SIZE_KEYS, *POINT_KEYS, *SMALL):
            self.assertIn(word, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertTrue(text.isascii())


if __name__ == "__main__":
    main()
