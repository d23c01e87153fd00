# SPDX-License-Identifier: BSD-3-Clause
"""The figure of bench_svd_accuracy: the error of small singular values against the condition number."""

import math

import matplotlib.pyplot as plt

import records
from plots.figures import BLACK
from plots.svd import DRIVER_STYLES

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


FIGURES = {"svd_accuracy": accuracy}
