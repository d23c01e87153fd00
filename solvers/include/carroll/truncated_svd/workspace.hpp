// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/truncated_svd/problem.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/svd/workspace.hpp>
#include <carroll/truncated_svd/types.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace carroll {

namespace detail {

inline void require_usable(char const* function, TruncatedSvdExtents const& extents) {
  require_size(function, "the number of rows", extents.rows);
  require_size(function, "the number of columns", extents.cols);
  std::int64_t const most = std::min(extents.rows, extents.cols);
  require(extents.rank >= 0 && extents.rank <= most, function, [&] {
    return "the rank is " + std::to_string(extents.rank) + ", must be from 0 to " +
           std::to_string(most) + ", the smaller extent of A";
  });
}

}  // namespace detail

/// Everything that `truncated_svd` needs besides the caller's Views, made by
/// `truncated_svd_workspace` for fixed extents and options. Calls that are given one allocate
/// nothing. One call at a time may use it; copies share the memory.
template <class ExecSpace, class Real>
class TruncatedSvdWorkspace
    : public detail::SolverWorkspace<ExecSpace, TruncatedSvdInfo<Real>, TruncatedSvdExtents,
                                     TruncatedSvdOptions, detail::TruncatedOutcome<Real>> {
 public:
  using memory_space = typename ExecSpace::memory_space;

  /// The path that calls with this workspace take: never `automatic`.
  [[nodiscard]] TruncatedSvdPath path() const { return problem_.path; }
  /// TruncatedSvdInfo::residual of each triplet of the call before, in device memory.
  [[nodiscard]] Kokkos::View<Real const*, memory_space> residuals() const { return residuals_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const {
    return this->bytes_.span() + residuals_.span() * sizeof(Real) + svd_.bytes();
  }

 private:
  friend struct detail::AccessTo<TruncatedSvdWorkspace>;

  detail::TruncatedProblem<Real> problem_{};  ///< without the caller's Views
  Real* full_left_ = nullptr;                 ///< on the full path: rows × cols and cols × cols
  Real* full_right_ = nullptr;
  SvdInfo<Real>* svd_info_ = nullptr;
  Kokkos::View<Real*, memory_space> residuals_;
  SvdWorkspace<ExecSpace, Real> svd_;  ///< for the whole A or for the core of the subspace
};

namespace detail {

/// The inside of a workspace, for the entry points. Defined in detail/truncated_svd/access.hpp.
template <class ExecSpace, class Real>
struct AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = TruncatedSvdWorkspace<ExecSpace, Real>;
  using Problem = TruncatedProblem<Real>;

  static Workspace make(ExecSpace const& exec, char const* function,
                        TruncatedSvdExtents const& extents, TruncatedSvdOptions const& options);

  /// The problem of a call, without the caller's Views.
  static Problem const& problem(Workspace const& w) { return w.problem_; }
  static auto& svd(Workspace& w) { return w.svd_; }
  static auto svd_info(Workspace const& w) {
    using Info =
        Kokkos::View<SvdInfo<Real>, typename Workspace::memory_space, Kokkos::MemoryUnmanaged>;
    return Info(w.svd_info_);
  }
  static Real* full_left(Workspace const& w) { return w.full_left_; }
  static Real* full_right(Workspace const& w) { return w.full_right_; }

  /// Enqueues a call.
  static void enqueue(ExecSpace const& exec, Problem const& problem, Workspace& w);
  /// Goes on from where a call on the randomized path has stopped.
  static void go_on(ExecSpace const& exec, Problem const& problem, Workspace& w, int steps_before,
                    int more_steps);

  /// What the call before has found, on the host. Fences the instance once.
  static TruncatedOutcome<Real> fetch_outcome(ExecSpace const& exec, Workspace const& w);

 private:
  static void lay_out(Workspace& w, Arena& arena);

  /// For the largest of all products of a call.
  static std::int64_t partial_size(Problem const& p);
};

}  // namespace detail

/// A workspace for matrices and a rank of the given extents. The path is decided here, from the
/// extents and the options. Allocates, for which Kokkos may wait for the instance; freeing it waits
/// for the whole device on CUDA. Throws std::invalid_argument for unusable extents or options,
/// AllocationError for want of memory.
///
///   auto workspace = carroll::truncated_svd_workspace<double>(exec, {.rows = 4096, .cols = 512,
///                                                                    .rank = 32});
template <class Real, ExecutionSpace ExecSpace>
[[nodiscard]] TruncatedSvdWorkspace<ExecSpace, Real> truncated_svd_workspace(
    ExecSpace const& exec, TruncatedSvdExtents const& extents,
    TruncatedSvdOptions const& options = {}) {
  static_assert(RealScalar<Real>, "carroll::truncated_svd_workspace: Real must be float or double");
  return detail::AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>::make(
      exec, "carroll::truncated_svd_workspace", extents, options);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/truncated_svd/access.hpp>
#endif
