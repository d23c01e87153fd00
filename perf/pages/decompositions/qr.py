# SPDX-License-Identifier: BSD-3-Clause
"""The tables of bench_qr in docs/results; README.md counts their rows and has none of them."""

from bars.decompositions.qr import QR
from pages import decompositions

# Shown, and linked to.
SHOWN_FIGURES = {}
LINKED_FIGURES = {}
NAME = "QR"
TITLE = "QR factorisations"
KERNELS = "qr.md#families-of-kernels"  # of docs
INTRODUCTION = (
    "Thin Q, and R, of matrices with random normal entries by `carroll::qr` and `carroll::pivoted_qr`; medians, with "
    "Carroll and its peers in one process on the same data. Peers are LAPACK's geqrf, with pivoting geqp3, or on GPUs "
    "cuBLAS' geqrfBatched, for one matrix cuSOLVER's geqrf, and none with pivoting; all form Q by orgqr. The ratio is the "
    "time of the best peer over ours: above 1, Carroll is faster than all of them. Under “R alone” is our time without Q "
    "in percent of that with.")


def compared(record):
    """Rows with Q, without pivoting and with."""
    return {**decompositions.compared(QR, record, "thin"),
            **decompositions.compared(QR, record, "thin_pivoted", ", pivoted")}


def tables(record):
    """Of one machine, as lines of Markdown."""
    return (decompositions.case_table(QR, record, "matrices", "thin", "r", "R alone")
            + decompositions.case_table(QR, record, "with pivoting", "thin_pivoted", "r_pivoted", "R alone"))
