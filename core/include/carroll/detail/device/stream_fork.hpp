// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace carroll::detail {

/// A second instance of an execution space, for work beside the caller's. Kokkos has no way to make
/// one instance wait for another without the host, so that this is written per backend; where there
/// is nothing to gain, it is the caller's instance.
template <class ExecSpace>
class StreamFork {
 public:
  /// Makes one, of the device of `exec`. What is `urgent` goes before the caller's work where both
  /// could begin.
  static StreamFork of(ExecSpace const&, [[maybe_unused]] bool urgent) { return {}; }

  /// What is enqueued on the result from now on runs after all that was enqueued on `exec`.
  ExecSpace fork(ExecSpace const& exec) const { return exec; }
  /// What is enqueued on `exec` from now on runs after all that was enqueued on the side.
  void join(ExecSpace const&) const {}
};

}  // namespace carroll::detail

#ifdef KOKKOS_ENABLE_CUDA
#include <carroll/detail/device/cuda/stream_fork.hpp>
#endif
