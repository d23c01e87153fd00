# SPDX-License-Identifier: BSD-3-Clause
"""Made-up output of bench_svd and bench_svd_accuracy."""

from made_up import context, entry


def raw_svd(hashes):
    """As bench_svd writes it: we are always twice as fast as LAPACK, and as fast as a wrong peer."""
    benchmarks = []
    for precision in ("single", "double"):
        for extents, seconds in (("study/1x32x24", 1e-4), ("study/1x48x36", 1e-4),
                                 ("batch/1000x8x8", 1e-4), ("batch/6x64x64", 1e-4),
                                 ("square/1x512x512", 1e-2), ("square/1x1024x1024", 8e-2)):
            for job, share in (("vectors", 1), ("values", 0.5)):
                case = f"svd/{extents}/{precision}/{job}/"
                ours = seconds * share
                phases = {}
                if extents.startswith("square") and job == "vectors":
                    phases = {"flops:sweeps": 1e8, "bytes:sweeps": 1e6}
                benchmarks += [
                    entry(case + "carroll_preconditioned", ours, mse=2e-13, sweeps=6.0, **phases),
                    entry(case + "lapack_gesdd", 2 * ours, mse=1e-13),
                    entry(case + "cusolver_gesvda", ours, "check=vectors not orthonormal"),
                ]
            if extents.startswith("study"):
                benchmarks.append(entry(f"svd/{extents}/{precision}/vectors/"
                                        "carroll_round_robin_shared_tol1e-04", 3e-4, mse=1e-9))
            benchmarks.append(
                {"name": f"kernels/{extents.partition('/')[2]}/{precision}/vectors/"
                         "carroll_preconditioned/iterations:1",
                 "undisturbed_seconds": 1e-4, "time:carroll::svd::sweep": 8e-5,
                 "launches:carroll::svd::sweep": 6.0, "time:deep_copy": 1e-5, "launches:deep_copy": 1.0})
        for batch, seconds in ((100, 1e-5), (10000, 1.3e-3)):
            benchmarks.append(entry(f"svd/scaling/{batch}x8x8/{precision}/vectors/carroll_preconditioned",
                                    seconds))
    benchmarks.append({"name": "svd/square/1x512x512/single/vectors/lapack_gesvj/manual_time",
                       "error_occurred": True, "error_message": "skipped: the time limit is reached"})
    return {"context": context(hashes, "bench_svd"), "benchmarks": benchmarks}


def raw_accuracy(hashes):
    """As bench_svd_accuracy writes it; one driver fails, and returns what is not a number."""
    benchmarks = []
    for precision, conds in (("single", ("1e+01", "1e+06")), ("double", ("1e+02", "1e+14"))):
        for kind in ("geometric", "scaled_columns"):
            for cond in conds:
                for method, label, error in (("carroll_preconditioned", "ok", 1e-7),
                                             ("lapack_gesdd", "ok", 1e-3),
                                             ("cusolver_gesvda", "info is not 0", float("nan"))):
                    benchmarks.append(
                        {"name": f"accuracy/{kind}/128x128/{precision}/{cond}/{method}/iterations:1",
                         "cond": float(cond), "max_error": error, "smallest_error": error,
                         "label": "check=" + label})
    return {"context": context(hashes, "bench_svd_accuracy"), "benchmarks": benchmarks}
