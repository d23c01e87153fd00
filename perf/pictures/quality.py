#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How many bits pictures take for how much error: Carroll's coders, JPEG, WebP and JPEG XL on the Kodak pictures.

The pictures are not Carroll's to hand on. Whoever has them names the folder: kodim01.png to kodim24.png, 768×512 or
512×768. The SHA-256 hashes of their pixels, red, green and blue of 8 bits, row after row, are checked: files differ by
who compressed them, pixels do not. Pillow is needed, which codes JPEG and WebP, too; JPEG XL takes cjxl and djxl
(Debian: libjxl-tools).

  quality.py build/openmp/bin/carroll KODAK --record perf/pictures/kodak.json
  quality.py --pages docs/pictures.md --record perf/pictures/kodak.json"""

import concurrent.futures
import io
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from kodak import check, coded, parser_of, pixels_of, psnr, write_record, write_table

# Settings of each coder, from few bits to many.
SETTINGS = {
    "patches": ["280", "195", "140", "105", "80", "65", "54", "45", "38", "31", "25", "19"],
    "patches, singular vectors": ["250", "160", "105", "65", "45", "31"],
    "svd": ["2", "4", "8", "14", "24", "40"],
    "JPEG": [1, 4, 7, 10, 14, 20, 28, 40, 60, 75],
    "JPEG, progressive": [1, 4, 7, 10, 14, 20, 28, 40, 60, 75],
    "WebP": [0, 1, 3, 6, 10, 18, 30, 50, 70, 85],
    "JPEG XL": ["20", "14", "10", "7.5", "6", "5", "4", "3.2", "2.5"],
}
BARS = {0.15: 24.09, 0.20: 24.90, 0.25: 25.54, 0.30: 26.15, 0.40: 27.07, 0.50: 27.85}


def carroll(program, path, coder, setting):
    options = {"patches": ["--step", setting, "--basis", "cosines"],
               "patches, singular vectors": ["--step", setting, "--basis", "singular"],
               "svd": ["--method", "svd", "--centre", "--rank", setting]}[coder]
    _, size, found = coded(program, path, options)
    return size, found


def pillow(path, coder, setting):
    from PIL import Image
    original, code = pixels_of(path), io.BytesIO()
    if coder == "WebP":
        original.save(code, "WEBP", quality=setting, method=6)
    else:
        original.save(code, "JPEG", quality=setting, optimize=coder != "JPEG", progressive=coder != "JPEG")
    return len(code.getvalue()), psnr(Image.open(io.BytesIO(code.getvalue())).convert("RGB"), original)


def jpeg_xl(path, distance):
    """cjxl as it is called without options but the distance, which is of what eyes see, not of squared errors."""
    with tempfile.TemporaryDirectory() as folder:
        code, back = pathlib.Path(folder) / "code.jxl", pathlib.Path(folder) / "back.png"
        for command in (["cjxl", path, code, "-d", distance], ["djxl", code, back]):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return code.stat().st_size, psnr(pixels_of(back), pixels_of(path))


def versions(coders):
    """Of what codes the pictures, where it is measured."""
    from PIL import __version__, features
    found = {}
    if any(coder.startswith(("JPEG", "WebP")) and coder != "JPEG XL" for coder in coders):
        found.update(pillow=__version__, webp=features.version("webp"), jpeg=features.version("jpg"))
    if "JPEG XL" in coders:
        found["jpeg_xl"] = subprocess.run(["cjxl", "--version"], check=True, stdout=subprocess.PIPE,
                                          text=True).stdout.splitlines()[0]
    return found


def measure(program, paths, coders, jobs):
    points = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for coder in coders:
            for setting in SETTINGS[coder]:
                def one(path, coder=coder, setting=setting):
                    if coder.startswith(("patches", "svd")):
                        return carroll(program, path, coder, setting)
                    if coder == "JPEG XL":
                        return jpeg_xl(path, setting)
                    return pillow(path, coder, setting)
                for path, (size, decibel) in zip(paths, pool.map(one, paths)):
                    image = pixels_of(path)
                    points.append({"coder": coder, "setting": str(setting), "picture": path.name,
                                   "bits_per_pixel": 8 * size / (image.width * image.height), "psnr": decibel})
                print(coder, setting, file=sys.stderr)
    return points


def at(curve, rate):
    """PSNR of a picture's curve at a rate, between its points; nothing beyond them."""
    curve = sorted(curve)
    for (x0, y0), (x1, y1) in zip(curve, curve[1:]):
        if x0 <= rate <= x1:
            return y0 + (y1 - y0) * (rate - x0) / (x1 - x0)
    return None


def means(points):
    """Mean PSNR over the pictures by coder and rate, where the coder reaches that rate on every picture."""
    curves = {}
    for point in points:
        curves.setdefault(point["coder"], {}).setdefault(point["picture"], []).append(
            (point["bits_per_pixel"], point["psnr"]))
    found = {}
    for coder, pictures in curves.items():
        for rate in BARS:
            values = [at(curve, rate) for curve in pictures.values()]
            found[coder, rate] = None if None in values else statistics.mean(values)
    return found


def table(record):
    found = means(record["points"])
    coders = [coder for coder in SETTINGS if any(point["coder"] == coder for point in record["points"])]
    lines = ["| bits a pixel | " + " | ".join(coders) + " | QMF, published |", "| --- |" + " --- |" * (len(coders) + 1)]
    for rate, bar in BARS.items():
        cells = ["–" if found.get((c, rate)) is None else f"{found[c, rate]:.2f}" for c in coders]
        lines.append(f"| {rate:.2f} | " + " | ".join(cells) + f" | {bar:.2f} |")
    return "\n".join(lines)


def main():
    parser = parser_of(__doc__.splitlines()[0])
    parser.add_argument("--coders", nargs="+", choices=list(SETTINGS), default=list(SETTINGS),
                        help="to measure; what the record has of others stays (svd takes longest)")
    parser.add_argument("--jobs", type=int, default=2, help="pictures at a time, each by OMP_NUM_THREADS threads")
    arguments = parser.parse_args()
    if arguments.folder:
        record = {"pictures": "Kodak, 24", "points": []}
        if arguments.record.is_file():
            record = json.loads(arguments.record.read_text())
            record["points"] = [point for point in record["points"] if point["coder"] not in arguments.coders]
        record.update(versions(arguments.coders))
        record["points"] += measure(str(pathlib.Path(arguments.program).resolve()), check(arguments.folder),
                                    arguments.coders, arguments.jobs)
        write_record(arguments.record, record)
    record = json.loads(arguments.record.read_text())
    if arguments.pages:
        write_table(arguments.pages, "rate and distortion", table(record))
    else:
        print(table(record))
    found = means(record["points"])
    missed = [f"{rate:.2f}" for rate, bar in BARS.items() if (found.get(("patches", rate)) or 0) < bar]
    if missed:
        print("below the published figures at", ", ".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
