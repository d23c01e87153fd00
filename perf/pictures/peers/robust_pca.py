#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long principal component pursuit takes in NumPy, with LAPACK's SVD, on frames as bench_pictures makes them: a scene of
rank 5 with three things that are elsewhere in each frame.

The same method as `robust_pca` (inexact augmented Lagrange multipliers). Pixels are rows, which LAPACK takes half as long
for as for frames. Set the BLAS library's threads (OPENBLAS_NUM_THREADS) to those of what it is compared with.

  robust_pca.py 200 320 240 --iterations 3"""

import argparse
import time

import numpy


def frames(count, width, height):
    """Pixels by frames."""
    random = numpy.random.default_rng(1)
    matrix = random.standard_normal((width * height, 5)) @ random.standard_normal((5, count))
    for frame in range(count):
        picture = matrix[:, frame].reshape(height, width)
        for size in (12, -9, 12):
            left, top = random.integers(width), random.integers(height)
            picture[top:top + height // 6, left:left + width // 6] += size
    return matrix


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("frames", "width", "height"):
        parser.add_argument(name, type=int)
    parser.add_argument("--iterations", type=int, default=200, help="at most")
    parser.add_argument("--tolerance", type=float, default=1e-7)
    arguments = parser.parse_args()
    D = frames(arguments.frames, arguments.width, arguments.height)
    start = time.process_time()
    sparsity = max(D.shape) ** -.5
    largest, norm = numpy.linalg.norm(D, 2), numpy.linalg.norm(D)
    Y, S = D / max(largest, numpy.abs(D).max() / sparsity), numpy.zeros_like(D)
    penalty, begun, iteration, residual = 1.25 / largest, time.process_time(), 0, 1
    while iteration < arguments.iterations and residual > arguments.tolerance:
        U, values, V = numpy.linalg.svd(D - S + Y / penalty, full_matrices=False)
        rank = int((values > 1 / penalty).sum())
        L = (U[:, :rank] * (values[:rank] - 1 / penalty)) @ V[:rank]
        R = D - L + Y / penalty
        S = numpy.sign(R) * numpy.maximum(numpy.abs(R) - sparsity / penalty, 0)
        rest = D - L - S
        Y, residual = Y + penalty * rest, numpy.linalg.norm(rest) / norm
        penalty, iteration = penalty * 1.5, iteration + 1
    now = time.process_time()
    print(f"{iteration} iterations, rank {rank}, {int((S != 0).sum())} sparse, residual {residual:.2e}: {now - start:.2f} s of "
          f"processor time, {(now - begun) / iteration:.3f} an iteration")


if __name__ == "__main__":
    main()
