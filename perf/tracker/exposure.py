#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Errors of `carroll track` when the current picture is exposed otherwise, beside those when it is not.

    exposure.py CARROLL [FOLDER…] [--seeds N] [--tool-options "…"] [--check RATIO]

Each FOLDER is one of real_pairs.py, whose truth is known; without one, scenes of `carroll synth-sequence` are: a room and a
street, all round and through a pinhole, with as many seeds each. Grey levels are what a camera's bytes would be: rounded, and
cut off at 0 and 255, where --mask-clipped leaves them out. A lens that darkens the corners darkens those of both pictures;
"told" is with --vignette. The table has, of all pairs, the median
of the errors of rotation and direction (degrees) and of the depths (synthetic scenes: per cent, median of all vertices), and
how often a pair is a success; behind them how many times those of the same pictures as they are. With --check the exit status
is 1 if a median is more than RATIO times as large, dark corners that nobody told of left aside."""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

from real_quality import errors

PINHOLE = {"model": "unified", "width": 640, "height": 480, "fx": 420, "fy": 420, "cx": 319.5, "cy": 239.5, "chi": 0}
SCENES = [(scene, camera, rho) for scene, rho in (("box", 0.05), ("street", -0.03)) for camera in ("sphere", "pinhole")]


def darkened(corner: float):
    """A lens that lets through `corner` of the light in the corners, and falls off as the square of the distance."""
    def fall_off(shape: tuple) -> np.ndarray:
        v, u = (np.linspace(-1, 1, n) for n in shape)
        return 1 - (1 - corner) * (u[None, :] ** 2 + v[:, None] ** 2) / 2
    return fall_off


def changes() -> dict:
    """By name: what becomes of the reference and of the current picture, and how dark the corners are that are told of."""
    def same(picture):
        return picture

    def lens(corner):
        return lambda picture: picture * darkened(corner)(picture.shape)

    def exposed(gain, offset, first=same):
        return lambda picture: gain * first(picture) + offset

    found = {"as they are": (same, same, None)}
    for offset in (30, -30):
        found["%+d levels" % offset] = (same, exposed(1, offset), None)
    for gain in (0.7, 1.4):
        found["gain %.1f" % gain] = (same, exposed(gain, 0), None)
    found["gain 0.7, +30"] = (same, exposed(0.7, 30), None)
    found["gain 1.4, -30"] = (same, exposed(1.4, -30), None)
    for corner in (0.7, 0.5):
        for told in (None, corner):
            name = "corners at %.0f %%" % (100 * corner) + (", told" if told else "")
            found[name] = (lens(corner), lens(corner), told)
    found["corners at 50 %, told, gain 1.4"] = (lens(0.5), exposed(1.4, 0, lens(0.5)), 0.5)
    return found


def synthetic_pairs(tool: str, scratch: pathlib.Path, seeds: int):
    """Folders with reference.png, current.png and camera.json, their truth, and ranges of the reference."""
    camera_file = scratch / "pinhole.json"
    camera_file.write_text(json.dumps(PINHOLE))
    for scene, camera, rho in SCENES:
        for seed in range(1, seeds + 1):
            folder = scratch / f"{scene}_{camera}_{seed}"
            kind = ["--camera", camera_file] if camera == "pinhole" else ["--size", "1024x512"]
            subprocess.run([tool, "synth-sequence", folder, "--scene", scene, *kind, "--rho", str(rho), "--baseline",
                            "0.25" if scene == "box" else "0.5", "--seed", str(seed)], check=True, capture_output=True)
            truth = json.loads((folder / "truth.json").read_text())["frames"][1]
            for k, name in enumerate(("reference", "current")):
                (folder / f"frame_{k:04}.png").rename(folder / f"{name}.png")
            yield folder, {"rotation": truth["rotation"], "translation": truth["position"]}


def depth_error(prefix: str, folder: pathlib.Path, camera: dict) -> float | None:
    """The median of |found/true - 1| over all vertices of a synthetic picture, the scale as it is."""
    if not (folder / "range_0000.npy").exists():
        return None
    ranges, rays, found = (np.load(name) for name in (folder / "range_0000.npy", prefix + "_vertices.npy",
                                                      prefix + "_depth.npy"))
    height, width = ranges.shape
    if camera["model"] == "equirectangular":
        u = (width - 1) / 2 - np.arctan2(rays[:, 1], rays[:, 0]) * width / (2 * math.pi)
        v = (height - 1) / 2 - np.arcsin(rays[:, 2]) * height / math.pi
    else:
        u = camera["cx"] - camera["fx"] * rays[:, 1] / rays[:, 0]
        v = camera["cy"] - camera["fy"] * rays[:, 2] / rays[:, 0]
    true = ranges[np.clip(np.rint(v).astype(int), 0, height - 1), np.rint(u).astype(int) % width]
    ratio = (found / true)[np.isfinite(true)]  # the sky is infinitely far away
    return 100 * float(np.median(np.abs(ratio / np.median(ratio) - 1)))


def tracked(tool: str, options: list, folder: pathlib.Path, truth: dict, change: tuple) -> dict:
    with tempfile.TemporaryDirectory() as scratch:
        for name, changed in zip(("reference", "current"), change[:2]):
            with Image.open(folder / f"{name}.png") as picture:
                grey = changed(np.asarray(picture.convert("L"), float))
            Image.fromarray(np.clip(np.rint(grey), 0, 255).astype(np.uint8)).save(f"{scratch}/{name}.png")
        if change[2] is not None:
            light = np.rint(65535 * darkened(change[2])(grey.shape)).astype(np.uint16)
            Image.fromarray(light).save(f"{scratch}/vignette.png")
            options = [*options, "--vignette", f"{scratch}/vignette.png"]
        process = subprocess.run(
            [tool, "track", f"{scratch}/reference.png", f"{scratch}/current.png", "--camera", folder / "camera.json",
             "--motion", "se3", "--mask-clipped", "--json", "-o", scratch + "/x", *options], capture_output=True, timeout=600)
        if process.returncode == 2:
            raise SystemExit(process.stderr.decode())
        report = json.loads(process.stdout)
        camera = json.loads((folder / "camera.json").read_text())
        return {"success": report["status"] == "success", "depth": depth_error(scratch + "/x", folder, camera),
                **errors(report["rotation"], report["translation"], truth)}


def real_pairs(folders: list):
    for folder in folders:
        truth = json.loads((folder / "truth.json").read_text()) if (folder / "truth.json").exists() else None
        if truth is not None:
            yield folder, truth


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("carroll")
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--tool-options", default="")
    parser.add_argument("--check", type=float)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        pairs = list(real_pairs(arguments.folders) if arguments.folders else
                     synthetic_pairs(arguments.carroll, pathlib.Path(scratch), arguments.seeds))
        worst, plain = 0.0, None
        print(f"{len(pairs)} pairs\n\n| pictures | success | rotation | direction | depth |\n| --- | ---: | ---: | ---: | ---: |")
        for name, change in changes().items():
            found = [tracked(arguments.carroll, arguments.tool_options.split(), *pair, change) for pair in pairs]
            medians = {}
            for key in ("rotation", "direction", "depth"):
                values = [entry[key] for entry in found if entry[key] is not None]
                medians[key] = statistics.median(values) if values else math.nan
            plain = plain or medians
            cells = []
            for key, value in medians.items():
                ratio = value / plain[key] if value else 1.0
                if ratio == ratio and ("corners" not in name or "told" in name):
                    worst = max(worst, ratio)
                cells.append(f"{value:.4f} ({ratio:.2f})")
            print(f"| {name} | {sum(entry['success'] for entry in found)} | " + " | ".join(cells) + " |", flush=True)
    print(f"\nat most {worst:.2f} times")
    return 1 if arguments.check and worst > arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
