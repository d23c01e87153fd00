#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rewrites the results in README.md, between their markers, from perf/results.

    perf/report.py                  rewrites README.md
    perf/report.py --check          changes nothing; exit status 1 if README.md is not up to date
    perf/report.py --bars RECORD    prints how a record stands against the bars that the solver was built
                                    to, peer by peer; changes nothing
"""

import argparse
import sys
from pathlib import Path

import bars
import bars_determinant
import bars_pseudoinverse
import bars_svd
import bars_tracker
import records
import report_determinant
import report_pseudoinverse
import report_svd
import report_tracker

BARS = {"bench_svd": bars_svd, "bench_determinant": bars_determinant,
        "bench_pseudoinverse": bars_pseudoinverse, "bench_pseudoinverse_accuracy": bars_pseudoinverse,
        "bench_direct_tracker": bars_tracker}


def markers(name):
    return f"<!-- {name}:begin -->", f"<!-- {name}:end -->"


def section(record, solver, root, figures, **others):
    """One machine's; `others` are its records of other benchmarks that the solver has tables of."""
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
        + f". Host threads: {context.get('host_threads')}."
        + (f" {context['note']}" if "note" in context else ""),
    ]
    lines += solver.tables(record, **others)
    machine = record["machine"]

    def drawn(names):
        return {stem: text for stem, text in names.items()
                if (figures / machine / f"{stem}.png").exists()}

    for stem, text in drawn(solver.SHOWN_FIGURES).items():
        lines += ["", f"![{text}](perf/figures/{machine}/{stem}.png)"]
    links = [f"[{text}](perf/figures/{machine}/{stem}.png)" for stem, text in drawn(solver.LINKED_FIGURES).items()]
    if links:
        lines += ["", "More figures: " + " · ".join(links)]
    return lines


def block(solver, found, root, figures, **others):
    """The text between the markers; `others` are records by name and machine."""
    lines = [solver.INTRODUCTION]
    if not found:
        lines += ["", "Nothing has been recorded yet."]
    for machine, record in found.items():
        of_machine = {name: of.get(machine) for name, of in others.items()}
        lines += [""] + section(record, solver, root, figures, **of_machine)
    return "\n".join(lines)


def svd_block(results, root, figures):
    return block(report_svd, records.load_all(results), root, figures,
                 accuracy=records.load_all(results, "bench_svd_accuracy"))


def determinant_block(results, root, figures):
    return block(report_determinant, records.load_all(results, "bench_determinant"), root, figures)


def pseudoinverse_block(results, root, figures):
    return block(report_pseudoinverse, records.load_all(results, "bench_pseudoinverse"), root, figures,
                 accuracy=records.load_all(results, "bench_pseudoinverse_accuracy"))


def tracker_block(results, root, figures):
    return block(report_tracker, records.load_all(results, "bench_direct_tracker"), root, figures)


# By the name in the markers.
BLOCKS = {"results": svd_block, "determinant-results": determinant_block,
          "pseudoinverse-results": pseudoinverse_block, "tracker-results": tracker_block}


def rewritten(readme, name, text):
    """README with a block replaced; ValueError if it does not have the two markers once, in order."""
    begin, end = markers(name)
    if readme.count(begin) != 1 or readme.count(end) != 1 or readme.index(begin) > readme.index(end):
        raise ValueError(f"needs {begin} and then {end}, once each")
    head, rest = readme.split(begin)
    _, tail = rest.split(end)
    return f"{head}{begin}\n{text}\n{end}{tail}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing, say whether it would")
    parser.add_argument("--bars", type=Path, metavar="RECORD", help="print its standing; change nothing")
    parser.add_argument("--root", type=Path, default=records.ROOT, help="of the source tree")
    arguments = parser.parse_args()
    if arguments.bars:
        record = records.load(arguments.bars)
        solver = BARS[record["bench"]]
        print("\n".join(bars.report(solver.table(record)) + solver.notes(record)))
        return
    path = arguments.root / "README.md"
    perf = arguments.root / "perf"
    readme = path.read_text(encoding="utf-8")
    try:
        wanted = readme
        for name, make in BLOCKS.items():
            wanted = rewritten(wanted, name, make(perf / "results", arguments.root, perf / "figures"))
    except ValueError as error:
        sys.exit(f"report.py: {path}: {error}")
    if wanted == readme:
        return
    if arguments.check:
        sys.exit(f"report.py: the results in {path} are not up to date; run perf/report.py")
    path.write_text(wanted, encoding="utf-8")


if __name__ == "__main__":
    main()
