// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/pseudoinverse/dense/factors.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/pseudoinverse/types.hpp>
#include <cstddef>
#include <span>

namespace carroll {

/// Everything that `apply_pseudoinverse` and `pseudoinverse` need besides the caller's Views, made
/// by `pseudoinverse_workspace` for fixed extents and options. Calls that are given one allocate
/// nothing. One call at a time may use it; copies share the memory.
template <class ExecSpace, class Real>
class PseudoinverseWorkspace
    : public detail::SolverWorkspace<ExecSpace, PseudoinverseInfo<Real>, PseudoinverseExtents,
                                     PseudoinverseOptions> {
 public:
  /// The kernels that take a step of rows in memory; automatic where only a functor's rows will do.
  [[nodiscard]] PseudoinversePath path() const { return path_; }

 private:
  friend struct detail::AccessTo<PseudoinverseWorkspace>;

  PseudoinversePath path_ = PseudoinversePath::automatic;
  detail::ArrowBatch<Real> batch_;  ///< without the caller's Views
  detail::DenseFactors<Real> factors_;
};

namespace detail {

struct StepPlan;

/// The inside of a workspace, for the entry points. Defined in detail/pseudoinverse/access.hpp.
template <class ExecSpace, class Real>
struct AccessTo<PseudoinverseWorkspace<ExecSpace, Real>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = PseudoinverseWorkspace<ExecSpace, Real>;

  static Workspace make(ExecSpace const& exec, char const* function,
                        PseudoinverseExtents const& extents, PseudoinverseOptions const& options);

  /// A batch without the caller's Views.
  static ArrowBatch<Real> batch(Workspace const& w) { return w.batch_; }
  static DenseFactors<Real> factors(Workspace const& w) { return w.factors_; }

  /// The step of a checked batch with rows in memory.
  static void enqueue_step(char const* function, ExecSpace const& exec,
                           ArrowBatch<Real> const& batch);
  /// The two halves of a step for who puts together what windows of several problems have left: the
  /// windows, of which the plan is returned; and the core of a batch with windows of that plan.
  static StepPlan enqueue_windows(char const* function, ExecSpace const& exec,
                                  ArrowBatch<Real> batch);
  static void enqueue_core(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                           StepPlan const& plan);
  /// Its A⁺.
  static void enqueue_inverse(char const* function, ExecSpace const& exec,
                              ArrowBatch<Real> const& batch, Workspace const& w);

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<PseudoinverseInfo<Real> const> fetch_infos(ExecSpace const& exec,
                                                              Workspace const& w) {
    return w.infos_.fetch(exec, "carroll::pseudoinverse::info");
  }

 private:
  static void shape(Workspace& w);

  /// Room for the windows of whichever kernels take the rows, from wherever they come.
  static void plan(ExecSpace const& exec, char const* function, Workspace& w);

  /// Whether OneMotionInverseKernel may run.
  static bool has_shares(Workspace const& w);

  static void lay_out(Workspace& w, Arena& arena);
};

}  // namespace detail

/// A workspace for `frames` problems of n rows, k motion and m depth columns, with r right-hand
/// sides each. Allocates, for which Kokkos may wait for the instance; freeing it waits for the
/// whole device on CUDA. With more than one motion column the first call that uses it may still
/// make Kokkos enlarge its own team scratch. Holds about (k+2)·m + 1.5·(k+2)²·n/w doubles per
/// right-hand side, w of at least 128 rows a window, and with `dense` (k+1)·n + k·m entries and n
/// ints per frame. Throws std::invalid_argument for unusable extents or options, AllocationError
/// for want of memory.
///
///   auto workspace = carroll::pseudoinverse_workspace<float>(
///       exec, {.rows = 120'000, .motions = 1, .depths = 1000});
template <class Real, ExecutionSpace ExecSpace>
[[nodiscard]] PseudoinverseWorkspace<ExecSpace, Real> pseudoinverse_workspace(
    ExecSpace const& exec, PseudoinverseExtents const& extents,
    PseudoinverseOptions const& options = {}) {
  static_assert(RealScalar<Real>, "carroll::pseudoinverse_workspace: Real must be float or double");
  return detail::AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::make(
      exec, "carroll::pseudoinverse_workspace", extents, options);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/pseudoinverse/access.hpp>
#endif
