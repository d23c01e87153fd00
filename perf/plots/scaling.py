# SPDX-License-Identifier: BSD-3-Clause
"""The figure of speed-ups over threads and sizes: one row for each report of `carroll scaling --json`,
with the time, the absolute speed-up beside Amdahl's law as it was fitted, and the efficiency."""

import matplotlib.pyplot as plt

from plots.figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION

COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY)
MARKERS = ("o", "s", "^", "v", "D", "P")


def of_law(fit, T_s, p):
    """T_s/T_p with T_p by Amdahl's law."""
    a = fit["serial_fraction"]
    return T_s / (fit["seconds"] * (a + (1 - a) / p))


def row(grid, report):
    time, speedup, efficiency = grid
    most = max(point["threads"] for of in report["sizes"] for point in of["points"])
    ideal = [1, most]
    speedup.plot(ideal, ideal, color=GREY, linestyle="--", label="ideal")
    efficiency.axhline(1, color=GREY, linestyle="--")
    for k, of in enumerate(report["sizes"]):
        look = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)],
                "markerfacecolor": "none"}
        threads = [point["threads"] for point in of["points"]]
        time.plot(threads, [1e3 * point["seconds"] for point in of["points"]], **look,
                  label=f"{of['size']:,}")
        speedup.plot(threads, [point["absolute"] for point in of["points"]], **look)
        efficiency.plot(threads, [point["efficiency"] for point in of["points"]], **look)
        if of["amdahl"] and len(threads) > 2:
            between = [1 + k * (most - 1) / 100 for k in range(101)]
            speedup.plot(between, [of_law(of["amdahl"], of["sequential_seconds"], p) for p in between],
                         color=look["color"], linestyle=":")
        if of["points"][0]["model"]:
            time.plot(threads, [1e3 * point["model"]["tree"] for point in of["points"]],
                      color=look["color"], linestyle=":")
    time.set_yscale("log")
    time.set_ylabel(f"{report['operation']}: time, ms (median)")
    speedup.set_ylabel("absolute speed-up")
    efficiency.set_ylabel("efficiency")
    speedup.set_ylim(bottom=0)
    efficiency.set_ylim(bottom=0)
    efficiency.legend(*time.get_legend_handles_labels(), title=report["size_is"].split(",")[0],
                      fontsize=7.5, title_fontsize=7.5, loc="lower left")
    for axes in grid:
        axes.set_xticks(sorted({point["threads"] for of in report["sizes"] for point in of["points"]}))


def draw(reports, path):
    rows = len(reports)
    figure, grid = plt.subplots(rows, 3, figsize=(10.5, 2.7 * rows + 0.8), squeeze=False)
    figure.suptitle("Speed-up over threads, double precision\n"
                    f"{reports[0]['device']}, {reports[0]['backend']}, "
                    f"{reports[0]['most_threads']} threads", fontsize=11)
    for axes, report in zip(grid, reports):
        row(axes, report)
    for axes in grid[-1]:
        axes.set_xlabel("threads")
    handles = [plt.Line2D([], [], color=GREY, linestyle="--", label="ideal")]
    if any(of["points"][0]["model"] for report in reports for of in report["sizes"]):
        handles.append(plt.Line2D([], [], color=BLACK, linestyle=":",
                                  label="time of sums by the model, tree of threads"))
    if any(len(of["points"]) > 2 for report in reports for of in report["sizes"]):
        handles.append(plt.Line2D([], [], color=BLACK, linestyle=":", label="Amdahl's law, fitted"))
    figure.legend(handles=handles, loc="lower center", ncol=3, frameon=False, fontsize=8.5)
    figure.tight_layout(rect=(0, 0.3 / figure.get_size_inches()[1], 1, 1))
    figure.savefig(path)
    plt.close(figure)
