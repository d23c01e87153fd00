// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/determinant/views.hpp>
#include <carroll/determinant/types.hpp>
#include <carroll/determinant/workspace.hpp>
#include <span>
#include <vector>

/// Determinant of one matrix or of a batch, as mantissa and exponent, so that it cannot overflow.
///
///   auto info = carroll::determinant(exec, A);     // A is overwritten
///   auto info = carroll::determinant_of(exec, A);  // A is kept
///   info.value.to();                               // a double, if one can hold it
///
/// A is a View of rank 2, n×n, or of rank 3, batch×n×n, of any strided layout, over float, double
/// or Kokkos::complex of one of them. The determinant of a 0×0 matrix is 1. For matrices of
/// different orders there is determinant_ragged.hpp, for a Kokkos::DualView determinant_dual.hpp.
///
/// Accuracy: the value is the determinant of a matrix whose rows differ from A's by relative errors
/// of about n·growth·eps each (DeterminantInfo::growth), as with LAPACK's getrf. Up to 3×3 it is
/// the exact determinant to 0.52 units in the last place, and 0 only where that is 0. Rows are
/// scaled by powers of two before and, where they grow, between elimination steps, which is exact:
/// multiplying rows of A by powers of two changes nothing but the exponent, growth included, and no
/// step over- or underflows. Where entries of one row differ by more than 2^62, in double precision
/// 2^510, columns are scaled first, by the largest entry of each. Then it is the rows of the scaled
/// matrix that have these errors, it matters how rows of A stand to each other, and what is 2^-126
/// (2^-1022) times smaller there than its row may be lost.
///
/// So it does not matter if rows and columns have different units. But where entries differ by
/// 2^50 and more for no such reason, the largest entry of a row can be the wrong pivot: nothing may
/// be left of the result then, neither size nor sign, with `success`, or 0 with `singular`. That is
/// so with every elimination with partial pivoting, and more digits help only so far (see "Entries
/// of very different size" in docs/determinant.md); certified_determinant.hpp tells when it is so.
///
/// Results are the same bits for every batch size, position in the batch, layout, instance, team
/// size and thread count of one build.
///
/// Method and source: DeterminantMethod. 2n³/3 flops for `blocked` and `condensation`, of complex
/// numbers four times as many.
///
/// Numerical trouble is told by DeterminantInfo::status. `singular` means that a pivot was exactly
/// 0; from 4×4 on rounding errors may leave a tiny determinant for a singular matrix. Misuse throws
/// std::invalid_argument with the actual and the required sizes before anything is written.
namespace carroll {

namespace detail {

/// The entry points, each under the name that it was called by.
template <bool Overwrites, class ExecSpace, class AView, class InfoView, class T>
void determinant_async(char const* function, ExecSpace const& exec, AView const& A,
                       InfoView const& info, DeterminantWorkspace<ExecSpace, T>& workspace) {
  assert_determinant_views<ExecSpace, AView, Overwrites>();
  assert_determinant_info<ExecSpace, InfoView, T, int(AView::rank) - 2>();
  auto batch = bind_determinant<Overwrites>(function, workspace, A);
  bind_infos(function, batch, info, workspace);
  AccessTo<DeterminantWorkspace<ExecSpace, T>>::enqueue(exec, batch, workspace);
}

template <bool Overwrites, class ExecSpace, class AView, class T>
auto determinant(char const* function, ExecSpace const& exec, AView const& A,
                 DeterminantWorkspace<ExecSpace, T>& workspace) {
  assert_determinant_views<ExecSpace, AView, Overwrites>();
  using Access = AccessTo<DeterminantWorkspace<ExecSpace, T>>;
  Access::enqueue(exec, bind_determinant<Overwrites>(function, workspace, A), workspace);
  auto const infos = Access::fetch_infos(exec, workspace);
  if constexpr (int(AView::rank) == 2)
    return DeterminantInfo<T>(infos.front());
  else
    return infos;
}

template <bool Overwrites, class ExecSpace, class AView>
auto determinant(char const* function, ExecSpace const& exec, AView const& A,
                 DeterminantOptions const& options) {
  assert_determinant_views<ExecSpace, AView, Overwrites>();
  using T = typename AView::non_const_value_type;
  auto workspace = AccessTo<DeterminantWorkspace<ExecSpace, T>>::make(
      exec, function, determinant_extents(function, A, !Overwrites), options);
  auto const result = determinant<Overwrites>(function, exec, A, workspace);
  if constexpr (int(AView::rank) == 2)
    return result;
  else
    return std::vector<DeterminantInfo<T>>(result.begin(), result.end());
}

}  // namespace detail

/// Enqueues the determinant on `exec` and returns; `info` may be read by later work on the same
/// instance, and A then holds nothing of use. Never fences, never allocates. `workspace` must have
/// been made with the same extents, and must live, unused by others, until the work is done. `info`
/// is a View of DeterminantInfo that kernels can write: of rank 0 for one matrix, of rank 1 for a
/// batch.
template <ExecutionSpace ExecSpace, class AView, class InfoView, class T>
void determinant_async(ExecSpace const& exec, AView const& A, InfoView const& info,
                       DeterminantWorkspace<ExecSpace, T>& workspace) {
  detail::determinant_async<true>("carroll::determinant_async", exec, A, info, workspace);
}

/// The same without overwriting A; the workspace must have been made with extents.keep.
template <ExecutionSpace ExecSpace, class AView, class InfoView, class T>
void determinant_of_async(ExecSpace const& exec, AView const& A, InfoView const& info,
                          DeterminantWorkspace<ExecSpace, T>& workspace) {
  detail::determinant_async<false>("carroll::determinant_of_async", exec, A, info, workspace);
}

/// The determinant, with a workspace made before: no allocation, one fence of `exec`, to return the
/// info. Returns DeterminantInfo for one matrix; for a batch a span of them, valid until the
/// workspace is used again. A is overwritten.
template <ExecutionSpace ExecSpace, class AView, class T>
[[nodiscard]] auto determinant(ExecSpace const& exec, AView const& A,
                               DeterminantWorkspace<ExecSpace, T>& workspace) {
  return detail::determinant<true>("carroll::determinant", exec, A, workspace);
}

/// The same without overwriting A; the workspace must have been made with extents.keep.
template <ExecutionSpace ExecSpace, class AView, class T>
[[nodiscard]] auto determinant_of(ExecSpace const& exec, AView const& A,
                                  DeterminantWorkspace<ExecSpace, T>& workspace) {
  return detail::determinant<false>("carroll::determinant_of", exec, A, workspace);
}

/// The determinant of one matrix or the determinants of a batch. A is overwritten. Allocates a
/// workspace, fences `exec` once, to return the info, and frees the workspace, for which Kokkos
/// waits for the whole device on CUDA: who calls often, or has other instances at work, gives a
/// workspace. Returns DeterminantInfo for one matrix; for a batch a std::vector of them.
template <ExecutionSpace ExecSpace, class AView>
[[nodiscard]] auto determinant(ExecSpace const& exec, AView const& A,
                               DeterminantOptions const& options = {}) {
  return detail::determinant<true>("carroll::determinant", exec, A, options);
}

/// The same without overwriting A: with a copy of it, where a copy is needed.
template <ExecutionSpace ExecSpace, class AView>
[[nodiscard]] auto determinant_of(ExecSpace const& exec, AView const& A,
                                  DeterminantOptions const& options = {}) {
  return detail::determinant<false>("carroll::determinant_of", exec, A, options);
}

}  // namespace carroll
