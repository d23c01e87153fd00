#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the figures that plot.py draws of records, and draw.py of what the tool tells."""

import tempfile
import unittest
from pathlib import Path

from source_tree import SourceTree

import pages.determinant
import pages.distributed
import pages.gemm
import pages.gemv
import pages.pseudoinverse
import pages.recommenders
import pages.reduction
import pages.svd
import reading
from made_up.blas import raw_gemm, raw_reduction
from made_up.distributed import raw_distributed

try:
    import matplotlib  # noqa: F401
except ImportError:
    matplotlib = None


@unittest.skipIf(matplotlib is None, "no matplotlib")
class TestPlot(SourceTree):
    def draw(self, *found):
        import plot

        return [path for record in found for path in plot.draw_all(record, self.root / "figures")]

    def test_draws_every_figure(self):
        import plot

        paths = self.draw(self.record, self.accuracy, self.determinant, self.pseudoinverse,
                          self.pseudoinverse_accuracy, *self.blocks,
                          reading.compact(raw_distributed("unknown"), "testbox"))
        self.assertEqual({path.stem for path in paths}, {stem for of in plot.FIGURES.values() for stem in of})
        shown = [solver.SHOWN_FIGURES | solver.LINKED_FIGURES
                 for solver in (pages.svd, pages.determinant, pages.pseudoinverse, pages.reduction, pages.gemv,
                                pages.gemm, pages.recommenders, pages.distributed)]
        self.assertEqual({path.stem for path in paths}, {stem for of in shown for stem in of})
        for path in paths:
            self.assertEqual(path.read_bytes()[:4], b"\x89PNG")

    def test_leaves_out_what_was_not_measured(self):
        self.record["kernels"] = []
        for record_of_batches in (self.record, self.determinant):
            record_of_batches["results"] = [row for row in record_of_batches["results"]
                                            if row["group"] == "batch"]
        self.pseudoinverse["results"] = [row for row in self.pseudoinverse["results"]
                                         if row["group"] == "inverse"]
        self.accuracy["results"] = self.pseudoinverse_accuracy["results"] = []
        paths = self.draw(self.record, self.accuracy, self.determinant, self.pseudoinverse,
                          self.pseudoinverse_accuracy)
        self.assertEqual([path.stem for path in paths], ["svd_speedup", "svd_batch", "determinant_batch", "pseudoinverse_phases"])

    def test_labels_do_not_overlap(self):
        from plots.svd_accuracy import spread

        self.assertEqual(spread([0, 0, 5], 1, 0, 10), [0, 1, 5])
        self.assertEqual(spread([9.5, 9.6, 9.7], 1, 0, 10), [8, 9, 10])


def occupancy(device, fits=True):
    curve = [{"threads": 32 * k, "blocks": fits and 1, "active_warps": fits and k,
              "fraction": k / 32 if fits else 0,
              "limiter": ("warps" if k % 2 else "scratch") if fits else "does_not_fit"}
             for k in range(1, 33)]
    return {"device": device, "capability": "9.0", "registers": 32, "scratch": 512, "threads": 1024,
            "curve": curve, "best_team_sizes": [1024] if fits else []}


def scaling(operation, counts):
    points = [{"threads": p, "seconds": 1 / p, "absolute": p, "efficiency": 1,
               "model": {"tree": 0.9 / p} if operation == "sum" else None} for p in counts]
    fit = {"serial_fraction": 0.1, "seconds": 1} if len(counts) > 1 else None
    return {"operation": operation, "size_is": "numbers", "device": "a processor",
            "backend": "OpenMP", "most_threads": max(counts),
            "sizes": [{"size": n, "sequential_seconds": 1, "points": points, "amdahl": fit}
                      for n in (10, 1000)]}


@unittest.skipIf(matplotlib is None, "no matplotlib")
class TestDraw(unittest.TestCase):
    def draw(self, command, reports):
        import draw

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "figure.png"
            draw.DRAW[command](reports, path)
            self.assertEqual(path.read_bytes()[:4], b"\x89PNG")

    def test_occupancies(self):
        self.draw("occupancy", [occupancy("H200")])
        self.draw("occupancy", [occupancy("H200"), occupancy(None), occupancy("H200", fits=False)])

    def test_studies(self):
        self.draw("study_sum", [reading.compact(raw_reduction("unknown"), "testbox")])
        self.draw("study_dot", [reading.compact(raw_reduction("unknown"), "testbox")])
        self.draw("study_product", [reading.compact(raw_gemm("unknown"), "testbox")])

    def test_speed_ups(self):
        self.draw("scaling", [scaling("sum", [1, 2, 4]), scaling("det", [1, 2])])
        self.draw("scaling", [scaling("det", [1])])


if __name__ == "__main__":
    unittest.main()
