# SPDX-License-Identifier: BSD-3-Clause
"""The table of bench_direct_tracker in docs/results, and what README.md has of it."""

import records
from pages.tables import milliseconds, table

SHOWN_FIGURES = {}
LINKED_FIGURES = {}
TITLE = "Frames of the direct tracker"
MOTIONS = {"ackermann": "planar arc", "se3": "in space"}
KERNELS = "tracking/direct-tracker.md#cost"  # of docs
INTRODUCTION = (
    "Frames of the direct tracker: equirectangular pictures of 2048 × 1024 of the synthetic room, with noise of 2 grey "
    "levels, a mesh of about 1000 vertices, 120 000 samples, 30 passes in single precision, from depths that are 20 % "
    "off and no turn, or in a sequence 18 passes, from depths that are 5 % and a turn that is a tenth off; pictures and "
    "mesh in the device's memory. “Awaited” are frames whose results the host waits for, "
    "“enqueued” ones that follow each other on the device. Instances track at once; times are medians, per frame.")


def tables(record):
    rows = [[f"{MOTIONS[row['motion']]}, {row['instances']} instance{'s' if row['instances'] > 1 else ''}"
             + (", in a sequence" if row["group"] == "sequence" else ""),
             milliseconds(row["median"]), f"{1 / row['median']:.0f}",
             f"{1 / row['enqueued']:.0f}" if "enqueued" in row else "–",
             f"{row['heading']:.2g}°", f"{100 * row['depth']:.2g} %",
             "" if row["check"] == "ok" else row["check"]]
            for row in records.select(record)]
    heading = ["motion", "awaited, ms", "frames/s", "enqueued, frames/s", "error of the heading",
               "median error of depths"]
    if not any(row[-1] for row in rows):
        rows = [row[:-1] for row in rows]
    else:
        heading.append("check")
    return table(heading, rows)


def tally(record):
    """A line for README.md: frames per second of one instance."""
    found = [f"{1 / row['median']:.0f} frames/s ({MOTIONS[row['motion']]})"
             for row in records.select(record, group="frames", instances=1) if row["check"] == "ok"]
    return "Tracker, 120 000 samples and about 1000 vertices: " + ", ".join(found) + "." if found else None
