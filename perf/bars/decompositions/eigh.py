# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_eigh."""

from bars import against_peers
from bars.decompositions import Decomposition, of_machine, pytorch

EIGH = Decomposition("carroll_backward_stable", ("n", "n"), {"vectors": "", "values": ", values"})


def of_xsyev(method):
    return method in ("cusolver_XsyevBatched", "cusolver_Xsyevd")


def device_bars(record):
    for row in EIGH.rows_of(record, "batch"):
        wanted = 4 if row["n"] <= 32 else 1.5 if row["n"] <= 64 else 1
        yield against_peers(record, 3, EIGH.case_name(row), row, "XsyevBatched", wanted, of_xsyev)
    for row in EIGH.rows_of(record, "single"):
        yield against_peers(record, 3, EIGH.case_name(row), row, "Xsyevd", 1, of_xsyev)
    yield from pytorch.bars_of(record, EIGH.case_name)


def host_bars(record):
    for row in EIGH.rows_of(record, "batch"):
        if row["n"] <= 32:
            yield against_peers(record, 5, EIGH.case_name(row), row, "LAPACK syev", 3,
                                lambda method: method == "lapack_syev")


def table(record):
    return of_machine(record, device_bars, host_bars)


def notes(_record):
    return []
