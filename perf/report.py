#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the results from perf/results: a page for each machine, docs/results/<machine>.md, and the tables of
README.md, between their markers.

    perf/report.py                  rewrites them
    perf/report.py --check          changes nothing; exit status 1 if one of them is not up to date
    perf/report.py --bars RECORD    prints how a record stands against the bars that the solver was built
                                    to, peer by peer; changes nothing
"""

import argparse
import sys
from pathlib import Path

import bars.decompositions.complex_numbers
import bars.decompositions.eigh
import bars.decompositions.lstsq
import bars.decompositions.qr
import bars.decompositions.solve
import bars.determinant
import bars.distributed
import bars.gemm
import bars.gemv
import bars.narrow
import bars.pictures
import bars.pseudoinverse
import bars.recommenders
import bars.reduction
import bars.svd
import bars.tracker
import dating
import pages.decompositions.complex_numbers
import pages.decompositions.eigh
import pages.decompositions.lstsq
import pages.decompositions.qr
import pages.decompositions.solve
import pages.determinant
import pages.distributed
import pages.gemm
import pages.gemv
import pages.narrow
import pages.pictures
import pages.pseudoinverse
import pages.recommenders
import pages.reduction
import pages.svd
import pages.tracker
import records
from pages import summary

BARS = {"bench_svd": bars.svd, "bench_eigh": bars.decompositions.eigh, "bench_qr": bars.decompositions.qr,
        "bench_solve": bars.decompositions.solve, "bench_lstsq": bars.decompositions.lstsq,
        "bench_complex": bars.decompositions.complex_numbers, "bench_narrow": bars.narrow,
        "bench_determinant": bars.determinant,
        "bench_pseudoinverse": bars.pseudoinverse, "bench_pseudoinverse_accuracy": bars.pseudoinverse,
        "bench_direct_tracker": bars.tracker, "bench_reduction": bars.reduction,
        "bench_gemv": bars.gemv, "bench_gemm": bars.gemm, "bench_distributed": bars.distributed,
        "bench_recommenders": bars.recommenders, "bench_pictures": bars.pictures}

BEGIN, END = "<!-- results:begin -->", "<!-- results:end -->"
# A section of a page each: benchmark, report, and the benchmark of its table of errors.
SECTIONS = (("bench_svd", pages.svd, "bench_svd_accuracy"),
            ("bench_eigh", pages.decompositions.eigh, None),
            ("bench_qr", pages.decompositions.qr, None),
            ("bench_solve", pages.decompositions.solve, None),
            ("bench_lstsq", pages.decompositions.lstsq, None),
            ("bench_complex", pages.decompositions.complex_numbers, None),
            ("bench_narrow", pages.narrow, None),
            ("bench_determinant", pages.determinant, None),
            ("bench_pseudoinverse", pages.pseudoinverse, "bench_pseudoinverse_accuracy"),
            ("bench_direct_tracker", pages.tracker, None),
            ("bench_reduction", pages.reduction, None),
            ("bench_gemv", pages.gemv, None),
            ("bench_gemm", pages.gemm, None),
            ("bench_recommenders", pages.recommenders, None),
            ("bench_pictures", pages.pictures, None),
            ("bench_distributed", pages.distributed, None))


def machines_of(results):
    """Records by machine and benchmark; GPUs first, as they come after hosts in no alphabet."""
    found = {}
    for bench in dating.HEADERS:
        for machine, record in records.load_all(results, bench).items():
            found.setdefault(machine, {})[bench] = record
    return dict(sorted(found.items(), key=lambda item: (not on_device(item[1]), item[0])))


def on_device(of_machine):
    return any(record["context"].get("backend") in dating.DEVICES for record in of_machine.values())


def heading(machine, of_machine):
    context = next(iter(of_machine.values()))["context"]
    return f"{machine}: {context.get('device')}, {context.get('backend')}"


def versions(context):
    named = [
        f"Carroll {context.get('carroll_version')}",
        f"Kokkos {context.get('kokkos_version')}",
        f"KokkosKernels {context.get('kokkoskernels_version')}",
        context.get("compiler"),
        context.get("host_library", "").split(" NO_")[0],
        f"cuSOLVER {context['cusolver_version']}" if "cusolver_version" in context else None,
        f"driver {context['driver']}" if "driver" in context else None,
    ]
    return ", ".join(version for version in named if version and "none" not in version)


def origin(record, root):
    """When, of what and by what a record was taken."""
    context = record["context"]
    hashes = dating.parse_hashes(context.get("hashes", ""))
    state = ("**stale: the kernels have changed since**" if dating.is_stale(record, root)
             else "of the kernels as they are")
    if hashes.get("dirty") == "1":
        state += ", taken before they were committed"
    sources = ", ".join([f"`{directory}` {hashes[directory][:12]}" for directory in dating.HASHED_DIRECTORIES
                         if directory in hashes] or ["unknown sources"])
    return (f"Recorded {record['date'][:10]}, {state} ({sources}, measured {hashes.get('measured', 'unknown')[:12]}). "
            f"{versions(context)}. Host threads: {context.get('host_threads')}."
            + (f" {context['note']}" if "note" in context else ""))


def figures_of(solver, machine, figures):
    def drawn(names):
        return {stem: text for stem, text in names.items() if (figures / machine / f"{stem}.png").exists()}

    path = f"../../perf/figures/{machine}"
    lines = []
    for stem, text in drawn(solver.SHOWN_FIGURES).items():
        lines += ["", f"![{text}]({path}/{stem}.png)"]
    links = [f"[{text}]({path}/{stem}.png)" for stem, text in drawn(solver.LINKED_FIGURES).items()]
    if links:
        lines += ["", "More figures: " + " · ".join(links)]
    return lines


def page(machine, of_machine, root, figures):
    """All results of a machine."""
    lines = [f"# {heading(machine, of_machine)}", "",
             "Written by `perf/report.py`; every method, check and error is in "
             f"[`perf/results/{machine}`](../../perf/results/{machine})."]
    for bench, solver, accuracy in SECTIONS:
        record = of_machine.get(bench)
        if record is None:
            continue
        others = {"accuracy": of_machine.get(accuracy)} if accuracy else {}
        lines += ["", f"## {solver.TITLE}", "",
                  f"{solver.INTRODUCTION} [Their kernels](../{solver.KERNELS}).", "", origin(record, root)]
        lines += solver.tables(record, **others)
        lines += figures_of(solver, machine, figures)
    return "\n".join(lines) + "\n"


def dated(machine, of_machine, root, mark=""):
    """A machine, its page, between marks, and when it was recorded."""
    dates = sorted({record["date"][:10] for record in of_machine.values()})
    stale = any(dating.is_stale(record, root) for record in of_machine.values())
    return (f"{mark}[{heading(machine, of_machine)}](docs/results/{machine}.md){mark}, "
            f"{' to '.join(dates[::len(dates) - 1 or 1])}"
            + (", of older kernels" if stale else ""))


def in_short(machine, of_machine, root):
    """README's section of a machine."""
    lines = ["", dated(machine, of_machine, root, "**")]
    rows, tallies = [], []
    for bench, solver, _ in SECTIONS:
        record = of_machine.get(bench)
        if record is None:
            continue
        if hasattr(solver, "compared"):
            compared = solver.compared(record)
            if hasattr(solver, "in_readme"):
                rows += summary.rows(solver.NAME, compared, solver.in_readme(record))
            tallies.append(summary.tally(solver.NAME, compared))
        else:
            tallies.append(solver.tally(record))
    lines += summary.summary_table(rows)
    return lines + ["", " ".join(tally for tally in tallies if tally)]


def block(machines, root):
    """The text between README's markers: of GPUs and of hosts the machine that was recorded last, and where the
    others are. One that has runs over ranks alone has no rows to show."""
    lines = [summary.INTRODUCTION]
    if not machines:
        lines += ["", "Nothing has been recorded yet."]
    last = {}
    for machine, of_machine in machines.items():
        if set(of_machine) == {"bench_distributed"}:
            continue
        latest = max(record["date"] for record in of_machine.values())
        last[on_device(of_machine)] = max(last.get(on_device(of_machine), ("", "")), (latest, machine))
    shown = [machine for machine in machines if machine in [name for _, name in last.values()]]
    for machine in shown:
        lines += in_short(machine, machines[machine], root)
    others = [dated(machine, of_machine, root) for machine, of_machine in machines.items() if machine not in shown]
    if others:
        lines[0] += f" Others: {'; '.join(others)}."
    return "\n".join(lines)


def rewritten(readme, text):
    """README with its block replaced; ValueError if it does not have the two markers once, in order."""
    if readme.count(BEGIN) != 1 or readme.count(END) != 1 or readme.index(BEGIN) > readme.index(END):
        raise ValueError(f"needs {BEGIN} and then {END}, once each")
    head, rest = readme.split(BEGIN)
    _, tail = rest.split(END)
    return f"{head}{BEGIN}\n{text}\n{END}{tail}"


def wanted_files(root):
    """What README.md and the pages have to be, by path."""
    perf, readme = root / "perf", root / "README.md"
    machines = machines_of(perf / "results")
    try:
        files = {readme: rewritten(readme.read_text(encoding="utf-8"), block(machines, root))}
    except ValueError as error:
        sys.exit(f"report.py: {readme}: {error}")
    for machine, of_machine in machines.items():
        files[root / "docs" / "results" / f"{machine}.md"] = page(machine, of_machine, root, perf / "figures")
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing, say whether it would")
    parser.add_argument("--bars", type=Path, metavar="RECORD", help="print its standing; change nothing")
    parser.add_argument("--root", type=Path, default=dating.ROOT, help="of the source tree")
    arguments = parser.parse_args()
    if arguments.bars:
        record = records.load(arguments.bars)
        solver = BARS[record["bench"]]
        print("\n".join(bars.report(solver.table(record)) + solver.notes(record)))
        return
    wanted = wanted_files(arguments.root)
    present = set((arguments.root / "docs" / "results").glob("*.md"))
    outdated = [path for path, text in wanted.items()
                if not path.exists() or path.read_text(encoding="utf-8") != text] + sorted(present - set(wanted))
    if arguments.check and outdated:
        sys.exit("report.py: not up to date, run perf/report.py: "
                 + ", ".join(str(path.relative_to(arguments.root)) for path in outdated))
    for path in outdated if not arguments.check else ():
        if path not in wanted:  # of a machine that has no records any more
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")


if __name__ == "__main__":
    main()
