# SPDX-License-Identifier: BSD-3-Clause
"""Figures of bench_svd: svd_speedup shows how much faster Carroll is than the best peer. svd_mse, svd_time
and svd_kernel_share show what the 2020 Jetson study (Orlandini, Pagliuca) showed: the error of the
singular values, the time, and each kernel's part of it, against the columns of its matrices; svd_batch
shows the time of one matrix out of many."""

import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

import records
from plots.figures import (BLACK, BLUE, GREEN, GREY, ORANGE, PRECISIONS, PURPLE, SKY, VERMILION, YELLOW, Styles,
                     log_ticks, save)

# method: (name, colour, marker, line style). Where placements give the same bits, their lines coincide:
# the markers differ in size, so that all of them show.
STYLES = Styles({
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
}, marker_sizes={"carroll_round_robin_global": 10, "carroll_round_robin_semi_shared": 7.5,
                 "carroll_round_robin_shared": 4})
CARROLL = STYLES.starting("carroll")
PEERS = STYLES.starting("lapack", "cusolver")
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
STUDY_TOLERANCE = 1e-4
KERNEL_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW, BLACK)


def panels(record, heading):
    """Rows: precision; columns: the study's tolerance and the default."""
    figure, grid = plt.subplots(2, 2, figsize=(10.5, 8.2), sharey="row")
    figure.suptitle(f"{heading}\n{records.title(record)}", fontsize=11)
    for axes_row, precision in zip(grid, PRECISIONS):
        for axes, tolerance in zip(axes_row, (STUDY_TOLERANCE, 0)):
            text = f"tolerance {tolerance:g}" if tolerance else "default tolerance"
            axes.set_title(f"{precision} precision, {text}", fontsize=9.5)
            yield figure, axes, precision, tolerance


def columns(row):
    return row["cols"]


def milliseconds(row):
    return 1e3 * row["median"]


def mean_square_error(record, path):
    drawn, figure = set(), None
    for figure, axes, precision, tolerance in panels(
            record,
            "Mean square error of the singular values, uniform random matrices (columns = ¾ rows)"):
        peers = records.select(record, group="study", precision=precision, job="vectors")
        rows = records.select(record, group="study", precision=precision, job="vectors",
                              tolerance=tolerance)
        shown = [m for m in PEERS if m.startswith("lapack")] if tolerance else PEERS
        STYLES.draw_lines(axes, peers, shown, columns, lambda row: row.get("mse"), drawn)
        STYLES.draw_lines(axes, rows, CARROLL, columns, lambda row: row.get("mse"), drawn)
        log_ticks(axes, map(columns, rows or peers), "columns")
        axes.set_ylabel("mean square error")
    return save(figure, path, STYLES.legend(figure, drawn), drawn)


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
        STYLES.draw_lines(axes, peers, shown, columns, milliseconds, drawn)
        STYLES.draw_lines(axes, rows, CARROLL, columns, milliseconds, drawn)
        log_ticks(axes, map(columns, rows or peers), "columns")
        axes.set_ylabel("time, ms (median)")
    return save(figure, path, STYLES.legend(figure, drawn), drawn)


def batch(record, path):
    figure, grid = plt.subplots(1, 2, figsize=(10.5, 5.2), sharey=True)
    figure.suptitle(f"Batches: time per matrix (thin U, S, V)\n{records.title(record)}", fontsize=11)
    drawn = set()
    for axes, precision in zip(grid, PRECISIONS):
        rows = records.select(record, group="batch", precision=precision, job="vectors")
        cases = sorted({(row["batch"], row["rows"], row["cols"]) for row in rows},
                       key=lambda case: (case[1] * case[2], case))
        STYLES.draw_lines(axes, rows, PEERS + CARROLL,
                          lambda row: cases.index((row["batch"], row["rows"], row["cols"])),
                          lambda row: 1e6 * row["median"] / row["batch"], drawn)
        axes.set_yscale("log")
        axes.set_xticks(range(len(cases)), [f"{m}×{n}\n× {b}" for b, m, n in cases],
                        rotation=90 if len(cases) > 6 else 0, fontsize=7.5)
        axes.set_xlabel("rows × columns, × number of matrices")
        axes.set_ylabel("time per matrix, µs (median)")
        axes.set_title(f"{precision} precision", fontsize=9.5)
    return save(figure, path, STYLES.legend(figure, drawn), drawn)


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


def is_long(row):
    """Is it a matrix much longer than wide? Columns alone do not tell which one it is."""
    return row["rows"] >= 2 * row["cols"]


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
    across = min(4, len(shown))
    lines = -(-len(shown) // across)
    figure, grid = plt.subplots(lines, across, figsize=(2.9 * across + 0.6, 3.6 * lines + 1.2),
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
        axes.set_xticks(range(len(bars)),
                        [f"{row['rows']}×{row['cols']}" if is_long(row) else str(row["cols"]) for row in bars],
                        rotation=90 if len(bars) > 7 else 0, fontsize=8)
        axes.set_xlabel("columns")
        axes.grid(axis="x", visible=False)
        axes.set_ylim(0, 100)
    for axes in grid[:, 0]:
        axes.set_ylabel("share of the kernels' time, %")
    names = [label.replace("carroll::svd::", "").replace("carroll::", "") for label in labels]
    patches = [plt.Rectangle((0, 0), 1, 1, color=colours[label]) for label in labels]
    if len(totals) > len(labels):
        patches.append(plt.Rectangle((0, 0), 1, 1, color="#D9D9D9"))
        names.append(f"{len(totals) - len(labels)} others")
    figure.legend(patches, names, loc="lower center", ncol=across, frameon=False, fontsize=8.5)
    return save(figure, path, -(-len(names) // across), shown)


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
            record, group=name, job="vectors", method=CARROLL[0]) if "ratio" in row and not is_long(row)]
        ends = []
        for precision, colour in SPEEDUP_COLOURS.items():
            points = sorted((row["cols"], row["ratio"], row["best_peer"]) for row in rows
                            if row["precision"] == precision)
            if not points:
                continue
            sizes, ratios, peers = zip(*points)
            axes.plot(sizes, ratios, color=colour)
            for column, ratio, peer in points:
                axes.plot(column, ratio, color=colour, marker=DRIVER_STYLES[peer][2], markersize=7,
                          markerfacecolor="white", markeredgewidth=1.4, linestyle="")
            drawn.update(peers)
            ends.append((ratios[-1], sizes[-1], precision, colour))
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
            log_ticks(axes, map(columns, rows), "columns")
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


FIGURES = {
    "svd_speedup": speedup,
    "svd_mse": mean_square_error,
    "svd_time": time,
    "svd_batch": batch,
    "svd_kernel_share": kernel_share,
}
