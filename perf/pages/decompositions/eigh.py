# SPDX-License-Identifier: BSD-3-Clause
"""The table of bench_eigh in docs/results, and what README.md has of it."""

from bars.decompositions.eigh import EIGH
from pages import decompositions

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


def compared(record):
    """Rows with vectors."""
    return decompositions.compared(EIGH, record, "vectors")


def in_readme(record):
    """Names of `compared`: batches of one order."""
    return {decompositions.case_name(case) for case in decompositions.cases_of(EIGH, record)
            if case[0] == "batch" and case[2] == (32, 32)}


def tables(record):
    """Of one machine, as lines of Markdown."""
    return decompositions.case_table(EIGH, record, "matrices", "vectors", "values", "values only")
