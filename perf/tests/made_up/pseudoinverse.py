# SPDX-License-Identifier: BSD-3-Clause
"""Made-up output of bench_pseudoinverse and bench_pseudoinverse_accuracy."""

from made_up import context, entry


def raw_pseudoinverse(hashes, device=False):
    """As bench_pseudoinverse writes it: Ceres takes 40 times as long as our step, SuiteSparseQR 200 times; the
    thesis' tiled kernels take twice, its naive ones ten times as long as ours by columns."""
    benchmarks = []

    def add(case, method, seconds, label="check=ok", **counters):
        benchmarks.append(entry(f"pseudoinverse/{case}/{method}", seconds, label, error=1e-7, **counters))

    for precision in ("single", "double"):
        for n in (20000, 120000):
            step, dense = n * 2e-10, n * 1e-7
            case = f"step/1x{n}x1000x1/{precision}"
            add(case, "ceres_dense_schur", 40 * step)
            add(case, "suitesparse_qr", 200 * step)
            if device:
                add(case, "cusolver_normal_equations", 100 * step)
            enqueued = {"enqueued_seconds": 0.5 * step} if device else {}
            add(case, "carroll_automatic", step, read_fraction=0.5, **enqueued)
            add(case, "carroll_normal_equations", 0.8 * step, read_fraction=0.6, **enqueued)
            for m in (512, 1024):
                of_m = f"1x{n}x{m}x1/{precision}"
                add(f"step/{of_m}", "carroll_automatic", step, read_fraction=0.5, **enqueued)
                add(f"dense/{of_m}", "carroll_rows", 1.1 * dense, fill_fraction=0.84)
                add(f"dense/{of_m}", "carroll_columns", dense, fill_fraction=0.91)
                if precision == "single":
                    for method, share in (("seed_naive", 10), ("seed_tiled", 2)):
                        add(f"dense/{of_m}", method, share * dense, fill_fraction=0.91 / share)
                    add(f"gram/{of_m}", "seed_gram", step)
                    for method, share in (("seed_product_naive", 9), ("seed_product_tiled", 1.8),
                                          ("carroll_product_rows", 1), ("carroll_product_columns", 0.9)):
                        add(f"product/{of_m}", method, share * dense, fill_fraction=0.5)
        add(f"frames/16x20000x1000x1/{precision}", "carroll_automatic", 1e-4, read_fraction=0.75)
        benchmarks.append({"name": f"kernels/1x20000x1000x1/{precision}/carroll_automatic/iterations:1",
                           "undisturbed_seconds": 4e-6, "time:carroll::pseudoinverse::core": 1e-6,
                           "launches:carroll::pseudoinverse::core": 1.0})
    for m in (512, 1024):
        for method in ("seed_inverse_uncoalesced", "seed_inverse_coalesced"):
            add(f"inverse/1x20000x{m}x1/single", method, m * 1e-6)
    add("step/1x20000x128x1/single", "lapack_gelsd", 1e-2, "check=result wrong")
    return {"context": {**context(hashes, "bench_pseudoinverse"), "device": "NVIDIA H200" if device else "Test CPU"},
            "benchmarks": benchmarks}


def raw_pseudoinverse_accuracy(hashes):
    """As bench_pseudoinverse_accuracy writes it; the thesis' method loses all digits."""
    benchmarks = []
    for nominal in ("1e+00", "1e-02", "1e-04", "1e-06"):
        for method, error in (("carroll_automatic", 2e-8), ("carroll_normal_equations", 3e-8),
                              ("seed_tiled", min(1, 1e-6 / float(nominal)**2))):
            benchmarks.append({"name": f"accuracy/20000x200/single/{nominal}/{method}/iterations:1",
                               "separation": 1.01 * float(nominal), "error": error, "label": "check=ok"})
    return {"context": context(hashes, "bench_pseudoinverse_accuracy"), "benchmarks": benchmarks}
