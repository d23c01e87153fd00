# SPDX-License-Identifier: BSD-3-Clause
"""The figure of bench_distributed: ranks_gain shows how much faster than one rank the most ranks are, as bars, of problems of
one size (strong scaling) and of those with as much for every rank (weak)."""

import matplotlib.pyplot as plt
from matplotlib.patches import Patch

import records
from bars.distributed import gains
from pages.distributed import method_name
from plots.figures import BLACK, BLUE, ORANGE, save

LOOKS = {"nccl": ("NCCL", BLUE), "mpi": ("MPI, through memory of the host", ORANGE)}
WIDTH = 0.38


def name(row):
    return f"{row['function'].replace('_', ' ')} {row['size']}, {method_name(row['method'])}"


def gain(record, path):
    most = max((row["ranks"] for row in records.select(record)), default=1)
    found = [(row, value) for row, value in gains(record) if row["ranks"] == most]
    names = list(dict.fromkeys(name(row) for row, _ in found))
    figure, axes = plt.subplots(figsize=(9, 1.6 + 0.27 * max(len(names), 1)))
    figure.suptitle(f"{most} ranks: times as fast as one\n{records.title(record)}", fontsize=11)
    for side, (transport, (_, colour)) in zip((-0.5, 0.5), LOOKS.items()):
        of = [(names.index(name(row)) + side * WIDTH, value) for row, value in found if row["transport"] == transport]
        if of:
            places, values = zip(*of)
            axes.barh(places, values, WIDTH, color=colour)
    axes.axvline(most, color=BLACK, linewidth=1, linestyle="--")
    axes.axvline(1, color=BLACK, linewidth=0.6)
    axes.set_yticks(range(len(names)), names, fontsize=7.5)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"one rank's time over that of {most}; “of each”: {most} times that, as there is as much for every rank")
    handles = [Patch(color=colour, label=text) for text, colour in LOOKS.values()]
    figure.legend(handles=handles, loc="lower center", ncol=2, frameon=False, fontsize=8.5)
    return save(figure, path, 1, [row for row, _ in found])


FIGURES = {"ranks_gain": gain}
