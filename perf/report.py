#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rewrites the results in README.md, between its two markers, from perf/results.

    perf/report.py                  rewrites README.md
    perf/report.py --check          changes nothing; exit status 1 if README.md is not up to date
    perf/report.py --bars RECORD    prints how the record of bench_svd stands against the bars that
                                    the solver was built to, peer by peer; changes nothing
"""

import argparse
import math
import sys
from pathlib import Path

import bars
import records

BEGIN, END = "<!-- results:begin -->", "<!-- results:end -->"
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
OURS = "carroll_preconditioned"


def milliseconds(seconds):
    value = seconds * 1e3
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def peer_name(method):
    return method.replace("lapack_", "LAPACK ").replace("cusolver_", "cuSOLVER ")


def table(heading, rows):
    """Of Markdown, numbers to the right; nothing without rows."""
    if not rows:
        return []
    lines = [heading, ["---"] + ["---:"] * (len(heading) - 1)] + rows
    return ["", *("| " + " | ".join(cells) + " |" for cells in lines)]


def cells(record, case, precision):
    """Ours, best peer, ratio, and the time of values only in percent of that with vectors."""
    of_case = dict(zip(("group", "batch", "rows", "cols"), case), precision=precision)
    found = {row["method"]: row for row in records.select(record, **of_case, job="vectors")}
    ours = found.get(OURS)
    if ours is None:
        return ["–"] * 4
    mark = "" if ours["check"] == "ok" else " (wrong)"
    peers = []
    if "best_peer" in ours:
        best = found[ours["best_peer"]]
        peers.append(f"{milliseconds(best['median'])} ({peer_name(best['method'])})")
    if "wrong_peer" in ours:
        wrong = found[ours["wrong_peer"]]
        peers.append(f"† {milliseconds(wrong['median'])} ({peer_name(wrong['method'])})")
    values = records.select(record, **of_case, job="values", method=OURS)
    share = f"{100 * values[0]['median'] / ours['median']:.0f} %" if values else "–"
    return [milliseconds(ours["median"]) + mark, " ".join(peers) or "–",
            f"{ours['ratio']:.2g}" if "ratio" in ours else "–", share]


def case_table(record, groups, heading):
    cases = sorted({(row["group"], row["batch"], row["rows"], row["cols"])
                    for row in record["results"] if row["group"] in groups},
                   key=lambda case: case[2] * case[3])
    rows = [[f"{m} × {n}" if batch == 1 else f"{batch} of {m} × {n}"]
            + [cell for precision in ("single", "double")
               for cell in cells(record, (group, batch, m, n), precision)]
            for group, batch, m, n in cases]
    columns = ["Carroll, ms", "best peer, ms", "ratio", "values only"]
    return table([heading] + [f"{precision}: {column}" if column == columns[0] else column
                              for precision in ("single", "double") for column in columns], rows)


def scaling_table(record):
    """Microseconds a matrix for each size of the batch."""
    times = {precision: bars.times_per_matrix(record, precision) for precision in ("single", "double")}
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
    growth = {precision: bars.growth(record, precision) for precision in ("single", "double")}
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
                 + [f"{precision}: {column}" if column == columns[0] else column
                    for precision in growth for column in columns], rows)
    slopes = {precision: bars.exponent(of) for precision, of in growth.items()}
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


def section(record, accuracy, root, figures):
    context = record["context"]
    hashes = records.parse_hashes(context.get("hashes", ""))
    stale = records.is_stale(record, root)
    state = "**stale: the sources have changed since**" if stale else "of these kernels"
    if hashes.get("dirty") == "1":
        state += ", taken before they were committed"
    versions = [
        f"Carroll {context.get('carroll_version')}",
        f"Kokkos {context.get('kokkos_version')}",
        f"KokkosKernels {context.get('kokkoskernels_version')}",
        context.get("compiler"),
        context.get("host_library", "").split(" NO_")[0],
        f"cuSOLVER {context['cusolver_version']}" if "cusolver_version" in context else None,
        f"driver {context['driver']}" if "driver" in context else None,
    ]
    lines = [
        f"### {record['machine']}: {context.get('device')}, {context.get('backend')}",
        "",
        f"Recorded {record['date'][:10]}, {state} (then `core` {hashes.get('core', 'unknown')[:12]}, "
        f"`solvers` {hashes.get('solvers', 'unknown')[:12]}). "
        + ", ".join(version for version in versions if version and "none" not in version)
        + f". Host threads: {context.get('host_threads')}.",
    ]
    lines += case_table(record, ("batch",), "batches")
    lines += case_table(record, ("study", "square"), "one matrix")
    lines += scaling_table(record) + growth_table(record) + accuracy_table(accuracy)
    machine = record["machine"]

    def drawn(names):
        return {stem: text for stem, text in names.items()
                if (figures / machine / f"{stem}.png").exists()}

    for stem, text in drawn(SHOWN_FIGURES).items():
        lines += ["", f"![{text}](perf/figures/{machine}/{stem}.png)"]
    links = [f"[{text}](perf/figures/{machine}/{stem}.png)" for stem, text in drawn(LINKED_FIGURES).items()]
    if links:
        lines += ["", "More figures: " + " · ".join(links)]
    return lines


def block(found, accuracy, root=records.ROOT, figures=records.PERF / "figures"):
    """The text between the markers."""
    lines = [
        "Thin U, S and V of uniform random matrices, the default method; medians, with Carroll and its "
        "peers in one process on the same data. The best peer is the fastest whose result passes the "
        "check; one marked † is faster, but its result does not. The ratio is the time of the best peer "
        "over ours: above 1, Carroll is faster than all of them. Under “values only” is the time without "
        "vectors in percent of that with. Records of hosts are of executables built with "
        "`Carroll_NATIVE=ON`. All methods, checks and errors are in `perf/results`. This block is "
        "written by `perf/report.py`.",
    ]
    if not found:
        lines += ["", "Nothing has been recorded yet."]
    for machine, record in found.items():
        lines += [""] + section(record, accuracy.get(machine), root, figures)
    return "\n".join(lines)


def rewritten(readme, text):
    """README with the block replaced; ValueError if it does not have the two markers once, in order."""
    if readme.count(BEGIN) != 1 or readme.count(END) != 1 or readme.index(BEGIN) > readme.index(END):
        raise ValueError(f"needs {BEGIN} and then {END}, once each")
    head, rest = readme.split(BEGIN)
    _, tail = rest.split(END)
    return f"{head}{BEGIN}\n{text}\n{END}{tail}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing, say whether it would")
    parser.add_argument("--bars", type=Path, metavar="RECORD", help="print its standing; change nothing")
    parser.add_argument("--root", type=Path, default=records.ROOT, help="of the source tree")
    arguments = parser.parse_args()
    if arguments.bars:
        print(bars.report(records.load(arguments.bars)))
        return
    path = arguments.root / "README.md"
    perf = arguments.root / "perf"
    readme = path.read_text(encoding="utf-8")
    try:
        text = block(records.load_all(perf / "results"),
                     records.load_all(perf / "results", "bench_svd_accuracy"), arguments.root,
                     perf / "figures")
        wanted = rewritten(readme, text)
    except ValueError as error:
        sys.exit(f"report.py: {path}: {error}")
    if wanted == readme:
        return
    if arguments.check:
        sys.exit(f"report.py: the results in {path} are not up to date; run perf/report.py")
    path.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main()
