// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/reduction/plan.hpp>
#include <carroll/detail/reduction/problem.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/reduction/types.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace carroll {

/// Everything that `sum`, `dot`, `norm2`, `asum` and `max_abs` need besides the caller's vectors,
/// made by `reduction_workspace` for a length and a number of vectors; one serves all five. Calls
/// that are given one allocate nothing. One call at a time may use it; copies share the memory.
template <class ExecSpace, class T>
class ReductionWorkspace : public detail::SolverWorkspace<ExecSpace, ReductionInfo<T>,
                                                          ReductionExtents, ReductionOptions> {
 public:
  /// One that nobody made: of no vectors.
  ReductionWorkspace() { this->extents_.batch = 0; }

 private:
  friend struct detail::AccessTo<ReductionWorkspace>;

  detail::ReductionPlan plan_;
  detail::ReductionMemory memory_;
  Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace> host_infos_;
};

namespace detail {

inline void require_usable(char const* function, ReductionExtents const& extents,
                           ReductionOptions const& options) {
  constexpr std::int64_t longest = std::int64_t{1} << 31;
  require(extents.length >= 0 && extents.length <= longest, function, [&] {
    return "the length is " + std::to_string(extents.length) + ", must be from 0 to " +
           std::to_string(longest);
  });
  require_size(function, "the batch", extents.batch);
  require(Summation::canonical <= options.summation && options.summation <= Summation::exact,
          function, [&] {
            return "options.summation is " + std::to_string(static_cast<int>(options.summation)) +
                   ", must be an enumerator of Summation";
          });
}

/// The inside of a workspace, for the entry points. Defined in detail/reduction/access.hpp.
template <class ExecSpace, class T>
struct AccessTo<ReductionWorkspace<ExecSpace, T>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = ReductionWorkspace<ExecSpace, T>;

  static Workspace make(ExecSpace const& exec, char const* function,
                        ReductionExtents const& extents, ReductionOptions const& options);

  /// Enqueues a call whose infos go to the caller.
  template <Reduction R, class Value>
  static void enqueue(ExecSpace const& exec, ReductionBatch<T, Value> const& batch, Workspace& w);
  /// Enqueues one whose sums go to batch.sums, of vectors that are no longer than the
  /// workspace's and have as many chunks as a power of two, if they are shorter.
  template <Reduction R, class Value>
  static void enqueue_part(ExecSpace const& exec, ReductionBatch<T, Value> const& batch,
                           Workspace& w);
  /// The same for one whose infos come to the host, and waits for them.
  template <Reduction R, class Value>
  static std::span<ReductionInfo<Value> const> call(ExecSpace const& exec,
                                                    ReductionBatch<T, Value> batch, Workspace& w);
  /// On a host: a call without memory, if it is short enough for the calling thread.
  template <Reduction R, class Value>
  static bool done_by_caller(ExecSpace const& exec, ReductionBatch<T, Value> const& batch,
                             ReductionOptions const& options);
};

}  // namespace detail

/// A workspace for `batch` vectors, or pairs of them, of `length` entries. Allocates, for which
/// Kokkos may wait for the instance; freeing it waits for the whole device on CUDA. Holds for each
/// vector, on a device, up to 32 bytes for 2^13 entries or fewer, 65 KiB up to 2^28, 513 KiB up to
/// 2^31; on a host 256 bytes for each thread, and 3 KiB. Throws std::invalid_argument for
/// unusable extents or options, AllocationError for want of memory.
///
///   auto workspace = carroll::reduction_workspace<double>(exec, {.length = 1 << 20});
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] ReductionWorkspace<ExecSpace, T> reduction_workspace(
    ExecSpace const& exec, ReductionExtents const& extents, ReductionOptions const& options = {}) {
  static_assert(FieldScalar<T>,
                "carroll::reduction_workspace: T must be float, double or Kokkos::complex of one "
                "of them");
  return detail::AccessTo<ReductionWorkspace<ExecSpace, T>>::make(
      exec, "carroll::reduction_workspace", extents, options);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/reduction/access.hpp>
#endif
