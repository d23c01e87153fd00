# SPDX-License-Identifier: BSD-3-Clause
"""Figures of docs/studies.md, of records of bench_reduction and bench_gemm: the strategies of a course on
numerical methods beside what Carroll does by default."""

from plots import gemm, reduction


def draw_sum(reports, path):
    methods = ("carroll_canonical", "study_one_collects", "study_tree", "study_tree_to_all")
    reduction.bandwidth(reports[0], path, "sum", "the strategies of a sum", methods)


def draw_dot(reports, path):
    methods = ("carroll_canonical", "study_naive", "study_divergent", "study_conflict_free")
    reduction.bandwidth(reports[0], path, "dot", "the strategies of an inner product", methods)


def draw_product(reports, path):
    gemm.rate(reports[0], path, ("carroll_blocked", "carroll_tiled", "carroll_naive"))
