// SPDX-License-Identifier: BSD-3-Clause
// Times the solvers over ranks, and the link between them, on 1, 2, 4, … and all ranks of one run.
//
//   mpirun -n P bench_distributed [--sizes=full|host|quick] [--most-bytes=…] [--longest=…]
//   [--order=…]
//          [--product=…] [--svds=…] [--determinants=…] [--frames=…] [--frame-rows=…]
//          [--arrow-rows=…] [--tall-rows=…] [--tall-cols=…] [--sketch-rows=…] [--sketch-cols=…]
//          [--determinant-order=…] [--huge-order=…] [--dense-order=…] [--als-factors=…]
//          [--hashes=…]
//          [--entry-time=SECONDS]
//          [--time-limit=SECONDS] [Google Benchmark's options] [Kokkos' options]
//
// Names are distributed/<function>/<size>/<method>/<ranks>/<transport>; of the link the size is in
// bytes. Times are the slowest rank's. Over devices with NCCL everything is measured with messages
// through memory of the host, too. Without --sizes they are full on devices, quick on hosts. The
// first rank writes.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <string>

#include "determinant_instances.hpp"
#include "distributed/als.hpp"
#include "distributed/arrow.hpp"
#include "distributed/batches.hpp"
#include "distributed/blocks.hpp"
#include "distributed/dense.hpp"
#include "distributed/determinants.hpp"
#include "distributed/link.hpp"
#include "distributed/one_rank.hpp"
#include "distributed/rank_bench.hpp"
#include "distributed/tall/randomized.hpp"
#include "distributed/tall/svd.hpp"
#include "gemm_instances.hpp"
#include "gemv_instances.hpp"
#include "harness/context.hpp"
#include "harness/options.hpp"
#include "pseudoinverse_instances.hpp"
#include "reduction_instances.hpp"
#include "svd_instances.hpp"

namespace carroll::perf {
namespace {

void add_rank_context(Ranks const& world) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  std::string const text(version, static_cast<std::size_t>(length));
  benchmark::AddCustomContext("mpi", text.substr(0, text.find('\n')));
  benchmark::AddCustomContext("ranks", std::to_string(world.size()));
  benchmark::AddCustomContext("transport",
                              world.transport() == distributed::Transport::nccl ? "nccl" : "mpi");
}

/// All but the first rank leave files alone.
void drop_output(int& argc, char** argv) {
  for (char const* const option : {"benchmark_out", "benchmark_out_format"})
    while (!take_option(argc, argv, option).empty()) {
    }
}

int run(int argc, char** argv) {
  std::string const hashes = take_hashes(argc, argv);
  Settings settings{.entry_time = 0.1, .time_limit = 400};
  take_settings(argc, argv, settings);
  Sizes const sizes = take_sizes(argc, argv);
  auto const world = Ranks::duplicate_from_raw(MPI_COMM_WORLD);
  if (world.rank() != 0) drop_output(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  add_context("bench_distributed", world.exec(), measure_limits(world.exec()), hashes);
  add_rank_context(world);
#ifdef CARROLL_PERF_HAVE_SLEPC
  slepc::Library const library;
#endif
  RankBench bench(world, settings);
  plan_link(bench, sizes);
  plan_blocks(bench, sizes);
  plan_batches(bench, sizes);
  plan_arrow_step(bench, sizes);
  plan_als(bench, sizes);
  plan_one_rank(bench, sizes);
  plan_tall_svd(bench, sizes);
  plan_randomized(bench, sizes);
  plan_dense(bench, sizes);
  plan_determinants(bench, sizes);
  bench.run();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace carroll::perf

int main(int argc, char** argv) {
  return carroll::distributed::run(argc, argv, "bench_distributed",
                                   [&] { return carroll::perf::run(argc, argv); });
}
