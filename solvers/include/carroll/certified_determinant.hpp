// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/certified_determinant/types.hpp>
#include <carroll/certified_determinant/workspace.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/certified_determinant/views.hpp>
#include <span>
#include <vector>

/// An interval that is proved to contain the determinant of the stored matrix.
///
///   auto info = carroll::certified_determinant(exec, A);
///   if (info.status == carroll::Status::success)
///     use(info.lower, info.value, info.upper);  // all of one sign: that of det A
///
/// A is a View of rank 2, n×n, or of rank 3, batch×n×n, of any strided layout, over float or
/// double. It is not written. The determinant of a 0×0 matrix is 1.
///
/// The interval always contains det A of the numbers in A, whatever rounding, over- and underflow
/// there were: no assumption is made about A, and none about the elimination. Nothing changes the
/// rounding mode. Where the proof does not reach (condition numbers beyond some 10^15, and singular
/// matrices) the status says so, and the interval is [-b, b] with an upper bound b of |det A|.
/// Intervals are as narrow as doubled precision makes them, about n·cond(A)·2^-75 relative to the
/// determinant plus the square of plain elimination's error, and for well-conditioned A of moderate
/// order two neighbouring numbers of A's type. If all entries are integers and only one integer
/// lies in the interval, that is the result: 0 is then proved, too. Up to 3×3 the interval is the
/// narrowest there is, whatever the entries: one number where that is the determinant, otherwise
/// the two next to it, of which `value` is the nearer; singular matrices are always proved to be.
///
/// Method: X·A·Y with approximate inverses X and Y of the factors of LU, the product in doubled
/// precision, and a perturbation bound of second order; see
/// detail/certified_determinant/problem.hpp and docs/determinant/intervals.md. All arithmetic is
/// done in double precision, also for float. About 8n³ flops, twelve times LU's, of which 6n³ are
/// plain matrix products. Results are the same bits for every batch size, position in the batch,
/// layout, instance, team size and thread count of one build.
///
/// Misuse throws std::invalid_argument with the actual and the required sizes before anything is
/// written. Needs IEEE arithmetic: -ffast-math is refused when it is compiled.
namespace carroll {

namespace detail {

/// The entry points' common body.
template <class ExecSpace, class AView, class Real>
auto certified_determinant(ExecSpace const& exec, AView const& A,
                           CertifiedDeterminantWorkspace<ExecSpace, Real>& workspace) {
  assert_certified_views<ExecSpace, AView>();
  using Access = AccessTo<CertifiedDeterminantWorkspace<ExecSpace, Real>>;
  Access::enqueue(exec, bind_certified("carroll::certified_determinant", workspace, A), workspace);
  auto const infos = Access::fetch_infos(exec, workspace);
  if constexpr (int(AView::rank) == 2)
    return CertifiedDeterminantInfo<Real>(infos.front());
  else
    return infos;
}

}  // namespace detail

/// Enqueues the work on `exec` and returns; `info` may be read by later work on the same instance.
/// Never fences, never allocates. `workspace` must have been made with the same extents, and must
/// live, unused by others, until the work is done. `info` is a View of CertifiedDeterminantInfo
/// that kernels can write: of rank 0 for one matrix, of rank 1 for a batch.
template <ExecutionSpace ExecSpace, class AView, class InfoView, class Real>
void certified_determinant_async(ExecSpace const& exec, AView const& A, InfoView const& info,
                                 CertifiedDeterminantWorkspace<ExecSpace, Real>& workspace) {
  constexpr char const* function = "carroll::certified_determinant_async";
  detail::assert_certified_views<ExecSpace, AView>();
  detail::assert_certified_info<ExecSpace, InfoView, Real, int(AView::rank) - 2>();
  auto batch = detail::bind_certified(function, workspace, A);
  detail::bind_infos(function, batch, info, workspace);
  detail::AccessTo<CertifiedDeterminantWorkspace<ExecSpace, Real>>::enqueue(exec, batch, workspace);
}

/// With a workspace made before: no allocation, one fence of `exec`, to return the info. Returns
/// CertifiedDeterminantInfo for one matrix; for a batch a span of them, valid until the workspace
/// is used again.
template <ExecutionSpace ExecSpace, class AView, class Real>
[[nodiscard]] auto certified_determinant(
    ExecSpace const& exec, AView const& A,
    CertifiedDeterminantWorkspace<ExecSpace, Real>& workspace) {
  return detail::certified_determinant(exec, A, workspace);
}

/// One matrix or a batch. Allocates a workspace, fences `exec` once, to return the info, and frees
/// the workspace, for which Kokkos waits for the whole device on CUDA: who calls often, or has
/// other instances at work, gives a workspace. Returns CertifiedDeterminantInfo for one matrix; for
/// a batch a std::vector of them.
template <ExecutionSpace ExecSpace, class AView>
[[nodiscard]] auto certified_determinant(ExecSpace const& exec, AView const& A) {
  constexpr char const* function = "carroll::certified_determinant";
  detail::assert_certified_views<ExecSpace, AView>();
  using Real = typename AView::non_const_value_type;
  auto workspace = detail::AccessTo<CertifiedDeterminantWorkspace<ExecSpace, Real>>::make(
      exec, function, detail::certified_extents(function, A));
  auto const result = detail::certified_determinant(exec, A, workspace);
  if constexpr (int(AView::rank) == 2)
    return result;
  else
    return std::vector<CertifiedDeterminantInfo<Real>>(result.begin(), result.end());
}

}  // namespace carroll
