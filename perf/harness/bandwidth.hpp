// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>

#include "harness/context.hpp"

namespace carroll::perf {

/// Seconds in which flat kernels write, read, or copy (half of them onto the other half) as many
/// bytes as asked for: what no kernel that moves them can undercut by much. The median of fenced
/// runs after one to warm up, as solvers are timed. Writing: a kernel that stores past the caches
/// of a host, or Kokkos' fill, whichever is faster; copying: a kernel or Kokkos' copy. The buffers
/// are the same ones in all runs, so that what fits a cache is read from there.
double fill_seconds(Exec const& exec, std::size_t bytes);
double read_seconds(Exec const& exec, std::size_t bytes);
double copy_seconds(Exec const& exec, std::size_t bytes);

/// One of these, measured once for each number of bytes.
class KnownSeconds {
 public:
  using Measure = double (*)(Exec const&, std::size_t);

  KnownSeconds(Exec const& exec, Measure measure) : exec_(exec), measure_(measure) {}

  double operator()(double bytes) {
    auto const [entry, is_new] = known_.try_emplace(static_cast<std::size_t>(bytes));
    if (is_new) entry->second = measure_(exec_, entry->first);
    return entry->second;
  }

 private:
  Exec exec_;
  Measure measure_;
  std::map<std::size_t, double> known_;
};

}  // namespace carroll::perf
