# SPDX-License-Identifier: BSD-3-Clause
"""The figure of theoretical occupancies: warps over block sizes, one panel for each report of
`carroll occupancy --json`, in the colours of what limits them."""

import math

import matplotlib.pyplot as plt
from matplotlib.patches import Patch

from plots.figures import BLUE, GREEN, ORANGE, VERMILION

LIMITERS = {"warps": ("warps", BLUE), "blocks": ("blocks", ORANGE),
            "registers": ("registers", VERMILION), "scratch": ("scratch", GREEN)}
COLUMNS = 2


def title(report):
    device = f"{report['device']}, {report['capability']}" if report["device"] else report["capability"]
    kernel = [f"{report['registers']} registers" if report["registers"] else "registers not counted"]
    if report["scratch"]:
        kernel.append(f"{report['scratch']} bytes of scratch at {report['threads']} threads")
    return f"{device}: {', '.join(kernel)}"


def panel(axes, report):
    for limiter, (_, colour) in LIMITERS.items():
        points = [point for point in report["curve"] if point["limiter"] == limiter]
        axes.bar([point["threads"] for point in points],
                 [100 * point["fraction"] for point in points], width=26, color=colour)
    best = report["best_team_sizes"]
    if best:
        height = 100 * max(point["fraction"] for point in report["curve"])
        axes.plot(best, [height + 4] * len(best), linestyle="", marker="v", color="black",
                  markersize=4)
    axes.set_title(title(report), fontsize=9.5)
    axes.set_xticks(range(0, 1025, 128))
    axes.set_xlim(0, 1056)
    axes.set_ylim(0, 110)
    axes.grid(axis="x", visible=False)


def draw(reports, path):
    rows = math.ceil(len(reports) / COLUMNS)
    figure, grid = plt.subplots(rows, COLUMNS, figsize=(10.5, 2.9 * rows + 0.9), sharey=True,
                                squeeze=False)
    figure.suptitle("Theoretical occupancy: warps of a multiprocessor that are taken", fontsize=11)
    for axes, report in zip(grid.flat, reports):
        panel(axes, report)
    for axes in grid.flat[len(reports):]:
        axes.set_axis_off()
    for axes in grid[:, 0]:
        axes.set_ylabel("occupancy, %")
        axes.tick_params(labelleft=True)
    for axes in grid[-1]:
        axes.set_xlabel("threads of a block")
    handles = [Patch(color=colour, label=f"limited by {name}") for name, colour in LIMITERS.values()]
    handles.append(plt.Line2D([], [], linestyle="", marker="v", color="black", markersize=4,
                              label="best sizes"))
    figure.legend(handles=handles, loc="lower center", ncol=5, frameon=False, fontsize=8.5)
    figure.tight_layout(rect=(0, 0.3 / figure.get_size_inches()[1], 1, 1))
    figure.savefig(path)
    plt.close(figure)
