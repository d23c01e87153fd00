# SPDX-License-Identifier: BSD-3-Clause
"""What bench_narrow was built to reach: nothing but the bits, which its checks look at."""


def table(_record):
    return []


def notes(record):
    wrong = [row for row in record["results"] if row.get("check", "ok") != "ok"]
    return ["", f"{len(wrong)} of {len(record['results'])} results have other bits than single precision."]
