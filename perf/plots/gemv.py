# SPDX-License-Identifier: BSD-3-Clause
"""The figure of bench_gemv: gemv_ratio shows the time of the best peer over ours for every shape, as bars."""

import matplotlib.pyplot as plt
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

import records
from bars.gemv import OURS
from pages.gemv import cases_of
from pages.tables import peer_name
from plots.figures import BLACK, BLUE, PRECISIONS, VERMILION, save

LOOKS = {"n": ("A·x", BLUE), "t": ("Aᵀ·x", VERMILION)}
WIDTH = 0.38


def shape_name(rows, cols):
    def short(extent):
        zeros = len(str(extent)) - len(str(extent).rstrip("0"))
        power = f"10{str(zeros).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
        return str(extent) if zeros < 5 else f"{extent // 10**zeros}·{power}".removeprefix("1·")

    return f"{short(rows)} × {short(cols)}"


def ratio(record, path):
    figure, grid = plt.subplots(1, 2, figsize=(10.5, 5.2), sharey=True)
    rows = [row for row in records.select(record, method=OURS) if "ratio" in row]
    peers = sorted({peer_name(row["best_peer"]) for row in rows})
    figure.suptitle(f"gemv: time of {' or '.join(peers) or 'a peer'} over that of Carroll\n{records.title(record)}",
                    fontsize=11)
    shapes = list(dict.fromkeys((m, n) for m, n, _ in cases_of(record)))
    for axes, precision in zip(grid, PRECISIONS):
        for side, (op, (_, colour)) in zip((-0.5, 0.5), LOOKS.items()):
            bars = [(shapes.index((row["rows"], row["cols"])) + side * WIDTH, row["ratio"]) for row in rows
                    if row["precision"] == precision and row["op"] == op]
            if bars:  # from 1, up or down
                places, ratios = zip(*bars)
                axes.bar(places, [value - 1 for value in ratios], WIDTH, bottom=1, color=colour)
        axes.axhline(1, color=BLACK, linewidth=1)
        axes.set_yscale("log")
        axes.set_xticks(range(len(shapes)), [shape_name(*shape) for shape in shapes], rotation=45, ha="right",
                        rotation_mode="anchor", fontsize=8)
        axes.grid(axis="x", visible=False)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.tick_params(labelleft=True)
        axes.set_ylabel("above 1: Carroll is faster")
        axes.set_title(f"{precision} precision", fontsize=9.5)
    handles = [Patch(color=colour, label=name) for name, colour in LOOKS.values()]
    figure.legend(handles=handles, loc="lower center", ncol=2, frameon=False, fontsize=8.5)
    return save(figure, path, 1, rows)


FIGURES = {"gemv_ratio": ratio}
