# SPDX-License-Identifier: BSD-3-Clause
"""Made-up output of bench_eigh, bench_qr, bench_solve, bench_lstsq, bench_complex and bench_narrow."""

from made_up import context, entry


def raw(hashes, bench, device, benchmarks):
    backend = {"backend": "Cuda", "device": "NVIDIA H200"} if device else {}
    return {"context": {**context(hashes, bench), **backend}, "benchmarks": benchmarks}


def raw_eigh(hashes, device=True):
    """As bench_eigh writes it: 5 times as fast as the peers up to order 32, 1.2 times as fast from there on; values
    take half the time of all, of whoever. One peer's result is wrong."""
    benchmarks = []
    for precision in ("single", "double"):
        for group, batch, n in (("batch", 10000, 8), ("batch", 10000, 32), ("batch", 2000, 64), ("batch", 1000, 128),
                                ("single", 1, 512)):
            for job, share in (("vectors", 1), ("values", 0.5)):
                case, ours = f"eigh/{group}/{batch}x{n}/{precision}/{job}", share * batch * n ** 3 * 1e-12
                ratio = 5 if n <= 32 else 1.2
                benchmarks.append(entry(f"{case}/carroll_backward_stable", ours))
                benchmarks.append(entry(
                    f"kernels/{batch}x{n}/{precision}/{job}/carroll_backward_stable", ours, undisturbed_seconds=ours,
                    **{f"{what}:carroll::eigh::{step}": value for step in ("reduce", "steps", "vectors")
                       for what, value in (("time", ours / 3), ("launches", 1))}))
                if device:
                    peer = "XsyevBatched" if batch > 1 else "Xsyevd"
                    wrong = precision == "single" and n == 512
                    benchmarks.append(entry(f"{case}/cusolver_{peer}", ratio * ours,
                                            "check=residual" if wrong else "check=ok"))
                else:
                    benchmarks += [entry(f"{case}/lapack_{driver}", ratio * ours) for driver in ("syev", "syevd")]
                    benchmarks.append(entry(f"{case}/carroll_team", 2 * ours))
    return raw(hashes, "bench_eigh", device, benchmarks)


def raw_qr(hashes, device=True):
    """As bench_qr writes it: 4 times as fast as the peers up to 32 columns, 1.5 times beyond, with pivoting 2.5 times;
    for one matrix 0.8 times, with pivoting 0.9 times. R alone takes a quarter of the time that thin Q does, and the peers' R half of theirs.
    One peer's result is wrong."""
    benchmarks = []
    for precision in ("single", "double"):
        for group, batch, m, n in (("batch", 2000, 64, 8), ("batch", 2000, 32, 32), ("batch", 64, 128, 128),
                                   ("single", 1, 512, 512)):
            for job, share, of_peer in (("thin", 1, 1), ("r", 0.25, 0.5), ("thin_pivoted", 2, 2),
                                        ("r_pivoted", 0.5, 1)):
                case, full = f"qr/{group}/{batch}x{m}x{n}/{precision}/{job}", batch * m * n * n * 1e-12
                pivoted = job.endswith("_pivoted")
                if batch == 1:
                    ratio = 0.9 if pivoted else 0.8
                else:
                    ratio = 2.5 if pivoted else 4 if n <= 32 else 1.5
                benchmarks.append(entry(f"{case}/carroll_automatic", share * full))
                if not device:
                    benchmarks.append(entry(f"{case}/lapack_{'geqp3' if pivoted else 'geqrf'}", ratio * of_peer * full))
                    benchmarks += [entry(f"{case}/carroll_{path}", 3 * full) for path in ("team", "host_block")]
                elif not pivoted:
                    wrong = precision == "single" and n == 512
                    benchmarks.append(entry(f"{case}/{'cublas_geqrfBatched' if batch > 1 else 'cusolver_geqrf'}",
                                            ratio * of_peer * full, "check=residual" if wrong else "check=ok"))
    return raw(hashes, "bench_qr", device, benchmarks)


def raw_solve(hashes, device=True):
    """As bench_solve writes it: 5 times as fast as the peers up to order 32, and half as fast beyond; the condition takes
    as long as X."""
    benchmarks = []
    for precision in ("single", "double"):
        for group, batch, n, columns in (("batch", 10000, 8, 1), ("batch", 10000, 32, 1), ("batch", 1000, 64, 1),
                                         ("batch", 10000, 8, 8), ("single", 1, 512, 1)):
            ratio = 5 if n <= 32 else 0.5
            for job, share in (("plain", 1), ("solve", 2), ("inverse", 3)):
                if (columns == n) != (job == "inverse"):
                    continue
                case, ours = f"solve/{group}/{batch}x{n}x{columns}/{precision}/{job}", share * batch * n ** 3 * 1e-12
                benchmarks.append(entry(f"{case}/carroll_automatic", ours))
                if job == "plain":
                    benchmarks.append(entry(f"{case}/carroll_team", 10 * ours))
                if device:
                    peer = ("cublas_getriBatched" if job == "inverse" else
                            "cublas_getrsBatched" if batch > 1 else "cusolver_getrs")
                else:
                    peer = {"plain": "lapack_gesv", "solve": "lapack_gesv_gecon", "inverse": "lapack_getri"}[job]
                benchmarks.append(entry(f"{case}/{peer}", ratio * ours))
    return raw(hashes, "bench_solve", device, benchmarks)


def raw_lstsq(hashes, device=True):
    """As bench_lstsq writes it: 4 times as fast as gelsd, 6 times as fast as gelss, 0.5 times as gelsBatched."""
    benchmarks = []
    for precision in ("single", "double"):
        for group, batch, m, n, p in (("batch", 10000, 64, 8, 1), ("batch", 1000, 64, 64, 64), ("single", 1, 256, 256, 1)):
            case, ours = f"lstsq/{group}/{batch}x{m}x{n}x{p}/{precision}/{'pinv' if p == m else 'lstsq'}", batch * 1e-6
            benchmarks.append(entry(f"{case}/carroll_automatic", ours))
            if not device:
                benchmarks += [entry(f"{case}/lapack_gelsd", 4 * ours), entry(f"{case}/lapack_gelss", 6 * ours)]
            elif batch > 1:
                benchmarks.append(entry(f"{case}/cublas_gelsBatched", 0.5 * ours))
    return raw(hashes, "bench_lstsq", device, benchmarks)


def raw_complex(hashes, device=True):
    """As bench_complex writes it: 5 times as fast as the peers, QR 2 times; one peer's result is wrong."""
    drivers = {"svd": ("lapack_gesdd", "cusolver_gesvdjBatched"), "eigh": ("lapack_heevd", "cusolver_XsyevBatched"),
               "qr": ("lapack_geqrf", "cublas_geqrfBatched"), "solve": ("lapack_gesv", "cublas_getrsBatched"),
               "lstsq": ("lapack_gelsd", "cublas_gelsBatched"),
               "pinv": ("lapack_gelsd", "cublas_gelsBatched")}
    benchmarks = []
    for precision in ("single", "double"):
        for batch, n in ((10000, 8), (10000, 32), (1000, 64)):
            for job, peers in drivers.items():
                case, ours = f"complex/batch/{batch}x{n}/{precision}/{job}", batch * n ** 3 * 1e-12
                wrong = device and (job, n, precision) == ("svd", 32, "single")
                benchmarks.append(entry(f"{case}/carroll_automatic", ours))
                benchmarks.append(entry(f"{case}/{peers[device]}", (2 if job == "qr" else 5) * ours,
                                        "check=residual" if wrong else "check=ok"))
    return raw(hashes, "bench_complex", device, benchmarks)


def raw_narrow(hashes, device=True):
    """As bench_narrow writes it: 1.25 times as long in float16, as long in bfloat16; one result has other bits."""
    benchmarks = []
    for job in ("svd", "eigh", "determinant"):
        for batch, n in ((10000, 8), (1000, 64)):
            case, single = f"narrow/batch/{batch}x{n}/{job}", batch * n ** 3 * 1e-12
            wrong = (job, n) == ("eigh", 64)
            benchmarks += [entry(f"{case}/carroll_single", single), entry(f"{case}/carroll_float16", 1.25 * single),
                           entry(f"{case}/carroll_bfloat16", single, "check=other bits" if wrong else "check=ok")]
    return raw(hashes, "bench_narrow", device, benchmarks)
