# SPDX-License-Identifier: BSD-3-Clause
"""What LAPACK's programs do not ask of its SVD drivers: workspace queries, options in lower case,
gaps between columns, outputs nobody wants, gesvj that applies V, and NaN."""

import ctypes
import itertools
import math
import os
import random
import sys
import unittest

LIBRARY = ctypes.CDLL(os.environ["CARROLL_LAPACK_SVD"])
CANARY = -77.0
REALS = {"s": (ctypes.c_float, 2.0**-23), "d": (ctypes.c_double, 2.0**-52)}


class Matrix:
    """Columns one behind the other with gaps, full of canaries until someone writes."""

    def __init__(self, real, rows, cols, gap=2):
        self.rows, self.cols, self.ld = rows, cols, rows + gap
        self.data = (real * (self.ld * cols))(*[CANARY] * (self.ld * cols))

    def __getitem__(self, at):
        return self.data[at[0] + at[1] * self.ld]

    def __setitem__(self, at, value):
        self.data[at[0] + at[1] * self.ld] = value

    def indices(self):
        return itertools.product(range(self.rows), range(self.cols))

    def fill(self, generator):
        for at in self.indices():
            self[at] = generator.uniform(-1, 1)
        return [[self[i, j] for j in range(self.cols)] for i in range(self.rows)]

    def gaps_are_intact(self):
        return all(self.data[i + j * self.ld] == CANARY
                   for j in range(self.cols) for i in range(self.rows, self.ld))

    def is_untouched(self):
        return all(x == CANARY for x in self.data)


def call(letter, routine, *arguments):
    """Fortran's way: everything by address. Python's strings are options, its ints INTEGERs."""
    real, _ = REALS[letter]
    info = ctypes.c_int(99)
    passed = []
    for argument in arguments:
        if isinstance(argument, str):
            passed.append(ctypes.c_char_p(argument.encode()))
        elif isinstance(argument, int):
            passed.append(ctypes.byref(ctypes.c_int(argument)))
        elif isinstance(argument, float):
            passed.append(ctypes.byref(real(argument)))
        elif isinstance(argument, Matrix):
            passed.append(argument.data)
        else:
            passed.append(argument)
    getattr(LIBRARY, letter + routine + "_")(*passed, ctypes.byref(info))
    return info.value


def residual(A, value_of_u, s, value_of_vt):
    """The largest entry of A - U*diag(S)*VT."""
    return max(abs(A[i][j] - math.fsum(value_of_u(i, k) * s[k] * value_of_vt(k, j)
                                       for k in range(len(s))))
               for i in range(len(A)) for j in range(len(A[0])))


def for_each_problem(test):
    """Calls the test with the precision, a tolerance, a random matrix, and its entries as rows."""

    def run(self):
        generator = random.Random(1)
        shapes = [(5, 3), (3, 5), (4, 4), (1, 6), (6, 1), (40, 33)]
        for (letter, (real, eps)), (m, n) in itertools.product(REALS.items(), shapes):
            A = Matrix(real, m, n)
            with self.subTest(letter=letter, m=m, n=n):
                test(self, letter, real, eps * 100, m, n, A, A.fill(generator))

    return run


class Drivers(unittest.TestCase):
    def check(self, bound, entries, u, s, vt, matrices):
        self.assertLess(residual(entries, lambda i, k: u[i, k], s, lambda k, j: vt[k, j]), bound)
        self.assertEqual(list(s), sorted(s, reverse=True))
        for matrix in matrices:
            self.assertTrue(matrix.gaps_are_intact())

    @for_each_problem
    def test_gesvd_and_gesdd_keep_to_their_columns(self, letter, real, bound, m, n, A, entries):
        jobs = [("gesvd", (u, vt)) for u in "asonASON" for vt in "asonASON"
                if (u + vt).lower() != "oo"] + [("gesdd", (z,)) for z in "asonASON"]
        for routine, job in jobs:
            least = min(m, n)
            for at in A.indices():
                A[at] = entries[at[0]][at[1]]
            U, VT = Matrix(real, m, m), Matrix(real, n, n)
            S = (real * least)()
            work = (real * 20000)()
            integers = [] if routine == "gesvd" else [(ctypes.c_int * 8 * least)()]
            info = call(letter, routine, *job, m, n, A, A.ld, S, U, U.ld, VT, VT.ld, work, 20000,
                        *integers)
            self.assertEqual(info, 0, (routine, job))
            # Where gesdd's 'O' puts the two sides.
            left, right = (job * 2)[:2]
            left, right = left.lower(), right.lower()
            if routine == "gesdd" and left == "o":
                left, right = ("o", "a") if m >= n else ("a", "o")
            if "n" not in (left, right):
                self.check(bound, entries, A if left == "o" else U, S,
                           A if right == "o" else VT, (A, U, VT))
            for option, output in ((left, U), (right, VT)):
                if option in "on":
                    self.assertTrue(output.is_untouched(), (routine, job))

    @for_each_problem
    def test_gesvj_gejsv_and_gesvdx(self, letter, real, bound, m, n, A, entries):
        least = min(m, n)
        S, work = (real * least)(), (real * 20000)()
        integers = (ctypes.c_int * (12 * least + 3))()
        U, V, VT = Matrix(real, m, m), Matrix(real, n, n), Matrix(real, n, n)
        if m >= n:
            self.assertEqual(call(letter, "gejsv", "g", "u", "v", "n", "n", "n", m, n, A, A.ld, S,
                                  U, U.ld, V, V.ld, work, 20000, integers), 0)
            self.assertLess(residual(entries, lambda i, k: U[i, k], S, lambda k, j: V[j, k]),
                            bound)
            self.assertEqual((integers[0], integers[1]), (n, n))
        for at in A.indices():
            A[at] = entries[at[0]][at[1]]
        found, lo, hi = ctypes.c_int(), max(1, least - 2), max(1, least - 1)
        part = (real * least)(*[CANARY] * least)
        self.assertEqual(call(letter, "gesvdx", "v", "v", "i", m, n, A, A.ld, 0.0, 0.0, lo, hi,
                              ctypes.byref(found), part, U, U.ld, VT, VT.ld, work, 20000,
                              integers), 0)
        self.assertEqual(found.value, hi - lo + 1)
        if m < n:
            return
        self.assertEqual(list(part)[:found.value], list(S)[lo - 1:hi])
        # Applied to W, V makes W*V.
        W = Matrix(real, 3, n)
        given = W.fill(random.Random(2))
        for at in A.indices():
            A[at] = entries[at[0]][at[1]]
        self.assertEqual(call(letter, "gesvj", "g", "u", "a", m, n, A, A.ld, S, 3, W, W.ld, work,
                              20000), 0)
        for i, j in W.indices():
            right = math.fsum(given[i][k] * V[k, j] for k in range(n))
            self.assertLess(abs(W[i, j] - right), bound)
        self.assertTrue(W.gaps_are_intact() and A.gaps_are_intact())

    @for_each_problem
    def test_workspace_queries_do_nothing_else(self, letter, real, _, m, n, A, entries):
        U, VT = Matrix(real, m, m), Matrix(real, n, n)
        S, work = Matrix(real, min(m, n), 1), (real * 1)()
        integers, found = (ctypes.c_int * 500)(), ctypes.c_int()
        tail = (U, U.ld, VT, VT.ld, work, -1)
        calls = [("gesvd", "A", "A", m, n, A, A.ld, S, *tail),
                 ("gesdd", "A", m, n, A, A.ld, S, *tail, integers),
                 ("gesvdx", "V", "V", "A", m, n, A, A.ld, 0.0, 0.0, 0, 0, ctypes.byref(found), S,
                  *tail, integers)]
        for routine, *arguments in calls:
            work[0] = 0
            self.assertEqual(call(letter, routine, *arguments), 0, routine)
            self.assertGreaterEqual(work[0], min(m, n), routine)
            self.assertTrue(U.is_untouched() and VT.is_untouched() and S.is_untouched(), routine)
            self.assertEqual([[A[i, j] for j in range(n)] for i in range(m)], entries)

    @for_each_problem
    def test_nan_is_told(self, letter, real, _, m, n, A, __):
        U, VT = Matrix(real, m, m), Matrix(real, n, n)
        S, work = (real * min(m, n))(), (real * 20000)()
        A[m - 1, n - 1] = math.nan
        tail = (m, n, A, A.ld, S, U, U.ld, VT, VT.ld, work, 20000)
        self.assertEqual(call(letter, "gesdd", "A", *tail, (ctypes.c_int * 500)()), -4)
        self.assertGreater(call(letter, "gesvd", "A", "A", *tail), 0)


if __name__ == "__main__":
    sys.exit(unittest.main())
