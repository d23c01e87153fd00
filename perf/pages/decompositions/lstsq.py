# SPDX-License-Identifier: BSD-3-Clause
"""The tables of bench_lstsq in docs/results; README.md counts their rows and has none of them."""

from bars.decompositions.lstsq import LSTSQ
from pages import decompositions

# Shown, and linked to.
SHOWN_FIGURES = {}
LINKED_FIGURES = {}
NAME = "Least squares"
TITLE = "Least squares and pseudoinverses"
KERNELS = "lstsq.md"  # of docs
INTRODUCTION = (
    "Least squares of m × n matrices with k right-hand sides (m × n × k), and pseudoinverses, of matrices with random "
    "normal entries by `carroll::lstsq` and `carroll::pinv`; medians, with Carroll and its peers in one process on the same "
    "data. Peers are LAPACK's gelsd and gelss, with the identity for pseudoinverses; on GPUs there is none of any rank: "
    "cuBLAS' gelsBatched, which takes full rank for granted and m ≥ n, does less. The ratio is the time of the best peer "
    "over ours: above 1, Carroll is faster than all of them.")


def compared(record):
    """Rows of solutions and of pseudoinverses."""
    return {**decompositions.compared(LSTSQ, record, "lstsq"),
            **decompositions.compared(LSTSQ, record, "pinv", ", pseudoinverse")}


def tables(record):
    """Of one machine, as lines of Markdown."""
    return (decompositions.case_table(LSTSQ, record, "least squares", "lstsq")
            + decompositions.case_table(LSTSQ, record, "pseudoinverses", "pinv"))
