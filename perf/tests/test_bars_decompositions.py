#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what record.py, bars/ and pages/ make of bench_eigh, bench_qr, bench_solve and bench_lstsq."""

import unittest
from contextlib import redirect_stderr
from io import StringIO
from unittest import mock

from source_tree import SourceTree

import bars.decompositions.eigh
import bars.decompositions.lstsq
import bars.decompositions.qr
import bars.decompositions.solve
import dating
import fields
import pages.decompositions.eigh
import pages.decompositions.lstsq
import pages.decompositions.qr
import pages.decompositions.solve
import reading
import records
import torch_peers
from bars.decompositions.pytorch import WANTED
from made_up.decompositions import raw_eigh, raw_lstsq, raw_qr, raw_solve


class TestDecompositionBars(SourceTree):
    def found(self, device=True):
        return reading.compact(self.raw("unknown", device), "testbox")

    def check_fields(self):
        for found in (self.found(), self.found(device=False)):
            self.assertTrue(found["results"])
            for row in found["results"]:
                self.assertLessEqual(set(row), set(fields.FIELDS[found["bench"]]))


class TestEighBars(TestDecompositionBars):
    raw = staticmethod(raw_eigh)

    def test_fields(self):
        self.check_fields()
        row = records.select(self.found(), n=32, precision="double", job="values", method="carroll_backward_stable")[0]
        self.assertEqual((row["group"], row["batch"], row["best_peer"]), ("batch", 10000, "cusolver_XsyevBatched"))
        self.assertAlmostEqual(row["ratio"], 5, 2)

    def test_kernels(self):
        rows = [row for row in self.found()["kernels"] if row["n"] == 32 and row["job"] == "vectors"]
        self.assertEqual([(row["batch"], row["precision"], len(row["kernels"])) for row in rows],
                         [(10000, "single", 3), (10000, "double", 3)])

    def test_devices(self):
        table = bars.decompositions.eigh.table(self.found())
        self.assertEqual(len(table), 20)
        wanted = {bar.matrices: bar.wanted for bar in table}
        self.assertEqual([wanted[name] for name in ("10000 x 32x32", "10000 x 8x8, values", "2000 x 64x64",
                                                    "1000 x 128x128", "512x512")], [4, 4, 1.5, 1, 1])
        self.assertEqual({bar.matrices for bar in table if not bars.is_met(bar, bar.fastest)},
                         {"2000 x 64x64", "2000 x 64x64, values"})
        wrong = [bar for bar in table if bar.fastest is not None and bar.valid is None]
        self.assertEqual({(bar.matrices, bar.precision) for bar in wrong},
                         {("512x512", "single"), ("512x512, values", "single")})

    def test_hosts(self):
        table = bars.decompositions.eigh.table(self.found(device=False))
        self.assertEqual({(bar.number, bar.wanted, bar.fastest_name) for bar in table}, {(5, 3, "lapack_syev")})
        self.assertEqual(len(table), 8)
        self.assertTrue(all(bars.is_met(bar, bar.fastest) for bar in table))

    def test_page(self):
        found = self.found()
        lines = pages.decompositions.eigh.tables(found)
        self.assertEqual([line.split(" | ")[0] for line in lines[3:]],
                         ["| 10000 of 8 × 8", "| 10000 of 32 × 32", "| 2000 of 64 × 64", "| 1000 of 128 × 128",
                          "| 512 × 512"])
        self.assertEqual(lines[4].count("50 %"), 2)
        self.assertIn("†", lines[-1])
        self.assertLess(pages.decompositions.eigh.in_readme(found), set(pages.decompositions.eigh.compared(found)))


class TestPyTorch(TestDecompositionBars):
    """What perf/torch_peers.py adds to a record, with times that are made up."""

    raw = staticmethod(raw_eigh)

    def added(self, found, median):
        def measured(_torch, case, _function, _compared, _seconds):
            if case.rows == 128:
                raise RuntimeError("no memory\nat all")
            return {"median": median, "min": median, "runs": 1, "check": "ok"}

        with mock.patch.object(torch_peers, "measure", measured), redirect_stderr(StringIO()):
            torch_peers.add(mock.MagicMock(__version__="2.0"), found, 0.5)
        return found

    def test_rows(self):
        found = self.added(self.added(self.found(), 1.0), 0.04)
        rows = [row for row in found["results"] if row["method"] == "torch_eigh"]
        self.assertEqual([(row["n"], row["precision"], row["job"]) for row in rows],
                         [(n, precision, "vectors") for precision in ("single", "double") for n in (64, 128)])
        self.assertEqual([row.get("median") for row in rows], [0.04, None] * 2)
        self.assertEqual(rows[1]["error"], "no memory")
        self.assertEqual(found["context"]["torch_version"], "2.0")
        for row in rows:
            self.assertLessEqual(set(row), set(fields.FIELDS["bench_eigh"]))

    def test_bars(self):
        before = bars.decompositions.eigh.table(self.found())
        for median, met in ((0.04, True), (0.001, False)):
            added = [bar for bar in bars.decompositions.eigh.table(self.added(self.found(), median))
                     if bar.against == "PyTorch"]
            self.assertEqual([(bar.matrices, bar.wanted, bar.fastest_name) for bar in added],
                             [("2000 x 64x64", 50, "torch_eigh")] * 2)
            self.assertEqual([bars.is_met(bar, bar.fastest) for bar in added], [met] * 2)
        self.assertNotIn("PyTorch", {bar.against for bar in before})

    def test_all_that_is_compared_has_functions(self):
        known = torch_peers.functions(mock.MagicMock())
        for raw_of in (raw_eigh, raw_qr, raw_lstsq):
            found = reading.compact(raw_of("unknown"), "testbox")
            jobs = {row["job"] for row in found["results"] if WANTED[found["bench"]].compares(row)}
            self.assertTrue(jobs)
            self.assertLessEqual(jobs, set(known))


class TestQrBars(TestDecompositionBars):
    raw = staticmethod(raw_qr)

    def test_fields(self):
        self.check_fields()
        self.assertEqual(len(self.found()["results"]), 48)
        self.assertNotIn("kernels", self.found())
        row = records.select(self.found(), rows=64, cols=8, precision="double", job="r", method="carroll_automatic")[0]
        self.assertEqual((row["group"], row["batch"], row["best_peer"]), ("batch", 2000, "cublas_geqrfBatched"))
        self.assertAlmostEqual(row["ratio"], 8, 2)

    def test_devices(self):
        table = bars.decompositions.qr.table(self.found())
        self.assertEqual([bar.matrices for bar in table[::2]],
                         ["2000 x 64x8", "2000 x 32x32", "64 x 128x128", "2000 x 64x8, R", "2000 x 32x32, R",
                          "64 x 128x128, R", "512x512", "512x512, R"])
        self.assertEqual([bar.precision for bar in table], ["single", "double"] * 8)
        self.assertEqual([bar.wanted for bar in table[::2]], [2, 2, 2, 1, 1, 1, 1, 1])
        self.assertEqual({bar.number for bar in table}, {3})
        self.assertEqual({bar.matrices for bar in table if not bars.is_met(bar, bar.fastest)},
                         {"64 x 128x128", "512x512"})
        self.assertEqual({bar.fastest_name for bar in table if bar.matrices.startswith("512")}, {"cusolver_geqrf"})
        self.assertEqual({(bar.matrices, bar.precision) for bar in table if bar.valid is None},
                         {("512x512", "single"), ("512x512, R", "single")})
        self.assertIn("R alone", " ".join(bars.decompositions.qr.notes(self.found())))

    def test_batches_alone_tell_a_device(self):
        found = self.found()
        found["results"] = [row for row in found["results"] if row["group"] == "batch"]
        self.assertEqual({bar.number for bar in bars.decompositions.qr.table(found)}, {3})

    def test_hosts(self):
        found = self.found(device=False)
        table = bars.decompositions.qr.table(found)
        self.assertEqual({(bar.number, bar.wanted) for bar in table}, {(5, 3)})
        self.assertEqual(len(table), 16)
        self.assertEqual({bar.fastest_name for bar in table if "pivoted" in bar.matrices}, {"lapack_geqp3"})
        self.assertEqual({bar.fastest_name for bar in table if "pivoted" not in bar.matrices}, {"lapack_geqrf"})
        self.assertEqual({bar.matrices for bar in table if not bars.is_met(bar, bar.fastest)},
                         {"2000 x 64x8, pivoted", "2000 x 32x32, pivoted"})
        self.assertEqual(bars.decompositions.qr.notes(found), [])

    def test_page(self):
        lines = pages.decompositions.qr.tables(self.found())
        names = ["| 2000 of 64 × 8", "| 2000 of 32 × 32", "| 64 of 128 × 128", "| 512 × 512"]
        self.assertEqual([line.split(" | ")[0] for line in lines],
                         ["", "| matrices", "| ---", *names, "", "| with pivoting", "| ---", *names])
        self.assertIn("| 0.00819 | 25 % | 0.0328 (cuBLAS geqrfBatched) | 4 |", lines[3])
        self.assertIn("† 0.107 (cuSOLVER geqrf)", lines[6])
        self.assertIn("| 0.0164 | 25 % | – | – |", lines[10])
        found = self.found(device=False)
        self.assertIn("(LAPACK geqp3) | 2.5 |", pages.decompositions.qr.tables(found)[10])
        found["results"] = [row for row in found["results"] if not row["job"].endswith("_pivoted")]
        self.assertEqual(len(pages.decompositions.qr.tables(found)), 7)

    def test_report(self):
        """README counts its rows in the line of all tallies; the page has them."""
        self.run_report()
        before = self.readme.read_text()
        self.assertNotIn("QR factorisations", self.page.read_text())
        hashes = dating.hashes_option("bench_qr", self.root)
        records.dump(reading.compact(raw_qr(hashes, device=False), "testbox"), self.path.with_name("bench_qr.json"))
        self.assertEqual(self.run_report().returncode, 0)
        text = self.readme.read_text()
        self.assertEqual(text.count("\n"), before.count("\n"))
        self.assertNotIn("| QR", text)
        self.assertIn("QR: a peer is faster in 4 of 16 rows; the worst is 512 × 512, single precision, **0.8** (LAPACK "
                      "geqrf).", text)
        self.assertIn("## QR factorisations", self.page.read_text())
        self.assertIn("| with pivoting | single: Carroll, ms | R alone |", self.page.read_text())
        self.assertEqual(self.run_report("--check").returncode, 0)


class TestSolveBars(TestDecompositionBars):
    raw = staticmethod(raw_solve)
    SLOWER = {name + condition for name in ("1000 x 64x1", "512x1") for condition in ("", ", condition")}

    def test_fields(self):
        self.check_fields()
        row = records.select(self.found(), n=8, columns=8, precision="single", method="carroll_automatic")[0]
        self.assertEqual((row["job"], row["best_peer"]), ("inverse", "cublas_getriBatched"))
        row = records.select(self.found(), n=512, precision="double", job="plain", method="carroll_automatic")[0]
        self.assertEqual(row["best_peer"], "cusolver_getrs")
        self.assertAlmostEqual(row["ratio"], 0.5, 2)

    def test_devices(self):
        table = bars.decompositions.solve.table(self.found())
        batched = [(name + condition, "getrsBatched") for condition in ("", ", condition")
                   for name in ("10000 x 8x1", "10000 x 32x1", "1000 x 64x1")]
        self.assertEqual([(bar.matrices, bar.against) for bar in table[::2]],
                         [*batched, ("10000 x 8x8, inverse", "getriBatched"),
                          ("512x1", "getrs"), ("512x1, condition", "getrs")])
        self.assertEqual({(bar.number, bar.wanted) for bar in table}, {(3, 1)})
        self.assertEqual({bar.matrices for bar in table if not bars.is_met(bar, bar.fastest)}, self.SLOWER)
        self.assertIn("no condition", " ".join(bars.decompositions.solve.notes(self.found())))

    def test_a_slower_one_misses(self):
        found = self.found()
        for row in found["results"]:
            if row["n"] == 32 and row["method"] == "carroll_automatic":
                row["median"] *= 6
        table = bars.decompositions.solve.table(found)
        self.assertEqual({bar.matrices for bar in table if not bars.is_met(bar, bar.fastest)},
                         {"10000 x 32x1", "10000 x 32x1, condition"} | self.SLOWER)

    def test_hosts(self):
        found = self.found(device=False)
        table = bars.decompositions.solve.table(found)
        self.assertEqual({(bar.number, bar.against, bar.fastest_name) for bar in table},
                         {(5, "LAPACK gesv", "lapack_gesv"), (5, "LAPACK gesv, gecon", "lapack_gesv_gecon"),
                          (5, "LAPACK getri", "lapack_getri")})
        self.assertEqual(bars.decompositions.solve.notes(found), [])

    def test_page(self):
        lines = pages.decompositions.solve.tables(self.found())
        self.assertEqual([line.split(" | ")[0] for line in lines],
                         ["", "| systems", "| ---", "| 10000 of 8 × 1", "| 10000 of 32 × 1", "| 1000 of 64 × 1",
                          "| 512 × 1", "", "| with the condition", "| ---", "| 10000 of 8 × 1", "| 10000 of 32 × 1",
                          "| 1000 of 64 × 1", "| 512 × 1", "", "| inverses", "| ---", "| 10000 of 8 × 8"])
        self.assertIn("| 0.00512 | 0.0256 (cuBLAS getrsBatched) | 5 |", lines[3])
        self.assertIn("| 0.0102 | 50 % | 0.0512 (cuBLAS getrsBatched) | 5 |", lines[10])


class TestLstsqBars(TestDecompositionBars):
    raw = staticmethod(raw_lstsq)

    def test_fields(self):
        self.check_fields()
        row = records.select(self.found(), rows=64, cols=64, precision="single", method="carroll_automatic")[0]
        self.assertEqual((row["job"], row["columns"], row["best_peer"]), ("pinv", 64, "cublas_gelsBatched"))

    def test_bars(self):
        self.assertEqual(bars.decompositions.lstsq.table(self.found()), [])
        self.assertIn("full rank", " ".join(bars.decompositions.lstsq.notes(self.found())))
        table = bars.decompositions.lstsq.table(self.found(device=False))
        self.assertEqual([(bar.number, bar.matrices, bar.fastest_name) for bar in table],
                         [(5, "10000 x 64x8x1", "lapack_gelsd")] * 2)

    def test_page(self):
        lines = pages.decompositions.lstsq.tables(self.found())
        self.assertEqual([line.split(" | ")[0] for line in lines],
                         ["", "| least squares", "| ---", "| 10000 of 64 × 8 × 1", "| 256 × 256 × 1", "",
                          "| pseudoinverses", "| ---", "| 1000 of 64 × 64 × 64"])
        self.assertIn("| 10 | 5 (cuBLAS gelsBatched) | 0.5 |", lines[3])

    def test_report(self):
        self.run_report()
        for bench, made_up in (("bench_solve", raw_solve), ("bench_lstsq", raw_lstsq)):
            hashes = dating.hashes_option(bench, self.root)
            records.dump(reading.compact(made_up(hashes, device=False), "testbox"), self.path.with_name(f"{bench}.json"))
        self.assertEqual(self.run_report().returncode, 0)
        for heading in ("## Linear equations and inverses", "## Least squares and pseudoinverses"):
            self.assertIn(heading, self.page.read_text())
        self.assertIn("Linear equations: a peer is faster in ", self.readme.read_text())


if __name__ == "__main__":
    unittest.main()
