// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/truncated_svd/dispatch.hpp>
#include <carroll/detail/truncated_svd/views.hpp>
#include <carroll/truncated_svd/types.hpp>
#include <carroll/truncated_svd/workspace.hpp>

/// The k leading singular triplets of a matrix, A ≈ U·diag(S)·Vᵀ, with a measured error.
///
///   auto info = carroll::truncated_svd(exec, A, U, S, V);
///
///   A   m×n   read only
///   U   m×k   orthonormal columns
///   S   k     descending, >= 0; its extent says how many triplets are wanted, at most min(m, n)
///   V   n×k   orthonormal columns; V itself, not its transpose
///
/// The Views may have any strided layout, each its own, over one scalar type, float or double. They
/// must not overlap.
///
/// Method: a random subspace of l = k + oversampling columns, multiplied by A and Aᵀ in turn, with
/// the triplets of A restricted to it (subspace iteration from a random start: Halko, Martinsson
/// and Tropp, SIAM Review 53(2), 2011; how many steps it takes: Musco and Musco, NeurIPS 2015;
/// Martinsson and Tropp, Acta Numerica 29, 2020). A step costs 4mnl flops and reads A twice; it
/// takes the residual of triplet j down by (σₗ/σⱼ)². Spectra that fall fast need few steps, flat
/// ones many, and where they would cost more than the full decomposition that is what is done.
///
/// Accuracy is not predicted but measured, on the result: TruncatedSvdInfo::residual says how well
/// the triplets are singular triplets, TruncatedSvdInfo::error how far U·diag(S)·Vᵀ is from A. A
/// result that misses the tolerance says Status::not_converged. The absolute error of the singular
/// values is what counts here, small ones need not be right relative to themselves as in `svd`.
///
/// Results are the same bits for the same seed, for every layout, instance and number of threads of
/// one build. No scaling of A can make a step over- or underflow; multiplying A by a power of two
/// multiplies S by it, bit by bit, as long as neither an entry of A nor a singular value leaves the
/// range of normal numbers.
///
/// Numerical trouble is told by TruncatedSvdInfo::status. Misuse throws std::invalid_argument with
/// the actual and the required sizes before anything is written.
namespace carroll {

/// Enqueues the decomposition on `exec` and returns; U, S, V and `info`, a View of TruncatedSvdInfo
/// of rank 0, may be read by later work on the same instance. Never allocates, and fences only
/// where svd_async does: the path is that of the workspace, and the power steps are
/// options.power_steps, also where more would be needed to meet the tolerance.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView,
          class InfoView, class Real>
void truncated_svd_async(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
                         VView const& V, InfoView const& info,
                         TruncatedSvdWorkspace<ExecSpace, Real>& workspace) {
  detail::assert_truncated_views<ExecSpace, AView, UView, SView, VView>();
  detail::assert_truncated_info<ExecSpace, InfoView, Real>();
  auto problem = detail::bind_truncated("carroll::truncated_svd_async", workspace, A, U, S, V);
  problem.info = info.data();
  detail::AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>::enqueue(exec, problem, workspace);
}

/// The same, returning the info: no allocation, one fence of `exec`.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView, class Real>
[[nodiscard]] TruncatedSvdInfo<Real> truncated_svd(
    ExecSpace const& exec, AView const& A, UView const& U, SView const& S, VView const& V,
    TruncatedSvdWorkspace<ExecSpace, Real>& workspace) {
  detail::assert_truncated_views<ExecSpace, AView, UView, SView, VView>();
  using Access = detail::AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>;
  Access::enqueue(exec, detail::bind_truncated("carroll::truncated_svd", workspace, A, U, S, V),
                  workspace);
  return Access::fetch_outcome(exec, workspace).info;
}

/// The same, as accurate as the tolerance asks for: after options.power_steps it looks at the
/// residual, and either adds as many steps as it expects to be needed, up to
/// options.max_power_steps, or turns to the full decomposition. Allocates workspaces, fences `exec`
/// once and once more every time it has gone on, and frees the workspaces, for which Kokkos waits
/// for the whole device on CUDA.
template <ExecutionSpace ExecSpace, class AView, class UView, class SView, class VView>
[[nodiscard]] auto truncated_svd(ExecSpace const& exec, AView const& A, UView const& U,
                                 SView const& S, VView const& V,
                                 TruncatedSvdOptions const& options = {}) {
  detail::assert_truncated_views<ExecSpace, AView, UView, SView, VView>();
  using Real = typename AView::non_const_value_type;
  using Access = detail::AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>;
  constexpr char const* function = "carroll::truncated_svd";
  TruncatedSvdExtents const extents{static_cast<std::int64_t>(A.extent(0)),
                                    static_cast<std::int64_t>(A.extent(1)),
                                    static_cast<std::int64_t>(S.extent(0))};
  detail::require_usable(function, extents);
  auto const views = detail::bind_truncated(function, extents, A, U, S, V);  // before memory
  auto workspace = Access::make(exec, function, extents, options);
  auto const problem = detail::truncated_problem(workspace, views);
  Access::enqueue(exec, problem, workspace);
  auto outcome = Access::fetch_outcome(exec, workspace);

  int steps = options.power_steps;
  auto const lacking = [&] {
    return outcome.info.status == Status::not_converged &&
           outcome.info.path == TruncatedSvdPath::randomized &&
           outcome.info.residual > problem.tolerance;
  };
  while (lacking()) {
    int const most = options.max_power_steps - steps;
    int more = detail::wanted_power_steps(outcome, problem.tolerance, most);
    if (options.path == TruncatedSvdPath::automatic &&
        (more == 0 || !detail::power_steps_pay(problem, more))) {
      auto full_options = options;
      full_options.path = TruncatedSvdPath::full;
      workspace = Access::make(exec, function, extents, full_options);
      Access::enqueue(exec, detail::truncated_problem(workspace, views), workspace);
      outcome = Access::fetch_outcome(exec, workspace);
      break;
    }
    if (most <= 0) break;
    if (more == 0) more = most;
    Access::go_on(exec, problem, workspace, steps, more);
    steps += more;
    outcome = Access::fetch_outcome(exec, workspace);
  }
  return outcome.info;
}

}  // namespace carroll
