#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what reading.py, bars/ and pages/ make of bench_distributed."""

import unittest

from source_tree import SourceTree

import bars.distributed
import pages.distributed
import reading
import fields
import records
from made_up.distributed import raw_distributed


class TestDistributedBars(SourceTree):
    def bars(self, number, text="", **of_raw):
        table = bars.distributed.table(reading.compact(raw_distributed("unknown", **of_raw), "testbox"))
        return [bar for bar in table if bar.number == number and bar.against.startswith(text)]

    def met(self, found):
        return [bars.is_met(bar, bar.valid) for bar in found]

    def test_fields(self):
        for device in (True, False):
            found = reading.compact(raw_distributed("unknown", device), "testbox")
            for row in found["results"]:
                self.assertLessEqual(set(row), set(fields.DISTRIBUTED_FIELDS))
        row = records.select(found, function="determinant", method="carroll_automatic", ranks=2)[0]
        self.assertEqual((row["size"], row["transport"], row["digest"]), (4000, "mpi", "c0"))
        self.assertEqual((row["ratio"], row["best_peer"]), (4, "scalapack_getrf_64"))
        row = records.select(found, function="svd_batch", method="carroll_in_place", ranks=2)[0]
        self.assertEqual(row["compute"], row["median"])

    def test_wrappers_and_adapters(self):
        self.assertEqual(self.met(self.bars(1)), [True] * 4)
        self.assertEqual(self.met(self.bars(1, "raw mpi", device=False)), [True] * 2)
        adapters = self.bars(1, "raw ScaLAPACK", device=False)
        self.assertEqual(self.met(adapters), [False])
        self.assertAlmostEqual(adapters[0].valid, 1.1, places=3)

    def test_bits(self):
        self.assertEqual({bar.matrices.split()[0]: bars.is_met(bar, bar.valid) for bar in self.bars(2)},
                         {"sum": False, "dot": True, "als": True, "determinant": True})
        self.assertIn("1/2 × mpi/nccl", self.bars(2)[0].matrices)

    def test_hosts(self):
        found = self.bars(3, device=False)
        self.assertEqual([bar.matrices.split()[0] for bar in found], ["tall_svd", "determinant"])
        self.assertEqual(self.met(found), [True, True])
        self.assertEqual(self.bars(3), [])

    def test_one_rank(self):
        found = self.bars(4)
        self.assertEqual(len(found), 6)
        self.assertTrue(all(self.met(found)))
        self.assertAlmostEqual(found[0].valid, 1.01, places=2)

    def test_two_devices(self):
        for bar in self.bars(5):
            self.assertEqual(bars.is_met(bar, bar.valid), "mpi" not in bar.matrices or "tall" in bar.matrices, bar)
        self.assertEqual([bar.valid_name for bar in self.bars(5, "cuSOLVERMg")], ["cusolverMg_getrf"] * 2)
        self.assertEqual(self.met(self.bars(5, "is there")), [True])
        self.assertEqual(self.met(self.bars(5, "is there", huge=False)), [False])
        self.assertEqual(self.bars(5, device=False), [])

    def test_report(self):
        found = reading.compact(raw_distributed("unknown"), "testbox")
        text = "\n".join(bars.report(bars.distributed.table(found)) + bars.distributed.notes(found))
        self.assertIn("MISSED", text)
        self.assertIn("tall_svd_of_each 1000000x64, 2 × nccl, tree: 1.96 times one rank", text)

    def test_page(self):
        text = "\n".join(pages.distributed.tables(reading.compact(raw_distributed("unknown"), "testbox")))
        self.assertIn("| call | size | method | 1 × mpi | 1 × nccl | 2 × mpi | 2 × nccl |", text)
        self.assertIn("| determinant | 4000 | plain | 99 | – | – | – |", text)
        self.assertIn("| broadcast | 4096 | mpi wrapper | 10.2 µs", text)


if __name__ == "__main__":
    unittest.main()
