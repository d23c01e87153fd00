# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_complex."""

from bars import against_peers
from bars.decompositions import Decomposition, notes_of_devices, of_machine, pytorch

COMPLEX = Decomposition("carroll_automatic", ("n", "n"), {
    "svd": "", "eigh": ", eigh", "qr": ", QR", "solve": ", solve", "lstsq": ", least squares", "pinv": ", pinv"})


def bars_of(record, number, wanted):
    """Batches up to 32 columns; `wanted`: of each job how many times as fast as its peer."""
    for row in COMPLEX.rows_of(record, "batch"):
        if row["n"] <= 32 and row["job"] in wanted:
            text, times = wanted[row["job"]]
            yield against_peers(record, number, COMPLEX.case_name(row), row, text, times)


def device_bars(record):
    yield from bars_of(record, 3, {"solve": ("getrsBatched", 1)})
    yield from bars_of(record, 4, {"svd": ("gesvdjBatched", 4)})
    yield from pytorch.bars_of(record, COMPLEX.case_name)


def host_bars(record):
    return bars_of(record, 5, {"eigh": ("LAPACK heevd", 3), "qr": ("LAPACK geqrf", 3)})


def table(record):
    return of_machine(record, device_bars, host_bars)


def notes(record):
    return notes_of_devices(
        record, "Bar 4 asks for 4 times cuSOLVER's gesvdjBatched up to 32 columns, beyond for 20 times PyTorch. All else is "
        "told beside.")
