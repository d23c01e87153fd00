# SPDX-License-Identifier: BSD-3-Clause
"""Made-up output of bench_direct_tracker."""

from made_up import context, entry


def raw_tracker(hashes, device=False):
    """As bench_direct_tracker writes it: 1000 frames/s of an arc on a device, 25 on a host; motions in space
    take twice as long, two instances half as long, frames of a sequence six tenths as long."""
    frame = 1e-3 if device else 0.04
    errors = {"heading_error": 0.001, "depth_error": 0.002, "passes": 30}
    benchmarks = []
    for motion, share in (("ackermann", 1), ("se3", 2)):
        for instances in (1, 2) if device else (1,):
            seconds = frame * share / instances
            enqueued = {"enqueued_seconds": 0.9 * seconds} if device else {}
            benchmarks.append(entry(f"tracker/frames/{instances}x120000x1002/{motion}/carroll_esm", seconds,
                                    **errors, **enqueued))
        benchmarks.append(entry(f"tracker/sequence/1x120000x1002/{motion}/carroll_esm", 0.6 * frame * share,
                                **{**errors, "passes": 18}))
        benchmarks.append({"name": f"kernels/1x120000x1002/{motion}/carroll_esm/iterations:1",
                           "undisturbed_seconds": frame, "time:carroll::mesh::moments": 1e-4,
                           "launches:carroll::mesh::moments": 30.0})
    backend = {"backend": "Cuda"} if device else {}
    return {"context": {**context(hashes, "bench_direct_tracker"), **backend}, "benchmarks": benchmarks}
