#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws perf/figures/<machine>/*.png from the records in perf/results/<machine>; plots/<solver>.py say
what they show.

    perf/plot.py [MACHINE…]          default: every machine that has a record
"""

import argparse
import sys
from pathlib import Path

import dating
import plots.determinant
import plots.distributed
import plots.gemm
import plots.gemv
import plots.pseudoinverse
import plots.recommenders
import plots.reduction
import plots.svd
import plots.svd_accuracy
import records

FIGURES = {
    "bench_svd": plots.svd.FIGURES,
    "bench_svd_accuracy": plots.svd_accuracy.FIGURES,
    "bench_determinant": plots.determinant.FIGURES,
    "bench_pseudoinverse": plots.pseudoinverse.FIGURES,
    "bench_pseudoinverse_accuracy": plots.pseudoinverse.ACCURACY_FIGURES,
    "bench_reduction": plots.reduction.FIGURES,
    "bench_gemv": plots.gemv.FIGURES,
    "bench_gemm": plots.gemm.FIGURES,
    "bench_recommenders": plots.recommenders.FIGURES,
    "bench_pictures": {},
    "bench_distributed": plots.distributed.FIGURES,
}


def draw_all(record, folder):
    """Paths of the figures drawn; a figure for which the record has nothing is left out."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = FIGURES[record["bench"]]
    paths = {stem: folder / f"{stem}.png" for stem in figures}
    return [path for stem, path in paths.items() if figures[stem](record, path)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("machines", nargs="*")
    parser.add_argument("--results", type=Path, default=dating.PERF / "results")
    parser.add_argument("--figures", type=Path, default=dating.PERF / "figures")
    arguments = parser.parse_args()
    found = {}
    for bench in FIGURES:
        for machine, record in records.load_all(arguments.results, bench).items():
            found.setdefault(machine, []).append(record)
    for machine in arguments.machines or found:
        if machine not in found:
            sys.exit(f"plot.py: no record of {machine} in {arguments.results}")
        for record in found[machine]:
            for path in draw_all(record, arguments.figures / machine):
                print(path)


if __name__ == "__main__":
    main()
