# SPDX-License-Identifier: BSD-3-Clause
"""Made-up output of bench_recommenders."""

from made_up import context, entry

TIMES = {"als/ml-20m/128": 0.02, "als/netflix/100": 0.12, "sgd/ml-10m/128": 0.01}


def raw_recommenders(hashes, device=True):
    """As bench_recommenders writes it: an H200 reaches 40 % of the floor and all bars but that of Netflix; a host knows
    small data; the best items take 1.6 times as long as the product."""
    benchmarks = []
    for case, seconds in TIMES.items() if device else (("als/ml-1m/64", 0.5), ("sgd/ml-1m/64", 0.2)):
        method = "carroll_sgd" if case.startswith("sgd") else "carroll_cholesky"
        prepare = {"prepare_seconds": 0.75} if method == "carroll_sgd" else {}
        benchmarks.append(entry(f"recommenders/{case}/single/{method}", seconds, floor_fraction=0.4, **prepare))
    best = f"recommenders/recommend/{'ml-20m/128' if device else 'ml-1m/64'}/single"
    benchmarks.append(entry(f"{best}/{'cublas' if device else 'openblas'}_gemm", 0.01))
    benchmarks.append(entry(f"{best}/carroll_best", 0.016, floor_fraction=0.6))
    benchmarks.append(entry("recommenders/neighbours/ml-1m/40/single/carroll_items", 0.03))
    for method in ("carroll_cholesky", "carroll_sgd"):
        steps = {f"{part}:{i:03}": error + 0.1 / i for i in (1, 2, 10) for part, error in (("training", 0.7), ("test", 0.8))}
        name = f"recommenders/descent/ml-100k/32/single/{method}/iterations:1/manual_time"
        benchmarks.append({"name": name, "real_time": 100, "label": "check=ok", **steps})
    backend = {"backend": "Cuda", "device": "NVIDIA H200"} if device else {}
    return {"context": {**context(hashes, "bench_recommenders"), **backend}, "benchmarks": benchmarks}
