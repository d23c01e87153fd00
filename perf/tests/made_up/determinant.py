# SPDX-License-Identifier: BSD-3-Clause
"""Made-up output of bench_determinant."""

from made_up import context, entry


def raw_determinant(hashes, device=True):
    """As bench_determinant writes it: we are four times as fast as every peer, but cuBLAS returns what is
    wrong; order 350 is where the historical methods are."""
    benchmarks = []

    def add(case, method, seconds, label="check=ok", **counters):
        benchmarks.append(entry(f"determinant/{case}/{method}", seconds, label, log_error=1e-6, **counters))

    for precision in ("single", "double"):
        for extents, seconds in (("single/1x350", 1e-4), ("single/1x2000", 2e-3), ("batch/1000x8", 1e-5),
                                 ("batch/100x64", 1e-4)):
            case = f"{extents}/{precision}"
            by_bytes = {"equal_copy_fraction": 0.7} if extents == "batch/1000x8" else {}
            add(case, "carroll_blocked", seconds, copy_fraction=0.5, growth=8.5, workspace=0.01, **by_bytes)
            add(case, "lapack_getrf", 4 * seconds)
            if device:
                add(case, "cusolver_Xgetrf", 8 * seconds)
            if device and extents.startswith("batch"):
                add(case, "cublas_getrfBatched", 2 * seconds, "check=sign wrong")
        add(f"single/1x350/{precision}", "carroll_condensation", 5e-4, growth=8.5)
        add(f"single/1x350/{precision}", "carroll_dodgson", 1e-4, "check=status is breakdown")
        benchmarks.append({"name": f"kernels/1x350/{precision}/carroll_blocked/iterations:1",
                           "undisturbed_seconds": 1e-4, "time:carroll::determinant::panel": 8e-5,
                           "launches:carroll::determinant::panel": 6.0})
        if device:
            add(f"memory/1x20000/{precision}", "carroll_blocked", 0.1, memory=1.01)
    if device:
        add("huge/1x50000/single", "carroll_blocked", 2.5, "check=sign wrong")
    return {"context": {**context(hashes, "bench_determinant"), "device": "NVIDIA H200"},
            "benchmarks": benchmarks}
