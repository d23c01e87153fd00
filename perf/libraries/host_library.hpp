// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "harness/contender.hpp"

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

/// A routine of that library bound to a batch whose members are dealt out to the threads, each of
/// which has `Own`.
template <class Interface, class Own>
class HostContender : public Interface {
 public:
  HostContender(int batch, int threads)
      : batch_(batch),
        threads_(batch, threads),
        own_(static_cast<std::size_t>(threads_.over_members)) {}

  std::string complaint() override { return complaint_of(failures_); }

 protected:
  /// Of each thread.
  [[nodiscard]] std::vector<Own>& own() { return own_; }
  void set_threads() const { set_library_threads(threads_.in_library); }
  /// solve(member, own) of all members.
  template <class Solve>
  void solve_members(Solve const& solve) {
    failures_ = failures_of(batch_, threads_, 8, [&](int member, int thread) {
      return solve(static_cast<std::size_t>(member), own_[static_cast<std::size_t>(thread)]);
    });
  }

 private:
  int batch_;
  HostThreads threads_;
  std::vector<Own> own_;
  int failures_ = 0;
};

/// Name, version and build of the library behind LAPACKE.
std::string host_library();

/// FLOP/s of an n×n×n matrix product through the host BLAS: the best of several runs.
template <class Real>
double host_gemm_rate(int n, int threads);

}  // namespace carroll::perf
