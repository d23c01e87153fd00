# SPDX-License-Identifier: BSD-3-Clause
"""What made-up output of a benchmark begins with."""


def entry(name, median, label="check=ok", **counters):
    """One of Google Benchmark's results."""
    return {"name": name + "/iterations:1/manual_time", "real_time": 1e3 * median,
            "median_seconds": median, "min_seconds": 0.9 * median, "runs": 7.0,
            "flops_per_second": 1e6 / median, "bytes_per_second": 1e5 / median,
            "residual": 0.5, "orthogonality": 0.25, "label": label, **counters}


def context(hashes, bench):
    return {"date": "2026-01-02T03:04:05+00:00", "host_name": "secret", "executable": "/secret/bench",
            "backend": "OpenMP", "device": "Test CPU", "hashes": hashes, "carroll_version": "0.1.0",
            "kokkos_version": "5.0.0", "kokkoskernels_version": "none", "compiler": "g++ 12",
            "host_library": "OpenBLAS 0.3 NO_AFFINITY", "host_threads": "2", "bench": bench,
            "copy_bytes_per_second": "1e12", "gemm_flops_single": "1e11", "gemm_flops_double": "5e10"}
