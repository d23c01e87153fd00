# SPDX-License-Identifier: BSD-3-Clause
"""carroll denoise and carroll background: pictures whose truth is known."""

import json
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from png import COLOUR_ALPHA, png_bytes, read_png  # noqa: E402
from tool import ToolTest, main  # noqa: E402


def scene(width, height):
    return [[200 if (x - width / 3) ** 2 + (y - height / 2) ** 2 < height ** 2 / 9 else
             60 + (x // 8 % 2) * 70 for x in range(width)] for y in range(height)]


def with_noise(rows, sigma, seed):
    generator = random.Random(seed)
    return [[min(max(round(x + generator.gauss(0, sigma)), 0), 255) for x in row] for row in rows]


def flat(rows):
    return [x for row in rows for x in row]


def rms(a, b):
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b)) / len(a))


class DenoiseTest(ToolTest):
    def write_picture(self, name, rows):
        with open(self.path(name), "wb") as file:
            file.write(png_bytes(len(rows[0]), len(rows), flat(rows)))

    def test_noise_goes(self):
        truth = scene(64, 48)
        self.write_picture("noisy.png", with_noise(truth, 20, 1))
        for options in ([], ["--sigma", "20"], ["--fast"]):
            report = json.loads(self.succeed("denoise", "noisy.png", "-o", "clean.png", "--json",
                                             *options))
            self.assertEqual(list(report), ["status", "width", "height", "channels", "bits", "noise",
                                            "noise_estimated", "iterations", "seconds"])
            self.assertEqual(report["noise_estimated"], "--sigma" not in options)
            self.assertAlmostEqual(report["noise"], 20, delta=4)
            width, height, channels, samples = read_png(self.path("clean.png"))
            self.assertEqual((width, height, channels), (64, 48, 1))
            self.assertLess(rms(samples, flat(truth)), 9)

    def test_colours_and_alpha(self):
        generator = random.Random(3)
        noisy = [min(max(round(100 + 30 * c + generator.gauss(0, 10)), 0), 255) if c < 3 else e % 256
                 for e in range(30 * 20) for c in range(4)]
        with open(self.path("noisy.png"), "wb") as file:
            file.write(png_bytes(30, 20, noisy, COLOUR_ALPHA))
        self.succeed("denoise", "noisy.png", "-o", "clean.png", "--sigma", "10", "--fast")
        _, _, channels, samples = read_png(self.path("clean.png"))
        self.assertEqual(channels, 4)
        self.assertEqual([samples[4 * e + 3] for e in range(600)], [e % 256 for e in range(600)])
        for c in range(3):
            self.assertLess(rms([samples[4 * e + c] for e in range(600)], [100 + 30 * c] * 600), 5)

    def test_nothing_is_left_behind(self):
        self.write_picture("noisy.png", scene(16, 16))
        for words in (["denoise", "missing.png"], ["denoise", "noisy.png", "--sigma", "-1"],
                      ["denoise", "noisy.png", "-o", ""], ["background", "noisy.png"],
                      ["denoise", "noisy.png", "-o", "no/folder.png"]):
            process = self.run_tool(*words)
            self.assertEqual(process.returncode, 2, words)
            self.assertEqual(process.stderr.count(b"\n"), 1, process.stderr)
        self.assertEqual(sorted(os.listdir(self.path("."))), ["noisy.png"])

    def test_background_and_foreground(self):
        still = scene(24, 18)
        for f in range(20):
            frame = [row[:] for row in still]
            for y in range(4, 8):
                for x in range(f, f + 3):
                    frame[y][x] = 255
            self.write_picture("f%02d.png" % f, frame)
        names = ["f%02d.png" % f for f in range(20)]
        report = json.loads(self.succeed("background", *names, "-o", "out", "--json"))
        self.assertEqual((report["status"], report["frames"], report["rank"]), ("success", 20, 1))
        for f in range(20):
            _, _, _, background = read_png(self.path("out_background_%04d.png" % f))
            self.assertLess(rms(background, flat(still)), 2)
            _, _, _, foreground = read_png(self.path("out_foreground_%04d.png" % f))
            moved = [abs(255 - still[y][x]) if 4 <= y < 8 and f <= x < f + 3 else 0
                     for y in range(18) for x in range(24)]
            self.assertLess(rms(foreground, moved), 2)
        with open(self.path("wide.png"), "wb") as file:
            file.write(png_bytes(25, 18, [0] * 450))
        process = self.run_tool("background", "f00.png", "wide.png")
        self.assertEqual((process.returncode, process.stderr), (
            2, b"carroll: wide.png: is 25 x 18 pixels, must be 24 x 18 as the first frame\n"))


if __name__ == "__main__":
    main()
