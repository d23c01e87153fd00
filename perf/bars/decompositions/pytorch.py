# SPDX-License-Identifier: BSD-3-Clause
"""The bars of decompositions against PyTorch's batches, where a record has its times (perf/torch_peers.py)."""

from typing import Callable, NamedTuple

from bars import against_peers, same_case


class Wanted(NamedTuple):
    """Of a benchmark: how many times as fast, and for which of its results."""
    number: int
    times: float
    method: str
    of: Callable

    def compares(self, row):
        return row["batch"] > 1 and row["method"] == self.method and self.of(row)


WANTED = {
    "bench_eigh": Wanted(3, 50, "carroll_backward_stable", lambda row: row["job"] == "vectors" and row["n"] >= 64),
    "bench_qr": Wanted(3, 10, "carroll_automatic", lambda row: row["job"] == "thin"),
    "bench_lstsq": Wanted(3, 5, "carroll_automatic", lambda row: row["cols"] <= 128),
    "bench_complex": Wanted(4, 20, "carroll_automatic", lambda row: row["job"] == "svd" and row["n"] >= 64),
}


def is_torch(method):
    return method.startswith("torch_")


def bars_of(record, case_name):
    """None where PyTorch was not measured: who is not there would meet any bar."""
    wanted = WANTED[record["bench"]]
    for row in record["results"]:
        if "median" in row and wanted.compares(row) and any(
                is_torch(peer["method"]) for peer in same_case(record, row)):
            yield against_peers(record, wanted.number, case_name(row), row, "PyTorch", wanted.times, is_torch)
