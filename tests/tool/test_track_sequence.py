# SPDX-License-Identifier: BSD-3-Clause
"""carroll track on sequences: trajectories, and their errors against the truth."""

import json
import math
import os

from png import png_bytes
from tool import main
from track_case import TrackCase

STEP_KEYS = ["picture", "status", "end", "again", "window", "rotation", "translation", "gain", "offset",
             "textured_triangles", "matched_triangles", "cost", "setup_seconds", "seconds"]
KEYS = ["status", "frames", "lost", "motion", "precision", "backend", "method", "window", "steps",
        "errors", "seconds"]
ERROR_KEYS = ["poses", "length", "scale", "ate", "rotation_rms_degrees", "rotation_median_degrees",
              "translation_rms", "direction_median_degrees", "drift"]
# Columns of what data sets have (right, down, forward) in Carroll's axes (forward, left, up).
OPTICAL = [[0, 0, 1], [-1, 0, 0], [0, -1, 0]]


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def optical(rotation, position):
    """[R | t] in the axes of data sets, of a pose in Carroll's."""
    back = [list(row) for row in zip(*OPTICAL)]
    turned = product(product(back, rotation), OPTICAL)
    place = product(back, [[x] for x in position])
    return [row + t for row, t in zip(turned, place)]


class SequenceTest(TrackCase):
    def sequence(self, *arguments, status=0):
        process = self.run_tool("track", *arguments, "--json", timeout=1200)
        self.assertEqual((process.returncode, process.stderr), (status, b""), process.stdout)
        report = json.loads(process.stdout, parse_constant=lambda word: self.fail(word))
        self.assertEqual(list(report), KEYS)
        for step in report["steps"]:
            self.assertEqual(list(step), STEP_KEYS)
        return report

    def frames(self, count=4):
        """A sequence, the options to track it with, and its true poses as KITTI has them."""
        step, options = self.small("--frames", str(count))
        with open(self.path("s/truth.json")) as file:
            truth = json.load(file)["frames"]
        self.poses = [optical(frame["rotation"], frame["position"]) for frame in truth]
        self.write("kitti.txt", "".join(" ".join("%.12g" % x for row in pose for x in row) + "\n"
                                        for pose in self.poses))
        return step, [*options, "--camera", "s/camera.json"]

    def test_directory_with_truth(self):
        step, options = self.frames()
        for motion in ("ackermann", "se3"):
            with self.subTest(motion=motion):
                report = self.sequence("s", *options, "--motion", motion, "--truth", "kitti.txt",
                                       "-o", "x")
                self.assertEqual((report["status"], report["frames"], report["lost"],
                                  len(report["steps"])), ("success", 4, 0, 3))
                errors = report["errors"]
                self.assertEqual(list(errors), ERROR_KEYS)
                self.assertEqual(errors["poses"], 4)
                self.assertAlmostEqual(errors["length"], 3 * step["baseline"], delta=1e-9)
                self.assertLess(errors["rotation_rms_degrees"], 0.3)
                self.assertLess(errors["direction_median_degrees"], 10)
                self.assertLess(errors["ate"], 0.05 * errors["length"])
                self.assertLess(errors["drift"], 0.15 * errors["length"])
                self.assertAlmostEqual(errors["scale"], 1, delta=0.1)

    def test_trajectory_file(self):
        _, options = self.frames(3)
        report = self.sequence("s", *options, "-o", "x")
        self.assertIsNone(report["errors"])
        self.assertEqual(self.files(), ["kitti.txt", "s", "x_trajectory.txt"])
        with open(self.path("x_trajectory.txt")) as file:
            lines = [[float(word) for word in line.split()] for line in file]
        self.assertEqual([line[0] for line in lines], [0, 1, 2])
        self.assertEqual(lines[0][1:], [0, 0, 0, 0, 0, 0, 1])
        first = report["steps"][0]
        x, y, z = first["translation"]
        for got, expected in zip(lines[1][1:4], (-y, -z, x)):
            self.assertAlmostEqual(got, expected, delta=1e-8)
        # The heading turns left about the axis that points up: about y, which points down, by less.
        heading = math.atan2(first["rotation"][1][0], first["rotation"][0][0])
        self.assertAlmostEqual(2 * math.asin(lines[1][5]), -heading, delta=1e-6)
        for line in lines:
            self.assertAlmostEqual(sum(q * q for q in line[4:]), 1, delta=1e-8)
        # What it wrote is a truth that it agrees with.
        again = self.sequence("s", *options, "--truth", "x_trajectory.txt")
        self.assertLess(again["errors"]["ate"], 1e-6)
        self.assertLess(again["errors"]["rotation_rms_degrees"], 1e-5)

    def euroc(self):
        """A sequence as EuRoC has them: pictures named by nanoseconds, a camera on a body, and that
        body's way, in truth and in a file of times, places and quaternions."""
        self.write("pinhole.json", json.dumps({"model": "unified", "width": 160, "height": 120, "fx": 100,
                                               "fy": 101, "cx": 79.5, "cy": 59.5, "chi": 0}))
        self.succeed("synth-sequence", "e", "--camera", "pinhole.json", "--frames", "4", "--baseline", "0.1")
        with open(self.path("e/truth.json")) as file:
            frames = json.load(file)["frames"]
        cameras = [optical(frame["rotation"], frame["position"]) for frame in frames]
        self.write("kitti.txt", "".join(" ".join("%.12g" % x for row in pose for x in row) + "\n"
                                        for pose in cameras))
        # The camera looks to the body's side, and is beside its middle.
        c, s = math.cos(1.9), math.sin(1.9)
        turn = product([[c, -s, 0], [s, c, 0], [0, 0, 1]], [[1, 0, 0], [0, c, s], [0, -s, c]])
        place = [0.3, -0.2, 0.1]
        back = [list(row) for row in zip(*turn)]
        lines = ["#timestamp, p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z []"]
        os.mkdir(self.path("data"))
        for k, pose in enumerate(cameras):
            rotation = product([row[:3] for row in pose], back)
            at = [row[3] - sum(x * y for x, y in zip(turned, place)) for row, turned in zip(pose, rotation)]
            time = 1403636579758555392 + 50000000 * k
            w = math.sqrt(1 + sum(rotation[i][i] for i in range(3))) / 2
            q = [w] + [(rotation[(i + 2) % 3][(i + 1) % 3] - rotation[(i + 1) % 3][(i + 2) % 3]) / (4 * w)
                       for i in range(3)]
            lines.append(",".join(["%d" % (time + 1000000)] + ["%.12g" % x for x in at + q + [0.5] * 9]))
            os.rename(self.path("e/frame_%04d.png" % k), self.path("data/%d.png" % time))
        self.write("data.csv", "\n".join(lines) + "\n")
        rows = [row + [x] for row, x in zip(turn, place)] + [[0, 0, 0, 1]]
        return rows, ["data", "--vertices", "150", "--samples", "8000", "--baseline", "0.1", "--start", "3",
                      "--motion", "se3"]

    def test_truth_of_a_body(self):
        rows, options = self.euroc()
        expected = self.sequence(*options, "--camera", "pinhole.json", "--truth", "kitti.txt")["errors"]
        self.assertLess(expected["rotation_rms_degrees"], 1)
        lens = ("resolution: [160, 120]\ncamera_model: pinhole\nintrinsics: [100, 101, 79.5, 59.5] # f, c\n"
                "distortion_model: none\n")
        text = [", ".join("%.12g" % x for x in row) for row in rows]
        self.write("sensor.yaml", "sensor_type: camera\n\n# Where it is.\nT_BS:\n  cols: 4\n  rows: 4\n  data: [" +
                   ",\n         ".join(text) + "]\n\nrate_hz: 20\n" + lens)
        # Kalibr has the inverse, row by row.
        back = [list(column) for column in zip(*[row[:3] for row in rows[:3]])]
        way = [-sum(x * row[3] for x, row in zip(column, rows)) for column in back]
        self.write("kalibr.yaml", "cam0:\n  T_cam_imu:\n" + "".join(
            "  - [%s]\n" % ", ".join("%.12g" % x for x in row)
            for row in [r + [x] for r, x in zip(back, way)] + [[0, 0, 0, 1]]) + lens + "cam1:\n  T_cam_imu:\n"
            "  - [9, 9, 9, 9]\n")
        for camera in ("sensor.yaml", "kalibr.yaml"):
            with self.subTest(camera=camera):
                found = self.sequence(*options, "--camera", camera, "--truth", "data.csv")["errors"]
                for key in ERROR_KEYS:
                    self.assertAlmostEqual(found[key], expected[key], delta=1e-6, msg=key)
        line = self.refuse("track", *options, "--camera", "pinhole.json", "--truth", "data.csv",
                           says="poses of the body (EuRoC)")
        self.assertTrue(line.startswith("carroll: data.csv: "), line)
        self.write("sensor.yaml", "T_BS:\n  data: [1, 2]\n" + lens)
        self.refuse("track", *options, "--camera", "sensor.yaml", "--truth", "data.csv",
                    says=("sensor.yaml", "2 numbers of where the camera is on the body, must be 16"))
        self.write("sensor.yaml", "T_BS:\n  data: [1, 2,\n  x\n" + lens)
        self.refuse("track", *options, "--camera", "sensor.yaml", says=("sensor.yaml", "between [ and ]"))
        self.write("data.csv", "#timestamp, q_RS_w\n1,2,3\n")
        self.refuse("track", *options, "--camera", "kalibr.yaml", "--truth", "data.csv",
                    says=("data.csv", "a line of 3 numbers", "EuRoC's 17"))

    def test_lists_and_names(self):
        _, options = self.frames(3)
        names = ["s/frame_%04d.png" % k for k in range(3)]
        expected = self.sequence("s", *options)["steps"]

        def same(report):
            for step, other in zip(report["steps"], expected):
                self.assertEqual((step["rotation"], step["cost"]), (other["rotation"], other["cost"]))

        same(self.sequence(*names, *options))
        self.write("list.txt", "# rgb\n" + "".join("%.2f %s\n" % (10 + k / 4, n) for k, n in enumerate(names)))
        self.write("truth.txt", "".join("%.3f 0 0 %g 0 0 0 1\n" % (10 + k / 4 + 0.01, k) for k in range(3)))
        same(self.sequence("list.txt", *options, "--truth", "truth.txt", "-o", "x"))
        with open(self.path("x_trajectory.txt")) as file:
            self.assertEqual([float(line.split()[0]) for line in file], [10, 10.25, 10.5])
        # Names that are times of nanoseconds.
        os.mkdir(self.path("ns"))
        for k, name in enumerate(names):
            os.rename(self.path(name), self.path("ns/%d.png" % (1403715273262142976 + 50000000 * k)))
        same(self.sequence("ns", *options, "-o", "y"))
        with open(self.path("y_trajectory.txt")) as file:
            times = [float(line.split()[0]) for line in file]
        self.assertAlmostEqual(times[1] - times[0], 0.05, delta=1e-5)

    def test_a_step_that_is_lost_is_told(self):
        _, options = self.frames(4)
        self.write("s/frame_0002.png", png_bytes(256, 128, [0] * (256 * 128)))
        report = self.sequence("s", *options, "--motion", "se3", status=1)
        self.assertEqual(report["status"], "not_converged")
        self.assertEqual([step["status"] == "success" for step in report["steps"]],
                         [True, False, False])
        self.assertEqual(report["lost"], 2)
        # Lost steps go on as the last good one.
        self.assertEqual(report["steps"][1]["rotation"], report["steps"][0]["rotation"])
        self.assertTrue(report["steps"][1]["again"])

    def test_windows(self):
        _, options = self.frames(5)
        options = ["s", *options, "--motion", "se3", "--truth", "kitti.txt"]
        alone = self.sequence(*options)
        self.assertEqual((alone["window"], {step["window"] for step in alone["steps"]}), (1, {1}))
        self.assertEqual(self.sequence(*options, "--window", "1")["errors"], alone["errors"])
        found = self.sequence(*options, "--window", "3", "-o", "x")
        self.assertEqual((found["window"], [step["window"] for step in found["steps"]]), (3, [1, 2, 3, 3]))
        # A window begins where the frame that is tracked alone has ended, and betters the step before.
        self.assertEqual(found["steps"][0]["cost"], alone["steps"][0]["cost"])
        self.assertNotEqual(found["steps"][0]["rotation"], alone["steps"][0]["rotation"])
        for key in ("rotation_rms_degrees", "direction_median_degrees"):
            self.assertLess(found["errors"][key], 1.5 * alone["errors"][key], key)
        for picture in ("s/frame_0001.png", "s/frame_0003.png"):
            self.write(picture, png_bytes(256, 128, [0] * (256 * 128)))
        # Nothing is known of where lost pictures were taken.
        lost = self.sequence(*options, "--window", "3", status=1)
        self.assertEqual({step["window"] for step in lost["steps"]}, {1})

    def test_windows_that_cannot_be(self):
        _, options = self.frames(3)
        options = ["track", "s", *options, "--window"]
        self.refuse(*options, "9", "--motion", "se3", says="--window: '9' is not from 1 to 8")
        self.refuse(*options, "0", "--motion", "se3", says="--window")
        self.refuse(*options, "2", says="--window needs --motion se3")
        self.refuse("track", "s/frame_0000.png", "s/frame_0001.png", "--camera", "s/camera.json", "--window", "1",
                    says="--window: two pictures are no sequence")

    def test_table(self):
        _, options = self.frames(3)
        text = self.succeed("track", "s", *options, "--truth", "kitti.txt")
        for word in ("success", "ATE", "RPE", "drift", "0 of 2 steps"):
            self.assertIn(word, text)

    def test_bad_sequences(self):
        self.pair()
        options = ["--camera", "c.json", "--vertices", "20", "--samples", "500"]
        self.refuse("track", "a.png", *options, says=("a.png", "is one picture"))
        os.mkdir(self.path("empty"))
        self.refuse("track", "empty", *options, says=("empty", "is no picture"))
        self.write("list.txt", "1 a.png\nb.png\n")
        self.refuse("track", "list.txt", *options, says=("list.txt", "times before some"))
        self.write("list.txt", "a.png\nnone.png\n")
        self.refuse("track", "list.txt", *options, says="none.png: No such file")
        three = ["track", "a.png", "b.png", "a.png", *options]
        for text, says in (("", "no poses"), ("1 2 3\n", "a line of 3 numbers"), ("# x\n", "no poses"),
                           ("0 " * 12 + "\n", "has 1 pose, must have 3"), ("x\n", "expected numbers"),
                           ("1 0 0 0 0 0 0 0\n", "quaternion of zeros")):
            with self.subTest(text=text):
                self.write("t.txt", text)
                self.refuse(*three, "--truth", "t.txt", says=("t.txt", says))
        self.refuse("track", "a.png", "b.png", *options, "--truth", "t.txt", says="--truth")
        self.refuse(*three, "-o", "nowhere/x", says="nowhere/x_trajectory.txt")


if __name__ == "__main__":
    main()
