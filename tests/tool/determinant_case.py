# SPDX-License-Identifier: BSD-3-Clause
"""Calls of `carroll det`, and determinants in exact rational arithmetic."""

import json
import math
import random
import struct
from fractions import Fraction

from tool import ToolTest, npy_matrix

DET_KEYS = ["status", "n", "precision", "backend", "sign", "mantissa", "exponent", "log_abs",
            "value", "decimal", "interval", "exact", "growth", "seconds"]


def exact_determinant(matrix):
    """By Bareiss's elimination of whole numbers, whose divisions leave no remainder: fractions would be shortened each time."""
    rows, denominator = [], 1
    for row in matrix:
        fractions = [Fraction(x) for x in row]
        common = math.lcm(*(x.denominator for x in fractions))
        rows.append([int(x * common) for x in fractions])
        denominator *= common
    sign = before = 1
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k] != 0), None)
        if pivot is None:
            return Fraction(0)
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            sign = -sign
        above, diagonal_entry = rows[k], rows[k][k]
        for i in range(k + 1, len(rows)):
            factor = rows[i][k]
            rows[i] = [(diagonal_entry * x - factor * y) // before for x, y in zip(rows[i], above)]
        before = diagonal_entry
    return Fraction(sign * before, denominator)


def integer_matrix(n, seed=1):
    source = random.Random(seed)
    return [[source.randint(-50, 50) for _ in range(n)] for _ in range(n)]


def to_single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def diagonal(values):
    return [[float(x) if i == j else 0.0 for j in range(len(values))] for i, x in enumerate(values)]


class DeterminantTest(ToolTest):
    def det(self, matrix, *arguments, status=0, descr="<f8", **keywords):
        self.write("a.npy", npy_matrix(matrix, descr, **keywords))
        process = self.run_tool("det", "a.npy", "--json", *arguments)
        self.assertEqual((process.returncode, process.stderr), (status, b""), process.stdout)
        text = process.stdout.decode()
        self.assertEqual(text.count("\n"), 1)
        report = json.loads(text, parse_constant=lambda word: self.fail(word + " is not JSON"))
        self.assertEqual(list(report), DET_KEYS)
        self.assertEqual(report["n"], len(matrix))
        return report
