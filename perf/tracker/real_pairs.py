#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes pairs of pictures of real cameras, with the motion that is known of them, as `carroll track` reads them.

The pictures are not Carroll's to hand on. They are in public Git repositories, of which copies (bare or not, the commit
does not matter) lie in REPOSITORIES/OWNER/NAME. A pair becomes a folder of OUT/SET: reference.png, current.png,
camera.json, truth.json (rotation, and translation of the current camera in the axes of the reference, 0 where nothing
moves, null where there is no answer) and, where it is known, range.npy.

    real_pairs.py REPOSITORIES OUT [--set open|held|impossible|exposure|sequences]

Nothing was chosen by the `held` pairs. `sequences` has KITTI's two drives as `carroll track` takes them: image_l,
calib.txt and poses.txt. `exposure` has open pairs whose current picture is brighter, of other contrast or
darker towards the corners; `impossible` has pairs without an answer. Needs OpenCV (Debian: python3-opencv)."""

import argparse
import json
import pathlib

import cv2
import numpy as np

from real_pictures import (Euroc, Kitti, Repositories, desk, living_room, turned_panorama, upright)


def real_pairs(repositories: Repositories) -> dict[str, dict]:
    """What makes each pair, by set and name."""
    a, b = Kitti(repositories, "a"), Kitti(repositories, "b")
    euroc = Euroc(repositories)
    half = 25
    sets: dict[str, dict] = {"open": {}, "held": {}}
    for letter, kitti in (("a", a), ("b", b)):
        for i in range(49):
            sets["open" if i < half else "held"][f"kitti_{letter}_{i:02d}_{i + 1:02d}"] = (
                lambda k=kitti, i=i: k.pair(i, i + 1))
        for which, first in (("open", 0), ("held", half)):
            for i in (first + 4, first + 16):
                sets[which][f"kitti_{letter}_{i + 1:02d}_{i:02d}_reverse"] = lambda k=kitti, i=i: k.pair(i + 1, i)
                sets[which][f"kitti_{letter}_{i:02d}_stereo"] = lambda k=kitti, i=i: k.stereo(i)
            sets[which][f"kitti_{letter}_{first + 10:02d}_{first + 13:02d}"] = (
                lambda k=kitti, i=first + 10: k.pair(i, i + 3))
    count = len(euroc.names)
    for which, places in (("open", (0, count // 4, count // 2)), ("held", (count // 3, count - 1))):
        for i in places:
            sets[which][f"euroc_{i:03d}_stereo"] = lambda i=i: euroc.stereo(i)
    for which, (i, j) in (("open", (0, 5)), ("open", (10, 30)), ("held", (40, 60))):
        sets[which][f"euroc_{i:03d}_{j:03d}_still"] = lambda i=i, j=j: euroc.still(i, j)
    for which, group, names in (("open", "realworld", ("hall", "room", "stairs")),
                                ("held", "inference/MP3D", ("0", "1", "2")), ("held", "inference/SF3D", ("3", "4"))):
        for name in names:
            sets[which][f"sphere_{pathlib.Path(group).name.lower()}_{name}"] = (
                lambda g=group, n=name: upright(repositories, g, n))
    for which, i, j in (("open", 0, 1), ("open", 0, 2), ("open", 0, 4), ("held", 4, 0), ("held", 1, 3), ("held", 2, 4)):
        sets[which][f"room_{i}_{j}"] = lambda i=i, j=j: living_room(repositories, i, j)
    for which, axis, degrees in (("open", (0, 0, 1), 2), ("open", (0, 0, 1), 20), ("open", (1, 2, 3), 10),
                                 ("open", (0, 1, 0), 45), ("held", (1, -1, 2), 5), ("held", (0, 0, 1), 60),
                                 ("held", (2, 1, 0), 30)):
        label = "".join(str(x) for x in axis).replace("-", "n")
        sets[which][f"panorama_{label}_{degrees:02d}"] = (
            lambda x=axis, d=degrees: turned_panorama(repositories, x, d))
    sets["open"]["desk_4_3"] = lambda: desk(repositories, 4, 3)
    sets["held"]["desk_3_4"] = lambda: desk(repositories, 3, 4)
    sets["open"]["desk_0_1"] = lambda: desk(repositories, 0, 1)
    return sets


def exposures(pairs: dict) -> dict:
    def with_current(make, change):
        pair = make()
        reference, current = pair["pictures"]
        changed = np.clip(change(current.astype(np.float64)), 0, 255).round().astype(np.uint8)
        return {**pair, "pictures": (reference, changed)}

    def vignette(x: np.ndarray) -> np.ndarray:
        v, u = np.mgrid[-1:1:x.shape[0] * 1j, -1:1:x.shape[1] * 1j]
        return x * (1 - 0.3 * (u * u + v * v) / 2)

    changes = {"plus30": lambda x: x + 30, "minus30": lambda x: x - 30, "gain07": lambda x: 0.7 * x,
               "gain14": lambda x: 1.4 * x, "vignette": vignette}
    chosen = ("kitti_a_00_01", "kitti_a_08_09", "kitti_b_02_03", "room_0_2", "sphere_realworld_room",
              "euroc_000_stereo")
    return {f"{name}_{label}": lambda m=pairs[name], c=change: with_current(m, c)
            for name in chosen for label, change in changes.items()}


def impossible(sets: dict) -> dict:
    """Sixty pairs without an answer: of other scenes, constant, saturated, mirrored, of another camera, mostly hidden."""
    everything = {**sets["open"], **sets["held"]}
    names = [name for name in everything if not name.endswith("still")]
    generator = np.random.default_rng(7)
    found = {}

    def of(name: str, change) -> dict:
        pair = everything[name]()
        reference, current = pair["pictures"]
        reference, current = change(reference, current)
        return {**pair, "pictures": (reference, current), "motion": None, "range": lambda: None}

    def unrelated(other: str):
        def change(reference, _):
            picture = everything[other]()["pictures"][1]
            return reference, cv2.resize(picture, reference.shape[::-1], interpolation=cv2.INTER_AREA)
        return change

    def hidden(seed: int):
        def change(reference, current):
            blurred = cv2.GaussianBlur(np.random.default_rng(seed).uniform(0, 255, current.shape), (0, 0), 3)
            blurred = 128 + 6 * (blurred - 127.5)
            blurred[:, :current.shape[1] // 8] = current[:, :current.shape[1] // 8]
            return reference, np.clip(blurred, 0, 255).astype(np.uint8)
        return change

    def any_of(these: list[str]) -> str:
        return these[int(generator.integers(len(these)))]

    def add(label: str, count: int, make) -> None:
        for k in range(count):
            name = any_of(names)
            found[f"{label}_{k:02d}_{name}"] = lambda n=name, c=make(k, name): of(n, c)

    def scene(name: str) -> str:
        return name[:7] if name.startswith("kitti") else name.split("_")[0]

    def strangers(name: str) -> list[str]:
        return [other for other in names if scene(other) != scene(name)]

    def stretched(reference, current):
        width = current.shape[1]
        wide = cv2.resize(current, (3 * width // 2, current.shape[0]), interpolation=cv2.INTER_LINEAR)
        return reference, wide[:, width // 4:width // 4 + width]

    add("unrelated", 24, lambda _, name: unrelated(any_of(strangers(name))))
    add("black", 5, lambda *_: lambda r, c: (r, np.zeros_like(c)))
    add("saturated", 5, lambda *_: lambda r, c: (r, np.full_like(c, 255)))
    add("flat", 3, lambda *_: lambda r, c: (np.full_like(r, 100), np.full_like(c, 100)))
    add("mirrored", 5, lambda *_: lambda r, c: (r, c[:, ::-1]))
    add("upside_down", 4, lambda *_: lambda r, c: (r, c[::-1]))
    add("stretched", 4, lambda *_: stretched)
    add("hidden", 10, lambda k, _: hidden(k))
    return found


def write(folder: pathlib.Path, pair: dict) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in zip(("reference", "current"), pair["pictures"]):
        cv2.imwrite(str(folder / f"{name}.png"), picture, [cv2.IMWRITE_PNG_COMPRESSION, 1])
    (folder / "camera.json").write_text(json.dumps(pair["camera"]))
    motion = pair["motion"]
    truth = None if motion is None else {"rotation": motion[0].tolist(), "translation": motion[1].tolist()}
    (folder / "truth.json").write_text(json.dumps(truth))
    ranges = pair["range"]()
    if ranges is not None:
        np.save(folder / "range.npy", ranges)


def write_sequence(folder: pathlib.Path, kitti: Kitti) -> None:
    (folder / "image_l").mkdir(parents=True, exist_ok=True)
    for i in range(len(kitti.poses)):
        name = f"image_l/{i:06d}.png"
        (folder / name).write_bytes(kitti.read(name))
    for name in ("calib.txt", "poses.txt"):
        (folder / name).write_bytes(kitti.read(name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repositories", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--set", default="open", choices=("open", "held", "impossible", "exposure", "sequences"))
    arguments = parser.parse_args()
    repositories = Repositories(arguments.repositories)
    if arguments.set == "sequences":
        for letter in "ab":
            write_sequence(arguments.out / arguments.set / f"kitti_{letter}", Kitti(repositories, letter))
        return
    sets = real_pairs(repositories)
    sets["exposure"] = exposures(sets["open"])
    sets["impossible"] = impossible(sets)
    for name, make in sets[arguments.set].items():
        write(arguments.out / arguments.set / name, make())


if __name__ == "__main__":
    main()
