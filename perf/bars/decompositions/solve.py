# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_solve."""

from bars import against_peers
from bars.decompositions import Decomposition, notes_of_devices, of_machine

SOLVE = Decomposition("carroll_automatic", ("n", "columns"), {
    "plain": "", "solve": ", condition", "inverse": ", inverse"})


def batches(record, number, text_of):
    """Those up to order 32 against all peers."""
    for row in SOLVE.rows_of(record, "batch"):
        if row["n"] <= 32:
            yield against_peers(record, number, SOLVE.case_name(row), row, text_of(row["job"]), 1)


def device_bars(record):
    return batches(record, 3, lambda job: "getriBatched" if job == "inverse" else "getrsBatched")


def host_bars(record):
    return batches(record, 5, lambda job: "LAPACK " + {"plain": "gesv", "solve": "gesv, gecon", "inverse": "getri"}[job])


def table(record):
    return of_machine(record, device_bars, host_bars)


def notes(record):
    return notes_of_devices(record, "cuBLAS tells no condition: where Carroll estimates it, its peer does less.")
