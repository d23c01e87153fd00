// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/complex_svd/workspace.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/complex_svd/views.hpp>
#include <carroll/none.hpp>
#include <carroll/svd.hpp>
#include <carroll/svd/types.hpp>
#include <span>
#include <vector>

/// Singular value decomposition A = U·diag(S)·Vᴴ of complex matrices: `svd` and `singular_values`
/// for Views of Kokkos::complex<float> or Kokkos::complex<double>. They are called as those for
/// real numbers are (svd.hpp), with the same shapes, options and infos:
///
///   auto info = carroll::svd(exec, A, U, S, V);
///
///   A   m×n   complex, read only
///   U   m×r (thin) or m×m (full), or carroll::none; r = min(m, n)
///   S   r     real, of A's precision: descending, >= 0
///   V   n×r (thin) or n×n (full), or carroll::none; V itself, not Vᴴ
///
/// Batches have one dimension more, the batch index first; Views may have any strided layout, each
/// its own. U, S and V are overwritten whole; they must not overlap A or each other.
/// Columns of U and V belong together and are unique but for a common phase, which is not
/// normalised: with LAPACK's they differ by one.
///
/// Accuracy: backward stable, and every singular value of A = B·D, D diagonal, has a relative error
/// of order eps·cond(B), whatever D is; so it has for square A = D·B. No scaling of A or of its
/// columns can make a step over- or underflow; multiplying A by a power of two multiplies S by it,
/// bit by bit, as long as nothing leaves the range of normal numbers. Results are the same bits for
/// every batch size, position in the batch, neighbours, layout, instance, team size and thread
/// count of one build, and S whatever vectors are wanted.
///
/// One or two pivoted QR factorisations, by size, and one-sided Jacobi (SvdMethod::preconditioned,
/// the only method here): a call costs about four times as many flops as one for a real matrix of
/// that size.
///
/// Numerical trouble is told by SvdInfo::status. Misuse throws std::invalid_argument with the
/// actual and the required sizes before anything is written.
namespace carroll {

namespace detail {

template <class ExecSpace, class AView, class UView, class SView, class VView, class InfoView,
          class Value>
void complex_svd_async(char const* function, ExecSpace const& exec, AView const& A, UView const& U,
                       SView const& S, VView const& V, InfoView const& info,
                       SvdWorkspace<ExecSpace, Value>& workspace) {
  assert_complex_svd_views<ExecSpace, AView, UView, SView, VView>();
  assert_svd_info<ExecSpace, InfoView, ComplexRealOf<AView>, int(AView::rank) - 2>();
  auto batch = bind_complex_views(function, workspace, A, U, S, V);
  bind_infos(function, batch, info, workspace);
  AccessTo<SvdWorkspace<ExecSpace, Value>>::enqueue(exec, batch, workspace);
}

/// Of one matrix the info, of a batch a span of them.
template <class ExecSpace, class AView, class UView, class SView, class VView, class Value>
auto complex_svd(char const* function, ExecSpace const& exec, AView const& A, UView const& U,
                 SView const& S, VView const& V, SvdWorkspace<ExecSpace, Value>& workspace) {
  assert_complex_svd_views<ExecSpace, AView, UView, SView, VView>();
  using Access = AccessTo<SvdWorkspace<ExecSpace, Value>>;
  Access::enqueue(exec, bind_complex_views(function, workspace, A, U, S, V), workspace);
  auto const infos = Access::fetch_infos(exec, workspace);
  if constexpr (int(AView::rank) == 2)
    return SvdInfo<ComplexRealOf<AView>>(infos.front());
  else
    return infos;
}

template <class ExecSpace, class AView, class UView, class SView, class VView>
auto complex_svd(char const* function, ExecSpace const& exec, AView const& A, UView const& U,
                 SView const& S, VView const& V, SvdOptions const& options) {
  assert_complex_svd_views<ExecSpace, AView, UView, SView, VView>();
  using Value = typename AView::non_const_value_type;
  auto const extents = wanted_extents(function, A, U, V);
  (void)bind_complex_views(function, extents, A, U, S, V);  // before memory is asked for
  auto workspace =
      AccessTo<SvdWorkspace<ExecSpace, Value>>::uniform(exec, function, extents, options);
  auto const result = complex_svd(function, exec, A, U, S, V, workspace);
  if constexpr (int(AView::rank) == 2)
    return result;
  else
    return std::vector<SvdInfo<ComplexRealOf<AView>>>(result.begin(), result.end());
}

}  // namespace detail

/// Enqueues the decomposition on `exec` and returns: never fences, never allocates. `workspace`
/// must have been made with the same extents and vectors, and must live, unused by others, until
/// the work is done. `info` is a View of SvdInfo<float> or SvdInfo<double>, by A's precision: of
/// rank 0 for one matrix, of rank 1 for a batch.
template <ExecutionSpace ExecSpace, ComplexView AView, class UView, class SView, class VView,
          class InfoView, class Real>
void svd_async(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
               VView const& V, InfoView const& info, SvdWorkspace<ExecSpace, Real>& workspace) {
  detail::complex_svd_async("carroll::svd_async", exec, A, U, S, V, info, workspace);
}

/// Decomposes with a workspace made before: no allocation, one fence of `exec`, to return the info.
/// Returns SvdInfo for one matrix; for a batch a span of them, valid until the workspace is used
/// again.
template <ExecutionSpace ExecSpace, ComplexView AView, class UView, class SView, class VView,
          class Real>
[[nodiscard]] auto svd(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
                       VView const& V, SvdWorkspace<ExecSpace, Real>& workspace) {
  return detail::complex_svd("carroll::svd", exec, A, U, S, V, workspace);
}

/// Decomposes one matrix or a batch. Allocates a workspace, fences `exec` once, to return the info,
/// and frees the workspace, for which Kokkos waits for the whole device on CUDA. Returns SvdInfo
/// for one matrix; for a batch a std::vector of them, one per member.
template <ExecutionSpace ExecSpace, ComplexView AView, class UView, class SView, class VView>
[[nodiscard]] auto svd(ExecSpace const& exec, AView const& A, UView const& U, SView const& S,
                       VView const& V, SvdOptions const& options = {}) {
  return detail::complex_svd("carroll::svd", exec, A, U, S, V, options);
}

/// The singular values alone: `svd` without U and V, the same bits in S.
template <ExecutionSpace ExecSpace, ComplexView AView, class SView>
[[nodiscard]] auto singular_values(ExecSpace const& exec, AView const& A, SView const& S,
                                   SvdOptions const& options = {}) {
  return detail::complex_svd("carroll::singular_values", exec, A, none, S, none, options);
}

template <ExecutionSpace ExecSpace, ComplexView AView, class SView, class Real>
[[nodiscard]] auto singular_values(ExecSpace const& exec, AView const& A, SView const& S,
                                   SvdWorkspace<ExecSpace, Real>& workspace) {
  return detail::complex_svd("carroll::singular_values", exec, A, none, S, none, workspace);
}

template <ExecutionSpace ExecSpace, ComplexView AView, class SView, class InfoView, class Real>
void singular_values_async(ExecSpace const& exec, AView const& A, SView const& S,
                           InfoView const& info, SvdWorkspace<ExecSpace, Real>& workspace) {
  detail::complex_svd_async("carroll::singular_values_async", exec, A, none, S, none, info,
                            workspace);
}

}  // namespace carroll
