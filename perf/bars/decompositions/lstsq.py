# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_lstsq."""

from bars import against_peers
from bars.decompositions import Decomposition, notes_of_devices, of_machine, pytorch

LSTSQ = Decomposition("carroll_automatic", ("rows", "cols", "columns"), {"lstsq": "", "pinv": ", pinv"})


def device_bars(record):
    """None against cuBLAS, whose gelsBatched takes full rank for granted."""
    return pytorch.bars_of(record, LSTSQ.case_name)


def host_bars(record):
    """Batches up to 32 columns against LAPACK's drivers of any rank."""
    for row in LSTSQ.rows_of(record, "batch"):
        if row["cols"] <= 32:
            yield against_peers(record, 5, LSTSQ.case_name(row), row, "LAPACK gelsd, gelss", 1)


def table(record):
    return of_machine(record, device_bars, host_bars)


def notes(record):
    return notes_of_devices(record, "No library has least squares of any rank in batches on GPUs: gelsBatched, for full "
                            "rank, is told beside.")
