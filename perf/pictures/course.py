#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The course's compression of pictures, by the truncated SVD of each channel, on the Kodak pictures: which k its rules
choose, for which error, in how many bits.

Each k is checked against one from NumPy's singular values in double precision, and each told PSNR against that of the
decompressed picture, to a thousandth of a decibel. The record, perf/pictures/course.json, has what was found.

  course.py build/openmp/bin/carroll KODAK --record perf/pictures/course.json
  course.py --pages docs/pictures.md --record perf/pictures/course.json"""

import concurrent.futures
import json
import pathlib
import statistics
import sys

from kodak import check, coded, parser_of, pixels_of, write_record, write_table

# What is kept: a part of the energy, of levels as they are or less their mean, or a PSNR.
RULES = {"80 % of the energy": ["--energy", ".8"], "90 % of the energy": ["--energy", ".9"],
         "80 %, centred": ["--energy", ".8", "--centre"], "90 %, centred": ["--energy", ".9", "--centre"],
         "99 %, centred": ["--energy", ".99", "--centre"], "30 dB": ["--psnr", "30", "--centre"]}


def wanted_ranks(channels, values, rule):
    """k of each channel by its definition."""
    import numpy
    ranks = []
    for channel in range(3):
        squares = values[channel, "--centre" in rule] ** 2
        tails = numpy.concatenate([numpy.cumsum(squares[::-1])[::-1], [0]])  # tails[k]: all after the first k
        if rule[0] == "--energy":
            enough = tails <= (1 - float(rule[1])) * tails[0]
        else:
            enough = tails <= channels[..., channel].size * 255 ** 2 / 10 ** (float(rule[1]) / 10)
        ranks.append(int(numpy.argmax(enough)))
    return ranks


def singular_values(channels):
    """Of each channel, of its levels as they are and less their mean."""
    import numpy
    values = {}
    for channel in range(3):
        level = channels[..., channel]
        values[channel, False] = numpy.linalg.svd(level, compute_uv=False)
        # A file has the mean in single precision.
        values[channel, True] = numpy.linalg.svd(level - float(numpy.float32(level.mean())), compute_uv=False)
    return values


def measure(program, path):
    """What was found of a picture: a full SVD for each rule takes its time."""
    import numpy
    points = []
    original = pixels_of(path)
    channels = numpy.asarray(original, dtype=float)
    values = singular_values(channels)
    for name, rule in RULES.items():
        report, size, found = coded(program, path, ["--method", "svd", *rule])
        ranks = [kept["rank"] for kept in report["matrices"]]
        if ranks != (wanted := wanted_ranks(channels, values, rule)):
            sys.exit(f"course.py: {path.name}, {name}: k is {ranks}, must be {wanted}")
        points.append({"picture": path.name, "rule": name, "ranks": ranks, "promised": report["promised_psnr"],
                       "psnr": found, "bits_per_pixel": 8 * size / (original.width * original.height)})
    print(path.name, file=sys.stderr, flush=True)
    return points


def table(points):
    pictures = len({point["picture"] for point in points})
    lines = [f"| kept, {pictures} pictures | k | PSNR in dB | mean | bits a pixel |", "| --- | --- | --- | --- | --- |"]
    for name in RULES:
        of_rule = [point for point in points if point["rule"] == name]
        ranks = [rank for point in of_rule for rank in point["ranks"]]
        decibels = [point["psnr"] for point in of_rule]
        bits = statistics.mean(point["bits_per_pixel"] for point in of_rule)
        lines.append(f"| {name} | {min(ranks)} to {max(ranks)} | {min(decibels):.1f} to {max(decibels):.1f} "
                     f"| {statistics.mean(decibels):.1f} | {bits:.2f} |")
    return "\n".join(lines)


def main():
    parser = parser_of(__doc__.splitlines()[0])
    parser.add_argument("--picture", action="append", help="kodim01.png, …; default: all; others stay in the record")
    parser.add_argument("--jobs", type=int, default=1, help="pictures at a time, each by OMP_NUM_THREADS threads")
    arguments = parser.parse_args()
    record = json.loads(arguments.record.read_text()) if arguments.record.is_file() else {"points": []}
    if arguments.folder:
        paths = [path for path in check(arguments.folder) if not arguments.picture or path.name in arguments.picture]
        program = str(pathlib.Path(arguments.program).resolve())
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for path, points in zip(paths, pool.map(lambda path: measure(program, path), paths)):
                others = [point for point in record["points"] if point["picture"] != path.name]
                record["points"] = sorted(others + points, key=lambda point: point["picture"])
                write_record(arguments.record, record)
    points = record["points"]
    if arguments.pages:
        write_table(arguments.pages, "the course", table(points))
    else:
        print(table(points))


if __name__ == "__main__":
    main()
