// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <string>

namespace carroll::perf {

/// Threads of the library behind LAPACKE.
void set_library_threads(int threads);

/// How a batch has its threads: each of them solves members by itself; a single member has all of
/// them within the library.
struct HostThreads {
  HostThreads(int batch, int threads)
      : over_members(batch == 1 ? 1 : threads), in_library(batch == 1 ? threads : 1) {}

  int over_members, in_library;
};

/// Of the OpenMP thread that calls; 0 without OpenMP.
int thread_index();

/// Calls solve(member, thread) for the members of a batch, by threads that take `at_once` of them
/// at a time; how many of the calls return something else than 0.
template <class Solve>
int failures_of(int batch, [[maybe_unused]] HostThreads const& threads,
                [[maybe_unused]] int at_once, Solve const& solve) {
  std::atomic<int> failures = 0;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, at_once) \
    num_threads(threads.over_members) if (threads.over_members > 1)
#endif
  for (int member = 0; member < batch; ++member)
    if (solve(member, thread_index()) != 0) ++failures;
  return failures;
}

/// Name, version and build of the library behind LAPACKE.
std::string host_library();

/// FLOP/s of an n×n×n matrix product through the host BLAS: the best of several runs.
template <class Real>
double host_gemm_rate(int n, int threads);

}  // namespace carroll::perf
