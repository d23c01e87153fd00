# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_recommenders: seconds on an H200, the share of what the machine allows on any device, and the
best items of users there beside the product of matrices that they are chosen from. A host has none."""

import records
from bars import Bar, against_peers

# On an H200: group, data, factors, our method, and milliseconds at most.
TIMES = (("als", "ml-20m", 128, "carroll_cholesky", 25), ("als", "netflix", 100, "carroll_cholesky", 110),
         ("sgd", "ml-10m", 128, "carroll_sgd", 12))
FLOOR = 0.35
LARGE = ("ml-10m", "ml-20m", "netflix")
PRODUCT = 0.5


def is_device(record):
    return record["context"].get("backend") in ("Cuda", "HIP", "SYCL")


def is_h200(record):
    return "H200" in record["context"].get("device", "")


def name(row):
    return f"{row['group']} {row['data']}, k = {row['k']}, {row['method'].removeprefix('carroll_')}"


def bar(row, against, wanted, at_most, value):
    """Of a wrong result nothing counts."""
    if row["check"] != "ok" or value is None:
        value = float("inf") if at_most else 0
    return Bar(4, name(row), row["precision"], against, wanted, at_most, value, "", value, "")


def times(record):
    """One that was not measured counts as missed."""
    for group, data, k, method, wanted in TIMES:
        case = {"group": group, "data": data, "k": k, "precision": "single", "method": method}
        row = next(iter(records.select(record, **case)), {**case, "check": "not measured"})
        yield bar(row, "milliseconds", wanted, True, 1e3 * row["median"] if "median" in row else None)


def table(record):
    found = list(times(record)) if is_h200(record) else []
    for row in records.select(record):
        if not row["method"].startswith("carroll_"):
            continue
        if is_device(record) and row["group"] in ("als", "als_implicit", "sgd") and row["data"] in LARGE:
            found.append(bar(row, "the machine's floor", FLOOR, False, row.get("floor")))
        if is_device(record) and row["group"] == "recommend":
            found.append(against_peers(record, 4, name(row), row, "product of matrices", PRODUCT)
                         if row["check"] == "ok" else bar(row, "product of matrices", PRODUCT, False, None))
    return found


def notes(record):
    """In which time the host makes schedules, and how far errors have gone down."""
    lines = [f"{name(row)}: schedule made in {row['prepare']:.3g} s, an epoch takes {1e3 * row['median']:.3g} ms"
             for row in records.select(record, group="sgd") if "prepare" in row]
    for row in records.select(record, group="descent"):
        best = min(range(len(row["descent"])), key=lambda step: row["descent"][step][1])
        lines.append(f"{name(row)}: error of what was set apart {row['descent'][best][1]:.4f} after {best + 1} iterations")
    return ["", *lines] if lines else []
