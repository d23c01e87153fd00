# SPDX-License-Identifier: BSD-3-Clause
"""carroll track: where it begins, the scale it ends with, and what it does not call a success."""

import json
import math
import statistics
import struct

from png import png_bytes, read_png
from tool import main, npy_bytes, read_npy
from track_case import TrackCase


class TrackStartTest(TrackCase):
    def test_scale_in_space(self):
        step, options = self.small()
        at = options.index("--baseline")
        free = options[:at] + options[at + 2:]
        # Without a baseline the mean distance stays that of the start, with one the way is as long.
        self.track("s", *free, "--motion", "se3", "-o", "free")
        logs = [math.log(d) for d in read_npy(self.path("free_depth.npy"))[1]]
        self.assertAlmostEqual(math.exp(statistics.mean(logs)), 3, delta=1e-4)
        report = self.track("s", *options, "--motion", "se3", "-o", "x")
        self.assertAlmostEqual(math.hypot(*report["translation"]), step["baseline"], delta=1e-12)
        self.assertLess(statistics.median(self.depth_errors("s", "x")), 0.1)

    def test_goes_on_from_a_track_before(self):
        _, options = self.small()
        first = self.track("s", *options, "--motion", "se3", "-o", "x")
        self.write("last.json", json.dumps(first))
        at = options.index("--start")
        again = self.track("s", *options[:at], "--motion", "se3", "--start", "x_depth.npy",
                           "--start-motion", "last.json")
        self.assertAlmostEqual(again["heading_degrees"], first["heading_degrees"], delta=0.05)
        self.assertLess(again["initial_cost"], first["initial_cost"] / 2)
        self.assertLessEqual(again["cost"], again["initial_cost"])
        arc = self.track("s", *options)
        self.write("arc.json", json.dumps(arc))
        self.assertAlmostEqual(self.track("s", *options, "--start-motion", "arc.json")["rho"],
                               arc["rho"], delta=1e-3)
        for word in ("still", "forward"):
            self.track("s", *options, "--motion", "se3", "--start-motion", word)

    def test_bad_starts(self):
        arguments = [*self.pair(), "--motion", "se3"]
        for text, says in (
                ("", "is empty"), ("[", "is no JSON"), ("[1]", "is no JSON object with a motion"),
                ("{}", 'has no "rotation"'), ('{"rotation": [1, 2]}', '"rotation": [1,2]'),
                ('{"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}', 'has no "translation"'),
                ('{"rotation": [[1, 0, 0], [0, 1], [0, 0, 1]], "translation": [0, 0, 0]}', "[0,1]"),
                ('{"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 2]], "translation": [0, 0, 0]}',
                 "no right-handed unit axes"),
                ('{"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "translation": [0, 0, "x"]}',
                 "must be a number")):
            with self.subTest(text=text):
                self.write("m.json", text)
                line = self.refuse(*arguments, "--start-motion", "m.json", says=says)
                self.assertTrue(line.startswith("carroll: m.json: "), line)
        self.write("m.json", '{"rho": 2.5}')
        self.refuse(*self.pair(), "--start-motion", "m.json", says="between -2 and 2")
        self.refuse(*arguments, "--start-motion", "", says="--start-motion")
        self.refuse(*arguments, "--start-motion", "none.json", says="none.json: No such file")
        five = npy_bytes(struct.pack("<5f", *[1] * 5), "'<f4'", shape="(5,)")
        self.write("five.npy", five)
        self.refuse(*arguments, "--start", "five.npy", says=("five.npy", "5 numbers"))
        self.write("y_depth.npy", five)
        self.refuse(*arguments, "--start", "y_depth.npy", says="y_vertices.npy: No such file")
        self.write("y_vertices.npy", npy_bytes(struct.pack("<6f", *[1] * 6), "'<f4'", shape="(2, 3)"))
        self.refuse(*arguments, "--start", "y_depth.npy", says=("y_vertices.npy", "2 x 3", "5 x 3"))

    def test_what_is_no_answer_is_told(self):
        _, options = self.small()
        width, height, _, grey = read_png(self.path("s/frame_0000.png"))
        for name, pixels in (("black", [0] * (width * height)), ("white", [255] * (width * height)),
                             ("negative", [255 - x for x in grey])):
            for motion in ("ackermann", "se3"):
                with self.subTest(name=name, motion=motion):
                    self.write("s/frame_0001.png", png_bytes(width, height, pixels))
                    report = self.track("s", *options, "--motion", motion, status=1)
                    self.assertEqual(report["status"], "not_converged")
                    self.assertIn(report["end"], ("unexplained", "diverged"))
        self.write("s/frame_0000.png", png_bytes(width, height, [90] * (width * height)))
        self.assertEqual(self.track("s", *options, status=1)["end"], "no_texture")

    def test_brightness(self):
        step, options = self.small()
        width, height, _, grey = read_png(self.path("s/frame_0001.png"))
        for gain, offset in ((0.7, 0), (1, 30), (1, -30)):
            self.write("s/frame_0001.png", png_bytes(
                width, height, [min(255, max(0, round(gain * x + offset))) for x in grey]))
            report = self.track("s", *options)
            self.assertAlmostEqual(report["rho"], step["rho"], delta=0.01)
            self.assertAlmostEqual(report["gain"], gain, delta=0.1)


if __name__ == "__main__":
    main()
