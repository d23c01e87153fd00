# SPDX-License-Identifier: BSD-3-Clause
"""carroll occupancy: results that were computed by hand, the picture, and what makes no sense."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from png import read_png  # noqa: E402
from tool import ToolTest, main  # noqa: E402

KEYS = ["status", "device", "capability", "architecture", "multiprocessors", "limits", "threads",
        "registers", "scratch", "blocks", "active_warps", "fraction", "limiter", "limited_by",
        "room", "carveout", "reason", "best_team_sizes", "curve"]
LIMITS = ["warps", "blocks", "registers", "registers_per_block", "registers_per_thread",
          "register_unit", "scratch", "scratch_per_block", "scratch_reserved", "scratch_unit"]


class OccupancyTest(ToolTest):
    def occupancy(self, *arguments, status=0):
        process = self.run_tool("occupancy", *arguments, "--json")
        self.assertEqual((process.returncode, process.stderr), (status, b""), process.stdout)
        text = process.stdout.decode()
        self.assertEqual(text.count("\n"), 1)
        report = json.loads(text, parse_constant=lambda word: self.fail(word + " is not JSON"))
        self.assertEqual(list(report), KEYS)
        self.assertEqual(list(report["limits"]), LIMITS)
        return report

    def test_results(self):
        for arguments, blocks, fraction, limiter in (
                (("--capability", "7.0", "--threads", "128", "--registers", "37"), 12, 0.75,
                 "registers"),
                (("--device", "V100", "--threads", "320", "--registers", "37"), 4, 0.625,
                 "registers"),
                (("--device", "H200", "--threads", "256", "--registers", "32"), 8, 1, "warps"),
                (("--device", "GeForce RTX 4090", "--threads", "32"), 24, 0.5, "blocks"),
                (("--capability", "9.0", "--threads", "128", "--scratch", "60000"), 3, 3 / 16,
                 "scratch"),
                # 512 + 1024 + 64 * 1024 bytes: three times into 228 KiB.
                (("--device", "h100", "--threads", "64", "--scratch", "512",
                  "--scratch-per-thread", "1024"), 3, 6 / 64, "scratch"),
                (("--device", "Jetson TK1", "--threads", "64"), 16, 0.5, "blocks")):
            with self.subTest(arguments=arguments):
                report = self.occupancy(*arguments)
                self.assertEqual((report["blocks"], report["fraction"], report["limiter"]),
                                 (blocks, fraction, limiter))
                self.assertEqual(report["status"], "success")
                self.assertIn(limiter, report["limited_by"])
                self.assertIsNone(report["reason"])
                self.assertEqual(report["room"][limiter], blocks)

    def test_device_and_capability(self):
        report = self.occupancy("--device", "NVIDIA H200")
        self.assertEqual((report["device"], report["capability"], report["multiprocessors"]),
                         ("H200", "9.0", 132))
        report = self.occupancy("--capability", "9.0")
        self.assertEqual((report["device"], report["capability"], report["multiprocessors"]),
                         (None, "9.0", None))
        self.assertEqual(report["limits"]["scratch"], 228 * 1024)

    def test_curve(self):
        report = self.occupancy("--capability", "8.6", "--registers", "40")
        curve = report["curve"]
        self.assertEqual([point["threads"] for point in curve], list(range(32, 1025, 32)))
        most = max(point["active_warps"] for point in curve)
        best = [point["threads"] for point in curve if point["active_warps"] == most]
        self.assertEqual(report["best_team_sizes"], best)
        self.assertEqual(report["threads"], best[0])
        for point in curve:
            alone = self.occupancy("--capability", "8.6", "--registers", "40", "--threads",
                                   str(point["threads"]))
            self.assertEqual({key: alone[key] for key in point}, point)

    def test_launches_that_would_fail(self):
        for arguments, reason in (
                (("--threads", "1025"), "a block of 1025 threads, at most 1024"),
                (("--threads", "32", "--registers", "256"), "256 registers in a thread, at most 255"),
                (("--threads", "32", "--scratch", "232449"),
                 "232449 bytes of scratch in a block, at most 232448")):
            report = self.occupancy("--device", "H200", *arguments, status=1)
            self.assertEqual((report["status"], report["limiter"], report["blocks"]),
                             ("does_not_fit", "does_not_fit", 0))
            self.assertEqual((report["reason"], report["fraction"]), (reason, 0))
            process = self.run_tool("occupancy", "--device", "H200", *arguments)
            self.assertEqual((process.returncode, process.stderr), (1, b""))
            self.assertIn("does_not_fit: " + reason, process.stdout.decode())
        report = self.occupancy("--device", "H200", "--scratch", "1000000", status=1)
        self.assertEqual(report["best_team_sizes"], [])

    def test_table(self):
        text = self.succeed("occupancy", "--device", "H200", "--registers", "64", "--scratch",
                            "16384", "--threads", "256")
        for words in ("H200, 132 multiprocessors", "9.0 (Hopper)", "50.0 %: 32 of 64 warps",
                      "4 blocks  <- limits", "100 KiB for scratch"):
            self.assertIn(words, text)
        self.assertRegex(text, r"(?m)^ +256 +4 +32 +50\.0 % +>#{16} +registers$")
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_list(self):
        text = self.succeed("occupancy", "--list")
        for words in ("Jetson AGX Orin", "RTX 5090", "12.1", "Kepler"):
            self.assertIn(words, text)
        known = json.loads(self.succeed("occupancy", "--list", "--json"))
        self.assertEqual(sorted(known), ["capabilities", "devices"])
        capabilities = {entry["capability"] for entry in known["capabilities"]}
        for device in known["devices"]:
            self.assertIn(device["capability"], capabilities)
            report = self.occupancy("--device", device["name"])
            self.assertEqual(report["multiprocessors"], device["multiprocessors"])

    def test_picture(self):
        process = self.run_tool("occupancy", "--device", "H200", "-o", "curve")
        if b"needs libpng" in process.stderr:
            self.skipTest("without libpng there are no pictures")
        self.assertEqual((process.returncode, process.stderr), (0, b""))
        self.assertEqual(self.files(), ["curve_occupancy.png"])
        self.assertIn(b"curve_occupancy.png", process.stdout)
        width, height, channels, samples = read_png(self.path("curve_occupancy.png"))
        self.assertEqual((channels, len(samples)), (3, 3 * width * height))
        colours = {tuple(samples[k:k + 3]) for k in range(0, len(samples), 3)}
        self.assertLessEqual({(255, 255, 255), (0, 0, 0), (0x00, 0x72, 0xB2)}, colours)
        self.refuse("occupancy", "--device", "H200", "-o", "missing/curve",
                    says="missing/curve_occupancy.png")

    def test_words_that_make_no_sense(self):
        self.refuse("occupancy", says=("--device", "--capability", "--list"))
        self.refuse("occupancy", "--device", "H2000", says=("--device: ", "'H2000' is none of "))
        self.refuse("occupancy", "--device", "", says="--device: ")
        for word in ("9", "9.", ".0", "9.0.1", "9,0", "x"):
            self.refuse("occupancy", "--capability=" + word, says="--capability: '" + word + "'")
        self.refuse("occupancy", "--capability", "4.2", says=("4.2 is none of 2.0", "12.1"))
        self.refuse("occupancy", "--device", "H200", "--capability", "9.0", says="--capability")
        for option in ("--threads=0", "--threads=x", "--registers=-1", "--scratch=-1",
                       "--scratch=1e9", "--scratch-per-thread=-1", "--rank=1"):
            self.refuse("occupancy", "--device", "H200", option, says=option.split("=")[0])
        self.refuse("occupancy", "--device", "H200", "a.npy", says="a.npy")
        self.refuse("occupancy", "--list", "--device", "H200", says="--device has no meaning")
        self.refuse("occupancy", "--device", "H200", "-o", "", says="--output")

    def test_help(self):
        text = self.succeed("occupancy", "--help")
        for word in ("--device NAME", "--capability X.Y", "--threads N", "--registers R",
                     "--scratch BYTES", "--scratch-per-thread BYTES", "--list", "--output PREFIX",
                     "--json", "does_not_fit", "Exit status", "_occupancy.png", *KEYS, *LIMITS):
            self.assertIn(word, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertTrue(text.isascii())


if __name__ == "__main__":
    main()
