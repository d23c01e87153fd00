# SPDX-License-Identifier: BSD-3-Clause
"""The bars of bench_svd, and how its time grows with the size of a matrix and of a batch."""

import math

import records
from bars import PRECISIONS, Bar, against_peers, is_device, same_case

OURS = "carroll_preconditioned"
ACCURATE = ("cusolver_gesvd", "cusolver_gesvdj")


def rows_of(record, groups):
    """Our results with vectors in the default method, in the order of their size."""
    found = [row for group in groups
             for row in records.select(record, group=group, job="vectors", method=OURS)]
    return sorted(found, key=lambda row: (row["rows"] * row["cols"], PRECISIONS.index(row["precision"])))


def case_name(row):
    extents = f"{row['rows']}x{row['cols']}"
    return extents if row["batch"] == 1 else f"{row['batch']} x {extents}"


def device_bars(record):
    for row in rows_of(record, ("batch",)):
        if row["cols"] <= 32:
            yield against_peers(record, 1, case_name(row), row, "gesvdjBatched, gesvda", 4,
                                lambda method: method in ("cusolver_gesvdjBatched", "cusolver_gesvda"))
        else:
            yield against_peers(record, 1, case_name(row), row, "every peer",
                                2 if row["cols"] <= 256 else 1.3)
    for row in rows_of(record, ("study",)):
        yield against_peers(record, 2, case_name(row), row, "cuSOLVER", 3,
                            lambda method: method.startswith("cusolver_"))
        yield against_peers(record, 2, case_name(row), row, "LAPACK", 1,
                            lambda method: method.startswith("lapack_"))
    for row in rows_of(record, ("square",)):
        of_all, of_accurate = (1.5, 8) if row["cols"] <= 1024 else (1, 5)
        if row["cols"] <= 2048:
            yield against_peers(record, 2, case_name(row), row, "every peer", of_all)
        yield against_peers(record, 2, case_name(row), row, "gesvd, gesvdj", of_accurate,
                            lambda method: method in ACCURATE)


def host_bars(record):
    for row in rows_of(record, ("batch",)):
        if row["cols"] <= 32:
            yield against_peers(record, 4, case_name(row), row, "LAPACK gesdd", 3,
                                lambda method: method == "lapack_gesdd")
    for row in rows_of(record, ("study", "square")):
        if row["rows"] >= 200:
            yield against_peers(record, 4, case_name(row), row, "LAPACK gesvj", 10,
                                lambda method: method == "lapack_gesvj")
            yield against_peers(record, 4, case_name(row), row, "LAPACK gesdd", 0.5,
                                lambda method: method == "lapack_gesdd")


def values_bars(record):
    for row in rows_of(record, ("batch", "study", "square")):
        for values in same_case(record, row, job="values", method=OURS):
            share = values["median"] / row["median"]
            yield Bar(3, case_name(row), row["precision"], "its time with vectors", 0.6, True,
                      share, "", share, "")


def times_per_matrix(record, precision):
    """{n: {batch: seconds}} for the members that are measured in batches of several sizes."""
    times = {}
    for group in ("batch", "scaling"):
        for row in records.select(record, group=group, precision=precision, job="vectors", method=OURS):
            if row["rows"] == row["cols"]:
                times.setdefault(row["cols"], {})[row["batch"]] = row["median"] / row["batch"]
    return {n: dict(sorted(of.items())) for n, of in sorted(times.items()) if len(of) > 1}


def scaling_bars(record):
    """The largest departure of a batch's time per matrix from that of the middle batch."""
    for precision in PRECISIONS:
        for n, times in times_per_matrix(record, precision).items():
            middle = list(times.values())[len(times) // 2]
            departure = max(abs(time / middle - 1) for time in times.values())
            batches = "/".join(str(batch) for batch in times)
            yield Bar(5, f"{batches} x {n}x{n}", precision, "time per matrix constant", 0.1, True,
                      departure, "", departure, "")


def growth(record, precision, smallest=512):
    """{n: seconds, exponent from the row before, floors of the phases in seconds} for one matrix."""
    rates = record["context"]
    gemm = float(rates.get("gemm_flops_" + precision, 0))
    copy = float(rates.get("copy_bytes_per_second", 0))
    result, before = {}, None
    for row in rows_of(record, ("square",)):
        if row["precision"] != precision or row["cols"] < smallest:
            continue
        slope = None
        if before:
            slope = math.log(row["median"] / before["median"]) / math.log(row["cols"] / before["cols"])
        floors = {name: max(flops / gemm, count / copy)
                  for name, (flops, count) in row.get("phases", {}).items()} if gemm and copy else {}
        result[row["cols"]] = {"seconds": row["median"], "exponent": slope, "floors": floors}
        before = row
    return result


def exponent(of_growth):
    """Slope of log(time) against log(n) by least squares; None for fewer than two sizes."""
    points = [(math.log(n), math.log(row["seconds"])) for n, row in of_growth.items()]
    if len(points) < 2:
        return None
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points))
    return (sum((x - mean_x) * (y - mean_y) for x, y in points)
            / sum((x - mean_x) ** 2 for x, _ in points))


def table(record):
    own = device_bars if is_device(record) else host_bars
    found = [*own(record), *values_bars(record), *scaling_bars(record)]
    return sorted(found, key=lambda bar: bar.number)


def notes(record):
    """Lines that follow the table."""
    text = []
    for precision in PRECISIONS:
        of_growth = growth(record, precision)
        if (slope := exponent(of_growth)) is not None:
            text += ["", f"one matrix, {precision}: time grows as n^{slope:.2f}"]
            for n, row in of_growth.items():
                floors = ", ".join(f"{name} {1e3 * value:.3g}" for name, value in row["floors"].items())
                step = f", exponent {row['exponent']:.2f}" if row["exponent"] is not None else ""
                text.append(f"  {n}: {1e3 * row['seconds']:.4g} ms{step}; floors, ms: {floors or 'none'}")
    return text
