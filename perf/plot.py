#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws perf/figures/<machine>/svd_*.png from the records in perf/results/<machine>.

svd_speedup shows how much faster Carroll is than the best peer, and svd_accuracy the error of small
singular values against the condition number. svd_mse, svd_time and svd_kernel_share show what the 2020
Jetson study (Orlandini, Pagliuca) showed: the error of the singular values, the time, and each kernel's
part of it, against the columns of its matrices; svd_batch shows the time of one matrix out of many.

    perf/plot.py [MACHINE…]          default: every machine that has a record
"""

import argparse
import math
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

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
    "lapack_gejsv": ("LAPACK gejsv (host)", GREY, "2", (0, (5, 1))),
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
    if not columns:
        return
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    # A label too near to the one before would run into it.
    gap, labelled = 0.04 * math.log(columns[-1] / columns[0]), 0
    labels = []
    for n in columns:
        free = labelled == 0 or math.log(n / labelled) >= gap
        labels.append(str(n) if free else "")
        labelled = n if free else labelled
    axes.set_xticks(columns, labels, rotation=45, fontsize=8)
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
        cases = sorted({(row["batch"], row["rows"], row["cols"]) for row in rows},
                       key=lambda case: case[1] * case[2])
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
        axes.set_xticks(range(len(cases)), [f"{m}×{n}\n× {b}" for b, m, n in cases],
                        fontsize=6.5 if len(cases) > 6 else 8)
        axes.set_xlabel("rows × columns, × number of matrices")
        axes.set_ylabel("time per matrix, µs (median)")
        axes.set_title(f"{precision} precision", fontsize=9.5)
    return save(figure, path, shared_legend(figure, drawn), drawn)


def kernel_panels(record):
    """(title, rows) for the default method on one matrix and on batches, and for the study's."""
    rows = [row for row in record["kernels"] if row.get("kernels")]
    default, *study = CARROLL
    for precision in PRECISIONS:
        for title, single in (("one matrix", True), ("batches", False)):
            yield f"{title},\n{precision}", [row for row in rows if row["method"] == default
                                             and row["precision"] == precision
                                             and (row["batch"] == 1) == single]
    for method in study:
        yield (STYLES[method][0].replace("Carroll ", "").replace(", ", ",\n"),
               [row for row in rows if row["method"] == method and row["precision"] == "single"])


def kernel_share(record, path):
    shown = [(title, sorted(rows, key=lambda row: (row["rows"], row["cols"])))
             for title, rows in kernel_panels(record) if rows]
    if not shown:
        return False
    totals = {}
    for _, rows in shown:
        for row in rows:
            whole = sum(seconds for seconds, _ in row["kernels"].values())
            for label, (seconds, _) in row["kernels"].items():
                totals[label] = max(totals.get(label, 0), seconds / whole)
    # The largest have a colour each; the many small ones share one.
    labels = sorted(totals, key=totals.get, reverse=True)[:len(KERNEL_COLOURS)]
    colours = dict(zip(labels, KERNEL_COLOURS))
    columns = min(4, len(shown))
    lines = -(-len(shown) // columns)
    figure, grid = plt.subplots(lines, columns, figsize=(2.9 * columns + 0.6, 3.6 * lines + 1.2),
                                sharey=True, squeeze=False)
    figure.suptitle(f"Share of the kernels in the time on the device, each kernel fenced\n"
                    f"{records.title(record)}", fontsize=11)
    for axes in grid.flat[len(shown):]:
        axes.set_visible(False)
    for axes, (title, bars) in zip(grid.flat, shown):
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
        axes.set_title(title, fontsize=9.5)
        axes.set_xticks(range(len(bars)), [str(row["cols"]) for row in bars],
                        rotation=90 if len(bars) > 7 else 0, fontsize=8)
        axes.set_xlabel("columns")
        axes.grid(axis="x", visible=False)
        axes.set_ylim(0, 100)
    for axes in grid[:, 0]:
        axes.set_ylabel("share of the kernels' time, %")
    names = [label.replace("carroll::svd::", "") for label in labels]
    patches = [plt.Rectangle((0, 0), 1, 1, color=colours[label]) for label in labels]
    if len(totals) > len(labels):
        patches.append(plt.Rectangle((0, 0), 1, 1, color="#D9D9D9"))
        names.append(f"{len(totals) - len(labels)} others")
    figure.legend(patches, names, loc="lower center", ncol=columns, frameon=False, fontsize=8.5)
    return save(figure, path, -(-len(names) // columns), shown)


# Where every driver has to be told from every other: Carroll on top, each with a marker of its own.
DRIVER_STYLES = {
    "lapack_gesdd": ("LAPACK gesdd", GREY, "x", "--"),
    "lapack_gesvd": ("LAPACK gesvd", GREY, "+", ":"),
    "lapack_gesvj": ("LAPACK gesvj", GREEN, "v", "-."),
    "lapack_gejsv": ("LAPACK gejsv", GREEN, "^", "--"),
    "cusolver_gesvd": ("cuSOLVER gesvd", PURPLE, "+", ":"),
    "cusolver_gesvdj": ("cuSOLVER gesvdj", PURPLE, "d", "-."),
    "cusolver_gesvdjBatched": ("cuSOLVER gesvdjBatched", PURPLE, "p", "-"),
    "cusolver_Xgesvdp": ("cuSOLVER Xgesvdp", SKY, "s", "--"),
    "cusolver_gesvda": ("cuSOLVER gesvda", ORANGE, "D", "-"),
    "carroll_preconditioned": ("Carroll", VERMILION, "o", "-"),
}
SPEEDUP_COLOURS = {"single": BLUE, "double": VERMILION}


def speedup(record, path):
    """Time of the best peer over ours, with a marker for who that is."""
    groups = {"batches": ("batch",), "one matrix": ("study", "square")}
    figure, grid = plt.subplots(1, 2, figsize=(10.5, 5), sharey=True)
    figure.suptitle("Speed-up of Carroll over its best peer (thin U, S, V)\n" + records.title(record),
                    fontsize=11)
    drawn, any_wrong = set(), False
    for axes, (title, names) in zip(grid, groups.items()):
        rows = [row for name in names for row in records.select(
            record, group=name, job="vectors", method=CARROLL[0]) if "ratio" in row]
        ends = []
        for precision, colour in SPEEDUP_COLOURS.items():
            points = sorted((row["cols"], row["ratio"], row["best_peer"]) for row in rows
                            if row["precision"] == precision)
            if not points:
                continue
            columns, ratios, peers = zip(*points)
            axes.plot(columns, ratios, color=colour)
            for column, ratio, peer in points:
                axes.plot(column, ratio, color=colour, marker=DRIVER_STYLES[peer][2], markersize=7,
                          markerfacecolor="white", markeredgewidth=1.4, linestyle="")
            drawn.update(peers)
            ends.append((ratios[-1], columns[-1], precision, colour))
            wrong = sorted((row["cols"], row["ratio_wrong"]) for row in rows
                           if row["precision"] == precision and "ratio_wrong" in row)
            if wrong:
                axes.plot(*zip(*wrong), color=colour, linestyle=":", linewidth=1, marker=".")
                any_wrong = True
        ends.sort()
        close = len(ends) == 2 and ends[1][0] < 1.4 * ends[0][0]
        for (ratio, column, precision, colour), shift in zip(ends, (-6, 6)):
            axes.annotate(precision, (column, ratio), (8, shift if close else 0), color=colour,
                          textcoords="offset points", va="center", fontweight="bold")
        axes.set_title(title, fontsize=9.5)
        if rows:
            column_ticks(axes, rows)
            low, high = (pick(row["cols"] for row in rows) for pick in (min, max))
            room = max(high / low, 2)  # for the labels on the right
            axes.set_xlim(low / room**0.06, high * room**0.2)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.tick_params(labelleft=True)
        axes.set_ylabel("time of the best peer / time of Carroll")
    for axes in grid:  # the two share their limits, which are known now
        low, high = axes.get_ylim()
        axes.set_ylim(min(low, 0.7), max(high, 1.4))
        axes.axhspan(axes.get_ylim()[0], 1, color="#F0F0F0", zorder=0)
        axes.axhline(1, color=BLACK, linewidth=1, zorder=1)
        for y, side, text in ((0.985, "top", "Carroll is faster"), (0.015, "bottom", "the peer is faster")):
            axes.text(0.015, y, text, va=side, fontsize=8, style="italic", transform=axes.transAxes)
    handles = [Line2D([], [], label="best peer: " + DRIVER_STYLES[method][0], color=GREY, linestyle="",
                      markersize=7, markeredgewidth=1.4, marker=DRIVER_STYLES[method][2],
                      markerfacecolor="white")
               for method in DRIVER_STYLES if method in drawn]
    if any_wrong:
        handles.append(Line2D([], [], label="over a faster peer whose result fails the check",
                              color=GREY, linestyle=":", marker="."))
    if handles:
        figure.legend(handles=handles, loc="lower center", ncol=3, frameon=False, fontsize=8.5)
    return save(figure, path, -(-len(handles) // 3), drawn)


ACCURACY_TOP = 10  # errors above, or not finite, are drawn here: no digit is right


def spread(positions, gap, low, high):
    """The positions, ascending, moved apart to at least the gap and into the range."""
    moved = []
    for position in positions:
        moved.append(max(position, moved[-1] + gap) if moved else max(position, low))
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], high if i + 1 == len(moved) else moved[i + 1] - gap)
    return moved


def accuracy_panel(axes, rows, epsilon):
    ends = []
    for method, (name, colour, marker, style) in DRIVER_STYLES.items():
        found = sorted((row for row in rows if row["method"] == method), key=lambda row: row["cond"])
        if not found:
            continue
        points = [(row["cond"], ACCURACY_TOP if row["max_error"] is None
                   else min(max(row["max_error"], epsilon / 4), ACCURACY_TOP)) for row in found]
        ours = method.startswith("carroll")
        axes.plot(*zip(*points), color=colour, marker=marker, linestyle=style, markerfacecolor="none",
                  linewidth=2.2 if ours else 1.2, zorder=5 if ours else 2)
        failed = [point for point, row in zip(points, found) if row["check"] != "ok"]
        if failed:
            axes.plot(*zip(*failed), color="red", marker="X", linestyle="", markersize=7, zorder=6)
        ends.append((math.log10(points[-1][1]), name, colour, points[-1]))
    conds = sorted({row["cond"] for row in rows})
    axes.plot(conds, [min(epsilon * cond, ACCURACY_TOP) for cond in conds], color=BLACK, linewidth=0.9,
              linestyle=(0, (1, 2)))
    axes.annotate("ε · cond(A)", (conds[len(conds) // 2], epsilon * conds[len(conds) // 2]), (-4, 4),
                  textcoords="offset points", ha="right", fontsize=8)
    axes.axhline(epsilon, color=BLACK, linewidth=0.9, linestyle=(0, (1, 2)))
    axes.annotate("ε", (conds[0], epsilon), (0, 2), textcoords="offset points", fontsize=8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    low, high = math.log10(epsilon / 4), math.log10(ACCURACY_TOP)
    axes.set_ylim(10**low, 2 * 10**high)
    ends.sort()
    places = spread([end[0] for end in ends], (high - low) / 19, low, high)
    for (_, name, colour, point), place in zip(ends, places):
        axes.annotate(name, point, (1.04, (place - low) / (high + math.log10(2) - low)),
                      textcoords="axes fraction", va="center", fontsize=8, color=colour,
                      fontweight="bold" if name == "Carroll" else "normal", annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5,
                                  "shrinkA": 1, "shrinkB": 3, "relpos": (0, 0.5)})


def accuracy(record, path):
    """The largest relative error of any singular value, for each driver."""
    n = max((row["cols"] for row in record["results"]), default=0)
    kinds = {"geometric": "A = UΣVᵀ, singular values geometric",
             "scaled_columns": "A = B·D, columns scaled, cond(B) = 10"}
    figure, grid = plt.subplots(2, 2, figsize=(12.5, 9))
    figure.suptitle(f"Largest relative error of a singular value, {n} × {n}\n{records.title(record)}",
                    fontsize=11)
    drawn = False
    for axes_row, (precision, epsilon) in zip(grid, (("single", 2.0**-23), ("double", 2.0**-52))):
        for axes, (kind, text) in zip(axes_row, kinds.items()):
            rows = records.select(record, cols=n, precision=precision, kind=kind)
            axes.set_title(f"{precision} precision: {text}", fontsize=9.5)
            axes.set_xlabel("cond(A)")
            axes.set_ylabel("largest |σ − σ'| / σ")
            if rows:
                accuracy_panel(axes, rows, epsilon)
                drawn = True
    if any(row.get("check", "ok") != "ok" for row in record["results"]):
        figure.text(0.01, 0.005, "✕ in red: the driver says that it failed; at the top: no digit is right",
                    fontsize=8.5)
    if drawn:
        figure.tight_layout(rect=(0, 0.02, 1, 0.99), w_pad=2)
        figure.savefig(path)
    plt.close(figure)
    return drawn


FIGURES = {
    "svd_speedup": speedup,
    "svd_mse": mean_square_error,
    "svd_time": time,
    "svd_batch": batch,
    "svd_kernel_share": kernel_share,
}


ACCURACY_FIGURES = {"svd_accuracy": accuracy}


def draw_all(record, folder):
    """Paths of the figures drawn; a figure for which the record has nothing is left out."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = FIGURES if record["bench"] == "bench_svd" else ACCURACY_FIGURES
    paths = {stem: folder / f"{stem}.png" for stem in figures}
    return [path for stem, path in paths.items() if figures[stem](record, path)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("machines", nargs="*")
    parser.add_argument("--results", type=Path, default=records.PERF / "results")
    parser.add_argument("--figures", type=Path, default=records.PERF / "figures")
    arguments = parser.parse_args()
    found = {}
    for bench in ("bench_svd", "bench_svd_accuracy"):
        for machine, record in records.load_all(arguments.results, bench).items():
            found.setdefault(machine, []).append(record)
    for machine in arguments.machines or found:
        if machine not in found:
            sys.exit(f"plot.py: no record of {machine} in {arguments.results}")
        for record in found[machine]:
            for path in draw_all(record, arguments.figures / machine):
                print(path)


if __name__ == "__main__":
    main()
