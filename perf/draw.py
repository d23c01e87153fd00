#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what the tool tells with --json, and of records what docs/studies.md shows; plots/occupancy.py,
plots/scaling.py and plots/studies.py say what is shown.

    carroll occupancy --device H200 --registers 64 --json >h200.json
    perf/draw.py occupancy FIGURE.png h200.json …
    perf/draw.py scaling FIGURE.png sums.json …
    perf/draw.py study_sum FIGURE.png bench_reduction.json       # study_dot; of bench_gemm.json study_product
"""

import argparse
import json
from pathlib import Path

import plots.occupancy
import plots.scaling
import plots.studies

DRAW = {"occupancy": plots.occupancy.draw, "scaling": plots.scaling.draw,
        "study_sum": plots.studies.draw_sum, "study_dot": plots.studies.draw_dot,
        "study_product": plots.studies.draw_product}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=sorted(DRAW))
    parser.add_argument("figure", type=Path)
    parser.add_argument("reports", type=Path, nargs="+")
    arguments = parser.parse_args()
    DRAW[arguments.command]([json.loads(path.read_text()) for path in arguments.reports],
                            arguments.figure)
    print(arguments.figure)


if __name__ == "__main__":
    main()
