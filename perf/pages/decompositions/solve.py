# SPDX-License-Identifier: BSD-3-Clause
"""The tables of bench_solve in docs/results; README.md counts their rows and has none of them."""

from bars.decompositions.solve import SOLVE
from pages import decompositions

# Shown, and linked to.
SHOWN_FIGURES = {}
LINKED_FIGURES = {}
NAME = "Linear equations"
TITLE = "Linear equations and inverses"
KERNELS = "solve.md#families-of-kernels"  # of docs
INTRODUCTION = (
    "Systems of n equations with k right-hand sides (n × k), and inverses, of matrices with random normal entries by "
    "`carroll::solve` and `carroll::inverse`; medians, with Carroll and its peers in one process on the same data. Peers "
    "are LAPACK's gesv, with the condition gesv and gecon, and getri; on GPUs cuBLAS' getrfBatched with getrsBatched or "
    "getriBatched, for one system cuSOLVER's getrf and getrs, which tell no condition. The ratio is the time of the best "
    "peer over ours: above 1, Carroll is faster than all of them. Under “X alone” is our time without the condition in "
    "percent of that with.")


def compared(record):
    """Rows without the condition, with it, and of inverses."""
    return {**decompositions.compared(SOLVE, record, "plain"),
            **decompositions.compared(SOLVE, record, "solve", ", condition"),
            **decompositions.compared(SOLVE, record, "inverse", ", inverse")}


def tables(record):
    """Of one machine, as lines of Markdown."""
    return (decompositions.case_table(SOLVE, record, "systems", "plain")
            + decompositions.case_table(SOLVE, record, "with the condition", "solve", "plain", "X alone")
            + decompositions.case_table(SOLVE, record, "inverses", "inverse"))
