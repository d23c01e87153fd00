# SPDX-License-Identifier: BSD-3-Clause
"""Figures of bench_reduction: reduction_sum and reduction_dot show the bandwidth against the length of the
vectors, of Carroll's ways to add, of the peers and of the strategies of a course on numerical methods."""

import matplotlib.pyplot as plt

import records
from pages.tables import power_of_two
from plots.figures import (BLACK, BLUE, GREEN, GREY, ORANGE, PRECISIONS, PURPLE, SKY, VERMILION, Styles, log_ticks,
                           save)

STYLES = Styles({
    "carroll_canonical": ("Carroll canonical", VERMILION, "o", "-"),
    "carroll_compensated": ("Carroll compensated", BLUE, "s", "-"),
    "carroll_exact": ("Carroll exact", GREEN, "^", "-"),
    "cub_sum": ("CUB DeviceReduce", PURPLE, "+", "-."),
    "cublas_dot": ("cuBLAS dot", PURPLE, "+", "-."),
    "kokkoskernels_sum": ("KokkosKernels sum", ORANGE, "x", "-."),
    "kokkoskernels_dot": ("KokkosKernels dot", ORANGE, "x", "-."),
    "openblas_dot": ("OpenBLAS dot (host)", PURPLE, "+", "-."),
    "study_one_collects": ("study, one collects", GREY, "v", "--"),
    "study_tree": ("study, tree", BLACK, "D", "--"),
    "study_tree_to_all": ("study, tree to all", GREY, "x", ":"),
    "study_naive": ("study, products to memory", GREY, "v", "--"),
    "study_divergent": ("study, divergent blocks", GREY, "x", ":"),
    "study_conflict_free": ("study, blocks without conflicts", BLACK, "D", "--"),
    "read": ("flat read of as many bytes", SKY, "", ":"),
})


def read_rows(rows):
    """At which speed the bytes are read, as rows of a method of its own."""
    return [{**row, "method": "read", "gbs": row["gbs"] / row["read"]} for row in rows
            if row["method"] == "carroll_canonical" and row.get("read")]


def length_ticks(axes, lengths):
    log_ticks(axes, lengths, "length of a vector")
    lengths = sorted(set(lengths))
    if lengths:
        axes.set_xticks(lengths, [power_of_two(length) for length in lengths], rotation=0, fontsize=8)


def bandwidth(record, path, function, text, methods=tuple(STYLES)):
    figure, grid = plt.subplots(1, 2, figsize=(10.5, 5.2), sharey=True)
    figure.suptitle(f"Bandwidth of {text}\n{records.title(record)}", fontsize=11)
    drawn = set()
    for axes, precision in zip(grid, PRECISIONS):
        rows = records.select(record, function=function, precision=precision)
        STYLES.draw_lines(axes, rows + read_rows(rows), [method for method in STYLES if method in methods],
                          lambda row: row["length"], lambda row: row["gbs"], drawn)
        length_ticks(axes, [row["length"] for row in rows])
        axes.tick_params(labelleft=True)
        axes.set_ylabel("bytes of the vectors over the time, GB/s (median)")
        axes.set_title(f"{precision} precision", fontsize=9.5)
    return save(figure, path, STYLES.legend(figure, drawn), drawn)


FIGURES = {
    "reduction_sum": lambda record, path: bandwidth(record, path, "sum", "sums"),
    "reduction_dot": lambda record, path: bandwidth(record, path, "dot", "inner products"),
}
