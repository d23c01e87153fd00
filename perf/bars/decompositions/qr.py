# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_qr."""

from bars import against_peers
from bars.decompositions import Decomposition, notes_of_devices, of_machine, pytorch

QR = Decomposition("carroll_automatic", ("rows", "cols"), {
    "thin": "", "r": ", R", "thin_pivoted": ", pivoted", "r_pivoted": ", R, pivoted"})
PIVOTED = ("thin_pivoted", "r_pivoted")


def bar_of(record, number, row, peer, text, wanted):
    return against_peers(record, number, QR.case_name(row), row, text, wanted, lambda method: method == peer)


def device_bars(record):
    """Without those of pivoting, which has no peer there: who has none would meet any bar."""
    for group, peer, text, with_basis in (("batch", "cublas_geqrfBatched", "geqrfBatched", 2),
                                          ("single", "cusolver_geqrf", "geqrf", 1)):
        for row in QR.rows_of(record, group):
            if row["job"] not in PIVOTED:
                yield bar_of(record, 3, row, peer, text, with_basis if row["job"] == "thin" else 1)
    yield from pytorch.bars_of(record, QR.case_name)


def host_bars(record):
    for row in QR.rows_of(record, "batch"):
        if row["cols"] <= 32:
            driver = "geqp3" if row["job"] in PIVOTED else "geqrf"
            yield bar_of(record, 5, row, f"lapack_{driver}", f"LAPACK {driver}", 3)


def table(record):
    return of_machine(record, device_bars, host_bars)


def notes(record):
    return notes_of_devices(
        record, "Bar 3 asks for 2 times cuBLAS in batches with thin Q; R alone, and one matrix, are held to 1.",
        "With pivoting there is no peer.")
