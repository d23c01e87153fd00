#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Errors of `carroll track` and of OpenCV's SIFT with an essential matrix on pairs of real pictures.

    real_quality.py CARROLL FOLDER… [--tool-options "…"] [--no-opencv] [--json FILE]

Each FOLDER is one of real_pairs.py: rotation and direction errors are degrees, that of depths is the median over the
vertices after the scale is removed. A `*` marks a status that is not success. The last lines have the medians, and how
many pairs say success although they are more than 3 degrees of rotation or 30 of direction off, or have no answer."""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np


def angle(a: np.ndarray, b: np.ndarray) -> float:
    size = np.linalg.norm(a) * np.linalg.norm(b)
    return math.degrees(math.acos(np.clip(a @ b / size, -1, 1))) if size > 0 else 90.0


def errors(rotation, translation, truth: dict | None) -> dict:
    if truth is None:
        return {"rotation": None, "direction": None}
    relative = np.array(rotation) @ np.array(truth["rotation"]).T
    way = np.array(truth["translation"])
    return {"rotation": math.degrees(math.acos(np.clip((np.trace(relative) - 1) / 2, -1, 1))),
            "direction": angle(np.array(translation), way) if np.linalg.norm(way) > 0 else None}


def depth_error(prefix: str, camera: dict, ranges: np.ndarray) -> float | None:
    """The median of |found/true - 1| over the vertices whose depth is known, medians made equal."""
    rays, found = np.load(prefix + "_vertices.npy"), np.load(prefix + "_depth.npy")
    if camera["model"] == "equirectangular":
        return None
    u = camera["cx"] - camera["fx"] * rays[:, 1] / rays[:, 0]
    v = camera["cy"] - camera["fy"] * rays[:, 2] / rays[:, 0]
    u = np.clip(np.rint(u).astype(int), 0, ranges.shape[1] - 1)
    v = np.clip(np.rint(v).astype(int), 0, ranges.shape[0] - 1)
    ratio = found / ranges[v, u]
    ratio = ratio[np.isfinite(ratio)]
    return float(np.median(np.abs(ratio / np.median(ratio) - 1))) if len(ratio) else None


def tracked(tool: str, options: list[str], folder: pathlib.Path, truth: dict | None) -> dict:
    with tempfile.TemporaryDirectory() as scratch:
        prefix = scratch + "/x"
        process = subprocess.run(
            [tool, "track", folder / "reference.png", folder / "current.png", "--camera", folder / "camera.json",
             "--motion", "se3", "--json", "-o", prefix, *options], capture_output=True, timeout=600)
        if process.returncode not in (0, 1) or not process.stdout:
            return {"status": "refused", "end": process.stderr.decode().strip(), "rotation": None, "direction": None,
                    "depth": None, "seconds": None}
        report = json.loads(process.stdout)
        found = {"status": report["status"], "end": report["end"], "seconds": report["seconds"], "report": report,
                 **errors(report["rotation"], report["translation"], truth), "depth": None}
        if (folder / "range.npy").exists() and truth is not None:
            found["depth"] = depth_error(prefix, json.loads((folder / "camera.json").read_text()),
                                         np.load(folder / "range.npy"))
        return found


def cell(value: float | None, scale: float = 1, digits: int = 2) -> str:
    return "–" if value is None else f"{scale * value:.{digits}f}"


def median(values) -> float | None:
    known = [value for value in values if value is not None and math.isfinite(value)]
    return statistics.median(known) if known else None


def is_wrong(result: dict) -> bool:
    """Says success, and is far off, or has no answer at all."""
    if result["status"] != "success":
        return False
    far = result["rotation"] is None or result["rotation"] > 3
    return far or (result["direction"] is not None and result["direction"] > 30)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--tool-options", default="", help="handed on to carroll track")
    parser.add_argument("--no-opencv", action="store_true")
    parser.add_argument("--json", type=pathlib.Path, help="write all results to this file, too")
    arguments = parser.parse_args()
    if not arguments.no_opencv:
        from opencv_motion import opencv_motion
    results = {}
    print("| pair | Carroll: rotation | direction | depth, % | | OpenCV: rotation | direction |")
    print("| --- | ---: | ---: | ---: | --- | ---: | ---: |")
    for folder in arguments.folders:
        truth = json.loads((folder / "truth.json").read_text())
        ours = tracked(arguments.tool, arguments.tool_options.split(), folder, truth)
        theirs = {"rotation": None, "direction": None}
        if not arguments.no_opencv and truth is not None:
            motion = opencv_motion(folder)
            theirs = errors(*motion, truth) if motion else theirs
        results[folder.name] = {"carroll": ours, "opencv": theirs}
        mark = "" if ours["status"] == "success" else f"* {ours['end']}"
        print(f"| {folder.name} | {cell(ours['rotation'], 1, 3)} | {cell(ours['direction'])} | "
              f"{cell(ours['depth'], 100, 1)} | {mark} | {cell(theirs['rotation'], 1, 3)} | "
              f"{cell(theirs['direction'])} |", flush=True)
    ours = [result["carroll"] for result in results.values()]
    theirs = [result["opencv"] for result in results.values()]
    good = [result for result in ours if result["status"] == "success"]
    print(f"\nmedians: Carroll {cell(median(r['rotation'] for r in ours), 1, 3)}° "
          f"{cell(median(r['direction'] for r in ours))}° {cell(median(r['depth'] for r in ours), 100, 1)} % "
          f"(where it says success {cell(median(r['rotation'] for r in good), 1, 3)}° "
          f"{cell(median(r['direction'] for r in good))}° {cell(median(r['depth'] for r in good), 100, 1)} %), "
          f"OpenCV {cell(median(r['rotation'] for r in theirs), 1, 3)}° {cell(median(r['direction'] for r in theirs))}°")
    print(f"{len(good)} of {len(ours)} say success, {sum(map(is_wrong, ours))} of them wrongly")
    if arguments.json:
        arguments.json.write_text(json.dumps(results))


if __name__ == "__main__":
    sys.exit(main())
