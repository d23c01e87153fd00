# SPDX-License-Identifier: BSD-3-Clause
"""The tables of bench_distributed in docs/results."""

import records
from bars.distributed import ONE_RANK
from pages.tables import milliseconds, table

SHOWN_FIGURES = {"ranks_gain": "Gain of two ranks or more on one, strong and weak"}
LINKED_FIGURES = {}
TITLE = "Over ranks"
LINK = ("broadcast", "all_gather", "ping_pong")
KERNELS = "distributed.md"  # of docs
INTRODUCTION = (
    "Calls over ranks, in milliseconds, by the number of ranks and what carries their messages: NCCL, or MPI through "
    "memory of the host. Times are medians of the slowest rank's, from a barrier to its fence. “of each” are problems "
    "with as many rows for every rank as the size tells; the one without ranks is the plain solver; of cuSOLVERMg the "
    "number is that of devices in one process. Below them the link itself, in microseconds and in bytes that a rank "
    "receives per second.")


def method_name(method):
    if method == ONE_RANK:
        return "plain"
    return method.removeprefix("carroll_").replace("_", " ")


def grouped(record, wanted):
    """Rows by (function, size, method), in the order of the record, and all (ranks, transport)."""
    cases, columns = {}, set()
    for row in records.select(record):
        if wanted(row):
            place = (row["ranks"], row["transport"])
            cases.setdefault((row["function"], row["size"], row["method"]), {})[place] = row
            columns.add(place)
    return cases, sorted(columns)


def cells(cases, columns, shown):
    return [[function.replace("_", " "), str(size), method_name(method)]
            + [shown(found[place]) + ("" if found[place]["check"] == "ok" else " (wrong)") if place in found else "–"
               for place in columns]
            for (function, size, method), found in cases.items()]


def tables(record):
    lines = []
    for wanted, shown in (
            (lambda row: row["function"] not in LINK, lambda row: milliseconds(row["median"])),
            (lambda row: row["function"] in LINK,
             lambda row: f"{1e6 * row['median']:.3g} µs, {row.get('gbs') or 0:.3g} GB/s")):
        cases, columns = grouped(record, wanted)
        heading = ["call", "size", "method"] + [f"{ranks} × {transport}" for ranks, transport in columns]
        lines += table(heading, cells(cases, columns, shown))
    return lines


def tally(_record):
    """README.md tells of one device."""
    return None
