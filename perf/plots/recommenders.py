# SPDX-License-Identifier: BSD-3-Clause
"""The figure of bench_recommenders: recommenders_descent shows the root mean square errors after each iteration, of
the ratings learnt from and of those that were set apart."""

import matplotlib.pyplot as plt
from matplotlib.ticker import MaxNLocator

import records
from pages.recommenders import DATA
from plots.figures import BLUE, GREEN, PURPLE, VERMILION, Styles, save

STYLES = Styles({
    "carroll_cholesky": ("ALS, Cholesky", BLUE, "o", "-"),
    "carroll_conjugate_gradients": ("ALS, conjugate gradients", GREEN, "s", "--"),
    "carroll_block_coordinates": ("ALS, blocks of factors", PURPLE, "^", "-."),
    "carroll_sgd": ("SGD", VERMILION, "D", ":"),
})


def descent(record, path):
    figure, grid = plt.subplots(1, 2, figsize=(10.5, 4.4))
    rows = records.select(record, group="descent")
    shapes = ", ".join(sorted({f"{DATA.get(row['data'], row['data'])} shape, k = {row['k']}" for row in rows}))
    figure.suptitle(f"Errors against iterations, synthetic ratings: {shapes}\n{records.title(record)}", fontsize=11)
    drawn = set()
    for axes, part, text in zip(grid, (0, 1), ("of the ratings learnt from", "of the tenth that was set apart")):
        points = [{"method": row["method"], "check": row["check"], "iteration": i + 1, "error": step[part]}
                  for row in rows for i, step in enumerate(row["descent"])]
        STYLES.draw_lines(axes, points, list(STYLES)[:-1], lambda point: point["iteration"],
                          lambda point: point["error"], drawn)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("iterations, or epochs")
        axes.set_ylabel("root mean square error")
        axes.set_title(text, fontsize=9.5)
    legend_rows = STYLES.legend(figure, drawn) if drawn else 0
    return save(figure, path, legend_rows, drawn)


FIGURES = {"recommenders_descent": descent}
