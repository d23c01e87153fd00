# SPDX-License-Identifier: BSD-3-Clause
"""carroll compress and carroll decompress: what they promise, what they refuse, what they write."""

import json
import math
import os
import random
import resource
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from png import COLOUR, COLOUR_ALPHA, GREY, GREY_ALPHA, png_bytes, read_png  # noqa: E402
from tool import ToolTest, main  # noqa: E402

PEAK = {8: 255, 16: 65535}


def picture(width, height, channels, bits=8, seed=1):
    """Samples of waves, an edge and noise, another phase for each channel."""
    draw = random.Random(seed)
    samples = []
    for v in range(height):
        for u in range(width):
            for c in range(channels):
                level = (.5 + .25 * math.sin(.11 * u + .07 * v + c) + (.15 if u > v else 0) +
                         .02 * draw.gauss(0, 1))
                samples.append(round(min(max(level, 0), 1) * PEAK[bits]))
    return samples


def samples_of(path, bits):
    width, height, channels, data = read_png(path)
    if bits == 8:
        return width, height, channels, list(data)
    return width, height, channels, list(struct.unpack(">%dH" % (len(data) // 2), data))


def psnr(a, b, bits):
    squares = sum((x - y) ** 2 for x, y in zip(a, b))
    return 10 * math.log10(PEAK[bits] ** 2 * len(a) / squares) if squares else math.inf


class CompressTest(ToolTest):

    def compress(self, *arguments, status=0):
        process = self.run_tool("compress", *arguments, "--json")
        self.assertEqual((process.returncode, process.stderr), (status, b""), process.stdout)
        self.assertEqual(process.stdout.count(b"\n"), 1)
        return json.loads(process.stdout, parse_constant=lambda word: self.fail(word))

    def back(self, name="p.crp", bits=8):
        self.succeed("decompress", name, "-o", "back.png")
        return samples_of(self.path("back.png"), bits)

    def grey(self, width=96, height=64):
        samples = picture(width, height, 1)
        self.write("p.png", png_bytes(width, height, samples))
        return samples


class Patches(CompressTest):

    def test_every_kind_of_picture_and_the_promised_psnr(self):
        for channels, colour in ((1, GREY), (2, GREY_ALPHA), (3, COLOUR), (4, COLOUR_ALPHA)):
            for bits in (8, 16):
                for width, height in ((1, 1), (37, 21), (64, 48)):
                    with self.subTest(channels=channels, bits=bits, width=width):
                        samples = picture(width, height, channels, bits)
                        self.write("p.png", png_bytes(width, height, samples, colour, bits))
                        report = self.compress("p.png", "--psnr", "33", "-o", "p.crp")
                        self.assertEqual((report["width"], report["height"], report["channels"],
                                          report["bits"]), (width, height, channels, bits))
                        self.assertEqual(report["bytes"], os.path.getsize(self.path("p.crp")))
                        shape = self.back(bits=bits)
                        self.assertEqual(shape[:3], (width, height, channels))
                        found = psnr(shape[3], samples, bits)
                        if report["psnr"] is None:
                            self.assertEqual(found, math.inf)
                        else:
                            self.assertAlmostEqual(found, report["psnr"], delta=1e-3)
                        self.assertGreaterEqual(found, 33)

    def test_quality_by_similarity_size_and_step(self):
        self.grey()
        better = self.compress("p.png", "--ssim", ".97")
        worse = self.compress("p.png", "--ssim", ".8")
        self.assertGreaterEqual(better["ssim"], .97)
        self.assertGreaterEqual(worse["ssim"], .8)
        self.assertLess(worse["bytes"], better["bytes"])
        for size in (300, 700, 2000):
            report = self.compress("p.png", "--size", str(size), "-o", "p.crp")
            self.assertLessEqual(report["bytes"], size)
            self.assertGreater(report["bytes"], .6 * size)
        fine, coarse = (self.compress("p.png", "--step", step) for step in ("2", "40"))
        self.assertEqual((fine["step"], coarse["step"]), (2, 40))
        self.assertGreater(fine["psnr"], coarse["psnr"] + 10)

    def test_bases(self):
        samples = self.grey()
        for basis in ("automatic", "cosines", "singular"):
            report = self.compress("p.png", "--step", "10", "--basis", basis, "-o", "p.crp")
            self.assertEqual(report["vectors"][0] > 0, basis == "singular")
            self.assertAlmostEqual(psnr(self.back()[3], samples, 8), report["psnr"], delta=1e-3)

    def test_the_same_bytes_for_any_threads(self):
        samples = picture(120, 80, 3)
        self.write("p.png", png_bytes(120, 80, samples, COLOUR))
        contents = set()
        for threads in ("1", "2", "5"):
            environment = dict(os.environ, OMP_NUM_THREADS=threads)
            self.succeed("compress", "p.png", "--step", "12", "--basis", "singular", "-o", "p.crp",
                         env=environment)
            with open(self.path("p.crp"), "rb") as file:
                contents.add(file.read())
        self.assertEqual(len(contents), 1)

    def test_constant_pictures_take_next_to_nothing(self):
        self.write("p.png", png_bytes(300, 200, [200] * 60000))
        report = self.compress("p.png", "--psnr", "60", "-o", "p.crp")
        self.assertLess(report["bytes"], 150)
        self.assertLessEqual(max(abs(x - 200) for x in self.back()[3]), 0)


class SingularValues(CompressTest):

    def test_promised_and_found_errors_agree(self):
        samples = self.grey()
        for options in (["--rank", "3"], ["--rank", "3", "--centre"], ["--psnr", "30"],
                        ["--energy", ".999"], ["--energy", ".9", "--centre"],
                        ["--psnr", "34", "--centre"]):
            with self.subTest(options=options):
                report = self.compress("p.png", "--method", "svd", *options, "-o", "p.crp")
                found = psnr(self.back()[3], samples, 8)
                self.assertAlmostEqual(found, report["psnr"], delta=1e-3)
                # Rounding to levels adds a twelfth to the mean squared error, about.
                mse = 255 ** 2 / 10 ** (report["promised_psnr"] / 10)
                rounded = 10 * math.log10(255 ** 2 / (mse + 1 / 12))
                self.assertAlmostEqual(found, rounded, delta=.1)
                if "--psnr" in options:
                    self.assertGreaterEqual(report["promised_psnr"], float(options[-2 if
                                            "--centre" in options else -1]))
                if "--energy" in options:
                    self.assertGreaterEqual(report["matrices"][0]["energy"],
                                            float(options[1]) - 1e-12)

    def test_sixteen_bits_keep_the_promise(self):
        samples = picture(60, 40, 1, 16)
        self.write("p.png", png_bytes(60, 40, samples, GREY, 16))
        report = self.compress("p.png", "--rank", "6", "-o", "p.crp")
        self.assertAlmostEqual(psnr(self.back(bits=16)[3], samples, 16), report["promised_psnr"],
                               delta=1e-3)

    def test_a_product_of_two_vectors_has_rank_one(self):
        samples = [(1 + v % 5) * (1 + u % 9) * 5 for v in range(30) for u in range(40)]
        self.write("p.png", png_bytes(40, 30, samples))
        report = self.compress("p.png", "--rank", "1", "-o", "p.crp")
        self.assertIsNone(report["psnr"])
        self.assertEqual(self.back()[3], samples)

    def test_channels_one_by_one_and_side_by_side(self):
        samples = picture(50, 40, 3)
        self.write("p.png", png_bytes(50, 40, samples, COLOUR))
        for options, count in (([], 3), (["--whole"], 1)):
            report = self.compress("p.png", "--psnr", "32", "--method", "svd", *options, "-o",
                                   "p.crp")
            self.assertEqual(len(report["matrices"]), count)
            self.assertEqual([m["of"] for m in report["matrices"]], [40] * count)
            self.assertAlmostEqual(psnr(self.back()[3], samples, 8), report["psnr"], delta=1e-3)
        report = self.compress("p.png", "--method", "svd", "--size", "3000", "-o", "p.crp")
        self.assertLessEqual(report["bytes"], 3000)
        self.assertGreater(report["matrices"][0]["rank"], 0)

    def test_the_figure(self):
        self.grey()
        self.succeed("compress", "p.png", "--rank", "30", "--figure", "f.png")
        width, height, channels, _ = read_png(self.path("f.png"))
        self.assertEqual(channels, 3)
        self.assertGreater(width, 5 * 96)
        self.assertGreater(height, 64 + 200)
        self.assertEqual(self.files(), ["f.png", "p.png"])


class Refused(CompressTest):

    def test_usage(self):
        self.grey()
        one = "one of --psnr, --ssim, --size, --step, --rank and --energy"
        for arguments, says in (
                (["p.png"], one),
                (["p.png", "--psnr", "30", "--size", "9"], one),
                (["p.png", "--psnr", "nan"], "--psnr"),
                (["p.png", "--ssim", "1"], "--ssim"),
                (["p.png", "--ssim", ".9", "--method", "svd"], "--ssim has no meaning"),
                (["p.png", "--psnr", "30", "--centre"], "--centre needs --method svd"),
                (["p.png", "--psnr", "30", "-o", ""], "--output: the name"),
                (["p.png", "--rank", "2", "-o", "x", "--figure", "x"], "name one file"),
                (["p.png", "--rank", "0"], "--rank"),
                (["p.png", "--psnr", "30", "--basis", "haar"], "none of")):
            self.refuse("compress", *arguments, says=says)
        self.refuse("decompress", "p.png", says="--output")

    def test_pictures(self):
        self.write("empty.png", b"")
        self.write("text.png", b"no picture\n")
        self.write("short.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF")
        whole = png_bytes(20, 10, picture(20, 10, 1))
        self.write("cut.png", whole[:60])
        self.write("p.png", whole)
        for name, says in (("none.png", "No such file"), ("empty.png", "is empty"),
                           ("text.png", "is no PNG"), ("short.jpg", "JPEG"),
                           ("cut.png", "truncated"), (".", "is a directory")):
            self.refuse("compress", name, "--psnr", "30", "-o", "x.crp", says=[name, says])
        deep = picture(40, 30, 1, 16)
        self.write("deep.png", png_bytes(40, 30, deep, GREY, 16))
        self.refuse("compress", "deep.png", "--psnr", "119", "-o", "x.crp",
                    says=["deep.png", "cannot be coded as well"])
        self.refuse("compress", "p.png", "--size", "20", "-o", "x.crp",
                    says=["p.png", "20 bytes"])
        self.refuse("compress", "p.png", "--psnr", "30", "-o", "p.png", says="p.png")
        self.refuse("compress", "p.png", "--psnr", "30", "-o", "no/x.crp", says="no/x.crp")

    def test_compressed_files(self):
        self.grey()
        self.compress("p.png", "--psnr", "30", "-o", "p.crp")
        with open(self.path("p.crp"), "rb") as file:
            good = file.read()

        def with_sum(body):
            return body + struct.pack("<I", zlib.crc32(body))
        body = good[:-4]
        files = {
            "is empty": b"",
            "is no compressed picture": b"P" + good[1:],
            "has version 2, expected version 1": with_sum(body[:8] + b"\2" + body[9:]),
            "a code that is not known": with_sum(body[:9] + b"\3" + body[10:]),
            "channels or bits": with_sum(body[:10] + b"\5" + body[11:]),
            "expected 1 to 32768 pixels": with_sum(body[:12] + b"\0\0\0\0" + body[16:]),
            "more pixels than the limit": with_sum(body[:12] + b"\0\x80\0\0\0\x80\0\0" + body[20:]),
            "is truncated": good[:-5],
            "bytes after its end": good + b"\0",
            "its checksum": good[:40] + bytes([good[40] ^ 1]) + good[41:],
            "no usable step": with_sum(body[:24] + b"\0\0\0" + body[27:]),
            "a section that is longer": with_sum(body[:28] + b"\xff" * 4 + body[32:]),
        }
        for says, content in files.items():
            self.write("bad.crp", content)
            self.refuse("decompress", "bad.crp", "-o", "x.png", says=["bad.crp: ", says])
        self.refuse("decompress", "p.crp", "-o", "x.png", "--max-pixels", "100",
                    says="more pixels than the limit of 100")
        self.refuse("decompress", "p.crp", "-o", "p.crp", says="p.crp")

    def test_mutations(self):
        self.grey(40, 24)
        draw = random.Random(3)
        for options in (["--psnr", "30"], ["--rank", "4"]):
            self.compress("p.png", *options, "-o", "p.crp")
            with open(self.path("p.crp"), "rb") as file:
                good = file.read()
            for _ in range(40):
                bad = bytearray(good)
                for _ in range(draw.randint(1, 3)):
                    bad[draw.randrange(8, len(bad))] = draw.randrange(256)
                body = bytes(bad[:-4])
                self.write("bad.crp", body + struct.pack("<I", zlib.crc32(body)))
                process = self.run_tool("decompress", "bad.crp", "-o", "x.png", "--max-pixels",
                                        "10000")
                self.assertIn(process.returncode, (0, 2), process.stderr)
                if process.returncode == 2:
                    self.assertRegex(process.stderr.decode(), r"\Acarroll: bad.crp: [^\n]+\n\Z")
                    self.assertNotIn("x.png", self.files())
                else:
                    os.remove(self.path("x.png"))

    def test_a_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        self.grey()
        with open("/dev/full", "wb") as full:
            self.refuse("compress", "p.png", "--psnr", "30", "-o", "x.crp", stdout=full)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        self.refuse("compress", "p.png", "--psnr", "45", "-o", "x.crp",
                    says=("x.crp", "File too large"), preexec_fn=limit)
        self.compress("p.png", "--psnr", "45", "-o", "x.crp")
        self.refuse("decompress", "x.crp", "-o", "y.png", says=("y.png", "File too large"),
                    preexec_fn=limit)


if __name__ == "__main__":
    main()
