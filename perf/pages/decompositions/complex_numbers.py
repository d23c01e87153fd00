# SPDX-License-Identifier: BSD-3-Clause
"""The tables of bench_complex in docs/results; README.md counts their rows and has none of them."""

from bars.decompositions.complex_numbers import COMPLEX
from pages import decompositions

# Shown, and linked to.
SHOWN_FIGURES = {}
LINKED_FIGURES = {}
NAME = "complex numbers"
TITLE = "Complex numbers"
KERNELS = "numbers/complex_svd.md"  # of docs
INTRODUCTION = (
    "Batches of complex n × n matrices with random normal parts by `carroll::svd`, of Hermitian ones by `carroll::eigh`, "
    "and by `carroll::qr`, `carroll::solve` and `carroll::lstsq` with one right-hand side, and `carroll::pinv`, all factors; medians, with "
    "Carroll and its peers in one process on the same data. Peers are LAPACK's gesdd, heevd, geqrf with ungqr, gesv, and gelsd; "
    "on GPUs cuSOLVER's gesvdjBatched, beyond 32 columns gesvdj, its XsyevBatched, cuBLAS' geqrfBatched with cuSOLVER's "
    "ungqr, getrfBatched with getrsBatched, and, though it takes full rank for granted, cuBLAS' gelsBatched. The ratio is the time of the best peer over "
    "ours: above 1, Carroll is faster than all of them. Kernels of [`eigh`](../eigh.md#complex-matrices), "
    "[`qr`](../qr.md#families-of-kernels) and [`solve`](../solve.md#families-of-kernels) are those of real matrices, of another "
    "type; [`lstsq`](../lstsq.md#kernels) takes the steps that it takes for these; `svd` has its own.")
HEADINGS = {"svd": "singular values", "eigh": "eigenvalues", "qr": "QR", "solve": "linear equations", "lstsq": "least squares",
            "pinv": "pseudoinverses"}


def compared(record):
    """Rows of all jobs."""
    return {name: row for job, heading in HEADINGS.items()
            for name, row in decompositions.compared(COMPLEX, record, job, f", {heading}").items()}


def tables(record):
    """Of one machine, as lines of Markdown."""
    return [line for job, heading in HEADINGS.items() for line in decompositions.case_table(COMPLEX, record, heading, job)]
