# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of sums and products share."""

import json
import os
import struct
import sys
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tool import ToolTest, npy_bytes  # noqa: E402

SUMMATIONS = ("canonical", "compensated", "exact")
REDUCTION_KEYS = ["status", "value", "summation", "count", "precision", "backend", "seconds"]
NORM_KEYS = ["status", "value", "kind", "summation", "count", "precision", "backend", "seconds"]
PRODUCT_KEYS = ["status", "rows", "cols", "terms", "norm", "method", "kernel", "precision",
                "backend", "seconds"]


def npy_vector(values, descr="<f8"):
    """A .npy file of one dimension; complex numbers with <c8 and <c16."""
    code = {"f4": "f", "f8": "d", "i4": "i", "i8": "q", "c8": "f", "c16": "d"}[descr[1:]]
    reals = [part for z in values for part in (z.real, z.imag)] if descr[1] == "c" else values
    data = struct.pack("%s%d%s" % (descr[0], len(reals), code), *reals)
    return npy_bytes(data, "'%s'" % descr, shape="(%d,)" % len(values))


def single(x):
    """The number of single precision that is nearest to x, of double precision."""
    return struct.unpack("f", struct.pack("f", x))[0]


def exact_sum(values):
    return float(sum(map(Fraction, values)))


def exact_dot(x, y):
    return float(sum(Fraction(a) * Fraction(b) for a, b in zip(x, y)))


class BlasTest(ToolTest):

    def report(self, *arguments, keys, status=0):
        """The JSON object of a command: one line, valid, with the documented keys in order."""
        process = self.run_tool(*arguments, "--json")
        self.assertEqual((process.returncode, process.stderr), (status, b""), process.stdout)
        text = process.stdout.decode()
        self.assertEqual(text.count("\n"), 1)
        report = json.loads(text, parse_constant=lambda word: self.fail(word + " is not JSON"))
        self.assertEqual(list(report), keys)
        self.assertGreaterEqual(report["seconds"], 0)
        return report

    def reduced(self, *arguments, status=0):
        keys = NORM_KEYS if arguments[0] == "norm" else REDUCTION_KEYS
        return self.report(*arguments, keys=keys, status=status)

    def product(self, *arguments, status=0):
        return self.report(*arguments, keys=PRODUCT_KEYS, status=status)
