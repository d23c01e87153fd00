# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_gemv."""

import records
from bars import PRECISIONS, Bar, against_peers

OURS = "carroll_automatic"


def rows_of(record):
    return sorted(records.select(record, method=OURS), key=lambda row: (
        PRECISIONS.index(row["precision"]), row["rows"] * row["cols"], row["rows"], row["op"]))


def name(row):
    return f"{row['rows']}×{row['cols']}{' transposed' if row['op'] == 't' else ''}"


def table(record):
    """Every shape, and the share of those in which we are half as fast again."""
    found = [against_peers(record, 3, name(row), row, "peers", 0.95) for row in rows_of(record)]
    fast = [bar for bar in found if bar.valid is not None]
    if fast:
        share = sum(bar.valid >= 1.5 for bar in fast) / len(fast)
        found.append(Bar(3, "all shapes", "both", "share at 1.5 or more", 1 / 3, False, share, "", share, ""))
    return found


def notes(_record):
    return []
