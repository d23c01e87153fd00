# SPDX-License-Identifier: BSD-3-Clause
"""The tables of bench_pseudoinverse in docs/results, and what README.md has of them."""

import records
from bars.pseudoinverse import OURS
from pages.tables import best_peers, in_both_precisions, milliseconds, peer_name, table

# Shown, and linked to.
SHOWN_FIGURES = {
    "pseudoinverse_total": "Time of A⁺ against the number of depths",
    "pseudoinverse_accuracy": "Error of the motion step against what is left of the motion column",
}
LINKED_FIGURES = {
    "pseudoinverse_phases": "Time of each phase",
    "pseudoinverse_speedup": "Speed-up over the method of the thesis",
}
NAME = "pseudoinverse"
TITLE = "Steps and pseudoinverses of direct SLAM"
KERNELS = "pseudoinverse.md#families-of-kernels"  # of docs
INTRODUCTION = (
    "The step x = A⁺d of direct visual SLAM and the dense A⁺, for n rows, m depth and k motion columns; medians, with "
    "Carroll and its peers in one process on the same data, cache-warm. The step is by `PseudoinverseMethod::automatic`. Peers of the "
    "step are Ceres (DENSE_SCHUR, its linear step alone, by its own clock), SuiteSparseQR (x = A\\d; “refactor”: the "
    "numerical factorisation and solution alone, with the motion columns last), both in double precision, and on "
    "GPUs the normal equations of the dense A by cuBLAS and cuSOLVER. The dense A⁺ stands beside the method of a "
    "thesis of the University of Padua (A. Marchese), kernel by kernel, with its errors mended: “tiled”, and "
    "“naive”; ours has rows or columns of A⁺ contiguous, whichever is faster. The ratio is the time of the best peer over ours. Under “read” and “fill” stands the share of the speed "
    "at which flat kernels read and write as many bytes. Records of hosts are of executables built with "
    "`Carroll_NATIVE=ON`.")


def found_of(record, group, precision, case):
    wanted = dict(zip(("n", "m", "k", "frames"), case))
    return {row["method"]: row for row in records.select(record, group=group, precision=precision, **wanted)}


def cases_of(record, group):
    return sorted({(row["n"], row["m"], row["k"], row["frames"]) for row in record["results"]
                   if row["group"] == group})


def cases_shown(record, group):
    """Of one frame."""
    return [case for case in cases_of(record, group)
            if (case[1] == 1000 if group == "step" else case[0] in (20000, 120000))]


def case_name(case):
    n, m, k, frames = case
    one = f"{n} × ({m} + {k})"
    return one if frames == 1 else f"{frames} of {one}"


def case_table(record, group, cases, heading, columns, cells):
    """`cells` are of what was found of a case in one precision, and None where we have no result."""
    rows = [[case_name(case)] + [cell for precision in ("single", "double")
                                 for cell in cells(found_of(record, group, precision, case), case)
                                 or ["–"] * len(columns)] for case in cases]
    return table([heading] + in_both_precisions(columns), rows)


def mark(row):
    return "" if row["check"] == "ok" else " (wrong)"


def ratio(row):
    return f"{row['ratio']:.3g}" if "ratio" in row else "–"


def percent(row, key):
    return f"{100 * row[key]:.0f} %" if row.get(key) is not None else "–"


def step_cells(found, _case):
    ours = found.get(OURS)
    if ours is None:
        return None
    every = [f"{milliseconds(row['median'])} ({peer_name(method)})" for method, row in
             sorted(found.items(), key=lambda item: item[1]["median"]) if not method.startswith("carroll_")]
    return [milliseconds(ours["median"]) + mark(ours),
            milliseconds(ours["enqueued"]) if "enqueued" in ours else "–",
            ", ".join(every) or "–", ratio(ours)]


def frames_cells(found, case):
    ours = found.get(OURS)
    if ours is None:
        return None
    return [milliseconds(ours["median"]) + mark(ours), f"{case[3] / ours['median']:.3g}", percent(ours, "read")]


def faster_orientation(found):
    """Of a dense A⁺, written by rows and by columns."""
    return min((found[method] for method in ("carroll_rows", "carroll_columns") if method in found),
               key=lambda row: row["median"], default=None)


def dense_cells(found, _case):
    ours = faster_orientation(found)
    if ours is None:
        return None
    return [milliseconds(ours["median"]) + mark(ours), percent(ours, "fill"), best_peers(ours, found), ratio(ours)]


def compared(record):
    """In the order of the tables; see summary.py."""
    cases = {}
    for group, what, ours_of in (("step", "step", lambda found: found.get(OURS)),
                                 ("dense", "dense A⁺", faster_orientation)):
        for case in cases_shown(record, group):
            for precision in ("single", "double"):
                found = found_of(record, group, precision, case)
                ours = ours_of(found)
                if ours is not None:
                    cases.setdefault(f"{what} {case_name(case)}", {})[precision] = (ours, found)
    return cases


def in_readme(_record):
    """Names of `compared`."""
    return {"step 120000 × (1000 + 6)"}


def accuracy_table(accuracy):
    """Errors of the motion step."""
    if accuracy is None:
        return []
    separations = sorted({row["nominal"] for row in accuracy["results"]}, reverse=True)
    rows = []
    for method, name in ((OURS, "automatic"), ("carroll_normal_equations", "normal equations"),
                         ("seed_tiled", "the thesis")):
        of = {row["nominal"]: row for row in records.select(accuracy, method=method)}
        if of:
            rows.append([name] + [f"{of[s]['rel_error']:.0e}" if s in of and of[s]["rel_error"] is not None else "–"
                                  for s in separations])
    return table(["error of the motion step, single precision; left of the column:"]
                 + [f"{separation:.0e}" for separation in separations], rows)


def tables(record, accuracy=None):
    """Of one machine, as lines of Markdown."""
    return (case_table(record, "step", cases_shown(record, "step"), "step of one frame",
                       ["Carroll, ms", "enqueued, ms", "peers, ms", "ratio"], step_cells)
            + case_table(record, "frames", cases_of(record, "frames"), "steps of many frames",
                         ["Carroll, ms", "steps/s", "read"], frames_cells)
            + case_table(record, "dense", cases_shown(record, "dense"), "dense A⁺",
                         ["Carroll, ms", "fill", "best peer, ms", "ratio"], dense_cells)
            + accuracy_table(accuracy))
