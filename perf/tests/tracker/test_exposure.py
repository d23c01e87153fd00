# SPDX-License-Identifier: BSD-3-Clause
"""perf/tracker/exposure.py, with a tool that is wrong by as much as it is told."""

import contextlib
import io
import json
import math
import pathlib
import stat
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tracker"))
try:
    import numpy as np
    from PIL import Image
    import exposure
except ImportError:
    exposure = None

# `carroll`, as far as exposure.py calls it: a picture brighter by d levels in the middle costs d/30 times TURNS degrees, and a
# scene is what its name says.
TOOL = """#!{python}
import json, math, pathlib, sys
import numpy as np
from PIL import Image
words = sys.argv[1:]
if words[0] == "synth-sequence":
    folder = pathlib.Path(words[1])
    folder.mkdir()
    grey = np.tile(np.arange(40, 240, 2, dtype=np.uint8), (60, 1))
    for k in (0, 1):
        Image.fromarray(grey).save(folder / f"frame_{{k:04}}.png")
    np.save(folder / "range_0000.npy", np.full((60, 100), 4.0))
    camera = words[words.index("--camera") + 1] if "--camera" in words else None
    text = pathlib.Path(camera).read_text() if camera else json.dumps(
        {{"model": "equirectangular", "width": 100, "height": 60}})
    (folder / "camera.json").write_text(text)
    turn = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    (folder / "truth.json").write_text(json.dumps({{"frames": [{{}}, {{"rotation": turn, "position": [1, 0, 0]}}]}}))
    sys.exit(0)
assert words[0] == "track" and "--mask-clipped" in words, words
reference, current = (np.asarray(Image.open(name), float) for name in words[1:3])
light = np.ones_like(current)
if "--vignette" in words:
    light = np.asarray(Image.open(words[words.index("--vignette") + 1]), float) / 65535
difference = abs((current / light - reference / light)[30, 50])
a = math.radians({turns} * (1 + difference / 30))
x = words[words.index("-o") + 1]
np.save(x + "_vertices.npy", np.array([[1.0, 0, 0], [0.6, 0.8, 0]]))
np.save(x + "_depth.npy", np.array([4.0, 4.0 * (1 + 0.01 * (1 + difference / 30))]))
turn = [[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]]
print(json.dumps({{"status": "success" if difference < 29.5 else "not_converged", "rotation": turn,
                   "translation": [math.cos(a), math.sin(a), 0]}}))
sys.exit(0 if difference < 29.5 else 1)
"""


@unittest.skipIf(exposure is None, "needs NumPy and Pillow")
class ExposureTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)
        self.tool = self.folder / "carroll"
        self.tool.write_text(TOOL.format(python=sys.executable, turns=0.01))
        self.tool.chmod(self.tool.stat().st_mode | stat.S_IXUSR)

    def run_main(self, *arguments):
        out = io.StringIO()
        with mock.patch.object(sys, "argv", ["exposure.py", *map(str, arguments)]), contextlib.redirect_stdout(out):
            return exposure.main(), out.getvalue()

    def test_lenses_darken_their_corners(self):
        for corner in (0.7, 0.5):
            light = exposure.darkened(corner)((101, 201))
            self.assertEqual(light.shape, (101, 201))
            self.assertAlmostEqual(light[50, 100], 1)
            for v in (0, -1):
                for u in (0, -1):
                    self.assertAlmostEqual(light[v, u], corner)
            self.assertAlmostEqual(light[50, 0], (1 + corner) / 2)
            self.assertEqual(light.max(), light[50, 100])

    def test_changes(self):
        picture = np.full((3, 3), 100.0)
        middle = {name: (first(picture)[1, 1], second(picture)[1, 1]) for name, (first, second, _) in
                  exposure.changes().items()}
        self.assertEqual(middle["as they are"], (100, 100))
        for name, value in (("+30 levels", 130), ("-30 levels", 70), ("gain 0.7", 70), ("gain 1.4", 140),
                            ("gain 0.7, +30", 100), ("gain 1.4, -30", 110), ("corners at 50 %, told, gain 1.4", 140)):
            self.assertEqual(middle[name][0], 100, name)
            self.assertAlmostEqual(middle[name][1], value, msg=name)
        for name, (first, second, told) in exposure.changes().items():
            self.assertEqual("told" in name, told is not None, name)
            corners = first(picture)[0, 0], second(picture)[0, 0]
            if "corners" in name:
                self.assertAlmostEqual(corners[0], 50 if "50" in name else 70, msg=name)
        first, second, _ = exposure.changes()["corners at 50 %, told, gain 1.4"]
        self.assertAlmostEqual(second(picture)[0, 0] / first(picture)[0, 0], 1.4)

    def depth_error(self, camera, rays, ratios, ranges):
        np.save(self.folder / "range_0000.npy", ranges)
        np.save(self.folder / "x_vertices.npy", rays)
        np.save(self.folder / "x_depth.npy", ratios)
        return exposure.depth_error(str(self.folder / "x"), self.folder, camera)

    def test_depth_errors(self):
        sphere = {"model": "equirectangular", "width": 36, "height": 18}
        rows, columns = np.mgrid[0:18, 0:36]
        ranges = 1.0 + rows + 100 * columns
        v, u = np.array([3, 9, 14]), np.array([1, 17, 35])
        azimuth, elevation = (17.5 - u) * math.pi / 18, (8.5 - v) * math.pi / 18
        rays = np.stack([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)], 1)
        there = ranges[v, u]
        self.assertLess(self.depth_error(sphere, rays, there, ranges), 1e-10)
        self.assertLess(self.depth_error(sphere, rays, 7 * there, ranges), 1e-10)  # the scale does not count
        self.assertAlmostEqual(self.depth_error(sphere, rays, there * [1, 1.02, 0.97], ranges), 2)
        pinhole = {"model": "unified", "width": 36, "height": 18, "fx": 20, "fy": 25, "cx": 17, "cy": 8}
        rays = np.stack([np.ones(3), (17 - u) / 20, (8 - v) / 25], 1)
        self.assertAlmostEqual(self.depth_error(pinhole, rays, there * [1, 1.03, 0.96], ranges), 3)
        # Where the sky is nothing is compared.
        ranges[v[0], u[0]] = np.inf
        self.assertAlmostEqual(self.depth_error(pinhole, rays, there * [50, 1.1, 1.0], ranges), 100 * (1.1 / 1.05 - 1))
        self.assertIsNone(exposure.depth_error(str(self.folder / "x"), self.folder / "elsewhere", pinhole))

    def test_table_and_check(self):
        with mock.patch.object(exposure, "SCENES", [("box", "sphere", 0.05), ("street", "pinhole", -0.03)]):
            status, text = self.run_main(self.tool, "--seeds", "1")
        self.assertEqual(status, 0)
        self.assertTrue(text.startswith("2 pairs\n"))
        rows = {cells[1].strip(): [cell.strip() for cell in cells[2:-1]]
                for cells in (line.split("|") for line in text.splitlines() if line.startswith("| "))}
        self.assertEqual(rows["as they are"], ["2", "0.0100 (1.00)", "0.0100 (1.00)", "0.4975 (1.00)"])
        # As the tool is: 30 levels cost as much again, and are no success; the middle of the picture has 140 levels.
        self.assertEqual(rows["+30 levels"][:3], ["0", "0.0200 (2.00)", "0.0200 (2.00)"])
        self.assertEqual(rows["gain 0.7, +30"][:2], ["2", "0.0140 (1.40)"])
        self.assertEqual(rows["corners at 50 %, told"][:2], ["2", "0.0100 (1.00)"])
        self.assertEqual(set(rows) - {"pictures", "---"}, set(exposure.changes()))
        self.assertIn("at most 2.87 times", text)  # a gain of 1.4

    def test_check(self):
        some = {name: exposure.changes()[name] for name in ("as they are", "gain 1.4", "corners at 50 %")}
        with mock.patch.object(exposure, "SCENES", exposure.SCENES[:1]), mock.patch.object(exposure, "changes", lambda: some):
            for bound, expected in (("2.8", 1), ("2.9", 0)):
                status, text = self.run_main(self.tool, "--seeds", "1", "--check", bound)
                self.assertEqual(status, expected, text)

    def test_folders_of_real_pairs(self):
        for name, truth in (("pair", {"rotation": np.eye(3).tolist(), "translation": [1, 0, 0]}), ("impossible", None)):
            (self.folder / name).mkdir()
            for picture in ("reference", "current"):
                Image.fromarray(np.full((60, 100), 100, np.uint8)).save(self.folder / name / f"{picture}.png")
            (self.folder / name / "camera.json").write_text(json.dumps(exposure.PINHOLE))
            (self.folder / name / "truth.json").write_text(json.dumps(truth))
        status, text = self.run_main(self.tool, self.folder / "pair", self.folder / "impossible")
        self.assertEqual(status, 0)
        self.assertTrue(text.startswith("1 pairs\n"))
        self.assertIn("| as they are | 1 | 0.0100 (1.00) | 0.0100 (1.00) | nan (nan) |", text)

    def test_unusable_tools_end_it(self):
        self.tool.write_text("#!/bin/sh\necho 'carroll: x.png: is none' >&2\nexit 2\n")
        (self.folder / "pair").mkdir()
        for picture in ("reference", "current"):
            Image.fromarray(np.zeros((6, 8), np.uint8)).save(self.folder / "pair" / f"{picture}.png")
        (self.folder / "pair" / "truth.json").write_text(json.dumps({"rotation": np.eye(3).tolist(), "translation": [1, 0, 0]}))
        with self.assertRaises(SystemExit) as ended:
            self.run_main(self.tool, self.folder / "pair")
        self.assertIn("x.png: is none", str(ended.exception))


if __name__ == "__main__":
    unittest.main()
