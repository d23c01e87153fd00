#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the hashes in records.py."""

import shutil
import subprocess
import unittest

from source_tree import SourceTree

import dating
import records


class TestHashes(SourceTree):
    def test_change_makes_a_record_stale(self):
        self.assertFalse(dating.is_stale(self.record, self.root))
        self.header("core", "detail/part.hpp", "int changed;\n")
        self.assertTrue(dating.is_stale(self.record, self.root))

    def test_change_of_what_was_not_measured_does_not(self):
        self.header("solvers", "other.hpp", "int changed;\n")
        self.header("solvers", "svd.hpp", "#include <carroll/svd/types.hpp>\n// checks more\n")
        self.header("solvers", "new.hpp", "// new\n")
        self.assertFalse(dating.is_stale(self.record, self.root))

    def test_measured_sources_are_those_included(self):
        self.assertEqual(sorted(dating.measured_sources("bench_svd", self.root)),
                         ["core/include/carroll/detail/part.hpp",
                          "solvers/include/carroll/svd/types.hpp"])

    def test_each_benchmark_has_its_own_sources(self):
        self.assertEqual(sorted(dating.measured_sources("bench_determinant", self.root)),
                         ["core/include/carroll/scaled_number.hpp",
                          "solvers/include/carroll/determinant/types.hpp"])
        self.header("core", "scaled_number.hpp", "int changed;\n")
        self.assertTrue(dating.is_stale(self.determinant, self.root))
        self.assertFalse(dating.is_stale(self.record, self.root))

    def test_building_blocks_are_sources_of_their_own(self):
        self.assertEqual(sorted(dating.measured_sources("bench_gemv", self.root)),
                         ["blas/include/carroll/gemv/types.hpp"])
        self.header("blas", "gemv/types.hpp", "int changed;\n")
        stale = {block["bench"]: dating.is_stale(block, self.root) for block in self.blocks}
        self.assertEqual(stale, {"bench_reduction": False, "bench_gemv": True, "bench_gemm": False,
                                 "bench_recommenders": False})
        self.assertFalse(dating.is_stale(self.record, self.root))

    def test_records_from_before_there_were_building_blocks_are_good(self):
        hashes = self.record["context"]["hashes"]
        self.record["context"]["hashes"] = ",".join(part for part in hashes.split(",")
                                                    if not part.startswith("blas="))
        self.assertFalse(dating.is_stale(self.record, self.root))

    def test_comments_names_and_places_do_not(self):
        self.header("core", "detail/part.hpp", "int sum(int a) { return a + b(std::max(a, 1)); }\nint b(int);\n")
        self.header("solvers", "svd/types.hpp", "#include <carroll/detail/part.hpp>\nint c(int);\n")
        before = dating.measured_hash("bench_svd", self.root)
        (self.root / "core" / "include" / "carroll" / "detail" / "part.hpp").unlink()
        self.header("solvers", "detail/aaa.hpp", "// the total\nint total(int  x) {\n"
                    "  return x + f(std::max(x, /* at least */ 1)); }\nint f(int);\n")
        self.header("solvers", "svd/types.hpp", "#include <carroll/detail/aaa.hpp>\nint c(int);\n")
        self.assertEqual(dating.measured_hash("bench_svd", self.root), before)

    def test_another_operation_does(self):
        text = "int sum(int a) { return a + b(std::max(a, 1)); }\nint b(int);\nint c(int);\n"
        self.header("core", "detail/part.hpp", text)
        before = dating.measured_hash("bench_svd", self.root)
        for old, new in (("max", "min"), ("a + b", "a - b"), ("1", "2"), ("+ b(", "+ c(")):
            self.header("core", "detail/part.hpp", text.replace(old, new, 1))
            self.assertNotEqual(dating.measured_hash("bench_svd", self.root), before, f"{old} → {new}")

    def test_a_record_outlives_what_runs_elsewhere(self):
        names = ("part", "host_batch/kernel", "device/cuda/warp", "device/emulated/warp")
        parts = {name: f"detail/{name}.hpp" for name in names}
        self.header("solvers", "svd/types.hpp", "".join(f"#include <carroll/{path}>\n" for path in parts.values()))
        stale = {"part": (True, True), "host_batch/kernel": (True, False), "device/cuda/warp": (False, True),
                 "device/emulated/warp": (False, False)}
        for name, path in parts.items():
            for other in parts.values():
                self.header("core", other, "int one;\n")
            self.record["context"]["hashes"] = dating.hashes_option("bench_svd", self.root)
            self.header("core", path, "int two = 2;\n")
            found = []
            for backend in ("OpenMP", "Cuda"):
                self.record["context"]["backend"] = backend
                found.append(dating.is_stale(self.record, self.root))
            self.assertEqual(tuple(found), stale[name], name)

    def test_unknown_hashes_are_stale(self):
        self.record["context"]["hashes"] = "unknown"
        self.assertTrue(dating.is_stale(self.record, self.root))

    @unittest.skipIf(shutil.which("git") is None, "no git")
    def test_agree_with_git(self):
        def git(*arguments):
            command = ["git", "-C", self.root, "-c", "user.name=t", "-c", "user.email=t@example.org",
                       "-c", "core.autocrlf=false", *arguments]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

        script = self.root / "solvers" / "run"
        script.write_text("#!/bin/sh\n")
        script.chmod(0o755)
        self.assertEqual(dating.is_dirty(self.root), "unknown")
        without_git = dating.source_hashes(self.root)
        git("init", "-q")
        (self.root / ".gitignore").write_text("*.log\n")
        git("add", ".")
        git("commit", "-q", "-m", "test")
        (self.root / "core" / "ignored.log").write_text("not part of the sources\n")
        self.assertEqual(dating.tree_hashes(dating.HASHED_DIRECTORIES, self.root),
                         [git("rev-parse", f"HEAD:{directory}") for directory in dating.HASHED_DIRECTORIES])
        self.assertEqual(dating.source_hashes(self.root), without_git)
        self.assertEqual(dating.is_dirty(self.root), "0")
        script.write_text("#!/bin/sh\ntrue\n")
        self.assertEqual(dating.is_dirty(self.root), "1")
        self.assertIn("dirty=1", dating.hashes_option("bench_svd", self.root))


if __name__ == "__main__":
    unittest.main()
