# SPDX-License-Identifier: BSD-3-Clause
"""The tables of bars.decompositions: a row for each shape and number of matrices, batches first."""

import records
from pages.tables import compared_cells, in_both_precisions, table

PRECISIONS = ("single", "double")


def cases_of(decomposition, record):
    """(group, batch, extents) of each."""
    return sorted({(row["group"], row["batch"], decomposition.shape(row)) for row in record["results"]},
                  key=lambda case: (case[0] != "batch", case[2][::-1], case[1]))


def case_name(case):
    _, batch, shape = case
    one = " × ".join(map(str, shape))
    return one if batch == 1 else f"{batch} of {one}"


def found_of(decomposition, record, case, precision, job):
    """Rows by method."""
    group, batch, shape = case
    return {row["method"]: row for row in records.select(
        record, group=group, batch=batch, precision=precision, job=job, **dict(zip(decomposition.extents, shape)))}


def cells(decomposition, record, case, precision, job, less):
    """Our time of a job, that of one that asks for less in percent of it, the best peer's time, and the ratio."""
    found = found_of(decomposition, record, case, precision, job)
    ours = found.get(decomposition.ours)
    if ours is None:
        return ["–"] * 4
    part = found_of(decomposition, record, case, precision, less).get(decomposition.ours)
    share = f"{100 * part['median'] / ours['median']:.0f} %" if part else "–"
    time, *others = compared_cells(ours, found)
    return [time, share, *others]


def compared(decomposition, record, job, mark=""):
    """Rows of a job, in the order of its table, `mark` after their names; see summary.py."""
    rows = {}
    for case in cases_of(decomposition, record):
        for precision in PRECISIONS:
            found = found_of(decomposition, record, case, precision, job)
            if decomposition.ours in found:
                rows.setdefault(case_name(case) + mark, {})[precision] = (found[decomposition.ours], found)
    return rows


def case_table(decomposition, record, heading, job, less=None, share=None):
    """`share`: what stands over the percentage of the job `less`; without these there is no such column."""
    measured = compared(decomposition, record, job)
    columns = ["Carroll, ms", share, "best peer, ms", "ratio"]
    rows = [[case_name(case)] + [
        cell for precision in PRECISIONS
        for cell, column in zip(cells(decomposition, record, case, precision, job, less), columns) if column]
            for case in cases_of(decomposition, record) if case_name(case) in measured]
    return table([heading] + in_both_precisions([column for column in columns if column]), rows)
