# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_determinant."""

import records
from bars import PRECISIONS, Bar, against_peers, is_device

OURS = "carroll_blocked"
# Seconds of PyTorch 2.11's slogdet, single precision, on an H200, by (batch, order).
SLOGDET = {(1, 64): 0.145e-3, (1, 256): 0.42e-3, (1, 350): 0.64e-3, (1, 1000): 1.92e-3, (1, 2000): 4.6e-3,
           (1, 4000): 11.7e-3, (1, 10000): 49.8e-3, (1, 20000): 213e-3, (5000, 64): 1.43e-3,
           (1000, 128): 1.50e-3, (200, 256): 2.2e-3}


def case_name(row):
    order = f"order {row['n']}"
    return order if row["batch"] == 1 else f"{row['batch']} of {order}"


def rows_of(record, *groups):
    """Our results in the default method, in the order of their size."""
    found = [row for group in groups for row in records.select(record, group=group, method=OURS)]
    return sorted(found, key=lambda row: (row["n"], row["batch"], PRECISIONS.index(row["precision"])))


def wanted_speedup(row):
    """Over the factorisations of CUDA's libraries; None where nothing is promised."""
    n = row["n"]
    if row["batch"] == 1:
        return 3 if n <= 4096 else 2 if n <= 10000 else 1.3 if n <= 20000 else 1.15
    return 3 if n <= 32 else 4 if n <= 256 else None


def is_cuda(method):
    return method.startswith(("cusolver_", "cublas_"))


def measured(number, row, text, wanted, at_most, value):
    """A bar on what was measured of ours alone; of a wrong result nothing counts."""
    value = value if row["check"] == "ok" else float("inf") if at_most else 0
    return Bar(number, case_name(row), row["precision"], text, wanted, at_most, value, "", value, "")


def device_bars(record):
    is_h200 = "H200" in record["context"].get("device", "")
    for row in rows_of(record, "single", "batch"):
        wanted = wanted_speedup(row)
        if wanted is not None:
            yield against_peers(record, 5, case_name(row), row, "cuSOLVER, cuBLAS", wanted, is_cuda)
        slogdet = SLOGDET.get((row["batch"], row["n"]))
        if slogdet and is_h200 and row["precision"] == "single":
            yield measured(5, row, "PyTorch's slogdet", wanted, False, slogdet / row["median"])
        if row["n"] >= 64:
            yield against_peers(record, 5, case_name(row), row, "LAPACK", 1,
                                lambda method: method == "lapack_getrf")
    for row in rows_of(record, "batch", "stream"):
        if row["n"] <= 32 and "equal_copy" in row:
            yield measured(5, row, "copy of as many bytes", 0.6, False, row["equal_copy"])
    for row in rows_of(record, "huge"):
        yield measured(4, row, "residual, known determinant", 30, True, row["residual"])
    for row in rows_of(record, "memory"):
        yield measured(7, row, "memory over that of A", 1.05, True, row["memory"])


def host_bars(record):
    for row in rows_of(record, "single", "batch"):
        small_batch = row["batch"] > 1 and row["n"] <= 32
        if small_batch or (row["batch"] == 1 and 500 <= row["n"] <= 4000):
            yield against_peers(record, 6, case_name(row), row, "LAPACK getrf", 3 if small_batch else 1 / 1.15)


def table(record):
    found = device_bars(record) if is_device(record) else host_bars(record)
    return sorted(found, key=lambda bar: bar.number)


def notes(_record):
    return []
