# SPDX-License-Identifier: BSD-3-Clause
"""What eigenvalues and QR share: matrices of one shape, one or a batch, by one method, with all factors or fewer."""

from typing import NamedTuple

import records
from bars import PRECISIONS, is_device


class Decomposition(NamedTuple):
    ours: str  # the method that is compared
    extents: tuple  # fields that have rows and columns
    jobs: dict  # in the order of tables, with what each adds to the name of a case

    def shape(self, row):
        return tuple(row[key] for key in self.extents)

    def rows_of(self, record, group):
        """Our results, of each job in the order of their size."""
        order = list(self.jobs)
        return sorted((row for row in records.select(record, group=group, method=self.ours) if row["job"] in order),
                      key=lambda row: (order.index(row["job"]), self.shape(row)[::-1], row["batch"],
                                       PRECISIONS.index(row["precision"])))

    def case_name(self, row):
        extents = "x".join(map(str, self.shape(row)))
        return (extents if row["batch"] == 1 else f"{row['batch']} x {extents}") + self.jobs[row["job"]]


def of_machine(record, device_bars, host_bars):
    return list((device_bars if is_device(record) else host_bars)(record))


def notes_of_devices(record, *lines):
    """What a table does not say of its bars, of devices alone."""
    return ["", *lines] if is_device(record) else []
