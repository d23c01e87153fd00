# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_solve."""

from bars import against_peers
from bars.decompositions import Decomposition, notes_of_devices, of_machine

SOLVE = Decomposition("carroll_automatic", ("n", "columns"), {
    "plain": "", "solve": ", condition", "inverse": ", inverse"})


def rows(record, number, groups, most, text_of):
    """Those up to order `most` against all peers."""
    for group in groups:
        for row in SOLVE.rows_of(record, group):
            if row["n"] <= most:
                yield against_peers(record, number, SOLVE.case_name(row), row, text_of(row), 1)


def device_bars(record):
    def text_of(row):
        name = "getri" if row["job"] == "inverse" else "getrs"
        return name if row["batch"] == 1 else name + "Batched"

    return rows(record, 3, ("batch", "single"), 2048, text_of)


def host_bars(record):
    drivers = {"plain": "gesv", "solve": "gesv, gecon", "inverse": "getri"}
    return rows(record, 5, ("batch",), 32, lambda row: "LAPACK " + drivers[row["job"]])


def table(record):
    return of_machine(record, device_bars, host_bars)


def notes(record):
    return notes_of_devices(record, "cuBLAS tells no condition: where Carroll estimates it, its peer does less.")
