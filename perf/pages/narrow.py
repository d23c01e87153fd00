# SPDX-License-Identifier: BSD-3-Clause
"""The table of bench_narrow in docs/results; README.md has nothing of it, as it has no peers."""

import records
from pages.tables import milliseconds, table

# Shown, and linked to.
SHOWN_FIGURES = {}
LINKED_FIGURES = {}
TITLE = "Matrices in 16 bits"
KERNELS = "numbers/sixteen_bits.md#how-it-is-done"  # of docs
INTRODUCTION = (
    "Batches of n × n matrices with random normal entries by `svd` and `eigh` with vectors and `determinant_of`, stored as "
    "floats, as `float16` and as `bfloat16`; medians, in one process. Results have the same bits. Under a format is its time "
    "over that of floats: above 1, it takes longer.")
FORMATS = ("float16", "bfloat16")
JOBS = ("svd", "eigh", "determinant")


def tally(_record):
    """Nothing for README.md: there are no peers."""
    return ""


def cells(record, row):
    def of_format(name):
        found = records.select(record, **{key: row[key] for key in ("group", "batch", "n", "job")},
                               method=f"carroll_{name}")
        if not found:
            return "–"
        return f"{found[0]['median'] / row['median']:.2f}" + ("" if found[0]["check"] == "ok" else " (wrong)")

    return [f"{row['job']}, {row['batch']} of {row['n']} × {row['n']}", milliseconds(row["median"]),
            *map(of_format, FORMATS)]


def tables(record):
    """Of one machine, as lines of Markdown."""
    rows = sorted(records.select(record, method="carroll_single"),
                  key=lambda row: (JOBS.index(row["job"]), row["n"], row["batch"]))
    return table(["matrices", "floats, ms", *FORMATS], [cells(record, row) for row in rows])
