#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Adds PyTorch's times to records of decompositions, on the machine that took them, right after them.

    perf/torch_peers.py [--seconds SECONDS] RECORD…

For an interpreter that has torch with a GPU. Shapes are those of our results that have bars against PyTorch; entries are
random normal numbers, as the benchmarks' are. What was measured before goes. A case is measured three times, or once
where that takes longer than SECONDS (0.5); the first call of each function, which loads libraries, is on two matrices.
"""

import argparse
import sys
import time
from pathlib import Path

import fields
import reading
import records
from bars.decompositions.pytorch import WANTED

PREFIX = "torch_"


class Case:
    """A result of ours, as PyTorch's functions see it."""

    def __init__(self, torch, row, complex_numbers):
        self.torch, self.batch, self.job = torch, row["batch"], row["job"]
        self.rows, self.cols = row.get("rows", row.get("n")), row.get("cols", row.get("n"))
        self.columns = row.get("columns", 1)
        self.type = {("single", False): torch.float32, ("double", False): torch.float64,
                     ("single", True): torch.complex64, ("double", True): torch.complex128}[
                         row["precision"], complex_numbers]

    def random(self, batch, cols):
        return self.torch.randn(batch, self.rows, cols, dtype=self.type, device="cuda")

    def data(self, batch):
        """A and, for equations, B."""
        A = self.random(batch, self.cols)
        if self.job in ("vectors", "eigh"):
            A = (A + A.mH) / 2
        return (A, self.random(batch, self.columns)) if self.job == "lstsq" else (A,)


def functions(torch):
    """By job: of each name the function, and how far its result is from what defines it beside the sizes of what is
    summed there, as tensors."""
    linalg = torch.linalg

    def of_host(A, B):
        return linalg.lstsq(A.cpu(), B.cpu(), driver="gelsd").solution.to(A.device)

    def factors(multiplied):
        def compared(data, found):
            A = data[0]
            return multiplied(found) - A, A.abs()
        return compared

    def pseudoinverse(data, X):
        A = data[0]
        return A @ X @ A - A, A.abs() @ X.abs() @ A.abs()

    def normal_equations(data, X):
        A, B = data
        return A.mH @ (A @ X - B), A.mH.abs() @ (A.abs() @ X.abs() + B.abs())

    return {
        "svd": {"svd": (lambda A: linalg.svd(A, full_matrices=False),
                        factors(lambda found: (found[0] * found[1][..., None, :]) @ found[2]))},
        "vectors": {"eigh": (linalg.eigh, factors(lambda found: (found[1] * found[0][..., None, :]) @ found[1].mH))},
        "thin": {"qr": (linalg.qr, factors(lambda found: found[0] @ found[1]))},
        "pinv": {"pinv": (linalg.pinv, pseudoinverse)},
        # Of the drivers of any rank there is none for GPUs: a host's, and what people write instead.
        "lstsq": {"lstsq_gelsd": (of_host, normal_equations),
                  "pinv_product": (lambda A, B: linalg.pinv(A) @ B, normal_equations)},
    }


def measure(torch, case, function, compared, seconds):
    """Fields of a result."""
    def timed(data):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        found = function(*data)
        torch.cuda.synchronize()
        return time.perf_counter() - begin, found

    timed(case.data(2))
    data = case.data(case.batch)
    first, found = timed(data)
    times = [first] if first > seconds else [timed(data)[0] for _ in range(3)]
    difference, size = compared(data, found)
    error = float((difference.abs().amax((-1, -2)) / size.amax((-1, -2))).max().cpu())
    tolerance = 10 * case.rows * torch.finfo(case.type).eps
    return {"median": sorted(times)[len(times) // 2], "min": min(times), "runs": len(times),
            "check": "ok" if error <= tolerance else f"error {error:.1e}"}


def add(torch, record, seconds):
    """Replaces the record's results of PyTorch."""
    results = [row for row in record["results"] if not row["method"].startswith(PREFIX)]
    wanted = WANTED[record["bench"]]
    known = functions(torch)
    for ours in [row for row in results if "median" in row and wanted.compares(row)]:
        case = Case(torch, ours, record["bench"] == "bench_complex")
        for name, (function, compared) in known[ours["job"]].items():
            row = {key: ours[key] for key in fields.CASE_FIELDS[record["bench"]]}
            row["method"] = PREFIX + name
            try:
                row.update({key: reading.rounded(value) if isinstance(value, float) else value
                            for key, value in measure(torch, case, function, compared, seconds).items()})
            except RuntimeError as problem:  # what torch throws, want of memory among it
                row["error"] = str(problem).split("\n", maxsplit=1)[0]
            print(f"{1e3 * row.get('median', 0):12.3f} ms  {' '.join(map(str, row.values()))}", file=sys.stderr)
            results.append(row)
    record["results"] = results
    record["context"]["torch_version"] = torch.__version__
    reading.compare(results, fields.CASE_FIELDS[record["bench"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("records", nargs="+", type=Path, metavar="RECORD")
    arguments = parser.parse_args()
    import torch  # here, so that --help and the tests need none

    for path in arguments.records:
        record = records.load(path)
        add(torch, record, arguments.seconds)
        records.dump(record, path)


if __name__ == "__main__":
    main()
