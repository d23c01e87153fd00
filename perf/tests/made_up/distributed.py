# SPDX-License-Identifier: BSD-3-Clause
"""Made-up output of bench_distributed."""

from made_up import context, entry


def raw_distributed(hashes, device=True, huge=True):
    """As bench_distributed writes it on two ranks: NCCL on two devices is 1.98 times as fast as one, MPI 1.5 times; wrappers
    take 1.02, adapters 1.1 times as long as what is in them; one rank takes 1.01 times as long as the plain solver; ScaLAPACK
    four times as long as we do on hosts, cuSOLVERMg 1.4 times; the sum differs on two ranks."""
    benchmarks = []

    def add(problem, method, ranks, transport, seconds, label="check=ok", **counters):
        benchmarks.append(entry(f"distributed/{problem}/{method}/{ranks}/{transport}", seconds, label,
                                ranks=float(ranks), **counters))

    transports = ("nccl", "mpi") if device else ("mpi",)

    def scaled(problem, method, seconds, plain=True, digest=None, **counters):
        if plain:
            add(problem, "carroll_one_rank", 1, "mpi", seconds / 1.01)
        for transport in transports:
            for ranks in (1, 2):
                time = seconds / (1 if ranks == 1 else 1.98 if transport == "nccl" else 1.5)
                label = "check=ok" + (f";digest={digest}{ranks if digest == 'a' else 0}" if digest else "")
                add(problem, method, ranks, transport, time, label, **{key: time for key in counters})

    for transport in transports:
        for call in ("broadcast", "all_gather"):
            add(f"{call}/4096", f"{transport}_raw", 2, transport, 1e-5)
            add(f"{call}/4096", f"{transport}_wrapper", 2, transport, 1.02e-5)
    length = 1 << 30 if device else 1 << 20
    scaled(f"sum/{length}", "carroll_canonical", 1e-3, digest="a")
    scaled(f"dot/{length}", "carroll_canonical", 2e-3, digest="b")
    scaled("svd_batch/10000x32x32", "carroll_in_place", 3e-3, compute_seconds=1, move_seconds=1)
    scaled("arrow_step/20000000x6", "carroll_leaves", 1e-3)
    scaled("als/20000263x128", "carroll_by_rows", 2e-2, digest="d")
    scaled("determinant/4000", "carroll_automatic", 1e-1, digest="c")
    scaled("tall_svd/1000000x64", "carroll_tree", 5e-2, plain=False)
    for transport in transports:
        add("tall_svd_of_each/1000000x64", "carroll_tree", 2, transport, 5.1e-2)
    if device:
        add("determinant/4000", "cusolverMg_getrf", 2, "mpi", 1.4e-1 / 1.98)
        failed = {"name": "distributed/determinant/150000/carroll_automatic/2/nccl/iterations:1/manual_time",
                  "error_occurred": True, "error_message": "skipped: 90 GB are needed, 79 GB are there"}
        benchmarks.append(failed if not huge else
                          entry("distributed/determinant/150000/carroll_automatic/2/nccl", 30))
    else:
        add("determinant/4000", "scalapack_getrf_64", 2, "mpi", 4e-1 / 1.5)
        add("determinant/4000", "carroll_scalapack", 2, "mpi", 4.4e-1 / 1.5)
        add("tall_svd/1000000x64", "scalapack_rows", 2, "mpi", 2e-1 / 1.5)
    backend = {"backend": "Cuda", "device": "NVIDIA H200"} if device else {}
    return {"context": {**context(hashes, "bench_distributed"), **backend}, "benchmarks": benchmarks}
