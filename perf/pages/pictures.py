# SPDX-License-Identifier: BSD-3-Clause
"""The table of bench_pictures in docs/results, and what README.md has of it."""

import records
from pages.tables import milliseconds, table

SHOWN_FIGURES = {}
LINKED_FIGURES = {}
TITLE = "Pictures"
GROUPS = {"denoise": "denoise, σ = 25", "encode": "encode", "denoise_frames": "denoise frames",
          "robust_pca": "background and foreground"}
KERNELS = "pictures/denoising.md#stacks-of-similar-patches"  # of docs
INTRODUCTION = (
    "**Made-up pictures**: waves, stripes and steps with white noise, and scenes of rank 5 with things that are elsewhere in each "
    "frame. Single precision, medians, pictures in the device's memory; denoising with a workspace. Encoding is from pixels to "
    "the factors that the entropy coder takes; “cosines” says nothing to the host, “automatic” has it choose the basis.")


def timed(record):
    return [row for row in records.select(record) if "median" in row]


def case_name(row):
    method = row["method"].removeprefix("carroll_")
    return f"{GROUPS[row['group']]}, {row['size'].replace('x', '×')}" + (
        f", {method}" if row["group"] in ("denoise", "encode") else "")


def megasamples(row):
    count = 1
    for extent in row["size"].split("x"):
        count *= int(extent)
    return f"{count / row['median'] / 1e6:.3g}"


def tally(record):
    """A line for README.md: one picture denoised, one encoded."""
    wanted = {("denoise", "512x512x1", "carroll_fast"), ("encode", "3840x2160x3", "carroll_automatic")}
    found = [f"{milliseconds(row['median'])} ms ({case_name(row)})" for row in timed(record)
             if (row["group"], row["size"], row["method"]) in wanted and row["check"] == "ok"]
    return "Pictures, made up: " + "; ".join(found) + "." if found else None


def tables(record):
    """Of one machine, as lines of Markdown."""
    rows = [[case_name(row), milliseconds(row["median"]) + ("" if row["check"] == "ok" else " (wrong)"), megasamples(row)]
            for row in timed(record)]
    return table(["call, made-up pictures", "Carroll, ms", "million samples/s"], rows)
