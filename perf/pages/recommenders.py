# SPDX-License-Identifier: BSD-3-Clause
"""The table of bench_recommenders in docs/results, and what README.md has of it."""

import fields
import records
from pages.tables import best_peers, milliseconds, percent, table

SHOWN_FIGURES = {"recommenders_descent": "Errors after each iteration"}
LINKED_FIGURES = {}
TITLE = "Recommenders"
DATA = {"ml-100k": "ML-100K", "ml-1m": "ML-1M", "ml-10m": "ML-10M", "ml-20m": "ML-20M", "netflix": "Netflix"}
GROUPS = {"als": "ALS, an iteration", "als_implicit": "implicit ALS, an iteration", "sgd": "SGD, an epoch",
          "recommend": "the 100 best items", "neighbours": "neighbours of all items"}
METHODS = {"carroll_conjugate_gradients": ", conjugate gradients", "carroll_block_coordinates": ", blocks"}
KERNELS = "recommenders/als.md#kernels"  # of docs
INTRODUCTION = (
    "**Synthetic ratings**: as many users, items and ratings as the named collection has, users with log-normal numbers of "
    "ratings, items by a power law, values of a planted model; none of these ratings are the collection's. Single "
    "precision, medians, ratings in the device's memory. Iterations of ALS are calls with a workspace that begin with what "
    "the one before left; the schedule of SGD is made before its epochs, and its time is in the record. The best items are "
    "those of all users, at most 100 000, that they have not rated, beside another library's product of the matrices of "
    "factors. Under “floor” stands the share of the speed that the machine's rates of matrix products and of reading memory "
    "allow, of SGD as if no cache held factors (above 100 % where one does); errors are of ratings that were set apart.")


def ours(record):
    return [row for row in records.select(record) if row["method"].startswith("carroll_") and "median" in row]


def case_name(row):
    kept = "kept" if row["group"] == "neighbours" else "k"
    return (f"{GROUPS[row['group']]}{METHODS.get(row['method'], '')}, {DATA.get(row['data'], row['data'])} shape, "
            f"{kept} = {row['k']}")


def found_of(record, row):
    case = {key: row[key] for key in fields.CASE_FIELDS[record["bench"]]}
    return {other["method"]: other for other in records.select(record, **case)}


def tally(record):
    """A line for README.md: the largest exact iterations and epochs, or those of the first data."""
    wanted = {("als", "ml-20m", 128), ("als", "netflix", 100), ("sgd", "ml-10m", 128)}
    rows = [row for row in ours(record) if row["method"] in ("carroll_cholesky", "carroll_sgd")
            and row["group"] in ("als", "sgd") and row["check"] == "ok"]
    chosen = ([row for row in rows if (row["group"], row["data"], row["k"]) in wanted]
              or [row for row in rows if row["data"] == "ml-1m"])
    found = [f"{milliseconds(row['median'])} ms ({case_name(row)})" for row in chosen]
    return "Recommenders, synthetic ratings: " + "; ".join(found) + "." if found else None


def rate(row):
    return f"{row['gflops']:.3g}" if row.get("gflops") else "–"


def tables(record):
    """Of one machine, as lines of Markdown."""
    rows = [[case_name(row), milliseconds(row["median"]) + ("" if row["check"] == "ok" else " (wrong)"), rate(row),
             percent(row, "floor"), best_peers(row, found_of(record, row)),
             f"{row['ratio']:.2g}" if "ratio" in row else "–"] for row in ours(record)]
    return table(["call, synthetic ratings", "Carroll, ms", "GFLOP/s", "floor", "product, ms", "ratio"], rows)
