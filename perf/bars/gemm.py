# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_gemm, and the naive and the tiled product beside them."""

import records
from bars import PRECISIONS, against_peers

OURS = "carroll_blocked"
# Of squares of this order; on a host of all that were measured from here on.
DEVICE_ORDER, HOST_ORDER = 4096, 1024
DEVICE_SQUARE = {"single": 0.8, "double": 0.7}
HOST_SQUARE = 0.8
THIN = 1.3


def name(row):
    one = f"{row['rows']}×{row['cols']}×{row['terms']}"
    return one if row["batch"] == 1 else f"{row['batch']} of {one}"


def is_device(record):
    return record["context"].get("backend") in ("Cuda", "HIP", "SYCL")


def rows_of(record, method, **wanted):
    found = [row for row in records.select(record, method=method, **wanted) if row["precision"] in PRECISIONS]
    return sorted(found, key=lambda row: (row["group"], PRECISIONS.index(row["precision"]),
                                          row["rows"] * row["cols"] * row["terms"]))


def table(record):
    device = is_device(record)
    found = []
    for row in rows_of(record, OURS):
        if row["group"] == "square":
            if device and row["rows"] == DEVICE_ORDER:
                found.append(against_peers(record, 4, name(row), row, "peers", DEVICE_SQUARE[row["precision"]]))
            elif not device and row["rows"] >= HOST_ORDER:
                found.append(against_peers(record, 4, name(row), row, "peers", HOST_SQUARE))
        elif device and row["group"] in ("outer", "skinny", "batch"):
            found.append(against_peers(record, 4, name(row), row, "peers", THIN))
    if device:  # double precision without the tensor cores
        found += [against_peers(record, 4, name(row), row, "peers, by registers", DEVICE_SQUARE["double"])
                  for row in rows_of(record, "carroll_registers", rows=DEVICE_ORDER, precision="double")]
    return found


def notes(record):
    """Rates of the products of the course."""
    return [f"{name(row)} {row['precision']}, {row['method'].removeprefix('carroll_')}: {row['gflops']:.4g} GFLOP/s"
            for method in ("carroll_naive", "carroll_tiled", OURS) for row in rows_of(record, method, group="square")]
