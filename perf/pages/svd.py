# SPDX-License-Identifier: BSD-3-Clause
"""The tables of bench_svd and bench_svd_accuracy in docs/results, and what README.md has of them."""

import math

import bars.svd
import records
from bars.svd import OURS
from pages.tables import best_peers, in_both_precisions, milliseconds, peer_name, table

# Shown, and linked to.
SHOWN_FIGURES = {
    "svd_speedup": "Speed-up over the best peer against columns",
    "svd_accuracy": "Error of small singular values against the condition number",
}
LINKED_FIGURES = {
    "svd_time": "Time against columns",
    "svd_batch": "Batches",
    "svd_mse": "Error of the singular values",
    "svd_kernel_share": "Share of each kernel",
}
NAME = "SVD"
TITLE = "Singular value decompositions"
KERNELS = "svd.md#families-of-kernels"  # of docs
INTRODUCTION = (
    "Thin U, S and V of uniform random matrices, the default method; medians, with Carroll and its "
    "peers in one process on the same data. The best peer is the fastest whose result passes the "
    "check; one marked † is faster, but its result does not. The ratio is the time of the best peer "
    "over ours: above 1, Carroll is faster than all of them. Under “values only” is the time without "
    "vectors in percent of that with. Records of hosts are of executables built with "
    "`Carroll_NATIVE=ON`.")


def cells(record, case, precision):
    """Ours, best peer, ratio, and the time of values only in percent of that with vectors."""
    of_case = dict(zip(("group", "batch", "rows", "cols"), case), precision=precision)
    found = {row["method"]: row for row in records.select(record, **of_case, job="vectors")}
    ours = found.get(OURS)
    if ours is None:
        return ["–"] * 4
    mark = "" if ours["check"] == "ok" else " (wrong)"
    values = records.select(record, **of_case, job="values", method=OURS)
    share = f"{100 * values[0]['median'] / ours['median']:.0f} %" if values else "–"
    return [milliseconds(ours["median"]) + mark, best_peers(ours, found),
            f"{ours['ratio']:.2g}" if "ratio" in ours else "–", share]


def cases_of(record, groups):
    return sorted({(row["group"], row["batch"], row["rows"], row["cols"])
                   for row in record["results"] if row["group"] in groups},
                  key=lambda case: (case[2] * case[3], case))


def case_table(record, groups, heading):
    rows = [[f"{m} × {n}" if batch == 1 else f"{batch} of {m} × {n}"]
            + [cell for precision in ("single", "double")
               for cell in cells(record, (group, batch, m, n), precision)]
            for group, batch, m, n in cases_of(record, groups)]
    columns = ["Carroll, ms", "best peer, ms", "ratio", "values only"]
    return table([heading] + in_both_precisions(columns), rows)


def compared(record):
    """Rows with vectors, in the order of the tables; see summary.py."""
    cases = {}
    for groups in (("batch",), ("study", "square")):
        for group, batch, m, n in cases_of(record, groups):
            name = f"{m} × {n}" if batch == 1 else f"{batch} of {m} × {n}"
            for precision in ("single", "double"):
                found = {row["method"]: row for row in records.select(
                    record, group=group, batch=batch, rows=m, cols=n, precision=precision, job="vectors")}
                if OURS in found:
                    cases.setdefault(name, {})[precision] = (found[OURS], found)
    return cases


def in_readme(record):
    """Names of `compared`: batches of three orders, a study's and the largest matrix."""
    batches = [(batch, m, n) for _, batch, m, n in cases_of(record, ("batch",)) if m == n and n in (8, 32, 512)]
    single = [(m, n) for _, _, m, n in cases_of(record, ("study", "square")) if (m, n) == (200, 150)]
    single += [(m, n) for _, _, m, n in cases_of(record, ("square",))[-1:]]
    return {f"{batch} of {m} × {n}" for batch, m, n in batches} | {f"{m} × {n}" for m, n in single}


def scaling_table(record):
    """Microseconds a matrix for each size of the batch."""
    times = {precision: bars.svd.times_per_matrix(record, precision) for precision in ("single", "double")}
    sizes = sorted({batch for of in times.values() for by_batch in of.values() for batch in by_batch})
    extents = sorted({n for of in times.values() for n in of})
    rows = [[f"{n} × {n}"] + [f"{1e6 * times[precision][n][batch]:.3g}"
                              if batch in times[precision].get(n, {}) else "–"
                              for precision in times for batch in sizes] for n in extents]
    heading = ["one of a batch, µs"] + [f"{precision}: of {batch}" if batch == sizes[0] else f"of {batch}"
                                        for precision in times for batch in sizes]
    return table(heading, rows)


def growth_table(record):
    """Time of one matrix, how it grows, and the least time of each phase at the machine's rates."""
    growth = {precision: bars.svd.growth(record, precision) for precision in ("single", "double")}
    names = list(dict.fromkeys(name for of in growth.values() for row in of.values()
                               for name in row["floors"]))
    rows = []
    for n in sorted({n for of in growth.values() for n in of}):
        line = [f"{n} × {n}"]
        for of in growth.values():
            row = of.get(n)
            line += ["–"] * (2 + len(names)) if row is None else [
                milliseconds(row["seconds"]),
                f"{row['exponent']:.2f}" if row["exponent"] is not None else "–",
                *(milliseconds(row["floors"][name]) if name in row["floors"] else "–"
                  for name in names)]
        rows.append(line)
    columns = ["Carroll, ms", "exponent", *(f"{name}, ms" for name in names)]
    text = table(["one matrix, and floors of its phases"]
                 + in_both_precisions(columns), rows)
    slopes = {precision: bars.svd.exponent(of) for precision, of in growth.items()}
    if rows and None not in slopes.values():
        text += ["", "Time grows as n to the power of " + " and ".join(
            f"{slope:.2f} ({precision})" for precision, slope in slopes.items())
            + f" from {min(growth['single'])} to {max(growth['single'])}, by least squares; `exponent` is "
            "that from one row to the next. A floor is what the phase takes at the least: its operations "
            "at the rate of GEMM or its bytes at that of a copy, whichever is longer."]
    return text


def accuracy_table(accuracy):
    """The largest relative error of any singular value at the largest condition numbers."""
    if accuracy is None:
        return []
    n = max(row["cols"] for row in accuracy["results"])
    cases = []
    for precision in ("single", "double"):
        nominal = max((row["nominal"] for row in accuracy["results"] if row["precision"] == precision),
                      default=None)
        cases += [(precision, nominal, kind) for kind in ("geometric", "scaled_columns")
                  if nominal is not None]
    methods = list(dict.fromkeys(row["method"] for row in accuracy["results"]))
    rows = []
    for method in methods:
        line = ["Carroll" if method == OURS else peer_name(method)]
        for precision, nominal, kind in cases:
            found = records.select(accuracy, cols=n, precision=precision, nominal=nominal, kind=kind,
                                   method=method)
            error = found[0]["max_error"] if found else None
            mark = " †" if found and found[0]["check"] != "ok" else ""
            line.append((f"{error:.0e}" if error is not None else "–") + mark)
        if any(cell != "–" for cell in line[1:]):
            rows.append(line)
    names = {"geometric": "UΣVᵀ", "scaled_columns": "B·D"}
    heading = [f"largest relative error, {n} × {n}"] + [
        f"{precision}, {names[kind]}, cond 10{superscript(nominal)}" for precision, nominal, kind in cases]
    return table(heading, rows)


def superscript(power_of_ten):
    return str(round(math.log10(power_of_ten))).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def tables(record, accuracy):
    """Of one machine, as lines of Markdown."""
    return (case_table(record, ("batch",), "batches") + case_table(record, ("study", "square"), "one matrix")
            + scaling_table(record) + growth_table(record) + accuracy_table(accuracy))
