# SPDX-License-Identifier: BSD-3-Clause
"""Figures of bench_pseudoinverse and bench_pseudoinverse_accuracy. pseudoinverse_total, _phases and
_speedup show what the thesis of A. Marchese (Padua) showed in its chapters 4 and 5: the time of A⁺ against
the number of depths for n = 20000 to 120000, that of each phase, and the speed-ups; of its kernels and of
ours. pseudoinverse_accuracy shows the error of the motion step as the motion column comes near to the span
of the depth columns."""

import matplotlib.pyplot as plt

import records
from plots.figures import BLACK, BLUE, GREEN, GREY, ORANGE, SKY, VERMILION, Styles, log_ticks, save

STYLES = Styles({
    "seed_naive": ("thesis, naive", GREY, "x", "--"),
    "seed_tiled": ("thesis, coalesced and tiled", BLACK, "s", "--"),
    "seed_gram": ("thesis, AᵀA", BLACK, "s", "--"),
    "seed_inverse_uncoalesced": ("thesis, inverse, not coalesced", GREY, "x", "--"),
    "seed_inverse_coalesced": ("thesis, inverse, coalesced", BLACK, "s", ":"),
    "seed_product_naive": ("thesis, product, naive", GREY, "x", "-."),
    "seed_product_tiled": ("thesis, product, tiled", BLACK, "s", "-."),
    "carroll_rows": ("Carroll A⁺, by rows", BLUE, "^", "-"),
    "carroll_columns": ("Carroll A⁺, by columns", VERMILION, "o", "-"),
    "carroll_product_rows": ("Carroll, A⁺ from factors, by rows", BLUE, "^", "-"),
    "carroll_product_columns": ("Carroll, A⁺ from factors, by columns", VERMILION, "o", "-"),
    "carroll_automatic": ("Carroll step x = A⁺d", GREEN, "D", "-"),
    "carroll_normal_equations": ("Carroll step, normal equations", ORANGE, "v", "-"),
    "fill": ("flat fill of as many bytes", SKY, "", ":"),
})
SIZES = tuple(range(20000, 120001, 20000))


def rows_of(record, group, **wanted):
    return records.select(record, group=group, precision="single", k=1, frames=1, **wanted)


def milliseconds(row):
    return 1e3 * row["median"]


def fill_rows(rows):
    """How long the bytes of A⁺ take, as rows of a method of its own."""
    return [{**row, "method": "fill", "median": row["fill"] * row["median"]} for row in rows
            if row["method"].endswith("_columns") and row["check"] == "ok"]


def draw(axes, rows, x, label, drawn):
    STYLES.draw_lines(axes, rows, list(STYLES), x, milliseconds, drawn)
    log_ticks(axes, (x(row) for row in rows), label)
    axes.set_ylabel("time, ms (median)")


def depths(row):
    return row["m"]


def total(record, path):
    figure, grid = plt.subplots(2, 3, figsize=(11.5, 7.2), sharey=True)
    figure.suptitle(f"Time of A⁺ against the number of depths, single precision\n{records.title(record)}",
                    fontsize=11)
    drawn = set()
    for axes, n in zip(grid.flat, SIZES):
        rows = rows_of(record, "dense", n=n)
        sizes = {row["m"] for row in rows}
        steps = [row for row in rows_of(record, "step", n=n, method="carroll_automatic")
                 if row["m"] in sizes]
        draw(axes, rows + steps + fill_rows(rows), depths, "depths m", drawn)
        axes.tick_params(labelleft=True)
        axes.set_title(f"n = {n}", fontsize=9.5)
    return save(figure, path, STYLES.legend(figure, drawn, 3), drawn)


def phases(record, path):
    figure, grid = plt.subplots(2, 2, figsize=(10.5, 8.2))
    figure.suptitle(f"Time of each phase, single precision\n{records.title(record)}", fontsize=11)
    drawn = set()
    gram = rows_of(record, "gram", m=1024)
    steps = rows_of(record, "step", m=1024)
    draw(grid[0, 0], gram + steps, lambda row: row["n"], "rows n", drawn)
    grid[0, 0].set_title("AᵀA, and the step that needs no more, m = 1024", fontsize=9.5)
    draw(grid[0, 1], rows_of(record, "inverse"), depths, "depths m", drawn)
    grid[0, 1].set_title("inverse of AᵀA, which Carroll does not form", fontsize=9.5)
    for axes, n in zip(grid[1], (SIZES[0], SIZES[-1])):
        rows = rows_of(record, "product", n=n)
        draw(axes, rows + fill_rows(rows), depths, "depths m", drawn)
        axes.set_title(f"last product, n = {n}", fontsize=9.5)
    return save(figure, path, STYLES.legend(figure, drawn, 3), drawn)


def speedup(record, path):
    """Of the faster orientation, and of the step that makes A⁺ unnecessary."""
    figure, grid = plt.subplots(1, 2, figsize=(10.5, 5.0))
    figure.suptitle("Speed-up over the thesis' coalesced and tiled kernels, single precision\n"
                    f"{records.title(record)}", fontsize=11)
    colours = dict(zip(SIZES, (BLUE, SKY, GREEN, ORANGE, VERMILION, BLACK)))
    means = {"A⁺ itself": {}, "x = A⁺d without A⁺": {}}
    for n, colour in colours.items():
        seed = {row["m"]: row["median"] for row in rows_of(record, "dense", n=n, method="seed_tiled")}
        ours = {}
        for row in rows_of(record, "dense", n=n):
            if row["method"].startswith("carroll_"):
                ours[row["m"]] = min(row["median"], ours.get(row["m"], row["median"]))
        step = {row["m"]: row["median"] for row in
                rows_of(record, "step", n=n, method="carroll_automatic")}
        points = [(m, seed[m] / ours[m]) for m in sorted(seed) if m in ours]
        if not points:
            continue
        grid[0].plot(*zip(*points), color=colour, marker="o", markerfacecolor="none", label=f"n = {n}")
        means["A⁺ itself"][n] = sum(ratio for _, ratio in points) / len(points)
        steps = [seed[m] / step[m] for m in seed if m in step]
        if steps:
            means["x = A⁺d without A⁺"][n] = sum(steps) / len(steps)
    drawn = [n for n in SIZES if n in means["A⁺ itself"]]
    if drawn:
        grid[0].legend(fontsize=8.5)
    grid[0].set_xlabel("depths m")
    grid[0].set_ylabel("speed-up of A⁺")
    grid[0].set_ylim(bottom=0)
    for (label, of), marker in zip(means.items(), "oD"):
        if of:
            grid[1].plot(*zip(*sorted(of.items())), color=GREEN if marker == "D" else VERMILION, marker=marker,
                         markerfacecolor="none", label=label)
    if drawn:
        grid[1].legend(fontsize=8.5)
    grid[1].set_yscale("log")
    grid[1].set_xlabel("rows n")
    grid[1].set_ylabel("speed-up, mean over m")
    return save(figure, path, 0, drawn)


def accuracy(record, path):
    figure, axes = plt.subplots(figsize=(7.6, 5.4))
    rows = [row for row in records.select(record, precision="single") if row["rel_error"] is not None]
    shape = f"n = {rows[0]['n']}, m = {rows[0]['m']}" if rows else ""
    figure.suptitle(f"Error of the motion step, single precision, {shape}\n{records.title(record)}", fontsize=11)
    drawn = set()
    STYLES.draw_lines(axes, rows, ["carroll_automatic", "carroll_normal_equations", "seed_tiled"],
                      lambda row: row["separation"], lambda row: max(row["rel_error"], 1e-9), drawn)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.invert_xaxis()
    axes.set_xlabel("share of the motion column that is left beside the depth columns, s/‖a‖")
    axes.set_ylabel("relative error of the motion step")
    cutoff = 32 * 2 * 2.0**-23
    axes.axvline(cutoff, color=GREY, linewidth=0.9, linestyle=(0, (1, 2)))
    axes.annotate("counts as dependent", (cutoff, 1.2e-9), (4, 0), textcoords="offset points", fontsize=8,
                  rotation=90, va="bottom")
    axes.plot([1, 1e-4], [1e-5, 1e-5], color=VERMILION, linewidth=0.9, linestyle=(0, (1, 2)))
    axes.annotate("bar: 1e-5 down to 1e-4", (1e-4, 1e-5), (-2, 3), textcoords="offset points", fontsize=8,
                  ha="right")
    return save(figure, path, STYLES.legend(figure, drawn, 2), drawn)


FIGURES = {
    "pseudoinverse_total": total,
    "pseudoinverse_phases": phases,
    "pseudoinverse_speedup": speedup,
}
ACCURACY_FIGURES = {"pseudoinverse_accuracy": accuracy}
