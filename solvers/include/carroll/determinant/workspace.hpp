// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/determinant/dispatch.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/determinant/types.hpp>
#include <cstddef>
#include <memory>
#include <span>

namespace carroll {

namespace detail {
template <class ExecSpace, class T>
struct DeterminantMemory;
}  // namespace detail

/// Everything that `determinant` needs besides the caller's matrices, made by
/// `determinant_workspace` for fixed extents and options. Calls that are given one allocate
/// nothing. One call at a time may use it; copies share the memory.
template <class ExecSpace, class T>
class DeterminantWorkspace
    : public detail::SolverWorkspace<ExecSpace, DeterminantInfo<T>, DeterminantExtents,
                                     DeterminantOptions> {
 public:
  /// The kernels that calls with this workspace take, never `automatic`.
  [[nodiscard]] DeterminantPath path() const { return plan_.path; }

 private:
  friend struct detail::AccessTo<DeterminantWorkspace>;

  detail::DeterminantPlan plan_;
  /// Behind a pointer, as it needs the kernels' headers.
  std::shared_ptr<detail::DeterminantMemory<ExecSpace, T> const> memory_;
};

namespace detail {

/// The inside of a workspace, for the entry points. Defined in detail/determinant/access.hpp.
template <class ExecSpace, class T>
struct AccessTo<DeterminantWorkspace<ExecSpace, T>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = DeterminantWorkspace<ExecSpace, T>;

  static Workspace make(ExecSpace const& exec, char const* function,
                        DeterminantExtents const& extents, DeterminantOptions const& options) {
    return make(exec, function, extents, options, processors(exec));
  }
  /// `teams_at_once`: fewer than there could be where a small device is to be tried on a large one.
  static Workspace make(ExecSpace const& exec, char const* function,
                        DeterminantExtents const& extents, DeterminantOptions const& options,
                        int teams_at_once);

  /// The batch of a call on A. Where A is not to be written the work is done on copies.
  static DeterminantBatch<T> batch(Workspace const& w, StridedBatch<T const> const& A,
                                   T* overwritten);

  static void enqueue(ExecSpace const& exec, DeterminantBatch<T> const& batch, Workspace const& w);

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<DeterminantInfo<T> const> fetch_infos(ExecSpace const& exec, Workspace const& w);

 private:
  static DeterminantPlan plan(char const* function, DeterminantExtents const& extents,
                              DeterminantOptions const& options, DeterminantDevice const& device);

  /// Few infos are written where the host reads them: a copy takes longer than a small determinant.
  static bool answers_on_host(Workspace const& w);
};

}  // namespace detail

/// A workspace for `batch` matrices of order n. Allocates, for which Kokkos may wait for the
/// instance; freeing it waits for the whole device on CUDA. With OpenMP the first call that uses it
/// may still make Kokkos enlarge its own team scratch. Holds up to 512·(n + 384) entries, fewer
/// for an instance of many threads (on CUDA for every matrix of the batch; for few of them n² up to
/// order 512, then about 600·n) for `blocked` beyond scratch (see docs/determinant.md), n² per
/// matrix for `dodgson`, n² for the forms of `condensation` with a second array, and with `keep` n²
/// more. Throws std::invalid_argument for unusable extents or options, AllocationError for want of
/// memory.
///
///   auto workspace = carroll::determinant_workspace<double>(exec, {.batch = 100, .n = 8});
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] DeterminantWorkspace<ExecSpace, T> determinant_workspace(
    ExecSpace const& exec, DeterminantExtents const& extents,
    DeterminantOptions const& options = {}) {
  static_assert(FieldScalar<T>,
                "carroll::determinant_workspace: T must be float, double or Kokkos::complex of one "
                "of them");
  return detail::AccessTo<DeterminantWorkspace<ExecSpace, T>>::make(
      exec, "carroll::determinant_workspace", extents, options);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/determinant/access.hpp>
#endif
