# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of carroll track share: synthetic sequences, and the JSON object of a track."""

import json
import math
import struct

from png import png_bytes
from tool import ToolTest, npy_bytes, read_npy

KEYS = ["status", "end", "motion", "rho", "heading_degrees", "rotation", "translation",
        "vertices", "triangles", "samples", "valid_samples", "precision", "backend", "method",
        "initial_cost", "cost", "textured_triangles", "matched_triangles", "searched_depths", "gain", "offset",
        "turn_deviation_degrees", "way_deviation_degrees", "iterations", "setup_seconds", "seconds", "seconds_per_iteration"]
PASS_KEYS = ["level", "accepted", "valid_samples", "solver_iterations", "cost", "damping"]


def ranges_npy(ranges, scale):
    """An .npy file of f4 with the rows of `ranges` times `scale`."""
    values = [scale * x for row in ranges for x in row]
    return npy_bytes(struct.pack("<%df" % len(values), *values), "'<f4'",
                     shape="(%d, %d)" % (len(ranges), len(ranges[0])))


class TrackCase(ToolTest):
    def synth(self, name, *arguments):
        self.succeed("synth-sequence", name, *arguments)
        with open(self.path(name + "/truth.json")) as file:
            return json.load(file)["steps"][0]

    def track(self, name, *arguments, status=0):
        process = self.run_tool("track", name + "/frame_0000.png", name + "/frame_0001.png",
                                "--camera", name + "/camera.json", "--json", *arguments,
                                timeout=1200)
        self.assertEqual((process.returncode, process.stderr), (status, b""), process.stdout)
        text = process.stdout.decode()
        self.assertEqual(text.count("\n"), 1)
        report = json.loads(text, parse_constant=lambda word: self.fail(word + " is not JSON"))
        self.assertEqual(list(report), KEYS)
        for entry in report["iterations"]:
            self.assertEqual(list(entry), PASS_KEYS)
        return report

    def small(self, *arguments):
        """A sequence that takes a fraction of a second, and the options to track it with."""
        step = self.synth("s", "--size", "256x128", *arguments)
        return step, ["--vertices", "150", "--samples", "8000", "--baseline",
                      str(step["baseline"]), "--start", "3"]

    def depth_errors(self, name, prefix):
        """Relative errors of the depths at all vertices that have one, and the worst length of the
        vertices' directions."""
        ranges = read_npy(self.path(name + "/range_0000.npy"))[1]
        height, width = len(ranges), len(ranges[0])
        vertices = read_npy(self.path(prefix + "_vertices.npy"))[1]
        depths = read_npy(self.path(prefix + "_depth.npy"))[1]
        self.assertEqual((len(vertices[0]), len(depths)), (3, len(vertices)))
        errors = []
        for (x, y, z), depth in zip(vertices, depths):
            self.assertAlmostEqual(x * x + y * y + z * z, 1, delta=1e-14)
            u = (width - 1) / 2 - math.atan2(y, x) * width / (2 * math.pi)
            v = (height - 1) / 2 - math.asin(z) * height / math.pi
            truth = ranges[min(height - 1, max(0, round(v)))][round(u) % width]
            if math.isfinite(truth):
                errors.append(abs(depth / truth - 1))
        return errors

    def pair(self):
        """Two pictures and a camera that are right, for errors one at a time."""
        self.write("a.png", png_bytes(64, 32, [(5 * k) % 251 for k in range(64 * 32)]))
        self.write("b.png", png_bytes(64, 32, [(5 * k + 3) % 251 for k in range(64 * 32)]))
        self.write("c.json", '{"model": "equirectangular", "width": 64, "height": 32}')
        return ["track", "a.png", "b.png", "--camera", "c.json", "--vertices", "20", "--samples",
                "500"]
