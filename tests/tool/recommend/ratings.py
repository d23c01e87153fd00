# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of recommendations share: planted ratings, and biases in plain Python."""

import json
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from tool import ToolTest  # noqa: E402

KEYS = ["status", "method", "users", "items", "ratings", "factors", "precision", "backend",
        "iterations", "residual", "test", "seconds"]
METHODS = ("als", "sgd", "gibbs", "knn", "svd", "bias")


def planted(users=60, items=40, density=.5, seed=1, noise=.1):
    """(user, item, rating) of two factors about 3, rounded to tenths, in a random order."""
    source = random.Random(seed)
    U = [[source.gauss(0, 1), source.gauss(0, 1)] for _ in range(users)]
    V = [[source.gauss(0, 1), source.gauss(0, 1)] for _ in range(items)]
    rows = [(u, i, round(3 + sum(a * b for a, b in zip(U[u], V[i])) + source.gauss(0, noise), 1))
            for u in range(users) for i in range(items) if source.random() < density]
    source.shuffle(rows)
    return rows


def text_of(rows, separator=",", header="user,item,rating\n", user="u%d", item="film %d"):
    lines = [separator.join([user % u, item % i, str(r)]) for u, i, r in rows]
    return header + "\n".join(lines) + "\n"


def baseline(rows, users, items, rounds=10, user_damping=15, item_damping=10):
    """mean, biases of users and of items, as the library's documentation says them."""
    mean = sum(r for _, _, r in rows) / len(rows)
    bu, bi = [0.0] * users, [0.0] * items
    for _ in range(rounds):
        for own, other, index, damping in ((bi, bu, 1, item_damping), (bu, bi, 0, user_damping)):
            sums, counts = [0.0] * len(own), [0] * len(own)
            for row in rows:
                sums[row[index]] += row[2] - mean - other[row[1 - index]]
                counts[row[index]] += 1
            for k, (s, c) in enumerate(zip(sums, counts)):
                own[k] = s / (c + damping) if c else 0.0
    return mean, bu, bi


def npz(arrays, compress=False):
    """A .npz file of (name, bytes of a .npy file) by Python's own zipfile."""
    import io
    import zipfile
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w",
                         zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED) as file:
        for name, content in arrays:
            with file.open(name + ".npy", "w", force_zip64=True) as member:  # as NumPy does
                member.write(content)
    return buffer.getvalue()


def array(values, descr):
    """A .npy file of one dimension."""
    from tool import npy_bytes
    code = {"<i4": "i", "<i8": "q", "<f4": "f", "<f8": "d"}[descr]
    return npy_bytes(struct.pack("<%d%s" % (len(values), code), *values), "'%s'" % descr,
                     shape="(%d,)" % len(values))


def scipy_npz(rows, users, items, kind="csr", compress=True):
    """What scipy.sparse.save_npz writes."""
    from tool import npy_bytes
    name = [("format", npy_bytes(kind.encode(), "'|S3'", shape="()")),
            ("shape", array([users, items], "<i8")), ]
    if kind == "coo":
        return npz(name + [("row", array([u for u, _, _ in rows], "<i4")),
                           ("col", array([i for _, i, _ in rows], "<i4")),
                           ("data", array([r for _, _, r in rows], "<f8"))], compress)
    major = 0 if kind == "csr" else 1
    ordered = sorted(rows, key=lambda row: (row[major], row[1 - major]))
    starts = [0] * ((users, items)[major] + 1)
    for row in rows:
        starts[row[major] + 1] += 1
    for k in range(1, len(starts)):
        starts[k] += starts[k - 1]
    return npz(name + [("indices", array([row[1 - major] for row in ordered], "<i4")),
                       ("indptr", array(starts, "<i4")),
                       ("data", array([row[2] for row in ordered], "<f8"))], compress)


class RecommendTest(ToolTest):

    def report(self, *arguments, status=0):
        """The JSON object of `carroll recommend`: one line, valid, with the documented keys."""
        process = self.run_tool("recommend", *arguments, "--json")
        self.assertEqual((process.returncode, process.stderr), (status, b""), process.stdout)
        text = process.stdout.decode()
        self.assertEqual(text.count("\n"), 1)
        report = json.loads(text, parse_constant=lambda word: self.fail(word + " is not JSON"))
        keys = list(KEYS)
        if "--users" in arguments:
            keys.insert(-1, "recommendations")
        self.assertEqual(list(report), keys)
        self.assertGreaterEqual(report["seconds"], 0)
        return report

    def refuse_recommend(self, *arguments, says):
        return self.refuse("recommend", *arguments, says=says)
