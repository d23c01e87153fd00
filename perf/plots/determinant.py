# SPDX-License-Identifier: BSD-3-Clause
"""Figures of bench_determinant: determinant_time and determinant_zoom show what the 2014 study of
condensation (Miti) showed, the time against the order of the matrix and the same below order 1000, for
all methods and peers; determinant_batch shows the time of one matrix out of many."""

import matplotlib.pyplot as plt

import records
from plots.figures import (BLACK, BLUE, GREEN, GREY, ORANGE, PRECISIONS, PURPLE, VERMILION, Styles, log_ticks,
                     save)

STYLES = Styles({
    "carroll_blocked": ("Carroll blocked", VERMILION, "o", "-"),
    "carroll_condensation": ("Carroll condensation", BLUE, "s", "-"),
    "carroll_salem_said": ("Carroll Salem–Said", GREEN, "^", "-"),
    "carroll_dodgson": ("Carroll Dodgson", BLACK, "v", "-"),
    "lapack_getrf": ("LAPACK getrf (host)", GREY, "x", "--"),
    "cusolver_Xgetrf": ("cuSOLVER Xgetrf", PURPLE, "+", "-."),
    "cublas_getrfBatched": ("cuBLAS getrfBatched", ORANGE, "x", "-."),
})
ZOOM = 1000  # the largest order of determinant_zoom


def time_figure(record, path, text, largest):
    figure, grid = plt.subplots(1, 2, figsize=(10.5, 5.2), sharey=True)
    figure.suptitle(f"Time of one determinant{text}, uniform random matrices\n{records.title(record)}",
                    fontsize=11)
    drawn = set()
    for axes, precision in zip(grid, PRECISIONS):
        rows = [row for row in records.select(record, group="single", precision=precision)
                if row["n"] <= largest]
        STYLES.draw_lines(axes, rows, list(STYLES), lambda row: row["n"], lambda row: 1e3 * row["median"],
                          drawn)
        log_ticks(axes, (row["n"] for row in rows), "order of the matrix")
        axes.tick_params(labelleft=True)
        axes.set_ylabel("time, ms (median)")
        axes.set_title(f"{precision} precision", fontsize=9.5)
    return save(figure, path, STYLES.legend(figure, drawn), drawn)


def time(record, path):
    return time_figure(record, path, "", float("inf"))


def zoom(record, path):
    return time_figure(record, path, f" up to order {ZOOM}", ZOOM)


def batch(record, path):
    figure, grid = plt.subplots(1, 2, figsize=(10.5, 5.2), sharey=True)
    figure.suptitle(f"Batches: time per determinant\n{records.title(record)}", fontsize=11)
    drawn = set()
    for axes, precision in zip(grid, PRECISIONS):
        rows = records.select(record, group="batch", precision=precision)
        cases = sorted({(row["n"], row["batch"]) for row in rows})
        STYLES.draw_lines(axes, rows, list(STYLES), lambda row: cases.index((row["n"], row["batch"])),
                          lambda row: 1e6 * row["median"] / row["batch"], drawn)
        axes.set_yscale("log")
        axes.set_xticks(range(len(cases)), [f"{batch} of {n}" for n, batch in cases], rotation=45,
                        ha="right", rotation_mode="anchor", fontsize=8)
        axes.set_xlabel("number of matrices and their order")
        axes.tick_params(labelleft=True)
        axes.set_ylabel("time per matrix, µs (median)")
        axes.set_title(f"{precision} precision", fontsize=9.5)
    return save(figure, path, STYLES.legend(figure, drawn), drawn)


FIGURES = {
    "determinant_time": time,
    "determinant_zoom": zoom,
    "determinant_batch": batch,
}
