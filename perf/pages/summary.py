# SPDX-License-Identifier: BSD-3-Clause
"""The table of a machine in README.md: a few rows of each solver, the worst of all among them, and how many
of the others a peer wins.

A solver's report gives its compared rows, {name of a case: {precision: (our row, rows by method)}} in the order
of its tables, and says by `in_readme` which of them stand in README.md; without that they are counted alone.
"""

from pages.tables import best_peers, in_both_precisions, milliseconds, peer_name, table

PRECISIONS = ("single", "double")
INTRODUCTION = (
    "Medians of the default methods, and the fastest peer whose result is right (one marked † is faster, its result is "
    "not), in one process on the same data. A ratio is the peer's time over ours: above 1 Carroll is faster than all of "
    "them; below 1, in bold, a peer is. Some rows of most solvers, the worst of each among them; all rows, figures and "
    "errors are on the machines' own pages. Written by `perf/report.py`.")


def ratio_text(ratio):
    """Bold where a peer is faster."""
    text = f"{ratio:.3g}" if ratio >= 100 or 0.95 < ratio < 1 else f"{ratio:.2g}"
    return f"**{text}**" if ratio < 1 else text


def cells(compared):
    if compared is None:
        return ["–"] * 3
    ours, found = compared
    mark = "" if ours["check"] == "ok" else " (wrong)"
    return [milliseconds(ours["median"]) + mark, best_peers(ours, found),
            ratio_text(ours["ratio"]) if "ratio" in ours else "–"]


def worst_of(compared):
    """(ratio, case, precision, our row) of the row that compares worst with its best peer, or None."""
    rows = [(ours["ratio"], case, precision, ours) for case, of in compared.items()
            for precision, (ours, _) in of.items() if "ratio" in ours]
    return min(rows, key=lambda row: row[0], default=None)


def rows(name, compared, chosen):
    """Of the chosen cases, and of the worst one."""
    worst = worst_of(compared)
    return [[f"{name}, {case}"] + [cell for precision in PRECISIONS for cell in cells(of.get(precision))]
            for case, of in compared.items() if case in chosen or (worst and case == worst[1])]


def tally(name, compared):
    """How many rows a peer wins, and the worst of them."""
    ratios = [ours["ratio"] for of in compared.values() for ours, _ in of.values() if "ratio" in ours]
    if not ratios:
        return f"{name[0].upper()}{name[1:]}: no peers were measured."
    lost = sum(ratio < 1 for ratio in ratios)
    ratio, case, precision, ours = worst_of(compared)
    return (f"{name[0].upper()}{name[1:]}: a peer is faster in {lost} of {len(ratios)} rows; the worst is {case}, "
            f"{precision} precision, {ratio_text(ratio)} ({peer_name(ours['best_peer'])}).")


def summary_table(lines):
    return table(["problem"] + in_both_precisions(["Carroll, ms", "best peer, ms", "ratio"]), lines)
