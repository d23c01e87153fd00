# SPDX-License-Identifier: BSD-3-Clause
"""The tables of bench_determinant in docs/results, and what README.md has of them."""

import records
from bars.determinant import OURS
from pages.tables import best_peers, in_both_precisions, milliseconds, table

# Shown, and linked to.
SHOWN_FIGURES = {"determinant_time": "Time against the order of the matrix"}
LINKED_FIGURES = {
    "determinant_zoom": "Time up to order 1000",
    "determinant_batch": "Batches",
}
NAME = "determinant"
TITLE = "Determinants"
KERNELS = "determinant.md#families-of-kernels"  # of docs
INTRODUCTION = (
    "Determinants of uniform random matrices that may be overwritten, the default method; medians, with "
    "Carroll and its peers in one process on the same data. Peers are LU factorisations with partial pivoting "
    "and the product of the diagonal: LAPACK's getrf on the host, with the data there, and on GPUs cuSOLVER's "
    "getrf of the 64-bit interface and cuBLAS' getrfBatched. The best peer is the fastest whose result passes "
    "the check; one marked † is faster, but its result does not. The ratio is the time of the best peer over "
    "ours: above 1, Carroll is faster than all of them. GFLOP/s are of the 2n³/3 operations of elimination; "
    "under “copy” stands the time of a copy that moves as many bytes as the matrices and the results have, "
    "launched and awaited alike, as a share of ours. Records of hosts are of executables built with "
    "`Carroll_NATIVE=ON`.")


def cells(record, case, precision, rate):
    """Ours, a rate of it, best peer and ratio."""
    found = {row["method"]: row for row in
             records.select(record, **dict(zip(("group", "n", "batch"), case)), precision=precision)}
    ours = found.get(OURS)
    if ours is None:
        return ["–"] * 4
    mark = "" if ours["check"] == "ok" else " (wrong)"
    return [milliseconds(ours["median"]) + mark, rate(ours), best_peers(ours, found),
            f"{ours['ratio']:.2g}" if "ratio" in ours else "–"]


def gigaflops(row):
    return f"{row['gflops']:.3g}" if row["gflops"] < 1000 else f"{row['gflops']:.0f}"


def copy_share(row):
    """Where the time is that of the bytes, not of the operations."""
    return f"{100 * row['equal_copy']:.0f} %" if "equal_copy" in row else "–"


def cases_of(record, groups):
    return sorted({(row["group"], row["n"], row["batch"]) for row in record["results"]
                   if row["group"] in groups}, key=lambda case: case[1:])


def compared(record):
    """In the order of the tables; see summary.py."""
    cases = {}
    for groups in (("batch", "stream"), ("single",)):
        for group, n, batch in cases_of(record, groups):
            name = f"{n} × {n}" if batch == 1 else f"{batch} of {n} × {n}"
            for precision in ("single", "double"):
                found = {row["method"]: row for row in
                         records.select(record, group=group, n=n, batch=batch, precision=precision)}
                if OURS in found:
                    cases.setdefault(name, {})[precision] = (found[OURS], found)
    return cases


def in_readme(record):
    """Names of `compared`: a batch, a small and the largest matrix."""
    largest = [n for _, n, _ in cases_of(record, ("single",))[-1:]]
    return ({f"{batch} of {n} × {n}" for _, n, batch in cases_of(record, ("batch",)) if n == 8}
            | {f"{n} × {n}" for n in [200, *largest]})


def case_table(record, groups, heading, unit, rate):
    rows = [[f"{n} × {n}" if batch == 1 else f"{batch} of {n} × {n}"]
            + [cell for precision in ("single", "double")
               for cell in cells(record, (group, n, batch), precision, rate)]
            for group, n, batch in cases_of(record, groups)]
    return table([heading] + in_both_precisions(["Carroll, ms", unit, "best peer, ms", "ratio"]), rows)


def known(record):
    """What was measured on matrices with a known determinant."""
    sentences = []
    memory = records.select(record, group="memory", method=OURS)
    if memory:
        shares = " and ".join(f"{row['memory']:.3f}·n² numbers ({row['precision']} precision)" for row in memory)
        sentences.append(f"At order {memory[0]['n']} the matrix, which is overwritten, and all else take "
                         f"{shares} of the device's memory.")
    for row in records.select(record, group="huge", method=OURS):
        state = "passes its check" if row["check"] == "ok" else f"fails its check: {row['check']}"
        sentences.append(f"The determinant of a matrix of order {row['n']} takes {row['median']:.3g} s in "
                         f"{row['precision']} precision, and {state}.")
    return ["", " ".join(sentences)] if sentences else []


def tables(record):
    """Of one machine, as lines of Markdown."""
    return (case_table(record, ("batch", "stream"), "batches", "copy", copy_share)
            + case_table(record, ("single",), "one matrix", "GFLOP/s", gigaflops) + known(record))
