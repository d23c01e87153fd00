# SPDX-License-Identifier: BSD-3-Clause
"""carroll track: motion and depth from two pictures, against the truth of synthetic sequences."""

import json
import math
import os
import statistics
import struct
import sys

from png import COLOUR, COLOUR_ALPHA, GREY_ALPHA, PALETTE, chunk, png_bytes, read_png
from tool import main, read_npy
from track_case import KEYS, PASS_KEYS, TrackCase, ranges_npy

# Of 1000 vertices, 120000 samples and noise of 2 grey levels: twice what is measured, 0.0012 degrees and 0.33 %.
HEADING_BAR = 0.0025  # degrees
DEPTH_BAR = 0.0065    # median relative error


class TrackTest(TrackCase):
    def test_accuracy(self):
        # From depths that are 20 % off and straight ahead.
        for scene, options in (("box", ["--baseline", "0.25"]),
                               ("street", ["--baseline", "0.5", "--rho", "-0.03"])):
            with self.subTest(scene=scene):
                step = self.synth(scene, "--scene", scene, "--size", "1024x512", *options)
                ranges = read_npy(self.path(scene + "/range_0000.npy"))[1]
                self.write(scene + "/start.npy", ranges_npy(ranges, 1.2))
                report = self.track(scene, "--start", scene + "/start.npy", "--baseline",
                                    str(step["baseline"]), "-o", scene + "/x")
                self.assertEqual((report["status"], report["vertices"], report["samples"]),
                                 ("success", 1000, 120000))
                self.assertLessEqual(len(report["iterations"]), 30)
                heading = abs(report["heading_degrees"] - step["heading_degrees"])
                depth = statistics.median(self.depth_errors(scene, scene + "/x"))
                print("%s: heading error %.4f degrees, median depth error %.2f %%, %.3f s" %
                      (scene, heading, 100 * depth, report["seconds"]), file=sys.stderr)
                self.assertLessEqual(heading, HEADING_BAR)
                self.assertLessEqual(depth, DEPTH_BAR)

    def test_motion_and_files(self):
        step, options = self.small()
        report = self.track("s", *options, "-o", "x")
        self.assertEqual(self.files(), ["s", "x_depth.npy", "x_depth.ply", "x_depth.png",
                                        "x_residual.png", "x_vertices.npy"])
        self.assertEqual((report["status"], report["motion"], report["method"],
                          report["precision"], report["vertices"], report["triangles"]),
                         ("success", "ackermann", "esm", "single", 150, 296))
        self.assertAlmostEqual(report["rho"], step["rho"], delta=0.01)
        turn = 2 * math.asin(report["rho"] / 2)
        self.assertAlmostEqual(report["heading_degrees"], math.degrees(turn), delta=1e-12)
        for x, y in zip(report["translation"], [math.cos(turn / 2), math.sin(turn / 2), 0]):
            self.assertAlmostEqual(x, step["baseline"] * y, delta=1e-14)
        self.assertAlmostEqual(report["rotation"][1][0], math.sin(turn), delta=1e-14)
        self.assertLess(report["cost"], report["iterations"][0]["cost"])
        self.assertEqual(read_npy(self.path("x_depth.npy"))[0], "f4")
        self.assertLess(statistics.median(self.depth_errors("s", "x")), 0.1)
        self.assertEqual(read_png(self.path("x_depth.png"))[:3], (256, 128, 3))
        width, height, channels, colours = read_png(self.path("x_residual.png"))
        self.assertEqual((width, height, channels), (256, 256, 3))
        # Grey levels that differ are red or blue: green is what is left of them.
        green = colours[1::3]
        before, after = green[:len(green) // 2], green[len(green) // 2:]
        self.assertGreater(sum(after) / len(after), sum(before) / len(before) + 20)
        text = self.succeed("track", "s/frame_0000.png", "s/frame_0001.png", "--camera",
                            "s/camera.json", *options)
        for word in ("150 vertices, 296 triangles, 8000 samples", "success", "degrees", "iteration"):
            self.assertIn(word, text)

    def test_same_numbers_for_any_number_of_threads(self):
        _, options = self.small()
        reports = [self.track("s", *options, "--kokkos-num-threads=%d" % k) for k in (1, 2)]
        for report in reports:
            for key in ("setup_seconds", "seconds", "seconds_per_iteration"):
                del report[key]
        self.assertEqual(*reports)

    def test_options(self):
        step, options = self.small()
        double = self.track("s", *options, "--precision", "double", "-o", "x")
        self.assertEqual(double["precision"], "double")
        self.assertEqual(read_npy(self.path("x_depth.npy"))[0], "f8")
        free = self.track("s", *options, "--motion", "se3", "--method", "gauss_newton")
        self.assertEqual((free["motion"], free["method"], free["rho"]), ("se3", "gauss_newton", None))
        self.assertAlmostEqual(free["heading_degrees"], step["heading_degrees"], delta=0.5)
        few = self.track("s", *options, "--iterations", "4")
        self.assertLessEqual(len(few["iterations"]), 4)
        # Half of the picture, of which nothing else is looked at.
        self.write("mask.png", png_bytes(256, 128, ([255] * 128 + [0] * 128) * 128))
        self.track("s", *options, "--mask", "mask.png", "-o", "half")
        for x, y, z in read_npy(self.path("half_vertices.npy"))[1]:
            self.assertGreater(y, -0.05)
        self.write("nothing.png", png_bytes(256, 128, [0] * (256 * 128)))
        self.refuse("track", "s/frame_0000.png", "s/frame_0001.png", "--camera", "s/camera.json",
                    "--mask", "nothing.png", says="too little of the image is visible")

    def test_mask_of_the_current_picture(self):
        step, options = self.small()
        width, height, _, grey = read_png(self.path("s/frame_0001.png"))

        def hide(what):
            """Something else in a block of the picture, where the mask is 0."""
            self.write("s/frame_0001.png", png_bytes(width, height, [
                what(k) if self.hidden(k, width) else g for k, g in enumerate(grey)]))

        self.write("mask.png", png_bytes(width, height, [
            0 if self.hidden(k, width) else 7 for k in range(width * height)]))
        masked = ["--mask-current", "mask.png"]
        clean = self.track("s", *options)
        hide(lambda k: 128 + round(100 * math.sin(0.3 * k)))
        seen = self.track("s", *options, "-o", "seen")
        report = self.track("s", *options, *masked, "-o", "x")
        self.assertEqual(report["status"], "success")
        self.assertAlmostEqual(report["rho"], step["rho"], delta=0.01)
        self.assertLess(report["cost"], seen["cost"] / 2)
        self.assertLess(report["valid_samples"], 0.9 * clean["valid_samples"])
        # Nothing of it is in the result, and the picture of residuals shows that it was not seen.
        hide(lambda k: k % 256)
        again = self.track("s", *options, *masked)
        self.assertEqual([again[key] for key in ("rho", "cost", "valid_samples")],
                         [report[key] for key in ("rho", "cost", "valid_samples")])
        unknown = bytes([110] * 3)
        for name, most in (("seen", 0.02), ("x", 0.5)):
            colours = bytes(read_png(self.path(name + "_residual.png"))[3])
            half = colours[len(colours) // 2:]
            share = sum(half[i:i + 3] == unknown for i in range(0, len(half), 3)) / (width * height)
            self.assertLess(share, most)
        self.assertGreater(share, 0.1)
        # A sequence: of all its pictures but the first.
        names = ["s/frame_0000.png", "s/frame_0001.png", "s/frame_0000.png"]
        self.assertIn("0 of 2 steps", self.succeed(
            "track", *names, "--camera", "s/camera.json", *options, *masked))
        self.write("nothing.png", png_bytes(width, height, [0] * (width * height)))
        self.assertEqual(self.track("s", *options, "--mask-current", "nothing.png", status=1)["end"],
                         "too_little_overlap")

    @staticmethod
    def hidden(pixel, width):
        return width // 4 <= pixel % width < width // 2 and 30 <= pixel // width < 100

    def test_unified_camera(self):
        step, options = self.small("--camera", "unified", "--scene", "street", "--baseline", "0.2")
        report = self.track("s", *options, "-o", "x")
        self.assertEqual(report["status"], "success")
        self.assertAlmostEqual(report["heading_degrees"], step["heading_degrees"], delta=0.5)

    def test_pictures_of_any_kind(self):
        _, options = self.small()
        width, height, _, grey = read_png(self.path("s/frame_0000.png"))
        grey = list(grey)

        def rho(content):
            self.write("s/frame_0000.png", content)
            return self.track("s", *options, "--iterations", "4")["rho"]

        expected = rho(png_bytes(width, height, grey))
        # 65535 is the 255 of 8 bits, so that 257 times as much is the same picture.
        self.assertEqual(rho(png_bytes(width, height, [257 * x for x in grey], bits=16)), expected)
        self.assertEqual(rho(png_bytes(width, height, [x for g in grey for x in (g, 9)],
                                       GREY_ALPHA)), expected)
        colours = rho(png_bytes(width, height, [g for g in grey for _ in range(3)], COLOUR))
        self.assertAlmostEqual(colours, expected, delta=1e-6)
        self.assertEqual(rho(png_bytes(width, height, grey, PALETTE,
                                       palette=[(k, k, k) for k in range(256)])), colours)
        self.assertEqual(rho(png_bytes(width, height, [x for g in grey for x in (g, g, g, 0)],
                                       COLOUR_ALPHA)), colours)
        # Of four bits 15 is white.
        coarse = [g // 17 for g in grey]
        self.assertEqual(rho(png_bytes(width, height, coarse, bits=4)),
                         rho(png_bytes(width, height, [17 * g for g in coarse])))
        # Luma: pure green of g is as bright as grey of 0.587 g.
        green = rho(png_bytes(width, height, [x for g in grey for x in (0, g, 0)], COLOUR))
        fine = rho(png_bytes(width, height, [round(0.587 * 257 * g) for g in grey], bits=16))
        self.assertAlmostEqual(green, fine, delta=1e-4)

    def test_bad_pictures(self):
        arguments = self.pair()
        with open(self.path("a.png"), "rb") as file:
            good = file.read()
        for content, says in (
                (b"", "is empty"), (b"P5 64 32 255\n", "is no PNG picture"),
                (good[:5], "is truncated"), (good[:20], "is truncated"),
                (good[:len(good) // 2], "is truncated"), (good[:-14], "is truncated"),
                (good[:-6], "is truncated"),
                (good[:20] + b"\xff" + good[21:], "is no PNG picture that can be read"),
                (good[:60] + bytes([good[60] ^ 16]) + good[61:], "is no PNG picture that can"),
                (good[:8] + chunk(b"IHDR", struct.pack(">2I5B", 0, 32, 8, 0, 0, 0, 0)) + good[33:],
                 "is no PNG picture that can"),
                (good[:8] + chunk(b"IHDR", struct.pack(">2I5B", 64, 32, 7, 0, 0, 0, 0)) + good[33:],
                 "is no PNG picture that can"),
                (good[:8] + chunk(b"IHDR", struct.pack(">2I5B", 32768, 32768, 8, 2, 0, 0, 0)) +
                 good[33:], "is truncated"),
                (good[:8] + chunk(b"IHDR", struct.pack(">2I5B", 40000, 4, 8, 0, 0, 0, 0)) +
                 good[33:], "is no PNG picture that can"),
                (png_bytes(64, 31, [0] * (64 * 31)), ("64 x 31 pixels", "must be 64 x 32"))):
            for name in ("a.png", "b.png"):
                with self.subTest(says=says, name=name):
                    self.pair()
                    self.write(name, content)
                    line = self.refuse(*arguments, "-o", "x", says=says)
                    self.assertTrue(line.startswith("carroll: %s: " % name), line)
        self.pair()
        os.remove(self.path("b.png"))
        self.refuse(*arguments, says="b.png: No such file")
        os.mkdir(self.path("b.png"))
        self.refuse(*arguments, says="b.png: is a directory, expected a PNG ")

    def test_damaged_pictures_never_crash(self):
        arguments = self.pair()
        with open(self.path("a.png"), "rb") as file:
            good = file.read()
        for at in range(8, len(good), max(1, len(good) // 60)):
            for content in (good[:at], good[:at] + bytes([good[at] ^ 1]) + good[at + 1:]):
                self.write("a.png", content)
                self.assertIn(self.run_tool(*arguments).returncode, (0, 1, 2))

    def test_bad_cameras(self):
        arguments = self.pair()
        unified = {"model": "unified", "width": 64, "height": 32, "fx": 20, "fy": 20, "cx": 31.5,
                   "cy": 15.5, "chi": 0.8}
        for text, says in (
                ("", "is empty"), ("{", "is no JSON"), ("[1]", "is no JSON object"),
                ("{}", 'has no "model"'), ('{"model": "pinhole"}', '"equirectangular" and "unified"'),
                ('{"model": "equirectangular", "width": 64}', 'has no "height"'),
                ('{"model": "equirectangular", "width": 64, "height": 0}', '"height": 0'),
                ('{"model": "equirectangular", "width": 64.5, "height": 32}', '"width": 64.5'),
                ('{"model": "equirectangular", "width": 64, "height": 32, "fx": 3}', 'has "fx"'),
                (json.dumps({**unified, "fx": -1}), '"fx": -1'),
                (json.dumps({**unified, "chi": "big"}), '"chi": "big"'),
                (json.dumps({**unified, "chi": -0.5}), '"chi": -0.5'),
                (json.dumps({k: v for k, v in unified.items() if k != "cy"}), 'has no "cy"'),
                (" " * 70000, "longer than any camera")):
            with self.subTest(text=text[:60]):
                self.write("c.json", text)
                line = self.refuse(*arguments, says=says)
                self.assertTrue(line.startswith("carroll: c.json: "), line)
        self.refuse(*arguments[:4], "none.json", says="none.json: No such file")

    def test_bad_options(self):
        arguments = self.pair()
        self.refuse(*arguments[:3], says="--camera: the camera's file has to be given")
        self.refuse("track", says="PICTURES is required")
        for option, value in (("--motion", "free"), ("--vertices", "2"), ("--vertices", "x"),
                              ("--samples", "0"), ("--iterations", "1"), ("--iterations", "2000"),
                              ("--method", "newton"), ("--baseline", "0"), ("--baseline", "nan"),
                              ("--start", ""), ("--start", "-3"), ("--start", "inf"),
                              ("--mask", ""), ("--mask-current", ""), ("--start-motion", ""), ("--precision", "half")):
            with self.subTest(option=option, value=value):
                self.refuse(*arguments, option + "=" + value, says=option)
        self.refuse(*arguments, "-o", "nowhere/x", says="nowhere/x_vertices.npy")
        self.refuse(*arguments, "-o", "here/", says="is a directory")
        self.refuse(*arguments, "--start", "none.npy", says="none.npy: No such file")
        self.write("start.npy", ranges_npy([[1.0] * 64] * 31, 1))
        self.refuse(*arguments, "--start", "start.npy", says=("start.npy", "31 x 64", "32 x 64"))
        self.write("mask.png", png_bytes(32, 64, [1] * 2048))
        for option in ("--mask", "--mask-current"):
            self.refuse(*arguments, option, "mask.png", says=("mask.png", "32 x 64 pixels"))
            self.refuse(*arguments, option, "none.png", says="none.png: No such file")

    def test_help(self):
        text = self.succeed("track", "--help")
        for word in ("REFERENCE", "CURRENT", "--camera FILE", "--motion M", "--vertices M",
                     "--samples N", "--iterations K", "--precision P", "--dense", "Exit status", *KEYS,
                     *PASS_KEYS):
            self.assertIn(word, text)
        self.assertLess(max(map(len, text.splitlines())), 81)


if __name__ == "__main__":
    main()
