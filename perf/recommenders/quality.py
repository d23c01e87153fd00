#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well methods predict ratings that they have not seen: root mean square errors on five folds of MovieLens.

The files are not Carroll's to hand on. Whoever has them names the folder: u1.base to u5.test of MovieLens 100K, which
come with it, and MovieLens 1M in five disjoint files test_1m1.dat to test_1m5.dat of lines `user,item,rating`, users
counted 1 to 6040 and items 1 to 3952. Their SHA-256 hashes are checked, so that errors are of the same splits."""

import argparse
import hashlib
import json
import pathlib
import subprocess
import sys

FILES = {
    "u1.base": "ce253ec86c448b44fb3ba9a30d12dcfc2e9210cbde71efada3730c22e9ac212a",
    "u1.test": "18c6014a4b2c7324f250a63f8904a7b16b2b19f911129e346141507b0cbac950",
    "u2.base": "6c06f0b5df4b256da1a994f3ac66edc8da4d3f09bc9282df6b14d893366d703e",
    "u2.test": "4de658d1e04ed9104629509a2e2528fce833ac8e048280183f1df167632038c3",
    "u3.base": "afdc155c291c6edc41c0407e39d7462eb98d341e064f0b0a12175b80b3c4af5d",
    "u3.test": "0f548b51c78327de4c156461d3e430b7e5579fe2b5681586a59416e48fd35f6d",
    "u4.base": "219f0f4d40dfe9c5141d425f53fa91ee23ed275f14e280bbf1b50117afb064ca",
    "u4.test": "7c02ad0a1e7ab1083c8b9d4b627203a051dd7b5eab46d99fa44de33470de8db9",
    "u5.base": "a9574e59ce961eec2121627760b6e9b0974ce1637b3fe69ac32cb14a4bfab485",
    "u5.test": "351cc52e0d15b6c721466276fc24671d40936899e3d01fadeaf312915b8c5634",
    "test_1m1.dat": "0ceed1eae31fa0f3dd8bea5209336b7b9456830ef26ae8f74a39f3b9b64a5268",
    "test_1m2.dat": "92b945ad0ed8e8b0cefd8bced7f7e112147965d40385d75cb33182c0cfbd6dd5",
    "test_1m3.dat": "bc0e086ea8eb19b6fe301dc5e10abb30549191827cc439cb8148dbff206d5da0",
    "test_1m4.dat": "ac94bfcdaecb002b545b9815e2360ad5bb4d3d1a2ef608e7b7e05ceb043a0113",
    "test_1m5.dat": "619d54e035569f3ba67b4b9b8e580cef3d773ad2b6d99eecc2483e631334a55d",
}

# What each method was built to reach, by data set.
BARS = {
    "als": {"ml-100k": 0.916, "ml-1m": 0.859},
    "gibbs": {"ml-100k": 0.903, "ml-1m": 0.838},
}


def folds(data: str) -> list[tuple[str, list[str]]]:
    """The test file of each fold, and those to learn from."""
    if data == "ml-100k":
        return [(f"u{f}.test", [f"u{f}.base"]) for f in range(1, 6)]
    names = [f"test_1m{f}.dat" for f in range(1, 6)]
    return [(test, [name for name in names if name != test]) for test in names]


def check(folder: pathlib.Path, name: str) -> pathlib.Path:
    path = folder / name
    if not path.is_file():
        sys.exit(f"quality.py: {path} is missing")
    if hashlib.sha256(path.read_bytes()).hexdigest() != FILES[name]:
        sys.exit(f"quality.py: {path} is not the file that errors are known of: its SHA-256 hash differs")
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="recommender_quality, as it was built")
    parser.add_argument("folder", type=pathlib.Path, help="with the ratings")
    parser.add_argument("--method", action="append", help="als, gibbs, …; default: all that have bars")
    parser.add_argument("--data", choices=["ml-100k", "ml-1m"], action="append")
    parser.add_argument("--folds", type=int, default=5, help="the first so many")
    options = parser.parse_args()
    missed = False
    for data in options.data or ["ml-100k", "ml-1m"]:
        users, items = (944, 1683) if data == "ml-100k" else (6041, 3953)
        for method in options.method or BARS:
            errors = []
            for test, train in folds(data)[: options.folds]:
                paths = [str(check(options.folder, name)) for name in [test, *train]]
                command = [options.program, method, data, str(users), str(items), *paths]
                output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                result = json.loads(output.splitlines()[-1])
                errors.append(result["rmse"])
                print(f"{data} {method} {test}: {result['rmse']:.5f} with {result['setting']}, "
                      f"{result['seconds']:.1f} s", flush=True)
            mean = sum(errors) / len(errors)
            bar = BARS.get(method, {}).get(data)
            verdict = "" if bar is None else f", bar {bar}: {'reached' if mean <= bar else 'MISSED'}"
            missed |= bar is not None and mean > bar
            print(f"{data} {method}: {mean:.5f} over {len(errors)} folds{verdict}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
