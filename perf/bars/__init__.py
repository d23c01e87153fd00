# SPDX-License-Identifier: BSD-3-Clause
"""Where a record stands against the bars that a solver was built to: what those of
all solvers share."""

from typing import NamedTuple, Optional

import fields
import records

PRECISIONS = ("single", "double")


class Bar(NamedTuple):
    """One line of the table: a ratio that has to reach `wanted`, against the fastest of the peers, and
    against the fastest of those whose result passed the check. None where nobody is to be compared
    with, which meets any bar."""
    number: int
    matrices: str
    precision: str
    against: str
    wanted: float
    at_most: bool
    fastest: Optional[float]
    fastest_name: str
    valid: Optional[float]
    valid_name: str


def is_device(record):
    return any(row["method"].startswith(("cusolver_", "cublas_")) for row in record["results"])


def same_case(record, row, **other):
    of_case = {key: row[key] for key in fields.CASE_FIELDS[record["bench"]]}
    return records.select(record, **{**of_case, **other})


def against_peers(record, number, matrices, row, text, wanted, is_peer=lambda method: True):
    """A bar on the time of the fastest peer over ours."""
    peers = sorted((peer for peer in same_case(record, row)
                    if records.is_peer(peer["method"]) and is_peer(peer["method"])),
                   key=lambda peer: peer["median"])
    valid = [peer for peer in peers if peer["check"] == "ok"]

    def ratio(found):
        return (found[0]["median"] / row["median"], found[0]["method"]) if found else (None, "")

    return Bar(number, matrices, row["precision"], text, wanted, False, *ratio(peers), *ratio(valid))


def is_met(bar, value):
    return value is None or (value <= bar.wanted if bar.at_most else value >= bar.wanted)


def report(table):
    """The table as lines of text, one per bar, precision and case, and what it counts up to."""
    def shown(bar, value, name):
        if value is None:
            return "none"
        return f"{value:.3g} {'met' if is_met(bar, value) else 'MISSED'}" + (f" {name}" if name else "")

    heading = ("bar", "matrices", "precision", "against", "wanted", "fastest", "fastest valid")
    lines = [heading] + [
        (str(bar.number), bar.matrices, bar.precision, bar.against,
         f"{'<=' if bar.at_most else '>='} {bar.wanted:g}",
         shown(bar, bar.fastest, bar.fastest_name),
         shown(bar, bar.valid, bar.valid_name)) for bar in table]
    widths = [max(map(len, column)) for column in zip(*lines)]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    text += ["", "bar  met, fastest peers  met, valid peers"]
    for number in sorted({bar.number for bar in table}):
        of_number = [bar for bar in table if bar.number == number]
        text.append(f"{number:<5}{sum(is_met(bar, bar.fastest) for bar in of_number)} of {len(of_number)}"
                    f"{'':16}{sum(is_met(bar, bar.valid) for bar in of_number)} of {len(of_number)}")
    return text
