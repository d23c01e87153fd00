# SPDX-License-Identifier: BSD-3-Clause
"""Made-up output of bench_reduction, bench_gemv and bench_gemm."""

from made_up import context, entry


def of(bench, hashes, device, benchmarks):
    backend = {"backend": "Cuda", "device": "NVIDIA H200"} if device else {}
    return {"context": {**context(hashes, bench), **backend}, "benchmarks": benchmarks}


def raw_reduction(hashes, device=True):
    """As bench_reduction writes it: canonical sums read at 95 % of the bandwidth and are a third faster than the peers;
    compensated ones take 1.04 times, exact ones 1.25 times as long, studies twice as long."""
    benchmarks = []
    for precision in ("single", "double"):
        for function in ("sum", "dot", "norm2", "asum"):
            for length in (1 << 10, 1 << 20, 1 << 26):
                case = f"reduction/{function}/{length}/{precision}"
                ours = 3e-6 + length * 1e-12
                methods = {"carroll_canonical": 1, "carroll_compensated": 1.04, "carroll_exact": 1.25}
                if device:
                    methods.update({"cub_sum" if function == "sum" else f"cublas_{function}": 4 / 3,
                                    f"kokkoskernels_{function}": 2})
                elif function != "sum":
                    methods[f"openblas_{function}"] = 4 / 3
                studies = {"sum": ("one_collects", "tree", "tree_to_all"),
                           "dot": ("naive", "divergent", "conflict_free")}.get(function, ())
                methods.update({f"study_{study}": 0.5 if study == "tree" else 2 for study in studies})
                benchmarks += [entry(f"{case}/{method}", share * ours, read_fraction=0.95 / share)
                               for method, share in methods.items()]
    return of("bench_reduction", hashes, device, benchmarks)


def raw_gemv(hashes, device=True):
    """As bench_gemv writes it: twice as fast as the peer where the matrix is transposed, else as fast."""
    benchmarks = []
    for precision in ("single", "double"):
        for rows, cols in ((32, 32), (4096, 4096), (10000000, 8)):
            for op in "nt":
                case, ours = f"gemv/{rows}x{cols}/{op}/{precision}", 3e-6 + rows * cols * 1e-12
                benchmarks.append(entry(f"{case}/{'cublas' if device else 'openblas'}",
                                        ours * (2 if op == "t" else 1), read_fraction=0.4))
                benchmarks.append(entry(f"{case}/carroll_automatic", ours, read_fraction=0.8))
    return of("bench_gemv", hashes, device, benchmarks)


def raw_gemm(hashes, device=True):
    """As bench_gemm writes it: 3/4 of the peer's rate at squares, 1.5 times as fast at all else; the naive kernel has a
    tenth, the tiled one a fifth of our rate."""
    benchmarks = []
    for precision in ("single", "double", "complex_single", "complex_double"):
        for group, extents, share in (("square", "1x4096x4096x4096", 0.75), ("square", "1x1024x1024x1024", 0.75),
                                      ("outer", "1x4096x4096x16", 1.5), ("skinny", "1x4096x8x4096", 1.5),
                                      ("tall", "1x1000000x32x32", 1.5), ("batch", "10000x8x8x8", 1.5)):
            case, ours = f"gemm/{group}/{extents}/{precision}", 1e-3
            benchmarks.append(entry(f"{case}/{'cublas' if device else 'openblas'}", share * ours))
            benchmarks.append(entry(f"{case}/carroll_blocked", ours))
            if group == "square" and not precision.startswith("complex"):
                benchmarks.append(entry(f"{case}/carroll_naive", 10 * ours))
                benchmarks.append(entry(f"{case}/carroll_tiled", 5 * ours))
                if device and precision == "double":
                    benchmarks.append(entry(f"{case}/carroll_registers", 1.2 * ours))
    return of("bench_gemm", hashes, device, benchmarks)
