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

    def cloud(self, name):
        """Points, colours and faces of a PLY file that the tool has written."""
        with open(self.path(name), "rb") as file:
            header, data = file.read().split(b"end_header\n", 1)
        lines = header.decode().splitlines()
        self.assertEqual(lines[:2], ["ply", "format binary_little_endian 1.0"])
        self.assertTrue(lines[2].startswith("comment "))
        self.assertEqual(lines[4:10], ["property %s" % p for p in (
            "float x", "float y", "float z", "uchar red", "uchar green", "uchar blue")])
        self.assertEqual(lines[11:], ["property list uchar int vertex_indices"])
        points, faces = (int(lines[k].split()[2]) for k in (3, 10))
        self.assertEqual((lines[3].split()[:2], lines[10].split()[:2]),
                         (["element", "vertex"], ["element", "face"]))
        self.assertEqual(len(data), 15 * points + 13 * faces)
        vertices = [struct.unpack_from("<3f3B", data, 15 * i) for i in range(points)]
        triangles = [struct.unpack_from("<B3i", data, 15 * points + 13 * i) for i in range(faces)]
        return [v[:3] for v in vertices], [v[3:] for v in vertices], triangles

    def test_point_clouds(self):
        _, options = self.small()
        report = self.track("s", *options, "-o", "x")
        points, colours, faces = self.cloud("x_depth.ply")
        vertices = read_npy(self.path("x_vertices.npy"))[1]
        depths = read_npy(self.path("x_depth.npy"))[1]
        width, height, _, grey = read_png(self.path("s/frame_0000.png"))
        self.assertEqual((len(points), len(faces)), (len(depths), report["triangles"]))
        for point, colour, ray, depth in zip(points, colours, vertices, depths):
            for x, r in zip(point, ray):
                self.assertAlmostEqual(x, depth * r, delta=1e-5 * depth)
            u = round((width - 1) / 2 - math.atan2(ray[1], ray[0]) * width / (2 * math.pi))
            v = round((height - 1) / 2 - math.asin(ray[2]) * height / math.pi)
            if 0 < u < width - 1:  # beyond, it goes round
                self.assertEqual(colour, 3 * (grey[min(max(v, 0), height - 1) * width + u],))
        for three, *corners in faces:
            self.assertEqual(three, 3)
            a, b, c = (vertices[k] for k in corners)
            self.assertGreater(sum(a[i] * (b[i - 2] * c[i - 1] - b[i - 1] * c[i - 2])
                                   for i in range(3)), 0)

        # Read again, it is the start that the arrays are, whatever the kind of file.
        at = options.index("--start")

        def costs(start):
            found = self.track("s", *options[:at], "--start", start)
            return found["initial_cost"], found["cost"]

        expected = costs("x_depth.npy")
        self.assertLess(expected[0], report["initial_cost"])
        for x, y in zip(costs("x_depth.ply"), expected):
            self.assertAlmostEqual(x / y, 1, delta=1e-3)
        header = ("ply\nformat %s 1.0\ncomment of another program\nobj_info\nelement vertex %d\n"
                  "property uint8 a\nproperty %s z\nproperty float64 x\nproperty short b\n"
                  "property double y\nend_header\n")
        numbers = [(7, p[2], p[0], -3, p[1]) for p in points] + [(7, math.nan, 1, 1, 1), (7, 0, 0, 1, 0)]
        for name, kind, z, body in (
                ("ascii", "ascii", "double", "".join("%d %r %r %d %r\n" % n for n in numbers).encode()),
                ("little", "binary_little_endian", "float",
                 b"".join(struct.pack("<Bfdhd", *n) for n in numbers)),
                ("big", "binary_big_endian", "double",
                 b"".join(struct.pack(">Bddhd", *n) for n in numbers))):
            with self.subTest(name=name):
                self.write(name + ".ply", (header % (kind, len(numbers), z)).encode() + body)
                self.assertEqual(costs(name + ".ply"), costs("x_depth.ply"))

    def test_bad_point_clouds(self):
        arguments = [*self.pair(), "--start", "p.ply"]
        head = b"ply\nformat binary_little_endian 1.0\nelement vertex 2\n"
        xyz = b"property float x\nproperty float y\nproperty float z\n"
        good = head + xyz + b"end_header\n" + struct.pack("<6f", *range(6))
        text = b"ply\nformat ascii 1.0\nelement vertex 2\n" + xyz + b"end_header\n"
        for content, says in (
                (b"ply\n", "its header has no end"),
                (head + xyz, "its header has no end"),
                (b"ply\nend_header\n", "has no format"),
                (b"ply\nformat ascii 1.0\nend_header\n", "holds no vertices"),
                (b"ply\nformat morse 1.0\n", "unknown format 'morse'"),
                (b"ply\nformat ascii 1.0\nnonsense\n", "'nonsense' in its header"),
                (b"ply\nproperty float x\n", "'property float x' in its header"),
                (b"ply\nformat ascii 1.0\nelement face 2\n", "the element 'face', expected vertex"),
                (b"ply\nformat ascii 1.0\nelement vertex -2\n", "'-2' vertices, expected a number"),
                (b"ply\nformat ascii 1.0\nelement vertex 9e9\n", "'9e9' vertices"),
                (head + b"property float\nend_header\n", "without a type and a name"),
                (head + b"property half x\nend_header\n", "unknown type 'half'"),
                (head + b"property list uchar int x\nend_header\n", "vertices with a list"),
                (head + b"end_header\n", "vertices with no x"),
                (head + xyz.replace(b" z", b" y") + b"end_header\n", "more than one y"),
                (head + xyz.replace(b" z", b" w") + b"end_header\n", "vertices with no z"),
                (good[:-1], "is truncated: it has 23 bytes behind its header, its vertices take 2 times 12"),
                (good + b"x", "has 25 bytes behind its header"),
                (good.replace(b"vertex 2", b"vertex 2000000000"), "is truncated"),
                (good.replace(b"vertex 2", b"vertex 3000000000"), "24 bytes behind its header for 3000000000 vertices"),
                (good[:-24] + bytes(24), "no points away from the camera"),
                (text, "is truncated"), (text + b"1 2 3\n", "ends before vertex 1"),
                (text + b"1 2 3\n1 2\n", "a vertex of 2 numbers, must have 3"),
                (text + b"1 2 x\n1 2 3\n", "'x' in a vertex")):
            with self.subTest(content=content):
                self.write("p.ply", content)
                line = self.refuse(*arguments, "-o", "x", says=says)
                self.assertTrue(line.startswith("carroll: p.ply: "), line)
        self.write("p.ply", good)
        self.assertIn(self.run_tool(*arguments).returncode, (0, 1))
        for at in range(4, len(good)):  # some of these are other files that are right
            self.write("p.ply", good[:at] + bytes([good[at] ^ 64]) + good[at + 1:])
            self.assertIn(self.run_tool(*arguments).returncode, (0, 1, 2))

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
