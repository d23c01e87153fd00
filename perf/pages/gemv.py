# SPDX-License-Identifier: BSD-3-Clause
"""The table of bench_gemv in docs/results, and what README.md has of it."""

import records
from bars.gemv import OURS
from pages.tables import compared_cells, in_both_precisions, percent, table

# Shown, and linked to.
SHOWN_FIGURES = {"gemv_ratio": "Time of the best peer over that of Carroll"}
LINKED_FIGURES = {}
NAME = "gemv"
TITLE = "Products of a matrix and a vector"
KERNELS = "blas.md#kernels"  # of docs
INTRODUCTION = (
    "y := A·x or Aᵀ·x by `carroll::gemv`, A by columns without gaps, in the device's memory; medians with a fence, with "
    "Carroll and its peer in one process on the same data. Under “read” stands the share of the speed at which flat "
    "kernels read as many bytes; small matrices stay in a cache.")


def cases_of(record):
    return sorted({(row["rows"], row["cols"], row["op"]) for row in record["results"]},
                  key=lambda case: (case[0] != case[1], case[0] * case[1], case))


def case_name(case):
    rows, cols, op = case
    return f"{rows} × {cols}" + (", transposed" if op == "t" else "")


def found_of(record, case, precision):
    return {row["method"]: row for row in
            records.select(record, precision=precision, **dict(zip(("rows", "cols", "op"), case)))}


def cells(found):
    ours = found.get(OURS)
    return ["–"] * 4 if ours is None else compared_cells(ours, found, percent(ours, "read"))


def compared(record):
    """In the order of the table; see summary.py."""
    cases = {}
    for case in cases_of(record):
        for precision in ("single", "double"):
            found = found_of(record, case, precision)
            if OURS in found:
                cases.setdefault(case_name(case), {})[precision] = (found[OURS], found)
    return cases


def in_readme(_record):
    """Names of `compared`."""
    return {case_name((4096, 4096, "n"))}


def tables(record):
    """Of one machine, as lines of Markdown."""
    rows = [[case_name(case)] + [cell for precision in ("single", "double")
                                 for cell in cells(found_of(record, case, precision))]
            for case in cases_of(record) if case_name(case) in compared(record)]
    return table(["matrix"] + in_both_precisions(["Carroll, ms", "read", "best peer, ms", "ratio"]), rows)
