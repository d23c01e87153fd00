# SPDX-License-Identifier: BSD-3-Clause
"""The table of bench_eigh in docs/results, and what README.md has of it."""

import records
from bars.eigh import OURS
from pages.tables import compared_cells, in_both_precisions, table

# Shown, and linked to.
SHOWN_FIGURES = {}
LINKED_FIGURES = {}
NAME = "eigenvalues"
TITLE = "Symmetric eigenvalues"
KERNELS = "eigh.md#families-of-kernels"  # of docs
INTRODUCTION = (
    "W and V of symmetric matrices with random normal entries by `carroll::eigh`, the default method; medians, with "
    "Carroll and its peers in one process on the same data. The ratio is the time of the best peer over ours: above 1, "
    "Carroll is faster than all of them. Under “values only” is the time without vectors in percent of that with.")


def cases_of(record):
    return sorted({(row["group"], row["batch"], row["n"]) for row in record["results"]},
                  key=lambda case: (case[0] != "batch", case[2], case[1]))


def case_name(case):
    _, batch, n = case
    return f"{n} × {n}" if batch == 1 else f"{batch} of {n} × {n}"


def found_of(record, case, precision, job="vectors"):
    of_case = dict(zip(("group", "batch", "n"), case), precision=precision, job=job)
    return {row["method"]: row for row in records.select(record, **of_case)}


def cells(record, case, precision):
    found = found_of(record, case, precision)
    ours = found.get(OURS)
    if ours is None:
        return ["–"] * 4
    values = found_of(record, case, precision, "values").get(OURS)
    share = f"{100 * values['median'] / ours['median']:.0f} %" if values else "–"
    time, *others = compared_cells(ours, found)
    return [time, share, *others]


def compared(record):
    """Rows with vectors, in the order of the table; see summary.py."""
    cases = {}
    for case in cases_of(record):
        for precision in ("single", "double"):
            found = found_of(record, case, precision)
            if OURS in found:
                cases.setdefault(case_name(case), {})[precision] = (found[OURS], found)
    return cases


def in_readme(record):
    """Names of `compared`: batches of one order."""
    return {case_name(case) for case in cases_of(record) if case[0] == "batch" and case[2] == 32}


def tables(record):
    """Of one machine, as lines of Markdown."""
    rows = [[case_name(case)] + [cell for precision in ("single", "double")
                                 for cell in cells(record, case, precision)]
            for case in cases_of(record) if case_name(case) in compared(record)]
    return table(["matrices"] + in_both_precisions(["Carroll, ms", "values only", "best peer, ms", "ratio"]), rows)
