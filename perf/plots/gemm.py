# SPDX-License-Identifier: BSD-3-Clause
"""The figure of bench_gemm: gemm_rate shows the operations a second of products of squares against their
order, of the naive and the tiled kernel of a course on GPUs, of Carroll's own, and of the vendor."""

import matplotlib.pyplot as plt

import records
from plots.figures import (BLACK, BLUE, GREY, ORANGE, PRECISIONS, PURPLE, VERMILION, Styles, log_ticks, save)

STYLES = Styles({
    "carroll_blocked": ("Carroll blocked", VERMILION, "o", "-"),
    "carroll_registers": ("Carroll blocked, without tensor cores", BLUE, "^", "-"),
    "carroll_vendor": ("Carroll vendor (KokkosKernels)", ORANGE, "s", "-"),
    "cublas": ("cuBLAS", PURPLE, "+", "-."),
    "openblas": ("OpenBLAS (host)", PURPLE, "+", "-."),
    "carroll_tiled": ("study, tiled", BLACK, "D", "--"),
    "carroll_naive": ("study, naive", GREY, "x", "--"),
})


def rate(record, path, methods=tuple(STYLES)):
    figure, grid = plt.subplots(1, 2, figsize=(10.5, 5.2), sharey=True)
    figure.suptitle(f"Rate of C := A·B, square matrices\n{records.title(record)}", fontsize=11)
    drawn = set()
    for axes, precision in zip(grid, PRECISIONS):
        rows = records.select(record, group="square", precision=precision)
        STYLES.draw_lines(axes, rows, [method for method in STYLES if method in methods],
                          lambda row: row["rows"], lambda row: row["gflops"], drawn)
        log_ticks(axes, (row["rows"] for row in rows), "order of the matrices")
        axes.tick_params(labelleft=True)
        axes.set_ylabel("GFLOP/s (of the median)")
        axes.set_title(f"{precision} precision", fontsize=9.5)
    return save(figure, path, STYLES.legend(figure, drawn), drawn)


FIGURES = {"gemm_rate": rate}
