# SPDX-License-Identifier: BSD-3-Clause
"""carroll track: calibration files, lenses with distortion, JPEG pictures and pictures of depths."""

import json
import math
import struct

from jpeg import jpeg_bytes
from png import GREY, png_bytes, read_png
from tool import main, npy_bytes, read_npy
from track_case import TrackCase

WIDTH, HEIGHT = 240, 160
PINHOLE = {"model": "unified", "width": WIDTH, "height": HEIGHT, "fx": 150, "fy": 152, "cx": 119.5,
           "cy": 79.5, "chi": 0}
RADIAL = {"k1": -0.2, "k2": 0.05, "p1": 0.001, "p2": -0.0005, "k3": 0.0}
FISHEYE = {"k1": 0.02, "k2": -0.005, "k3": 0.001, "k4": 0.0}


def bent_radial(a, b):
    r2 = a * a + b * b
    radial = 1 + r2 * (RADIAL["k1"] + r2 * (RADIAL["k2"] + r2 * RADIAL["k3"]))
    p1, p2 = RADIAL["p1"], RADIAL["p2"]
    return (a * radial + 2 * p1 * a * b + p2 * (r2 + 2 * a * a),
            b * radial + p1 * (r2 + 2 * b * b) + 2 * p2 * a * b)


def bent_fisheye(a, b):
    r = math.hypot(a, b)
    t = math.atan(r)
    t2 = t * t
    bent = t * (1 + t2 * (FISHEYE["k1"] + t2 * (FISHEYE["k2"] + t2 * (FISHEYE["k3"] + t2 * FISHEYE["k4"]))))
    return (a * bent / r, b * bent / r) if r > 0 else (0.0, 0.0)


def seen_through(bend, grey):
    """The pinhole's picture as a lens shows it: for each pixel what is bent there, by iteration."""
    pixels = []
    for v in range(HEIGHT):
        for u in range(WIDTH):
            wanted = (u - PINHOLE["cx"]) / PINHOLE["fx"], (v - PINHOLE["cy"]) / PINHOLE["fy"]
            a, b = wanted
            for _ in range(12):
                x, y = bend(a, b)
                a, b = a + wanted[0] - x, b + wanted[1] - y
            x, y = PINHOLE["cx"] + PINHOLE["fx"] * a, PINHOLE["cy"] + PINHOLE["fy"] * b
            x, y = min(max(x, 0), WIDTH - 1.001), min(max(y, 0), HEIGHT - 1.001)
            i, j = int(x), int(y)
            p, q = x - i, y - j
            at = j * WIDTH + i
            pixels.append(round((1 - q) * ((1 - p) * grey[at] + p * grey[at + 1]) +
                                q * ((1 - p) * grey[at + WIDTH] + p * grey[at + WIDTH + 1])))
    return pixels


class CameraTest(TrackCase):
    def pinhole(self):
        self.write("pinhole.json", json.dumps(PINHOLE))
        step = self.synth("s", "--camera", "pinhole.json", "--scene", "street", "--baseline", "0.2")
        options = ["--vertices", "150", "--samples", "8000", "--baseline", "0.2", "--start", "8"]
        return step, options

    def test_lenses(self):
        step, options = self.pinhole()
        plain = self.track("s", *options)
        sharp = [read_png(self.path("s/frame_000%d.png" % k))[3] for k in (0, 1)]
        lens = {k: PINHOLE[k] for k in ("width", "height", "fx", "fy", "cx", "cy")}
        focal = [PINHOLE[k] for k in ("fx", "fy", "cx", "cy")]
        size = [WIDTH, HEIGHT]
        yaml = ("sensor_type: camera\nresolution: %s\ncamera_model: pinhole\nintrinsics: %s # f, c\n"
                "distortion_model: %s\ndistortion_coefficients: %s\n")
        for bend, files in (
                (bent_radial, {"c.json": json.dumps({"model": "radial_tangential", **lens, **RADIAL}),
                               "c.yaml": yaml % (size, focal, "radial-tangential", list(RADIAL.values())[:4]),
                               "c.txt": " ".join(map(str, focal + list(RADIAL.values())))}),
                (bent_fisheye, {"c.json": json.dumps({"model": "kannala_brandt", **lens, **FISHEYE}),
                                "c.yaml": "cam0:\n" + (yaml % (size, focal, "equidistant", list(FISHEYE.values())))
                                .replace("\n", "\n  ").replace("coefficients", "coeffs")})):
            for k in (0, 1):
                self.write("s/frame_000%d.png" % k, png_bytes(WIDTH, HEIGHT, seen_through(bend, sharp[k])))
            reports = []
            for name, text in files.items():
                with self.subTest(bend=bend.__name__, name=name):
                    self.write("s/camera.json", text)
                    reports.append(self.track("s", *options))
                    self.assertEqual(reports[-1]["status"], "success")
                    self.assertAlmostEqual(reports[-1]["heading_degrees"], step["heading_degrees"], delta=0.3)
                    self.assertEqual(reports[-1]["rotation"], reports[0]["rotation"])
            # As a pinhole's the pictures are not explained as well.
            self.write("s/camera.json", json.dumps(PINHOLE))
            self.assertGreater(self.run_json(*options)["cost"], reports[0]["cost"])
        self.assertAlmostEqual(plain["heading_degrees"], step["heading_degrees"], delta=0.3)

    def run_json(self, *options):
        process = self.run_tool("track", "s/frame_0000.png", "s/frame_0001.png", "--camera", "s/camera.json",
                                "--json", *options)
        return json.loads(process.stdout)

    def test_vignette(self):
        step, options = self.pinhole()
        plain = self.track("s", *options)
        light = [1 - 0.25 * ((2 * u / (WIDTH - 1) - 1) ** 2 + (2 * v / (HEIGHT - 1) - 1) ** 2)
                 for v in range(HEIGHT) for u in range(WIDTH)]
        for k in (0, 1):
            name = "s/frame_000%d.png" % k
            grey = read_png(self.path(name))[3]
            self.write(name, png_bytes(WIDTH, HEIGHT, [round(x * y) for x, y in zip(grey, light)]))
        dark = self.track("s", *options)
        for bits, most in ((8, 200), (16, 65535)):  # the brightest one is all, whatever it says
            self.write("v.png", png_bytes(WIDTH, HEIGHT, [round(most * x) for x in light], bits=bits))
            told = self.track("s", *options, "--vignette", "v.png")
            self.assertEqual(told["status"], "success")
            self.assertAlmostEqual(told["heading_degrees"], step["heading_degrees"], delta=0.3)
            self.assertAlmostEqual(told["cost"] / plain["cost"], 1, delta=0.2)
        self.assertGreater(dark["cost"], 1.2 * told["cost"])
        arguments = [*self.pair(), "--vignette", "v.png"]
        self.refuse(*arguments, says=("v.png", "240 x 160 pixels"))
        self.write("v.png", png_bytes(64, 32, [0] * 2048))
        self.refuse(*arguments, says="v.png: is black, which no lens is")
        self.refuse(*arguments[:-1], "", says="--vignette")
        # Black but for one pixel: nothing is divided by less than a fiftieth.
        self.write("v.png", png_bytes(64, 32, [0] * 2047 + [1]))
        self.assertIn(self.run_tool(*arguments).returncode, (0, 1))

    def test_clipped_levels(self):
        step, options = self.small()
        width, height, _, grey = read_png(self.path("s/frame_0001.png"))
        self.write("s/frame_0001.png", png_bytes(width, height, [min(255, round(1.6 * x)) for x in grey]))
        cut = self.track("s", *options)
        left = self.track("s", *options, "--mask-clipped")
        for report in (cut, left):  # white is expected to be white, or not looked at
            self.assertEqual(report["status"], "success")
            self.assertAlmostEqual(report["gain"], 1.6, delta=0.1)
            self.assertAlmostEqual(report["rho"], step["rho"], delta=0.01)
        self.assertLess(left["valid_samples"], cut["valid_samples"])
        # With a mask what both leave counts; a sequence has one for each of its pictures.
        half = [255 * (k % width < width // 2) for k in range(width * height)]
        self.write("m.png", png_bytes(width, height, half))
        both = self.track("s", *options, "--mask-clipped", "--mask-current", "m.png")
        one = self.track("s", *options, "--mask-current", "m.png")
        self.assertLess(both["valid_samples"], min(one["valid_samples"], left["valid_samples"]))
        names = ["s/frame_000%d.png" % k for k in (0, 1, 0)]
        process = self.run_tool("track", *names, "--camera", "s/camera.json", *options, "--mask-clipped", "--json")
        steps = json.loads(process.stdout)["steps"]
        self.assertEqual(steps[0]["cost"], left["cost"])
        self.assertNotEqual(steps[1]["cost"], left["cost"])

    def test_kitti(self):
        _, options = self.pinhole()
        expected = self.track("s", *options)["rotation"]
        rows = "150 0 119.5 0 0 152 79.5 0 0 0 1 0"
        for text in ("P0: " + rows + "\nP1: " + rows.replace("150", "99") + "\n", rows + "\n" + rows):
            self.write("s/camera.json", text)
            self.assertEqual(self.track("s", *options)["rotation"], expected)

    def test_bad_calibrations(self):
        arguments = self.pair()
        yaml = "resolution: [64, 32]\ncamera_model: %s\nintrinsics: %s\ndistortion_model: %s\ndistortion_coefficients: %s\n"
        for text, says in (
                ("hello\n", "no calibration"), ("1 2 3\n", "no calibration"),
                ("0 20 31 15\n", "focal length"), ("a: b\n" * 2000, "no calibration"),
                (yaml % ("omni", [20, 20, 31, 15], "none", []), "not pinhole"),
                (yaml % ("pinhole", [20, 20, 31], "none", []), "3 numbers of intrinsics"),
                (yaml % ("pinhole", "[20, x, 31, 15]", "none", []), "between [ and ]"),
                (yaml % ("pinhole", [20, 20, 31, 15], "fov", [1]), "'fov'"),
                (yaml % ("pinhole", [20, 20, 31, 15], "radtan", [1]), "1 numbers of distortion"),
                (yaml % ("pinhole", [20, 20, 31, 15], "radtan", [-50, 0, 0, 0]), "hardly anything"),
                (json.dumps({"model": "kannala_brandt", "width": 64, "height": 32, "fx": 20, "fy": 20, "cx": 31,
                             "cy": 15, "k1": 0, "k2": 0, "k3": 0}), 'has no "k4"')):
            with self.subTest(text=text[:60]):
                self.write("c.json", text)
                line = self.refuse(*arguments, says=says)
                self.assertTrue(line.startswith("carroll: c.json: "), line)

    def test_jpeg(self):
        step, options = self.small()
        expected = self.track("s", *options)
        for k in (0, 1):
            width, height, _, grey = read_png(self.path("s/frame_000%d.png" % k))
            self.write("s/frame_000%d.png" % k, jpeg_bytes(width, height, grey))
        process = self.run_tool("track", "s/frame_0000.png", "s/frame_0001.png", "--camera", "s/camera.json",
                                "--json", *options)
        if b"built without libjpeg" in process.stderr:
            self.skipTest("libjpeg")
        report = json.loads(process.stdout)
        self.assertEqual(report["status"], "success")
        self.assertAlmostEqual(report["rho"], expected["rho"], delta=1e-3)
        self.assertAlmostEqual(report["rho"], step["rho"], delta=0.01)
        # Cut off, and the wrong size.
        self.write("s/frame_0001.png", jpeg_bytes(64, 32, [100] * 2048))
        self.refuse("track", "s/frame_0000.png", "s/frame_0001.png", "--camera", "s/camera.json",
                    says=("frame_0001.png", "64 x 32 pixels"))
        self.write("s/frame_0001.png", jpeg_bytes(width, height, grey)[:3000])
        self.refuse("track", "s/frame_0000.png", "s/frame_0001.png", "--camera", "s/camera.json",
                    says=("frame_0001.png", "JPEG"))

    def test_pictures_of_depths(self):
        _, options = self.pinhole()
        options = options[:-2]
        ranges = read_npy(self.path("s/range_0000.npy"))[1]
        depths = []
        for v, row in enumerate(ranges):
            for u, far in enumerate(row):
                x, y = (u - PINHOLE["cx"]) / PINHOLE["fx"], (v - PINHOLE["cy"]) / PINHOLE["fy"]
                along = math.sqrt(1 + x * x + y * y)
                row[u] = far if math.isfinite(far) else 131 * along  # the sky
                depths.append(round(500 * row[u] / along))
        self.write("d.png", png_bytes(WIDTH, HEIGHT, depths, GREY, 16))
        self.write("r.npy", self.npy(ranges))
        by_array = self.track("s", *options, "--start", "r.npy")
        by_picture = self.track("s", *options, "--start", "d.png", "--depth-scale", "500")
        self.assertAlmostEqual(by_picture["rho"], by_array["rho"], delta=1e-4)
        self.assertAlmostEqual(by_picture["initial_cost"], by_array["initial_cost"],
                               delta=1e-3 * by_array["initial_cost"])
        wrong = self.track("s", *options, "--start", "d.png")
        self.assertGreater(abs(wrong["initial_cost"] - by_array["initial_cost"]),
                           abs(by_picture["initial_cost"] - by_array["initial_cost"]))
        self.write("d.png", png_bytes(WIDTH, HEIGHT, [x % 256 for x in depths]))
        self.refuse("track", "s/frame_0000.png", "s/frame_0001.png", "--camera", "s/camera.json", *options,
                    "--start", "d.png", says=("d.png", "16 bits"))
        self.refuse("track", "s/frame_0000.png", "s/frame_0001.png", "--camera", "s/camera.json",
                    "--depth-scale", "0", says="--depth-scale")

    @staticmethod
    def npy(ranges):
        values = [x for row in ranges for x in row]
        return npy_bytes(struct.pack("<%df" % len(values), *values), "'<f4'",
                         shape="(%d, %d)" % (len(ranges), len(ranges[0])))


if __name__ == "__main__":
    main()
