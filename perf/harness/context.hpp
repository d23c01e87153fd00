// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace carroll::perf {

using Exec = Kokkos::DefaultExecutionSpace;

/// Whether kernels run on another device than the host's processors.
inline constexpr bool on_device = !std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>;

/// Rates that no kernel here can exceed by much, measured in this process; 0 where not measured.
struct MachineLimits {
  double copy_bytes = 0;  // bytes read plus bytes written, per second
  double gemm_single = 0;
  double gemm_double = 0;
};

/// The CUstream of the instance for vendor libraries; null elsewhere.
inline void* native_stream([[maybe_unused]] Exec const& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  return exec.cuda_stream();
#else
  return nullptr;
#endif
}

/// Threads that host peers may use: those of the host backend, or all where that is Serial beside a
/// device.
inline int host_threads() {
  int const threads = Kokkos::DefaultHostExecutionSpace().concurrency();
#ifdef _OPENMP
  if (on_device) return std::max(threads, omp_get_max_threads());
#endif
  return threads;
}

MachineLimits measure_limits(Exec const& exec);

/// Writes everything that a reader needs in order to judge the numbers into the "context" of the
/// JSON. `hashes` is the value of --hashes: "core=<tree hash>,solvers=<tree hash>,
/// measured=<hash of the headers that are measured>,dirty=<0 or 1>".
void add_context(std::string const& bench, Exec const& exec, MachineLimits const& limits,
                 std::string_view hashes);

}  // namespace carroll::perf
