#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a benchmark and writes perf/results/<machine>/<its name>.json.

    perf/record.py --machine NAME EXECUTABLE [options for EXECUTABLE]
    perf/record.py --machine NAME --launcher "mpirun -n P" bench_distributed [options for it]
    perf/record.py --machine NAME --raw GOOGLE_BENCHMARK_JSON

The number of OpenMP threads is the environment's; OMP_PROC_BIND is set to false unless it is given,
because a bound main thread would bind all threads of the host BLAS to its own core, and
OPENBLAS_CORETYPE to what the processor can do where OpenBLAS may not know it. The hashes are
those of the sources beside this file, or CARROLL_HASHES, for an executable built elsewhere; print them
with perf/records.py BENCH.
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import dating
import reading
import records


def openblas_core(cpuinfo):
    """The kernels that OpenBLAS should use, or None to let it choose.

    OpenBLAS takes an Intel processor newer than itself for one without AVX, and its LAPACK would be
    a peer with a handicap. What the processor can do is known."""
    if not cpuinfo.exists():
        return None
    text = cpuinfo.read_text()
    flags = set()
    for line in text.splitlines():
        if line.startswith("flags"):
            flags = set(line.split())
            break
    if "GenuineIntel" not in text:
        return None
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= flags:
        return "SKYLAKEX"
    return "HASWELL" if {"avx2", "fma"} <= flags else None


def driver_version():
    """Of the GPU's kernel driver, where there is one."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    query = [tool, "--query-gpu=driver_version", "--format=csv,noheader"]
    answer = subprocess.run(query, capture_output=True, text=True, check=False)
    return answer.stdout.split("\n")[0].strip() or None if answer.returncode == 0 else None


def run(executable, options, raw_path, launcher=()):
    """Runs the benchmark, by a launcher of ranks where there is one, and shows a short line for each entry on
    stderr."""
    environment = dict(os.environ)
    environment.setdefault("OMP_PROC_BIND", "false")
    core = openblas_core(Path("/proc/cpuinfo"))
    if core:
        environment.setdefault("OPENBLAS_CORETYPE", core)
    hashes = environment.get("CARROLL_HASHES") or dating.hashes_option(Path(executable).name)
    command = [*launcher, executable, f"--benchmark_out={raw_path}", "--benchmark_out_format=json",
               "--hashes=" + hashes, *options]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            words = line.split()
            if words and words[0].startswith(
                    ("svd/", "eigh/", "qr/", "determinant/", "pseudoinverse/", "tracker/", "reduction/", "gemv/",
                     "gemm/", "distributed/", "recommenders/", "pictures/", "kernels/", "accuracy/")):
                name = words[0].replace("/iterations:1/manual_time", "")
                print(f"{' '.join(words[1:3]):>12}  {name}", file=sys.stderr)
    if process.returncode != 0:
        sys.exit(f"record.py: {executable} ended with status {process.returncode}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--machine", required=True, help="short name, the folder of the record")
    parser.add_argument("--raw", type=Path, help="compact this Google Benchmark JSON; run nothing")
    parser.add_argument("--keep-raw", type=Path, help="also keep Google Benchmark's own JSON here")
    parser.add_argument("--launcher", default="", help='of ranks, for bench_distributed: "mpirun -n 2"')
    parser.add_argument("--output", type=Path, help="default: perf/results/MACHINE/BENCH.json")
    parser.add_argument("executable", nargs="?", help=" or ".join(dating.HEADERS))
    arguments, options = parser.parse_known_args()
    if (arguments.raw is None) == (arguments.executable is None):
        parser.error("give either the executable or --raw")

    with tempfile.TemporaryDirectory() as folder:
        raw_path = arguments.raw or Path(folder) / "raw.json"
        if arguments.raw is None:
            run(arguments.executable, options, raw_path, shlex.split(arguments.launcher))
        raw = json.loads(raw_path.read_text(encoding="utf-8"))
        if arguments.keep_raw:
            shutil.copy(raw_path, arguments.keep_raw)
    record = reading.compact(raw, arguments.machine)
    if arguments.raw is None and (driver := driver_version()):
        record["context"]["driver"] = driver

    output = (arguments.output or
              dating.PERF / "results" / arguments.machine / f"{record['bench']}.json")
    records.dump(record, output)
    failed = [row for row in record["results"] if "error" in row]
    wrong = [row for row in record["results"] if row.get("check", "ok") != "ok"]
    print(f"{output}: {len(record['results'])} results, {len(failed)} failed or skipped, "
          f"{len(wrong)} whose check failed, {output.stat().st_size // 1024} KiB")
    shown = wrong + failed
    for row in shown[:20]:
        case = " ".join(str(row[key]) for key in
                        ("kind", "group", "data", "function", "size", "ranks", "transport", "length", "batch", "frames",
                         "instances", "rows", "cols", "terms", "op", "n", "m", "k", "precision", "motion", "job",
                         "nominal")
                        if key in row)
        print(f"  {case} {row['method']}: {row.get('error') or row['check']}")
    if len(shown) > 20:
        print(f"  and {len(shown) - 20} more")
    if output.stat().st_size > 400_000:
        sys.exit("record.py: the record is larger than 400 kB")


if __name__ == "__main__":
    main()
