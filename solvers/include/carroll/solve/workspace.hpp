// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/dispatch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/solve/types.hpp>
#include <span>

namespace carroll {

/// Everything that `solve` or `inverse` needs besides the caller's Views, made by `solve_workspace`
/// or `inverse_workspace` for matrices of Value, fixed extents and options. Calls that are given
/// one allocate nothing. One call at a time may use it; copies share the memory.
template <class ExecSpace, class Value>
class SolveWorkspace : public detail::SolverWorkspace<ExecSpace, SolveInfo<detail::RealOf<Value>>,
                                                      SolveExtents, SolveOptions> {
 public:
  /// What asks for the kernels that calls with this workspace take; never `automatic`.
  [[nodiscard]] SolvePath path() const { return path_; }

 private:
  friend struct detail::AccessTo<SolveWorkspace>;

  SolvePath path_ = SolvePath::team;
  detail::SolveBatch<Value> batch_{};  ///< without the caller's Views
};

namespace detail {

/// The inside of a workspace, for the entry points. Defined in detail/solve/access.hpp.
template <class ExecSpace, class Value>
struct AccessTo<SolveWorkspace<ExecSpace, Value>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = SolveWorkspace<ExecSpace, Value>;

  static Workspace uniform(ExecSpace const& exec, char const* function, SolveExtents const& extents,
                           SolveOptions const& options);

  /// The problems of a call on the caller's matrices.
  static SolveBatch<Value> batch(Workspace const& w, SolveViews<Value> const& views);

  static void enqueue(ExecSpace const& exec, SolveBatch<Value> const& batch, Workspace const& w);

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<SolveInfo<RealOf<Value>> const> fetch_infos(ExecSpace const& exec,
                                                               Workspace const& w) {
    return w.infos_.fetch(exec, "carroll::solve::info");
  }
};

}  // namespace detail

/// A workspace for `solve` of uniform batches of the given extents. Allocates, for which Kokkos may
/// wait for the instance; freeing it waits for the whole device on CUDA. With OpenMP the first call
/// that uses it may still make Kokkos enlarge its own team scratch. Throws std::invalid_argument
/// for unusable extents, AllocationError for want of memory.
///
///   auto workspace = carroll::solve_workspace<double>(exec, {.batch = 100, .n = 16});
template <class Value, ExecutionSpace ExecSpace>
[[nodiscard]] SolveWorkspace<ExecSpace, Value> solve_workspace(ExecSpace const& exec,
                                                               SolveExtents extents,
                                                               SolveOptions const& options = {}) {
  static_assert(FieldScalar<Value>,
                "carroll::solve_workspace: the scalar must be float, double or Kokkos::complex of "
                "one of these");
  extents.inverse = false;
  return detail::AccessTo<SolveWorkspace<ExecSpace, Value>>::uniform(
      exec, "carroll::solve_workspace", extents, options);
}

/// The same for `inverse`, of extents `batch` and `n`.
template <class Value, ExecutionSpace ExecSpace>
[[nodiscard]] SolveWorkspace<ExecSpace, Value> inverse_workspace(ExecSpace const& exec,
                                                                 SolveExtents extents,
                                                                 SolveOptions const& options = {}) {
  static_assert(FieldScalar<Value>,
                "carroll::inverse_workspace: the scalar must be float, double or Kokkos::complex "
                "of one of these");
  extents.columns = extents.n;
  extents.inverse = true;
  return detail::AccessTo<SolveWorkspace<ExecSpace, Value>>::uniform(
      exec, "carroll::inverse_workspace", extents, options);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/solve/access.hpp>
#endif
