# SPDX-License-Identifier: BSD-3-Clause
"""What the figures of all benchmarks share: colours, one look for each method, axes and files."""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

# Colours of Okabe and Ito, which people with any colour vision can tell apart; markers and line
# styles carry the same information again.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY = "#7F7F7F"
PRECISIONS = ("single", "double")
# Of results that did not pass the check, which must not pass for good ones.
WRONG = ("result failed the check", "red", "X", "")

plt.rcParams.update({"font.size": 9, "axes.grid": True, "grid.alpha": 0.35, "axes.axisbelow": True,
                     "lines.linewidth": 1.4, "lines.markersize": 5, "figure.dpi": 110})


class Styles(dict):
    """method: (name, colour, marker, line style), in the order of the legend."""

    def __init__(self, styles, marker_sizes=None):
        super().__init__({**styles, "wrong": WRONG})
        self.marker_sizes = marker_sizes or {}

    def line(self, method):
        _, colour, marker, style = self[method]
        return {"color": colour, "marker": marker, "linestyle": style, "markerfacecolor": "none",
                "markersize": self.marker_sizes.get(method, 5)}

    def starting(self, *prefixes):
        return [method for method in self if method.startswith(prefixes)]

    def legend(self, figure, methods, columns=4):
        """Below all axes; returns the number of its rows."""
        handles = [Line2D([], [], label=self[method][0], **self.line(method))
                   for method in self if method in methods]
        figure.legend(handles=handles, loc="lower center", ncol=columns, frameon=False, fontsize=8.5)
        return -(-len(handles) // columns)

    def draw_lines(self, axes, rows, methods, x, y, drawn):
        """One line a method through (x(row), y(row))."""
        for method in methods:
            points = sorted((x(row), y(row)) for row in rows
                            if row["method"] == method and y(row) is not None)
            if points:
                axes.plot(*zip(*points), **self.line(method))
                drawn.add(method)
        wrong = [(x(row), y(row)) for row in rows if row["method"] in methods
                 and row.get("check") != "ok" and y(row) is not None]
        if wrong:
            axes.plot(*zip(*wrong), **self.line("wrong"))
            drawn.add("wrong")


def save(figure, path, legend_rows, methods):
    """False, and no file, when nothing was drawn."""
    if methods:
        height = figure.get_size_inches()[1]
        figure.tight_layout(rect=(0, (0.22 * legend_rows + 0.05) / height, 1, 1 - 0.1 / height))
        figure.savefig(path)
    plt.close(figure)
    return bool(methods)


def log_ticks(axes, sizes, label):
    """Both axes logarithmic, the sizes marked on the horizontal one."""
    sizes = sorted(set(sizes))
    if not sizes:
        return
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_minor_locator(NullLocator())
    # A label too near to the one before would run into it.
    gap, labelled = 0.04 * math.log(sizes[-1] / sizes[0]), 0
    labels = []
    for n in sizes:
        free = labelled == 0 or math.log(n / labelled) >= gap
        labels.append(str(n) if free else "")
        labelled = n if free else labelled
    axes.set_xticks(sizes, labels, rotation=45, fontsize=8)
    axes.set_xlabel(label)
