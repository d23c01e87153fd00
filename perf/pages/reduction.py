# SPDX-License-Identifier: BSD-3-Clause
"""The tables of bench_reduction in docs/results, and what README.md has of them."""

import records
from bars.reduction import OURS
from pages.tables import compared_cells, in_both_precisions, milliseconds, percent, power_of_two, table

# Shown, and linked to.
SHOWN_FIGURES = {
    "reduction_sum": "Bandwidth of sums against their length",
    "reduction_dot": "Bandwidth of inner products against their length",
}
LINKED_FIGURES = {}
NAME = "reductions"
TITLE = "Sums, inner products and norms"
FUNCTIONS = ("sum", "dot", "norm2", "asum")
STUDIES = {"sum": ("one_collects", "tree", "tree_to_all"), "dot": ("naive", "divergent", "conflict_free")}
KERNELS = "blas.md#kernels"  # of docs
INTRODUCTION = (
    "One vector, or two, in the device's memory; medians, with Carroll and its peers in one process on the same data. "
    "Carroll's calls return the value to the host, by `Summation::canonical` where nothing else is said; of cuBLAS and "
    "CUB those are timed that leave it on the device, with a fence. Under “read” stands the share of the speed at which "
    "flat kernels read as many bytes; short vectors stay in a cache. Studies are the strategies of a course, see "
    "[studies](../studies.md).")


def found_of(record, function, length, precision):
    return {row["method"]: row for row in
            records.select(record, function=function, length=length, precision=precision)}


def lengths_of(record, function):
    return sorted({row["length"] for row in records.select(record, function=function, method=OURS)})


def cells(found):
    ours = found.get(OURS)
    return ["–"] * 4 if ours is None else compared_cells(ours, found, percent(ours, "read"))


def function_table(record, function):
    rows = [[power_of_two(length)] + [cell for precision in ("single", "double")
                                      for cell in cells(found_of(record, function, length, precision))]
            for length in lengths_of(record, function)]
    return table([f"`{function}`, length"] + in_both_precisions(["Carroll, ms", "read", "best peer, ms", "ratio"]),
                 rows)


def over_canonical(found, method):
    if OURS not in found or method not in found:
        return "–"
    return f"{found[method]['median'] / found[OURS]['median']:.2f}"


def accuracy_table(record):
    """What compensated and exact sums cost."""
    rows = [[f"`{function}`, {power_of_two(length)}"]
            + [over_canonical(found_of(record, function, length, precision), method)
               for precision in ("single", "double") for method in ("carroll_compensated", "carroll_exact")]
            for function in ("sum", "dot") for length in lengths_of(record, function) if length >= 1 << 16]
    return table(["time over that of the canonical sum"] + in_both_precisions(["compensated", "exact"]), rows)


def study_table(record, function):
    strategies = STUDIES[function]
    rows = []
    for length in lengths_of(record, function):
        found = {precision: found_of(record, function, length, precision) for precision in ("single", "double")}
        if not any(f"study_{strategy}" in of for strategy in strategies for of in found.values()):
            continue
        rows.append([power_of_two(length)] + [
            milliseconds(of[method]["median"]) if method in of else "–" for of in found.values()
            for method in (*(f"study_{strategy}" for strategy in strategies), OURS)])
    heading = [strategy.replace("_", " ") + ", ms" for strategy in strategies] + ["Carroll, ms"]
    return table([f"studies of `{function}`, length"] + in_both_precisions(heading), rows)


def compared(record):
    """In the order of the tables; see summary.py."""
    cases = {}
    for function in FUNCTIONS:
        for length in lengths_of(record, function):
            for precision in ("single", "double"):
                found = found_of(record, function, length, precision)
                if OURS in found:
                    cases.setdefault(f"{function} of {power_of_two(length)}", {})[precision] = (found[OURS], found)
    return cases


def in_readme(_record):
    """Names of `compared`."""
    return {f"sum of {power_of_two(1 << 24)}"}


def tables(record):
    """Of one machine, as lines of Markdown."""
    lines = [line for function in FUNCTIONS for line in function_table(record, function)]
    lines += accuracy_table(record)
    return lines + [line for function in STUDIES for line in study_table(record, function)]
