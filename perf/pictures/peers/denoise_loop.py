#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long a NumPy loop takes for what `denoise` does: the search of similar patches, an SVD of LAPACK's for each stack,
and the sums of estimates, with the options that `denoise_options` has for a standard deviation of 25, thorough.

One reference in `--every` is worked on and the time of the rest is taken to be the same. Set the BLAS library to one
thread (OPENBLAS_NUM_THREADS=1): more only wait for matrices of this size.

  denoise_loop.py 512 --every 100"""

import argparse
import time

import numpy

NOISE, PATCH, STEP, WINDOW, MEMBERS, FEWER, ITERATIONS, WEIGHT = 25, 7, 3, 30, 80, 10, 12, 2 * 2 ** .5


def search(patches, y, x, members):
    """The places of the patches of a window that are nearest to the one at (y, x)."""
    top, left = max(y - WINDOW, 0), max(x - WINDOW, 0)
    window = patches[top:y + WINDOW + 1, left:x + WINDOW + 1]
    squares = ((window - patches[y, x]) ** 2).sum(axis=(2, 3))
    nearest = numpy.argpartition(squares.ravel(), members - 1)[:members]
    rows, columns = numpy.divmod(nearest, squares.shape[1])
    return top + rows, left + columns


def shrink(stack, noise):
    """What the weights leave of a stack's singular values."""
    mean = stack.mean(axis=0)
    U, S, V = numpy.linalg.svd(stack - mean, full_matrices=False)
    threshold = 4 * WEIGHT * len(stack) ** .5 * noise ** 2
    kept = S ** 2 > threshold
    left = (S[kept] + numpy.sqrt(S[kept] ** 2 - threshold)) / 2
    return (U[:, kept] * left) @ V[kept] + mean


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("side", type=int, help="pixels along a side of the picture")
    parser.add_argument("--every", type=int, default=100, help="references of which one is worked on")
    arguments = parser.parse_args()
    side = arguments.side
    y, x = numpy.mgrid[:side, :side].astype(numpy.float32)
    noisy = (128 + 40 * numpy.sin(.021 * x + .013 * y) + 25 * numpy.sin(.11 * x - .07 * y)
             + NOISE * numpy.random.default_rng(0).standard_normal((side, side), numpy.float32))
    patches = numpy.lib.stride_tricks.sliding_window_view(noisy, (PATCH, PATCH))
    last = side - PATCH
    grid = sorted({*range(0, last, STEP), last})
    references = [(y, x) for y in grid for x in grid][::arguments.every]
    sums, hits = numpy.zeros_like(noisy), numpy.zeros_like(noisy)
    places, start = {}, time.process_time()
    for iteration in range(ITERATIONS):
        members = max(MEMBERS - FEWER * (iteration // 2), MEMBERS // 4)
        for reference in references:
            if iteration % 2 == 0:
                places[reference] = search(patches, *reference, members)
            rows, columns = places[reference]
            stack = patches[rows, columns].reshape(members, PATCH * PATCH)
            for row, column, estimate in zip(rows, columns, shrink(stack, NOISE)):
                sums[row:row + PATCH, column:column + PATCH] += estimate.reshape(PATCH, PATCH)
                hits[row:row + PATCH, column:column + PATCH] += 1
    seconds = (time.process_time() - start) * len(grid) ** 2 / len(references)
    print(f"{side}x{side}: {seconds:.1f} s of processor time, from {len(references)} of {len(grid) ** 2} references")


if __name__ == "__main__":
    main()
