# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_pictures: milliseconds on an H200. On hosts what is to be beaten is written in Python, and measured by
the scripts of perf/pictures/peers."""

import records
from bars import Bar

# Number, group, size, our methods, and milliseconds at most.
TIMES = ((2, "encode", "3840x2160x3", ("carroll_cosines", "carroll_automatic"), 5),
         (3, "denoise", "512x512x1", ("carroll_fast", "carroll_thorough"), 60))


def table(record):
    """One that was not measured, or whose result is wrong, counts as missed."""
    found = []
    if "H200" not in record["context"].get("device", ""):
        return found
    for number, group, size, methods, wanted in TIMES:
        for method in methods:
            row = next(iter(records.select(record, group=group, size=size, method=method)), {})
            value = 1e3 * row["median"] if row.get("check") == "ok" else float("inf")
            found.append(Bar(number, f"{group} {size}, {method.removeprefix('carroll_')}", "single", "milliseconds",
                             wanted, True, value, "", value, ""))
    return found


def notes(record):
    """What has no bar, and what is wrong."""
    return ["", *(f"{row['group']} {row['size']}, {row['method']}: {row['check']}" for row in records.select(record)
                  if row.get("check", "ok") != "ok")]
