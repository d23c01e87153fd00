# SPDX-License-Identifier: BSD-3-Clause
"""Recorded results, which record.py, plot.py and report.py share.

A record is perf/results/<machine>/<bench>.json:

    schema, bench, machine, date    1, one of dating.HEADERS, a short name, ISO 8601
    context                         of the machine, the build and the sources, see perf/harness/context.hpp; a `note`,
                                    written by hand, goes into docs/results
    results                         one object per (case, method), see fields.py
    kernels                         one object per (method, extents): seconds and launches by label; not
                                    of bench_…_accuracy
"""

import json
from pathlib import Path

from dating import PERF


def is_peer(method):
    """Is it another library's? Studies are ours, too, and of the link there are no peers but its raw calls."""
    return not method.startswith(("carroll_", "study_", "mpi_", "nccl_"))


def load(path):
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    if record.get("schema") != 1:
        raise ValueError(f"{path}: not a record of schema 1")
    return record


def load_all(results=PERF / "results", bench="bench_svd"):
    """All records of a benchmark, by machine name."""
    return {path.parent.name: load(path) for path in sorted(Path(results).glob(f"*/{bench}.json"))}


def dump(record, path):
    """One result per line, so that a later record makes a readable difference."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    compact = {"separators": (",", ":"), "ensure_ascii": False}
    lists = [name for name in ("results", "kernels") if name in record]
    head = {key: value for key, value in record.items() if key not in lists}
    text = json.dumps(head, indent=1, ensure_ascii=False).rstrip("}").rstrip()
    for name in lists:
        rows = ",\n".join(json.dumps(row, **compact) for row in record[name])
        text += f',\n "{name}": [\n{rows}\n ]'
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text + "\n}\n", encoding="utf-8")
    temporary.replace(path)


def select(record, **wanted):
    """Results without an error whose fields equal the wanted ones; tolerance defaults to 0."""
    wanted.setdefault("tolerance", 0)
    return [
        row
        for row in record["results"]
        if "error" not in row
        and all(row.get(key, 0 if key == "tolerance" else None) == value for key, value in wanted.items())
    ]


def title(record):
    """Machine and date, for captions."""
    context = record["context"]
    where = context.get("device", "unknown device")
    backend = context.get("backend", "?")
    return f"{record['machine']} ({where}, {backend}), {record['date'][:10]}"
