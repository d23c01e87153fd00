# SPDX-License-Identifier: BSD-3-Clause
"""carroll synth-sequence: pictures with exact ranges and poses, held against closed forms."""

import json
import math
import os
import subprocess

from png import read_png
from tool import TOOL, ToolTest, main, read_npy

KEYS = ["directory", "scene", "frames", "width", "height", "camera", "backend", "seconds"]
ROOM = ((-4.5, 5.5), (-3.5, 4.5), (-1.2, 1.8))


def distance_to_walls(position, direction):
    return min((walls[d > 0] - p) / d for walls, p, d in zip(ROOM, position, direction) if d != 0)


class SynthTest(ToolTest):
    def synth(self, *arguments):
        report = json.loads(self.succeed("synth-sequence", *arguments, "--json"))
        self.assertEqual(list(report), KEYS)
        return report

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_ranges_and_poses_of_the_room(self):
        report = self.synth("room", "--size", "64x32", "--frames", "3", "--rho", "0.3",
                            "--baseline", "0.5")
        self.assertEqual((report["scene"], report["frames"], report["width"], report["height"]),
                         ("box", 3, 64, 32))
        self.assertEqual(self.files(), ["room"])
        self.assertEqual(sorted(os.listdir(self.path("room"))),
                         ["camera.json"] + ["frame_000%d.png" % k for k in range(3)] +
                         ["range_000%d.npy" % k for k in range(3)] + ["truth.json"])
        self.assertEqual(json.loads(self.content("room/camera.json")),
                         {"model": "equirectangular", "width": 64, "height": 32})
        truth = json.loads(self.content("room/truth.json"))
        self.assertEqual([step["current"] for step in truth["steps"]],
                         ["frame_0001.png", "frame_0002.png"])
        turn = 2 * math.asin(0.15)
        position, heading = [0.0, 0.0, 0.0], 0.0
        for index, frame in enumerate(truth["frames"]):
            R = frame["rotation"]
            c, s = math.cos(heading), math.sin(heading)
            for row, expected in zip(R, [[c, -s, 0], [s, c, 0], [0, 0, 1]]):
                for x, y in zip(row, expected):
                    self.assertAlmostEqual(x, y, delta=1e-14)
            for x, y in zip(frame["position"], position):
                self.assertAlmostEqual(x, y, delta=1e-14)
            kind, ranges = read_npy(self.path("room/" + frame["range"]))
            self.assertEqual((kind, len(ranges), len(ranges[0])), ("f4", 32, 64))
            for v in range(0, 32, 3):
                for u in range(64):
                    azimuth = heading + 2 * math.pi * (31.5 - u) / 64
                    elevation = math.pi * (15.5 - v) / 32
                    d = (math.cos(elevation) * math.cos(azimuth),
                         math.cos(elevation) * math.sin(azimuth), math.sin(elevation))
                    expected = distance_to_walls(position, d)
                    self.assertAlmostEqual(ranges[v][u] / expected, 1, delta=2.0**-23)
            width, height, channels, grey = read_png(self.path("room/" + frame["image"]))
            self.assertEqual((width, height, channels), (64, 32, 1))
            self.assertGreater(max(grey) - min(grey), 50)
            position = [position[0] + 0.5 * math.cos(heading + turn / 2),
                        position[1] + 0.5 * math.sin(heading + turn / 2), 0.0]
            heading += turn
            self.assertEqual(index < 2, heading < 2.5 * turn)
        for step in truth["steps"]:
            self.assertEqual((step["rho"], step["baseline"]), (0.3, 0.5))
            self.assertAlmostEqual(step["heading_degrees"], math.degrees(turn), delta=1e-12)

    def test_noise_and_seeds(self):
        for name, options in (("clean", ["--noise", "0"]), ("noisy", ["--noise", "5"]),
                              ("again", ["--noise", "5", "--kokkos-num-threads=1"]),
                              ("other", ["--noise", "0", "--seed", "2"])):
            self.synth(name, "--size", "256x128", "--frames", "1", *options)
        pictures = {name: read_png(self.path(name + "/frame_0000.png"))[3]
                    for name in ("clean", "noisy", "again", "other")}
        self.assertEqual(self.content("noisy/frame_0000.png"), self.content("again/frame_0000.png"))
        self.assertEqual(self.content("noisy/range_0000.npy"), self.content("clean/range_0000.npy"))
        self.assertNotEqual(pictures["clean"], pictures["other"])
        # Where noise cannot be cut off at 0 or 255; rounding twice adds 1/6 to its variance.
        differences = [b - a for a, b in zip(pictures["clean"], pictures["noisy"]) if 30 < a < 225]
        count = len(differences)
        self.assertGreater(count, 20000)
        self.assertLess(abs(sum(differences)), 5 * 5 * math.sqrt(count))
        variance = sum(x * x for x in differences) / count
        self.assertAlmostEqual(variance, 25 + 1 / 6, delta=5 * 25 * math.sqrt(2 / count))

    def test_street_and_cameras(self):
        report = self.synth("street", "--scene", "street", "--size", "48x40", "--camera", "unified",
                            "--frames", "1")
        self.assertEqual(report["camera"], "unified")
        camera = json.loads(self.content("street/camera.json"))
        self.assertEqual(list(camera), ["model", "width", "height", "fx", "fy", "cx", "cy", "chi"])
        ranges = read_npy(self.path("street/range_0000.npy"))[1]
        self.assertEqual(ranges[0][24], math.inf)  # sky
        # The pixel that looks straight down to the street, or nearly so.
        mx, my = (24 - camera["cx"]) / camera["fx"], (39 - camera["cy"]) / camera["fy"]
        chi, m2 = camera["chi"], mx * mx + my * my
        eta = (chi + math.sqrt(1 + (1 - chi * chi) * m2)) / (1 + m2)
        self.assertAlmostEqual(ranges[39][24] * eta * my, 1.6, delta=1e-5)
        # The same camera from its file.
        self.synth("again", "--scene", "street", "--camera", "street/camera.json", "--frames", "1")
        for name in ("camera.json", "frame_0000.png", "range_0000.npy"):
            self.assertEqual(self.content("street/" + name), self.content("again/" + name))

    def test_lenses(self):
        """The camera comes back as it was given, and what it does not see is NaN and black."""
        camera = {"model": "kannala_brandt", "width": 60, "height": 40, "fx": 9.0, "fy": 9.5, "cx": 30.0,
                  "cy": 19.0, "k1": -0.02, "k2": 0.0, "k3": 0.0, "k4": 0.0}
        self.write("lens.json", json.dumps(camera))
        report = self.synth("lens", "--camera", "lens.json", "--frames", "1", "--noise", "0")
        self.assertEqual((report["camera"], report["width"], report["height"]), ("kannala_brandt", 60, 40))
        self.assertEqual(json.loads(self.content("lens/camera.json")), camera)
        ranges = read_npy(self.path("lens/range_0000.npy"))[1]
        grey = read_png(self.path("lens/frame_0000.png"))[3]
        # Half a turn off the axis the lens shows this far from its middle; behind it there is nothing.
        edge = math.pi - 0.02 * math.pi ** 3
        for v in range(40):
            for u in range(60):
                far = math.hypot((u - 30) / 9.0, (v - 19) / 9.5)
                if abs(far - edge) > 1e-6:
                    self.assertEqual(math.isnan(ranges[v][u]), far > edge, (u, v))
                if far > edge + 1e-6:
                    self.assertEqual(grey[60 * v + u], 0)
        # A ray at a right angle to the axis ends at the wall on the left, 4.5 m away.
        theta, bent = math.pi / 2, math.pi / 2 - 0.02 * (math.pi / 2) ** 3
        self.write("side.json", json.dumps({**camera, "cx": 30 + 9.0 * bent}))
        self.synth("side", "--camera", "side.json", "--frames", "1")
        self.assertAlmostEqual(read_npy(self.path("side/range_0000.npy"))[1][19][30], 4.5, delta=1e-5)
        # Files that do not say how large pictures are.
        self.write("tum.txt", "500 500 30 20 0 0 0 0 0")
        self.refuse("synth-sequence", "tum", "--camera", "tum.txt", says="tum.txt: does not say how large")

    def test_failures_leave_nothing(self):
        for option, value in (("--scene", "sea"), ("--frames", "0"), ("--frames", "501"),
                              ("--size", "64"), ("--size", "64x"), ("--size", "8x8"),
                              ("--size", "64x32x1"), ("--size", "99999x64"), ("--noise", "-1"),
                              ("--noise", "nan"), ("--seed", "x"), ("--rho", "2"),
                              ("--rho", "inf"), ("--baseline", "-1"), ("--camera", "")):
            with self.subTest(option=option, value=value):
                self.refuse("synth-sequence", "room", option + "=" + value, says=option)
        self.refuse("synth-sequence", says="DIR is required")
        self.refuse("synth-sequence", "nowhere/room", "--size", "32x16", says="nowhere/room: ")
        self.refuse("synth-sequence", "room", "--camera", "no.json", says="no.json: No such file")
        self.write("file", "text")
        self.refuse("synth-sequence", "file", "--size", "32x16", says="file: ")
        self.refuse("synth-sequence", "room", "--size", "32x16", "--camera", "file", says="--size")
        # A frame that cannot be written takes those before it, and the directory, with it.
        os.mkdir(self.path("full"))
        os.mkdir(self.path("full/truth.json"))
        self.refuse("synth-sequence", "full", "--size", "32x16", says="full/truth.json")
        self.assertEqual(os.listdir(self.path("full")), ["truth.json"])

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            process = subprocess.run([TOOL, "synth-sequence", "room", "--size", "32x16", "--json"],
                                     cwd=self.home, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(process.returncode, 2)
        self.assertEqual(self.files(), [])

    def test_help_and_table(self):
        text = self.succeed("synth-sequence", "--help")
        for word in ("DIR", "--scene S", "--frames N", "--size WxH", "--camera C", "--noise S",
                     "--seed N", "--rho R", "--baseline B", "truth.json", "Exit status", *KEYS):
            self.assertIn(word, text)
        self.assertLess(max(map(len, text.splitlines())), 81)
        table = self.succeed("synth-sequence", "room", "--size", "32x16")
        for word in ("room", "box", "2 of 32 x 16, equirectangular"):
            self.assertIn(word, table)


if __name__ == "__main__":
    main()
