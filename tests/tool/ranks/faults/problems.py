# SPDX-License-Identifier: BSD-3-Clause
"""Random calls of the tool, of every command that ranks share and some that one does alone."""

import array
import dataclasses
import os
import random
import sys

TOOL = os.environ.get("CARROLL_TOOL", "carroll")
DIGEST = os.environ.get("CARROLL_RANK_DIGEST", "")  # of tests/distributed/digest


@dataclasses.dataclass
class Problem:
    """A call: words of the command line, and what its files are to hold."""
    words: list
    program: str = TOOL
    files: dict = dataclasses.field(default_factory=dict)
    outputs: bool = False  # takes -o
    seconds: float = 0.3   # some time in which it may be at work


def npy(draw, shape, kind="d", fortran=False, values=None):
    count = 1
    for extent in shape:
        count *= extent
    if values is None:
        values = (draw.gauss(0, 1) for _ in range(count))
    numbers = array.array(kind, values)
    header = "{'descr': '%s%s', 'fortran_order': %s, 'shape': (%s), }" % (
        "<" if sys.byteorder == "little" else ">", "f8" if kind == "d" else "f4", fortran,
        "".join("%d, " % extent for extent in shape))
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return (b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header.encode() +
            numbers.tobytes())


def few_or_many(draw, most):
    """Small numbers as often as large ones: 0 rows, fewer rows than ranks."""
    return draw.randint(0, 9) if draw.random() < 0.4 else draw.randint(0, most)


def sums(draw):
    command = draw.choice(("sum", "dot", "norm"))
    length, kind = few_or_many(draw, 30_000), draw.choice("df")
    files = {"x.npy": npy(draw, (length,), kind)}
    words = [command, "x.npy"]
    if command == "dot":
        files["y.npy"] = npy(draw, (length,), kind)
        words.append("y.npy")
    if command == "norm":
        words += ["--kind", draw.choice("12") if draw.random() < 0.8 else "max"]
    else:
        words += ["--summation", draw.choice(("canonical", "compensated", "exact"))]
    return Problem(words, files=files)


def gemv(draw):
    rows = few_or_many(draw, 4000)
    cols = few_or_many(draw, 40_000 // (rows + 1))
    transpose, kind = draw.random() < 0.4, draw.choice("df")
    files = {"A.npy": npy(draw, (rows, cols), kind, draw.random() < 0.5),
             "x.npy": npy(draw, (rows if transpose else cols,), kind)}
    words = ["gemv", "A.npy", "x.npy"] + (["--transpose"] if transpose else [])
    if draw.random() < 0.4:
        files["y.npy"] = npy(draw, (cols if transpose else rows,), kind)
        words += ["--y", "y.npy", "--beta", "0.5"]
    return Problem(words, files=files, outputs=True)


def determinant(draw):
    n = draw.randint(257, 330) if draw.random() < 0.6 else few_or_many(draw, 80)
    return Problem(["det", "A.npy"], files={"A.npy": npy(draw, (n, n), draw.choice("df"), draw.random() < 0.5)})


def tall_svd(draw):
    cols = draw.randint(1, 40)
    rows = cols + few_or_many(draw, 4 * 16_384 // cols)
    words = ["svd", "A.npy", "--method", "tall"]
    if draw.random() < 0.3:
        words.append("--values-only")
    return Problem(words, files={"A.npy": npy(draw, (rows, cols), draw.choice("df"), draw.random() < 0.5)},
                   outputs=True)


def batch(draw):
    members, rows, cols = draw.randint(0, 12), draw.randint(0, 9), draw.randint(0, 9)
    command = draw.choice(("svd", "det"))
    shape = (members, rows, cols if command == "svd" else rows)
    return Problem([command, "A.npy"], files={"A.npy": npy(draw, shape, draw.choice("df"), draw.random() < 0.5)},
                   outputs=command == "svd")


def one_rank(draw):
    rows, cols = draw.randint(0, 60), draw.randint(0, 60)
    return Problem(["svd", "A.npy"], files={"A.npy": npy(draw, (rows, cols))}, outputs=True)


def library(draw):
    """Calls of the library, one after the other, for about a second."""
    solver = draw.choice(("rank_products", "rank_determinant", "rank_steps", "rank_batches"))
    return Problem(["-", "--solver", solver], DIGEST, seconds=1)


def drawn(draw: random.Random) -> Problem:
    if DIGEST and draw.random() < 0.25:
        return library(draw)
    kinds = (sums, sums, gemv, gemv, determinant, tall_svd, tall_svd, batch, batch, one_rank)
    problem = draw.choice(kinds)(draw)
    problem.words.append("--json")
    if problem.outputs and draw.random() < 0.6:
        problem.words += ["-o", "out"]
    return problem
