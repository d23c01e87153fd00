#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws perf/figures/<machine>/svd_*.png from perf/results/<machine>/bench_svd.json.

svd_mse, svd_time and svd_kernel_share show what the 2020 Jetson study (Orlandini, Pagliuca) showed:
the error of the singular values, the time, and each kernel's part of it, against the columns of its
matrices; svd_batch shows the time of one matrix out of many.

    perf/plot.py [MACHINE…]          default: every machine that has a record
"""

import argparse
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

import records

# Colours of Okabe and Ito, which people with any colour vision can tell apart; markers and line
# styles carry the same information again.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY = "#7F7F7F"
# method: (name, colour, marker, line style). Where placements give the same bits, their lines coincide:
# the markers differ in size, so that all of them show.
STYLES = {
    "carroll_preconditioned": ("Carroll preconditioned", VERMILION, "o", "-"),
    "carroll_cyclic": ("Carroll cyclic", BLACK, "s", "-"),
    "carroll_round_robin_global": ("Carroll round robin, global", BLUE, "v", "-"),
    "carroll_round_robin_semi_shared": ("Carroll round robin, semi-shared", SKY, "^", "-"),
    "carroll_round_robin_shared": ("Carroll round robin, shared", GREEN, "D", "-"),
    "lapack_gesdd": ("LAPACK gesdd (host)", GREY, "x", "--"),
    "lapack_gesvd": ("LAPACK gesvd (host)", GREY, "+", ":"),
    "lapack_gesvj": ("LAPACK gesvj (host)", GREY, "1", "-."),
    "cusolver_gesvd": ("cuSOLVER gesvd", PURPLE, "+", ":"),
    "cusolver_gesvdj": ("cuSOLVER gesvdj", PURPLE, "1", "-."),
    "cusolver_gesvdjBatched": ("cuSOLVER gesvdjBatched", ORANGE, "p", "-."),
    "cusolver_gesvda": ("cuSOLVER gesvda", ORANGE, "x", "--"),
    "cusolver_Xgesvdp": ("cuSOLVER Xgesvdp", PURPLE, "x", "--"),
    "wrong": ("result failed the check", "red", "X", ""),
}
CARROLL = [method for method in STYLES if method.startswith("carroll")]
PEERS = [method for method in STYLES if method.startswith(("lapack", "cusolver"))]
STUDY_TOLERANCE = 1e-4
PRECISIONS = ("single", "double")
KERNEL_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW, BLACK)

plt.rcParams.update({"font.size": 9, "axes.grid": True, "grid.alpha": 0.35, "axes.axisbelow": True,
                     "lines.linewidth": 1.4, "lines.markersize": 5, "figure.dpi": 110})


MARKER_SIZES = {"carroll_round_robin_global": 10, "carroll_round_robin_semi_shared": 7.5,
                "carroll_round_robin_shared": 4}


def line_style(method):
    _, colour, marker, style = STYLES[method]
    return {"color": colour, "marker": marker, "linestyle": style, "markerfacecolor": "none",
            "markersize": MARKER_SIZES.get(method, 5)}


def shared_legend(figure, methods, columns=4):
    handles = [Line2D([], [], label=STYLES[method][0], **line_style(method))
               for method in STYLES if method in methods]
    figure.legend(handles=handles, loc="lower center", ncol=columns, frameon=False, fontsize=8.5)
    return -(-len(handles) // columns)


def save(figure, path, legend_rows, methods):
    """False, and no file, when nothing was drawn."""
    if methods:
        height = figure.get_size_inches()[1]
        figure.tight_layout(rect=(0, (0.22 * legend_rows + 0.05) / height, 1, 1 - 0.1 / height))
        figure.savefig(path)
    plt.close(figure)
    return bool(methods)


def draw_lines(axes, rows, methods, value, drawn):
    """One line a method over the columns of its matrices."""
    for method in methods:
        points = sorted((row["cols"], value(row)) for row in rows
                        if row["method"] == method and value(row) is not None)
        if points:
            axes.plot(*zip(*points), **line_style(method))
            drawn.add(method)
    mark_wrong(axes, [(row["cols"], value(row)) for row in rows if row["method"] in methods
                      and row.get("check") != "ok" and value(row) is not None], drawn)


def mark_wrong(axes, points, drawn):
    """Results that did not pass the check must not pass for good ones."""
    if points:
        axes.plot(*zip(*points), **line_style("wrong"))
        drawn.add("wrong")


def column_ticks(axes, rows):
    columns = sorted({row["cols"] for row in rows})
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(columns, [str(n) for n in columns], rotation=45, fontsize=8)
    axes.set_xlabel("columns")


def panels(record, heading):
    """Rows: precision; columns: the study's tolerance and the default."""
    figure, grid = plt.subplots(2, 2, figsize=(10.5, 8.2), sharey="row")
    figure.suptitle(f"{heading}\n{records.title(record)}", fontsize=11)
    for axes_row, precision in zip(grid, PRECISIONS):
        for axes, tolerance in zip(axes_row, (STUDY_TOLERANCE, 0)):
            text = f"tolerance {tolerance:g}" if tolerance else "default tolerance"
            axes.set_title(f"{precision} precision, {text}", fontsize=9.5)
            yield figure, axes, precision, tolerance


def mean_square_error(record, path):
    drawn, figure = set(), None
    for figure, axes, precision, tolerance in panels(
            record,
            "Mean square error of the singular values, uniform random matrices (columns = ¾ rows)"):
        peers = records.select(record, group="study", precision=precision, job="vectors")
        rows = records.select(record, group="study", precision=precision, job="vectors",
                              tolerance=tolerance)
        shown = [m for m in PEERS if m.startswith("lapack")] if tolerance else PEERS
        draw_lines(axes, peers, shown, lambda row: row.get("mse"), drawn)
        draw_lines(axes, rows, CARROLL, lambda row: row.get("mse"), drawn)
        column_ticks(axes, rows or peers)
        axes.set_ylabel("mean square error")
    return save(figure, path, shared_legend(figure, drawn), drawn)


def time(record, path):
    drawn, figure = set(), None
    for figure, axes, precision, tolerance in panels(
            record, "Time of one SVD (thin U, S, V), uniform random matrices"):
        groups = ("study",) if tolerance else ("study", "square")
        of = {"precision": precision, "job": "vectors"}
        peers = [row for group in groups for row in records.select(record, group=group, **of)]
        rows = [row for group in groups
                for row in records.select(record, group=group, tolerance=tolerance, **of)]
        shown = [m for m in PEERS if m.startswith("lapack")] if tolerance else PEERS
        draw_lines(axes, peers, shown, lambda row: 1e3 * row["median"], drawn)
        draw_lines(axes, rows, CARROLL, lambda row: 1e3 * row["median"], drawn)
        column_ticks(axes, rows or peers)
        axes.set_ylabel("time, ms (median)")
    return save(figure, path, shared_legend(figure, drawn), drawn)


def batch(record, path):
    figure, grid = plt.subplots(1, 2, figsize=(10.5, 5.2), sharey=True)
    figure.suptitle(f"Batches: time per matrix (thin U, S, V)\n{records.title(record)}", fontsize=11)
    drawn = set()
    for axes, precision in zip(grid, PRECISIONS):
        rows = records.select(record, group="batch", precision=precision, job="vectors")
        cases = list(dict.fromkeys((row["batch"], row["rows"], row["cols"]) for row in rows))
        for method in PEERS + CARROLL:
            points = [(cases.index((row["batch"], row["rows"], row["cols"])),
                       1e6 * row["median"] / row["batch"]) for row in rows if row["method"] == method]
            if points:
                axes.plot(*zip(*sorted(points)), **line_style(method))
                drawn.add(method)
        mark_wrong(axes, [(cases.index((row["batch"], row["rows"], row["cols"])),
                           1e6 * row["median"] / row["batch"]) for row in rows
                          if row.get("check") != "ok"], drawn)
        axes.set_yscale("log")
        axes.set_xticks(range(len(cases)), [f"{m}×{n}\n× {b}" for b, m, n in cases])
        axes.set_xlabel("rows × columns, × number of matrices")
        axes.set_ylabel("time per matrix, µs (median)")
        axes.set_title(f"{precision} precision", fontsize=9.5)
    return save(figure, path, shared_legend(figure, drawn), drawn)


def kernel_share(record, path):
    rows = [row for row in record["kernels"] if row.get("kernels")]
    methods = [method for method in CARROLL if any(row["method"] == method for row in rows)]
    if not methods:
        return False
    totals = {}
    for row in rows:
        whole = sum(seconds for seconds, _ in row["kernels"].values())
        for label, (seconds, _) in row["kernels"].items():
            totals[label] = max(totals.get(label, 0), seconds / whole)
    # The largest have a colour each; the many small ones share one.
    labels = sorted(totals, key=totals.get, reverse=True)[:len(KERNEL_COLOURS)]
    colours = dict(zip(labels, KERNEL_COLOURS))
    figure, grid = plt.subplots(1, len(methods), figsize=(2.6 * len(methods) + 0.6, 4.8), sharey=True,
                                squeeze=False)
    figure.suptitle(f"Share of the kernels in the time on the device, {rows[0]['precision']} precision, "
                    f"each kernel fenced\n{records.title(record)}", fontsize=11)
    for axes, method in zip(grid[0], methods):
        bars = sorted((row for row in rows if row["method"] == method), key=lambda row: row["cols"])
        base = [0.0] * len(bars)
        for label in labels + [None]:
            shares = []
            for row in bars:
                whole = sum(seconds for seconds, _ in row["kernels"].values())
                part = sum(seconds for name, (seconds, _) in row["kernels"].items()
                           if (name == label if label else name not in colours))
                shares.append(100 * part / whole)
            axes.bar(range(len(bars)), shares, 0.75, bottom=base, color=colours.get(label, "#D9D9D9"),
                     edgecolor="white", linewidth=0.4)
            base = [a + b for a, b in zip(base, shares)]
        axes.set_title(STYLES[method][0].replace("Carroll ", "").replace(", ", ",\n"), fontsize=9.5)
        axes.set_xticks(range(len(bars)), [str(row["cols"]) for row in bars])
        axes.set_xlabel("columns")
        axes.grid(axis="x", visible=False)
        axes.set_ylim(0, 100)
    grid[0][0].set_ylabel("share of the kernels' time, %")
    names = [label.replace("carroll::svd::", "") for label in labels]
    patches = [plt.Rectangle((0, 0), 1, 1, color=colours[label]) for label in labels]
    if len(totals) > len(labels):
        patches.append(plt.Rectangle((0, 0), 1, 1, color="#D9D9D9"))
        names.append(f"{len(totals) - len(labels)} others")
    columns = 4
    figure.legend(patches, names, loc="lower center", ncol=columns, frameon=False, fontsize=8.5)
    return save(figure, path, -(-len(names) // columns), methods)


FIGURES = {
    "svd_mse": mean_square_error,
    "svd_time": time,
    "svd_batch": batch,
    "svd_kernel_share": kernel_share,
}


def draw_all(record, folder):
    """Paths of the figures drawn; a figure for which the record has nothing is left out."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {stem: folder / f"{stem}.png" for stem in FIGURES}
    return [path for stem, path in paths.items() if FIGURES[stem](record, path)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("machines", nargs="*")
    parser.add_argument("--results", type=Path, default=records.PERF / "results")
    parser.add_argument("--figures", type=Path, default=records.PERF / "figures")
    arguments = parser.parse_args()
    found = records.load_all(arguments.results)
    machines = arguments.machines or list(found)
    for machine in machines:
        if machine not in found:
            sys.exit(f"plot.py: no record of {machine} in {arguments.results}")
        for path in draw_all(found[machine], arguments.figures / machine):
            print(path)


if __name__ == "__main__":
    main()
