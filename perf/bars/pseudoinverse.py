# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_pseudoinverse and bench_pseudoinverse_accuracy."""

import records
from bars import PRECISIONS, Bar, against_peers, is_device

OURS = "carroll_automatic"
DENSE = ("carroll_rows", "carroll_columns")
# Seconds of the dense A⁺ of 120000×1024 in PyTorch 2.11, single precision, on an H200.
PYTORCH = {"normal equations": 12.3e-3, "gels": 45.8e-3}


def case_name(row):
    one = f"{row['n']}×{row['m']}, k = {row['k']}"
    return one if row["frames"] == 1 else f"{row['frames']} of {one}"


def rows_of(record, group, *methods, **wanted):
    """Our results in the order of their size."""
    found = [row for method in methods for row in records.select(record, group=group, method=method, **wanted)]
    return sorted(found, key=lambda row: (row["n"], row["m"], row["k"], row["frames"],
                                          PRECISIONS.index(row["precision"])))


def measured(number, row, text, wanted, at_most, value):
    """A bar on what was measured of ours alone; of a wrong result nothing counts."""
    value = value if row["check"] == "ok" else float("inf") if at_most else 0
    return Bar(number, case_name(row), row["precision"], text, wanted, at_most, value, "", value, "")


def fill_bars(record, number, share, **wanted):
    for row in rows_of(record, "dense", *DENSE, k=1, **wanted):
        way = row["method"].removeprefix("carroll_")
        yield measured(number, row, f"fill, by {way}", share, False, row["fill"])


def host_bars(record):
    for row in rows_of(record, "step", OURS, n=120000, m=1000, k=1):
        yield measured(2, row, "µs", 30, True, 1e6 * row["median"])
        for text, wanted, peer in (("Ceres' linear step", 30, "ceres_dense_schur"),
                                   ("SuiteSparseQR", 300, "suitesparse_qr")):
            yield against_peers(record, 2, case_name(row), row, text, wanted,
                                lambda method, peer=peer: method == peer)
    # Smaller ones stay in a host's cache, where a fill is a race of its own.
    yield from fill_bars(record, 2, 0.85, n=120000, m=1024)


def device_bars(record):
    for row in rows_of(record, "step", OURS, n=120000, m=1000, k=1):
        yield measured(3, row, "µs", 25, True, 1e6 * row["enqueued"])
    for row in rows_of(record, "frames", OURS):
        yield measured(3, row, "read bandwidth", 0.7, False, row["read"])
    yield from fill_bars(record, 3, 0.9)
    if "H200" in record["context"].get("device", ""):
        for row in rows_of(record, "dense", *DENSE, n=120000, m=1024, k=1, precision="single"):
            for text, seconds in PYTORCH.items():
                yield measured(3, row, f"PyTorch, {text}", 1, False, seconds / row["median"])


def accuracy_bars(record):
    """The largest error of ours down to a separation of 1e-4."""
    found = [row for row in records.select(record, method=OURS) if row["nominal"] >= 1e-4]
    for row in sorted(found, key=lambda row: -row["nominal"]):
        value = row["rel_error"] if row["check"] == "ok" and row["rel_error"] is not None else float("inf")
        yield Bar(1, f"separation {row['separation']:.1g}", row["precision"], "error of the motion step", 1e-5,
                  True, value, "", value, "")


def table(record):
    if record["bench"].endswith("_accuracy"):
        return list(accuracy_bars(record))
    return list(device_bars(record) if is_device(record) else host_bars(record))


def notes(_record):
    return []
