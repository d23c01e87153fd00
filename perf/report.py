#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rewrites the results in README.md, between its two markers, from perf/results.

    perf/report.py            rewrites README.md
    perf/report.py --check    changes nothing; exit status 1 if README.md is not up to date
"""

import argparse
import sys
from pathlib import Path

import records

BEGIN, END = "<!-- results:begin -->", "<!-- results:end -->"
FIGURES = {
    "svd_time": "Time against columns",
    "svd_batch": "Batches",
    "svd_mse": "Error of the singular values",
    "svd_kernel_share": "Share of each kernel",
}


def milliseconds(seconds):
    value = seconds * 1e3
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def gemm_rate(record, precision):
    return float(record["context"].get("gemm_flops_" + precision, 0))


def cases(record):
    """(group, batch, rows, cols): single matrices first, then batches, by size."""
    seen = {(row["group"], row["batch"], row["rows"], row["cols"]) for row in record["results"]}
    return sorted(seen, key=lambda case: (case[0] == "batch", case[2] * case[3]))


def cells(record, case, precision):
    """Ours, best peer, ratio and share of the GEMM rate, for thin U, S and V."""
    group, batch, rows, cols = case
    found = records.select(record, group=group, batch=batch, rows=rows, cols=cols,
                           precision=precision, job="vectors")
    times = {row["method"]: row for row in found}
    ours = times.get("carroll_preconditioned")
    if ours is None:
        return ["–"] * 4
    wrong = "" if ours.get("check") == "ok" else " (wrong)"
    peer = times.get(ours.get("best_peer"))
    rate = gemm_rate(record, precision)
    share = f"{100 * ours['gflops'] * 1e9 / rate:.2g} %" if rate else "–"
    if peer is None:
        return [milliseconds(ours["median"]) + wrong, "–", "–", share]
    name = ours["best_peer"].replace("lapack_", "LAPACK ").replace("cusolver_", "cuSOLVER ")
    return [milliseconds(ours["median"]) + wrong, f"{milliseconds(peer['median'])} ({name})",
            f"{ours['ratio']:.2g}", share]


def section(record, root, figures):
    context = record["context"]
    hashes = records.parse_hashes(context.get("hashes", ""))
    stale = records.is_stale(record, root)
    state = "**stale: the sources have changed since**" if stale else "of these sources"
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
        f"Recorded {record['date'][:10]}, {state} (`core` {hashes.get('core', 'unknown')[:12]}, "
        f"`solvers` {hashes.get('solvers', 'unknown')[:12]}). "
        + ", ".join(version for version in versions if version and "none" not in version)
        + f". Host threads: {context.get('host_threads')}.",
        "",
        "| matrices | single: Carroll, ms | best peer, ms | ratio | of GEMM "
        "| double: Carroll, ms | best peer, ms | ratio | of GEMM |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for case in cases(record):
        _, batch, rows, cols = case
        name = f"{rows} × {cols}" if batch == 1 else f"{batch} of {rows} × {cols}"
        row = cells(record, case, "single") + cells(record, case, "double")
        lines.append("| " + " | ".join([name] + row) + " |")
    links = [
        f"[{text}](perf/figures/{record['machine']}/{stem}.png)"
        for stem, text in FIGURES.items()
        if (figures / record["machine"] / f"{stem}.png").exists()
    ]
    if links:
        lines += ["", "Figures: " + " · ".join(links)]
    return lines


def block(found, root=records.ROOT, figures=records.PERF / "figures"):
    """The text between the markers."""
    lines = [
        "Thin U, S and V of uniform random matrices, the default method; medians, with Carroll and its "
        "peers in one process on the same data. The ratio is the time of the best peer over ours: above "
        "1, Carroll is faster than all of them. All methods, values only, checks and errors are in "
        "`perf/results`. This block is written by `perf/report.py`.",
    ]
    if not found:
        lines += ["", "Nothing has been recorded yet."]
    for record in found.values():
        lines += [""] + section(record, root, figures)
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
    parser.add_argument("--root", type=Path, default=records.ROOT, help="of the source tree")
    arguments = parser.parse_args()
    path = arguments.root / "README.md"
    perf = arguments.root / "perf"
    readme = path.read_text(encoding="utf-8")
    try:
        text = block(records.load_all(perf / "results"), arguments.root, perf / "figures")
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
