# SPDX-License-Identifier: BSD-3-Clause
"""The tables of bench_gemm in docs/results, and what README.md has of them."""

import records
from bars.gemm import OURS
from pages.tables import compared_cells, in_both_precisions, table

# Shown, and linked to.
SHOWN_FIGURES = {"gemm_rate": "Rate of the products of squares against their order"}
LINKED_FIGURES = {}
NAME = "gemm"
TITLE = "Products of matrices"
GROUPS = ("square", "outer", "skinny", "tall", "batch")
STUDIES = ("carroll_naive", "carroll_tiled")
KEYS = ("batch", "rows", "cols", "terms")
KERNELS = "blas/gemm.md#methods"  # of docs
INTRODUCTION = (
    "C := A·B by `carroll::gemm`, by columns without gaps, in the device's memory; rows × columns of C × terms of a sum. "
    "Medians with a fence, with Carroll and its peer in one process on the same data. Naive and tiled are the two "
    "kernels of a course, see [studies](../studies.md).")


def cases_of(record, group):
    return sorted({tuple(row[key] for key in KEYS) for row in record["results"] if row["group"] == group},
                  key=lambda case: (case[1] * case[2] * case[3], case))


def case_name(case):
    batch, rows, cols, terms = case
    one = f"{rows} × {cols} × {terms}"
    return one if batch == 1 else f"{batch} of {one}"


def found_of(record, group, case, precision):
    return {row["method"]: row for row in
            records.select(record, group=group, precision=precision, **dict(zip(KEYS, case)))}


def rate(row):
    return f"{row['gflops']:.3g}" if row["gflops"] < 1000 else f"{row['gflops']:.0f}"


def cells(found):
    ours = found.get(OURS)
    return ["–"] * 4 if ours is None else compared_cells(ours, found, rate(ours))


def case_table(record, heading, precisions):
    rows = [[case_name(case)] + [cell for precision in precisions
                                 for cell in cells(found_of(record, group, case, precision))]
            for group in GROUPS for case in cases_of(record, group)
            if any(OURS in found_of(record, group, case, precision) for precision in precisions)]
    return table([heading] + in_both_precisions(["Carroll, ms", "GFLOP/s", "best peer, ms", "ratio"]), rows)


def study_table(record):
    rows = []
    for case in cases_of(record, "square"):
        found = {precision: found_of(record, "square", case, precision) for precision in ("single", "double")}
        if any(method in of for method in STUDIES for of in found.values()):
            rows.append([case_name(case)] + [rate(of[method]) if method in of else "–" for of in found.values()
                                             for method in (*STUDIES, OURS)])
    return table(["GFLOP/s of the studies"] + in_both_precisions(["naive", "tiled", "blocked"]), rows)


def compared(record):
    """In the order of the tables; see summary.py."""
    cases = {}
    for group in GROUPS:
        for case in cases_of(record, group):
            for precision in ("single", "double"):
                found = found_of(record, group, case, precision)
                if OURS in found:
                    cases.setdefault(case_name(case), {})[precision] = (found[OURS], found)
    return cases


def in_readme(_record):
    """Names of `compared`: the worst of them is there in any case."""
    return set()


def tables(record):
    """Of one machine, as lines of Markdown."""
    return (case_table(record, "products", ("single", "double"))
            + case_table(record, "products of complex numbers", ("complex_single", "complex_double"))
            + study_table(record))
