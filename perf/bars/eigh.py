# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_eigh."""

import records
from bars import PRECISIONS, against_peers, is_device

OURS = "carroll_backward_stable"


def rows_of(record, group):
    """Our results in the default method, in the order of their size, those with vectors first."""
    return sorted(records.select(record, group=group, method=OURS), key=lambda row: (
        row["job"] != "vectors", row["n"], row["batch"], PRECISIONS.index(row["precision"])))


def case_name(row):
    extents = f"{row['n']}x{row['n']}"
    return (extents if row["batch"] == 1 else f"{row['batch']} x {extents}") + (
        "" if row["job"] == "vectors" else ", values")


def of_xsyev(method):
    return method in ("cusolver_XsyevBatched", "cusolver_Xsyevd")


def device_bars(record):
    for row in rows_of(record, "batch"):
        wanted = 4 if row["n"] <= 32 else 1.5 if row["n"] <= 64 else 1
        yield against_peers(record, 3, case_name(row), row, "XsyevBatched", wanted, of_xsyev)
    for row in rows_of(record, "single"):
        yield against_peers(record, 3, case_name(row), row, "Xsyevd", 1, of_xsyev)


def host_bars(record):
    for row in rows_of(record, "batch"):
        if row["n"] <= 32:
            yield against_peers(record, 5, case_name(row), row, "LAPACK syev", 3,
                                lambda method: method == "lapack_syev")


def table(record):
    return list((device_bars if is_device(record) else host_bars)(record))


def notes(_record):
    return []
