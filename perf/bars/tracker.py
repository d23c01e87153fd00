# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_direct_tracker."""

import records
from bars import Bar


def bar(row, against, wanted, at_most, value):
    """Of a wrong result nothing counts."""
    if row["check"] != "ok" or value is None:
        value = float("inf") if at_most else 0
    name = f"{row['m']} vertices, {row['n']} samples, {row['motion']}"
    if row["group"] == "sequence":
        name += ", in a sequence"
    return Bar(5, name, "single", against, wanted, at_most, value, "", value, "")


def table(record):
    """Of one instance, whose frames the host awaits one by one; a frame of a sequence may take 2 ms on a device."""
    wanted = 500 if record["context"].get("backend") == "Cuda" else 20
    found = []
    for row in records.select(record, instances=1):
        if row["group"] == "sequence" or row["motion"] == "ackermann":
            found.append(bar(row, "frames/s", wanted, False, 1 / row["median"]))
        found.append(bar(row, "heading, degrees", 0.02, True, row["heading"]))
        found.append(bar(row, "median depth error", 0.015, True, row["depth"]))
    return found


def notes(record):
    """Frames per second of all instances, and of frames that follow each other on the device."""
    return [f"{row['motion']}, {row['instances']} instances: {1 / row['median']:.0f} frames/s awaited"
            + (f", {1 / row['enqueued']:.0f} enqueued" if "enqueued" in row else "")
            for row in records.select(record, group="frames")]
