# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_distributed: 1 what wrappers and adapters cost, 2 the same bits, 3 hosts beside ScaLAPACK and SLEPc, 4 one rank
of a device beside the plain solver, 5 two devices beside one and beside cuSOLVERMg."""

import records
from bars import Bar

WRAPPER, ALONE = 1.05, 1.03  # time over that of raw calls, and of the plain solver
SINGLE = ("svd_batch", "frames", "arrow_step", "als")
ONE_RANK = "carroll_one_rank"
# On hosts: function, our method, and the speed-up over which peer.
HOSTS = (("tall_svd", "carroll_tree", "ScaLAPACK", 3), ("tall_svd_values", "carroll_tree", "ScaLAPACK", 3),
         ("determinant", "carroll_automatic", "ScaLAPACK", 1), ("randomized_svd", "carroll_tree", "SLEPc", 2),
         ("randomized_svd_sparse", "carroll_tree", "SLEPc", 2))
# Two devices over one: function, our method, what is compared, and the ratio.
DEVICES = (("svd_batch", "carroll_in_place", "compute", 1.95),
           ("determinant_batch", "carroll_in_place", "compute", 1.95),
           ("frames", "carroll_in_place", "compute", 1.95),
           ("sum", "carroll_canonical", "median", 1.95), ("dot", "carroll_canonical", "median", 1.95),
           ("determinant", "carroll_automatic", "median", 1.8),
           ("arrow_step", "carroll_leaves", "median", 1.7),
           ("als", "carroll_by_rows", "median", 1.7))
WEAK = 1.9
LARGE_SUM = 1 << 30  # of sums and dots, the length from which on two devices have to be faster
CUSOLVER_MG = 1.3
HUGE_ORDER = 150000


def is_device(record):
    return record["context"].get("backend") in ("Cuda", "HIP", "SYCL")


def named(row):
    return f"{row['function']} {row['size']}, {row['ranks']} × {row['transport']}"


def bar(number, row, text, wanted, at_most, value, name=""):
    """Of a wrong result nothing counts."""
    worst = float("inf") if at_most else 0
    valid = value if row["check"] == "ok" else worst
    precision = "single" if row["function"] in SINGLE else "double"
    return Bar(number, named(row), precision, text, wanted, at_most, value, name, valid, name)


def one(record, **wanted):
    """The fastest of some results, None where there are none."""
    return min(records.select(record, **wanted), key=lambda row: row["median"], default=None)


def wrappers(record):
    """What the communicator takes beside raw calls of its library."""
    for row in record["results"]:
        transport, _, kind = row["method"].partition("_")
        if kind != "wrapper" or "error" in row:
            continue
        raw = one(record, function=row["function"], size=row["size"], ranks=row["ranks"],
                  transport=row["transport"], method=transport + "_raw")
        if raw:
            yield bar(1, row, f"raw {transport}, time", WRAPPER, True, row["median"] / raw["median"])


def peers_of(record, row, prefix):
    return [peer for peer in records.select(record, function=row["function"], size=row["size"], ranks=row["ranks"])
            if peer["method"].startswith(prefix) and peer["check"] == "ok"]


def fastest(rows):
    return min(rows, key=lambda row: row["median"], default=None)


def adapters(record):
    """What a call through ScaLAPACK takes beside ScaLAPACK's own."""
    for row in records.select(record, method="carroll_scalapack"):
        if peer := fastest(peers_of(record, row, "scalapack_")):
            yield bar(1, row, "raw ScaLAPACK, time", WRAPPER, True, row["median"] / peer["median"], peer["method"])


def digests(record):
    """How many different results one problem has over all numbers of ranks and transports; ScaLAPACK's may differ."""
    found = {}
    for row in record["results"]:
        if ("digest" in row and row["method"] not in (ONE_RANK, "carroll_scalapack")
                and not row["function"].endswith("_of_each")):
            found.setdefault((row["function"], row["size"], row["method"]), []).append(row)
    for rows in found.values():
        if len(rows) > 1:
            first = {**rows[0], "ranks": "/".join(str(ranks) for ranks in sorted({row["ranks"] for row in rows})),
                     "transport": "/".join(sorted({row["transport"] for row in rows}))}
            yield bar(2, first, "different results", 1, True, len({row["digest"] for row in rows}))


def host_bars(record):
    for function, method, library, wanted in HOSTS:
        for row in records.select(record, function=function, method=method):
            if row["ranks"] > 1 and (peer := fastest(peers_of(record, row, library.lower() + "_"))):
                yield bar(3, row, library, wanted, False, peer["median"] / row["median"], peer["method"])


def one_rank_bars(record):
    for plain in records.select(record, method=ONE_RANK, ranks=1):
        # Among calls that do the same: a batch with nothing to gather, a matrix by rows, on one rank.
        of_ours = [row for row in records.select(record, function=plain["function"], size=plain["size"], ranks=1)
                   if row["method"].startswith("carroll_")
                   and row["method"] not in (ONE_RANK, "carroll_to_all", "carroll_scalapack", "carroll_panels")
                   and row["transport"] == "mpi"]
        for row in of_ours:
            way = row["method"].removeprefix("carroll_")
            yield bar(4, row, f"plain solver, time, {way}", ALONE, True, row["median"] / plain["median"])


def device_bars(record):
    for function, method, of, wanted in DEVICES:
        for row in records.select(record, function=function, method=method, ranks=2):
            if function in ("sum", "dot") and int(row["size"]) < LARGE_SUM:
                continue
            alone = fastest([single for single in records.select(record, function=function, size=row["size"], ranks=1)
                             if single["method"] in (method, ONE_RANK) and of in single])
            if alone and row.get(of):
                text = "one device" if of == "median" else "one device, computing"
                yield bar(5, row, text, wanted, False, alone[of] / row[of], alone["method"])
    for function in ("tall_svd", "tall_svd_values"):
        for row in records.select(record, function=f"{function}_of_each", method="carroll_tree", ranks=2):
            if alone := one(record, function=function, size=row["size"], method="carroll_tree", ranks=1):
                yield bar(5, row, "one device, as many rows on each", WEAK, False, 2 * alone["median"] / row["median"])
    for row in records.select(record, function="determinant", method="carroll_automatic", ranks=2):
        if peer := fastest(peers_of(record, row, "cusolverMg_")):
            yield bar(5, row, "cuSOLVERMg on two", CUSOLVER_MG, False, peer["median"] / row["median"], peer["method"])
    for row in record["results"]:
        if row["function"] == "determinant" and row["size"] == HUGE_ORDER:
            yield bar(5, {"check": "ok", **row}, "is there", 1, False, 0 if "error" in row else 1)


def table(record):
    found = [*wrappers(record), *adapters(record), *digests(record)]
    if is_device(record):
        return found + [*one_rank_bars(record), *device_bars(record)]
    return found + [*host_bars(record)]


def gains(record):
    """How much faster than one rank all others are: (row, gain), of weak scaling in work done."""
    for row in records.select(record):
        if row["ranks"] == 1 or not row["method"].startswith("carroll_"):
            continue
        function = row["function"].removesuffix("_of_each")
        share = row["ranks"] if function != row["function"] else 1
        if alone := one(record, function=function, size=row["size"], method=row["method"], ranks=1):
            yield row, share * alone["median"] / row["median"]


def notes(record):
    """How much faster than one rank all others are, of which work is told."""
    return [f"{named(row)}, {row['method'].removeprefix('carroll_')}: {gain:.2f} times one rank"
            for row, gain in gains(record)]
