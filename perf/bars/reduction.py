# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_reduction: those of sums and inner products."""

import records
from bars import PRECISIONS, Bar, against_peers
from pages.tables import power_of_two

OURS = "carroll_canonical"
# Share of the read bandwidth, and the length from which on it is asked for: beyond the caches.
DEVICE_READ, HOST_READ = (0.92, 1 << 26), (0.95, 1 << 24)
DEVICE_SHORT = 1 << 20  # up to which launches take the time
MORE = {"carroll_compensated": 1.05, "carroll_exact": 1.15}  # time over that of the canonical sum


def name(row):
    return f"{row['function']} of {power_of_two(row['length'])}"


def measured(row, text, wanted, at_most, value):
    """A bar on what was measured of ours alone; of a wrong result nothing counts."""
    value = value if row["check"] == "ok" else float("inf") if at_most else 0
    return Bar(1, name(row), row["precision"], text, wanted, at_most, value, "", value, "")


def table(record):
    device = record["context"].get("backend") in ("Cuda", "HIP", "SYCL")
    share, beyond = DEVICE_READ if device else HOST_READ
    found = []
    for row in sorted(records.select(record, method=OURS), key=lambda row: (
            row["function"], PRECISIONS.index(row["precision"]), row["length"])):
        if row["function"] not in ("sum", "dot"):
            continue
        if row["length"] >= beyond:
            found.append(measured(row, "read bandwidth", share, False, row["read"]))
        # Beyond a host's caches it is the bandwidth that counts.
        if device or row["length"] < beyond:
            wanted = 1.2 if device and row["length"] <= DEVICE_SHORT else 1
            found.append(against_peers(record, 1, name(row), row, "peers", wanted))
        if row["length"] >= 1 << 24:
            for method, most in MORE.items():
                for other in records.select(record, method=method, function=row["function"],
                                            length=row["length"], precision=row["precision"]):
                    found.append(measured(other, f"{method.removeprefix('carroll_')}, time", most, True,
                                          other["median"] / row["median"]))
    return found


def notes(_record):
    return []
