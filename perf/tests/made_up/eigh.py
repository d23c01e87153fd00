# SPDX-License-Identifier: BSD-3-Clause
"""Made-up output of bench_eigh."""

from made_up import context, entry


def raw_eigh(hashes, device=True):
    """As bench_eigh writes it: 5 times as fast as the peers up to order 32, 1.2 times as fast from there on; values
    take half the time of all, of whoever. One peer's result is wrong."""
    backend = {"backend": "Cuda", "device": "NVIDIA H200"} if device else {}
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
    return {"context": {**context(hashes, "bench_eigh"), **backend}, "benchmarks": benchmarks}
