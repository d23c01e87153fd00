# SPDX-License-Identifier: BSD-3-Clause
"""carroll track --dense: the depths of all pixels, written and taken as a start."""

import json
import math
import statistics
import struct

from png import png_bytes, read_png
from test_track_cameras import FISHEYE, HEIGHT, PINHOLE, RADIAL, WIDTH, bent_fisheye, bent_radial, seen_through
from tool import main, read_npy
from track_case import TrackCase

SCALE = 500


class DenseTest(TrackCase):
    def dense(self, prefix="x"):
        """Distances by rows, and levels of the picture of depths by rows."""
        kind, ranges = read_npy(self.path(prefix + "_dense.npy"))
        self.assertEqual(kind, "f4")
        width, height, channels, data = read_png(self.path(prefix + "_dense.png"))
        self.assertEqual((len(ranges), len(ranges[0]), channels, len(data)), (height, width, 1, 2 * width * height))
        levels = struct.unpack(">%dH" % (width * height), data)
        return ranges, [levels[v * width:(v + 1) * width] for v in range(height)]

    def begins_apart(self, options, start):
        """How far, in the median, depths are from those of x where two passes have hardly moved a start."""
        self.run_tool("track", "s/frame_0000.png", "s/frame_0001.png", "--camera", "s/camera.json", *options,
                      "--start", start, "--depth-scale", str(SCALE), "--iterations", "2", "-o", "z")
        found, expected = (read_npy(self.path(name + "_depth.npy"))[1] for name in "zx")
        return statistics.median(abs(a / b - 1) for a, b in zip(found, expected))

    def test_whole_sphere(self):
        _, options = self.small()
        plain = self.track("s", *options, "-o", "y")
        found = self.track("s", *options, "-o", "x", "--dense", "--depth-scale", str(SCALE))
        self.assertEqual(found["cost"], plain["cost"])
        self.assertEqual([name[1:] for name in self.files() if name.startswith("x")],
                         ["_dense.npy", "_dense.png", "_depth.npy", "_depth.ply", "_depth.png", "_residual.png",
                          "_vertices.npy"])
        ranges, levels = self.dense()
        truth = read_npy(self.path("s/range_0000.npy"))[1]
        errors = []
        for row, level, true in zip(ranges, levels, truth):
            for x, pixel, expected in zip(row, level, true):
                self.assertEqual(pixel, round(SCALE * x))
                errors.append(abs(x / expected - 1))
        self.assertLess(statistics.median(errors), 0.05)
        # At a vertex it is the vertex's, but for half a pixel.
        for (x, y, z), depth in zip(read_npy(self.path("x_vertices.npy"))[1], read_npy(self.path("x_depth.npy"))[1]):
            u = round(127.5 - math.atan2(y, x) * 128 / math.pi) % 256
            v = min(127, max(0, round(63.5 - math.asin(z) * 128 / math.pi)))
            self.assertAlmostEqual(ranges[v][u] / depth, 1, delta=0.25)
        for start in ("x_dense.npy", "x_dense.png"):
            self.assertLess(self.begins_apart(options[:-2], start), 0.02)
        self.assertGreater(self.begins_apart(options[:-2], "3"), 0.1)
        # What 16 bits cannot hold is none.
        self.track("s", *options, "-o", "x", "--dense", "--depth-scale", "1e6")
        self.assertEqual(set(map(max, self.dense()[1])), {0})

    def test_part_of_a_picture(self):
        _, options = self.small()
        self.write("m.png", png_bytes(256, 128, [255 * (64 <= k % 256 < 192) for k in range(256 * 128)]))
        self.track("s", *options, "-o", "x", "--dense", "--mask", "m.png", "--depth-scale", str(SCALE))
        ranges, levels = self.dense()
        outside = [math.isnan(x) for row in ranges for x in row]
        self.assertEqual(outside, [x == 0 for row in levels for x in row])
        # The mesh's edges are no columns of pixels.
        self.assertLess(0.4 * len(outside), sum(outside))
        self.assertLess(sum(outside), 0.7 * len(outside))
        self.assertTrue(all(math.isnan(row[u]) for row in ranges for u in (0, 20, 255)))
        self.assertFalse(any(math.isnan(row[128]) for row in ranges[40:90]))
        for start in ("x_dense.npy", "x_dense.png"):
            self.track("s", *options[:-2], "--mask", "m.png", "--start", start, "--depth-scale", str(SCALE))

    def test_lenses_from_end_to_end(self):
        """Pictures that a lens took: its motion, and the distance of what each of its pixels shows."""
        lens = {k: PINHOLE[k] for k in ("width", "height", "fx", "fy", "cx", "cy")}
        for model, bend in (("radial_tangential", RADIAL), ("kannala_brandt", FISHEYE)):
            with self.subTest(model=model):
                self.write("lens.json", json.dumps({"model": model, **lens, **bend}))
                step = self.synth(model, "--camera", "lens.json", "--scene", "box", "--baseline", "0.2")
                report = self.track(model, "--vertices", "150", "--samples", "8000", "--baseline", "0.2",
                                    "--start", "4", "-o", "x", "--dense", "--depth-scale", str(SCALE))
                self.assertEqual(report["status"], "success")
                self.assertAlmostEqual(report["heading_degrees"], step["heading_degrees"], delta=0.1)
                truth = read_npy(self.path(model + "/range_0000.npy"))[1]
                errors = sorted(abs(x / y - 1) for row, true in zip(self.dense()[0], truth)
                                for x, y in zip(row, true) if not math.isnan(x))
                self.assertGreater(len(errors), 0.5 * WIDTH * HEIGHT)
                self.assertLess(errors[len(errors) // 2], 0.02)

    def test_lenses(self):
        self.write("pinhole.json", json.dumps(PINHOLE))
        self.synth("s", "--camera", "pinhole.json", "--scene", "box", "--baseline", "0.2")
        options = ["--vertices", "150", "--samples", "8000", "--baseline", "0.2"]
        sharp = [read_png(self.path("s/frame_000%d.png" % k))[3] for k in (0, 1)]
        truth = read_npy(self.path("s/range_0000.npy"))[1]
        lens = {k: PINHOLE[k] for k in ("width", "height", "fx", "fy", "cx", "cy")}
        for camera, bend in ((PINHOLE, lambda a, b: (a, b)),
                             ({"model": "radial_tangential", **lens, **RADIAL}, bent_radial),
                             ({"model": "kannala_brandt", **lens, **FISHEYE}, bent_fisheye)):
            with self.subTest(camera=camera["model"]):
                for k in (0, 1):
                    grey = list(sharp[k]) if camera is PINHOLE else seen_through(bend, sharp[k])
                    self.write("s/frame_000%d.png" % k, png_bytes(WIDTH, HEIGHT, grey))
                self.write("s/camera.json", json.dumps(camera))
                self.track("s", *options, "--start", "4", "-o", "x", "--dense", "--depth-scale", str(SCALE))
                ranges, levels = self.dense()
                self.assertEqual((len(ranges), len(ranges[0])), (HEIGHT, WIDTH))
                errors, compared = [], 0
                for v in range(0, HEIGHT, 3):
                    for u in range(0, WIDTH, 3):
                        # What the lens shows at that pixel, where the pinhole has it.
                        wanted = (u - PINHOLE["cx"]) / PINHOLE["fx"], (v - PINHOLE["cy"]) / PINHOLE["fy"]
                        a, b = wanted
                        for _ in range(12):
                            x, y = bend(a, b)
                            a, b = a + wanted[0] - x, b + wanted[1] - y
                        along = 1 / math.sqrt(1 + a * a + b * b)
                        if math.isnan(ranges[v][u]):
                            self.assertEqual(levels[v][u], 0)
                            continue
                        compared += 1
                        self.assertAlmostEqual(levels[v][u], SCALE * ranges[v][u] * along, delta=0.51 + 1e-3 * levels[v][u])
                        i, j = round(PINHOLE["cx"] + a * PINHOLE["fx"]), round(PINHOLE["cy"] + b * PINHOLE["fy"])
                        if 0 <= i < WIDTH and 0 <= j < HEIGHT:
                            errors.append(abs(ranges[v][u] / truth[j][i] - 1))
                self.assertGreater(compared, 0.5 * WIDTH * HEIGHT / 9)
                self.assertLess(statistics.median(errors), 0.1)
                for start in ("x_dense.npy", "x_dense.png"):
                    self.assertLess(self.begins_apart(options, start), 0.02)
                self.assertGreater(self.begins_apart(options, "4"), 0.1)

    def test_bad_uses(self):
        arguments = self.pair()
        self.refuse(*arguments, "--dense", says="--dense needs -o")
        self.refuse("track", "a.png", "b.png", "a.png", *arguments[3:], "--dense", "-o", "x", says="--dense has no meaning")
        self.refuse(*arguments, "--dense", "-o", "nowhere/x", says="nowhere/x_vertices.npy")


if __name__ == "__main__":
    main()
