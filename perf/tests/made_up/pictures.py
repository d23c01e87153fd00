# SPDX-License-Identifier: BSD-3-Clause
"""Made-up output of bench_pictures."""

from made_up import context, entry

TIMES = {"denoise/512x512x1/carroll_fast": 0.04, "denoise/512x512x1/carroll_thorough": 0.2,
         "encode/3840x2160x3/carroll_cosines": 0.002, "encode/3840x2160x3/carroll_automatic": 0.003,
         "robust_pca/200x320x240/carroll_pursuit": 0.5}


def raw_pictures(hashes, device=True):
    """As bench_pictures writes it: an H200 reaches all bars but that of thorough denoising."""
    backend = {"backend": "Cuda", "device": "NVIDIA H200"} if device else {}
    return {"context": {**context(hashes, "bench_pictures"), **backend},
            "benchmarks": [entry(f"pictures/{case}", seconds) for case, seconds in TIMES.items()]}
