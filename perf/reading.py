# SPDX-License-Identifier: BSD-3-Clause
"""What Google Benchmark's JSON of one of the benchmarks says, as the record that is kept of it."""

import re
from functools import partial

import fields
import records

# Of Google Benchmark's context: what says something about the numbers, and nothing about the person
# or the directory that ran it.
DROPPED_CONTEXT = {"host_name", "executable", "load_avg", "caches", "json_schema_version", "date",
                   "bench"}


def name_pattern(text):
    """For names such as `text`, in which <part> is a number or all up to the next slash."""
    numbers = {"batch", "rows", "cols", "columns", "n", "m", "k", "frames", "instances", "terms", "length", "ranks"}
    return re.compile(re.sub(r"<(\w+)>", lambda part: "(?P<%s>%s)" % (
        part[1], r"\d+" if part[1] in numbers else "[^/]+"), text))


SVD_NAME = name_pattern("svd/<group>/<batch>x<rows>x<cols>/<precision>/<job>/<method>")
SVD_KERNEL_NAME = name_pattern("kernels/<batch>x<rows>x<cols>/<precision>/<job>/<method>")
EIGH_NAME = name_pattern("eigh/<group>/<batch>x<n>/<precision>/<job>/<method>")
EIGH_KERNEL_NAME = name_pattern("kernels/<batch>x<n>/<precision>/<job>/<method>")
QR_NAME = name_pattern("qr/<group>/<batch>x<rows>x<cols>/<precision>/<job>/<method>")
SOLVE_NAME = name_pattern("solve/<group>/<batch>x<n>x<columns>/<precision>/<job>/<method>")
LSTSQ_NAME = name_pattern("lstsq/<group>/<batch>x<rows>x<cols>x<columns>/<precision>/<job>/<method>")
COMPLEX_NAME = name_pattern("complex/<group>/<batch>x<n>/<precision>/<job>/<method>")
NARROW_NAME = name_pattern("narrow/<group>/<batch>x<n>/<job>/<method>")
DETERMINANT_NAME = name_pattern("determinant/<group>/<batch>x<n>/<precision>/<method>")
DETERMINANT_KERNEL_NAME = name_pattern("kernels/<batch>x<n>/<precision>/<method>")
ACCURACY_NAME = name_pattern("accuracy/<kind>/<rows>x<cols>/<precision>/<nominal>/<method>")
PSEUDOINVERSE_NAME = name_pattern("pseudoinverse/<group>/<frames>x<n>x<m>x<k>/<precision>/<method>")
PSEUDOINVERSE_KERNEL_NAME = name_pattern("kernels/<frames>x<n>x<m>x<k>/<precision>/<method>")
PSEUDOINVERSE_ACCURACY_NAME = name_pattern("accuracy/<n>x<m>/<precision>/<nominal>/<method>")
TRACKER_NAME = name_pattern("tracker/<group>/<instances>x<n>x<m>/<motion>/<method>")
TRACKER_KERNEL_NAME = name_pattern("kernels/<instances>x<n>x<m>/<motion>/<method>")
REDUCTION_NAME = name_pattern("reduction/<function>/<length>/<precision>/<method>")
GEMV_NAME = name_pattern("gemv/<rows>x<cols>/<op>/<precision>/<method>")
PICTURES_NAME = re.compile(r"pictures/(?P<group>\w+)/(?P<size>[\dx]+)/(?P<method>\w+)")
DISTRIBUTED_NAME = name_pattern("distributed/<function>/<size>/<method>/<ranks>/<transport>")
RECOMMENDERS_NAME = name_pattern("recommenders/<group>/<data>/<k>/<precision>/<method>")
GEMM_NAME = name_pattern("gemm/<group>/<batch>x<rows>x<cols>x<terms>/<precision>/<method>")

# Field of a result: the counter it is from, and its unit in those of the field.
COUNTERS = {
    "median": ("median_seconds", 1),
    "min": ("min_seconds", 1),
    "runs": ("runs", 1),
    "gflops": ("flops_per_second", 1e-9),
    "gbs": ("bytes_per_second", 1e-9),
    "copy": ("copy_fraction", 1),
    "equal_copy": ("equal_copy_fraction", 1),
    "mse": ("mse", 1),
    "growth": ("growth", 1),
    "log_error": ("log_error", 1),
    "residual": ("residual", 1),
    "orthogonality": ("orthogonality", 1),
    "sweeps": ("sweeps", 1),
    "workspace": ("workspace", 1),
    "memory": ("memory", 1),
    "enqueued": ("enqueued_seconds", 1),
    "read": ("read_fraction", 1),
    "fill": ("fill_fraction", 1),
    "rel_error": ("error", 1),
    "heading": ("heading_error", 1),
    "depth": ("depth_error", 1),
    "passes": ("passes", 1),
    "compute": ("compute_seconds", 1),
    "move": ("move_seconds", 1),
    "floor": ("floor_fraction", 1),
    "prepare": ("prepare_seconds", 1),
}


def rounded(value, digits=4):
    """Few enough digits for a file that is kept, more than the measurement deserves."""
    if value != value or value in (float("inf"), float("-inf")):
        return None
    value = float(f"{value:.{digits}g}")
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def fields_of(name):
    return {key: int(value) if value.isdigit() else value for key, value in name.groupdict().items()}


def label_fields(entry):
    """The key=value parts of a label."""
    return dict(field.split("=", 1) for field in entry.get("label", "").split(";") if "=" in field)


def parts(entry, *prefixes):
    """The counters prefix:name, as {name: [value for each prefix]}."""
    names = [key.partition(":")[2] for key in entry if key.startswith(prefixes[0] + ":")]
    return {name: [rounded(entry[f"{prefix}:{name}"]) for prefix in prefixes] for name in names}


def result_row(known, name, entry):
    """A result, of whose counters those that are known to its benchmark are kept."""
    row = fields_of(name)
    method, _, tolerance = row["method"].partition("_tol")
    row["method"] = method
    if tolerance:
        row["tolerance"] = float(tolerance)
    if entry.get("error_occurred"):
        row["error"] = entry.get("error_message", "failed")
        return row
    for key, (counter, scale) in COUNTERS.items():
        if key in known and counter in entry:
            row[key] = rounded(entry[counter] * scale)
    if phases := parts(entry, "flops", "bytes"):
        row["phases"] = phases
    if "descent" in known and (steps := parts(entry, "training", "test")):
        row["descent"] = [steps[iteration] for iteration in sorted(steps)]
    labels = label_fields(entry)
    row["check"] = labels["check"]
    if "digest" in known and "digest" in labels:
        row["digest"] = labels["digest"]
    return row


def accuracy_row(counters, name, entry):
    """A result without a time; `counters`: the counter of each field."""
    row = fields_of(name)
    row["nominal"] = float(row["nominal"])
    if entry.get("error_occurred"):
        row["error"] = entry.get("error_message", "failed")
        return row
    for key, counter in counters.items():
        row[key] = rounded(entry[counter])
    row["check"] = label_fields(entry)["check"]
    return row


def compare(results, case_fields):
    """Adds to each of our results how it compares with the peers on the same case."""
    def case(row):
        return tuple(row[key] for key in case_fields)

    peers = {}
    for row in results:
        if "median" in row and records.is_peer(row["method"]):
            peers.setdefault(case(row), []).append(row)
    for row in results:
        if "median" not in row or not row["method"].startswith("carroll_"):
            continue
        fastest_first = sorted(peers.get(case(row), []), key=lambda peer: peer["median"])
        valid = [peer for peer in fastest_first if peer["check"] == "ok"]
        if valid:
            row["ratio"] = rounded(valid[0]["median"] / row["median"])
            row["best_peer"] = valid[0]["method"]
        if fastest_first and fastest_first[0]["check"] != "ok":
            row["ratio_wrong"] = rounded(fastest_first[0]["median"] / row["median"])
            row["wrong_peer"] = fastest_first[0]["method"]


def kernel_row(name, entry):
    row = fields_of(name)
    if entry.get("error_occurred"):
        row["error"] = entry.get("error_message", "failed")
        return row
    row["undisturbed"] = rounded(entry["undisturbed_seconds"])
    row["kernels"] = parts(entry, "time", "launches")
    return row


SVD_ACCURACY_COUNTERS = {key: key for key in ("cond", "max_error", "smallest_error")}
PSEUDOINVERSE_ACCURACY_COUNTERS = {"separation": "separation", "rel_error": "error"}
# Of each benchmark: the names of its results, how one becomes a row, the names of its kernels.
BENCHMARKS = {
    "bench_svd": (SVD_NAME, partial(result_row, fields.SVD_FIELDS), SVD_KERNEL_NAME),
    "bench_svd_accuracy": (ACCURACY_NAME, partial(accuracy_row, SVD_ACCURACY_COUNTERS), None),
    "bench_eigh": (EIGH_NAME, partial(result_row, fields.EIGH_FIELDS), EIGH_KERNEL_NAME),
    "bench_qr": (QR_NAME, partial(result_row, fields.QR_FIELDS), None),
    "bench_solve": (SOLVE_NAME, partial(result_row, fields.SOLVE_FIELDS), None),
    "bench_lstsq": (LSTSQ_NAME, partial(result_row, fields.LSTSQ_FIELDS), None),
    "bench_complex": (COMPLEX_NAME, partial(result_row, fields.COMPLEX_FIELDS), None),
    "bench_narrow": (NARROW_NAME, partial(result_row, fields.NARROW_FIELDS), None),
    "bench_determinant": (DETERMINANT_NAME, partial(result_row, fields.DETERMINANT_FIELDS),
                          DETERMINANT_KERNEL_NAME),
    "bench_pseudoinverse": (PSEUDOINVERSE_NAME, partial(result_row, fields.PSEUDOINVERSE_FIELDS),
                            PSEUDOINVERSE_KERNEL_NAME),
    "bench_pseudoinverse_accuracy": (PSEUDOINVERSE_ACCURACY_NAME,
                                     partial(accuracy_row, PSEUDOINVERSE_ACCURACY_COUNTERS), None),
    "bench_direct_tracker": (TRACKER_NAME, partial(result_row, fields.TRACKER_FIELDS), TRACKER_KERNEL_NAME),
    "bench_reduction": (REDUCTION_NAME, partial(result_row, fields.REDUCTION_FIELDS), None),
    "bench_gemv": (GEMV_NAME, partial(result_row, fields.GEMV_FIELDS), None),
    "bench_gemm": (GEMM_NAME, partial(result_row, fields.GEMM_FIELDS), None),
    "bench_recommenders": (RECOMMENDERS_NAME, partial(result_row, fields.RECOMMENDERS_FIELDS), None),
    "bench_pictures": (PICTURES_NAME, partial(result_row, fields.PICTURES_FIELDS), None),
    "bench_distributed": (DISTRIBUTED_NAME, partial(result_row, fields.DISTRIBUTED_FIELDS), None),
}


def compact(raw, machine):
    """The record of a Google Benchmark JSON."""
    context = {key: value for key, value in raw["context"].items() if key not in DROPPED_CONTEXT}
    bench = raw["context"].get("bench", "bench_svd")
    name, make_row, kernel_name = BENCHMARKS[bench]
    record = {
        "schema": 1,
        "bench": bench,
        "machine": machine,
        "date": raw["context"]["date"],
        "context": context,
        "results": [],
    }
    if kernel_name:
        record["kernels"] = []
    for entry in raw["benchmarks"]:
        if found := name.match(entry["name"]):
            record["results"].append(make_row(found, entry))
        elif kernel_name and (found := kernel_name.match(entry["name"])):
            record["kernels"].append(kernel_row(found, entry))
    if bench in fields.CASE_FIELDS:
        compare(record["results"], fields.CASE_FIELDS[bench])
    return record
