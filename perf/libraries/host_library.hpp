// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <string>

namespace carroll::perf {

/// Threads of the library behind LAPACKE.
void set_library_threads(int threads);

/// Of the OpenMP thread that calls; 0 without OpenMP.
int thread_index();

/// Calls solve(member, thread) for the members of a batch, by threads that take `at_once` of them
/// at a time; how many of the calls return something else than 0.
template <class Solve>
int failures_of(int batch, [[maybe_unused]] int threads, [[maybe_unused]] int at_once,
                Solve const& solve) {
  std::atomic<int> failures = 0;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, at_once) num_threads(threads) if (threads > 1)
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
