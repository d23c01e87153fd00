// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/svd/views.hpp>
#include <carroll/error.hpp>
#include <carroll/truncated_svd/workspace.hpp>
#include <concepts>

/// From the caller's Views to a checked TruncatedProblem.
namespace carroll::detail {

template <class View, class ExecSpace, int Rank, class Real>
inline constexpr bool is_output = false;
template <class View, class ExecSpace, int Rank, class Real>
requires WritableView<View, ExecSpace, Rank>
inline constexpr bool is_output<View, ExecSpace, Rank, Real> =
    std::same_as<typename View::value_type, Real>;

template <class ExecSpace, class AView, class UView, class SView, class VView>
consteval void assert_truncated_views() {
  static_assert(
      ReadableView<AView, ExecSpace, 2>,
      "carroll::truncated_svd: A must be a strided View of float or double, of rank 2, in "
      "memory that the execution space can access");
  using Real = typename AView::non_const_value_type;
  static_assert(is_output<UView, ExecSpace, 2, Real>,
                "carroll::truncated_svd: U must be a writable strided View of A's rank and scalar "
                "type, in memory that the execution space can access");
  static_assert(is_output<SView, ExecSpace, 1, Real>,
                "carroll::truncated_svd: S must be a writable strided View of rank 1 and of A's "
                "scalar type, in memory that the execution space can access");
  static_assert(is_output<VView, ExecSpace, 2, Real>,
                "carroll::truncated_svd: V must be a writable strided View of A's rank and scalar "
                "type, in memory that the execution space can access");
}

template <class ExecSpace, class InfoView, class Real>
consteval void assert_truncated_info() {
  static_assert(Kokkos::is_view_v<InfoView>,
                "carroll::truncated_svd_async: info must be a View of carroll::TruncatedSvdInfo");
  static_assert(
      int(InfoView::rank) == 0 &&
          std::same_as<typename InfoView::value_type, TruncatedSvdInfo<Real>> &&
          bool(Kokkos::SpaceAccessibility<ExecSpace, typename InfoView::memory_space>::accessible),
      "carroll::truncated_svd_async: info must be a writable View of carroll::TruncatedSvdInfo of "
      "A's scalar type and of rank 0, in memory that the execution space can access");
}

template <class T>
StridedMatrix<T> single_matrix(StridedBatch<T> const& batch) {
  return {batch.data, batch.strides[1], batch.strides[2]};
}

/// Checks the caller's Views against the extents and against each other.
template <class AView, class UView, class SView, class VView>
void require_truncated_views(char const* function, TruncatedSvdExtents const& extents,
                             AView const& A, UView const& U, SView const& S, VView const& V) {
  auto const require_matrix = [&](char const* name, auto const& view, std::int64_t rows,
                                  std::int64_t cols) {
    require_extents(
        function, name,
        {static_cast<long long>(view.extent(0)), static_cast<long long>(view.extent(1))},
        {rows, cols});
  };
  require_matrix("A", A, extents.rows, extents.cols);
  require_extents(function, "S", {static_cast<long long>(S.extent(0))}, {extents.rank});
  require_matrix("U", U, extents.rows, extents.rank);
  require_matrix("V", V, extents.cols, extents.rank);
  auto const a = strided_batch(A);
  auto const u = strided_batch(U);
  auto const s = strided_batch(S);
  auto const v = strided_batch(V);
  require_apart(function, "A and U", a, u);
  require_apart(function, "A and S", a, s);
  require_apart(function, "A and V", a, v);
  require_apart(function, "U and S", u, s);
  require_apart(function, "U and V", u, v);
  require_apart(function, "S and V", s, v);
}

/// The workspace's problem on the caller's Views. The scaled copy of A lies as A does, and both are
/// turned so that there are at least as many rows as columns.
template <class ExecSpace, class Real, class AView, class UView, class SView, class VView>
TruncatedProblem<Real> bind_truncated(char const* function,
                                      TruncatedSvdWorkspace<ExecSpace, Real> const& workspace,
                                      AView const& A, UView const& U, SView const& S,
                                      VView const& V) {
  static_assert(std::same_as<typename AView::non_const_value_type, Real>,
                "carroll::truncated_svd: the workspace must have the scalar type of A");
  auto const& extents = workspace.extents();
  require_truncated_views(function, extents, A, U, S, V);
  auto problem = TruncatedAccess<ExecSpace, Real>::problem(workspace);
  typename AView::const_type const constant = A;
  bool const tall = extents.rows >= extents.cols;
  auto const a = single_matrix(strided_batch(constant));
  problem.a = tall ? a : a.transposed();
  bool const by_columns = problem.a.row_stride <= problem.a.col_stride;
  problem.scaled.row_stride = by_columns ? 1 : problem.cols;
  problem.scaled.col_stride = by_columns ? problem.rows : 1;
  problem.left = single_matrix(strided_batch(U));
  problem.right = single_matrix(strided_batch(V));
  if (!tall) std::swap(problem.left, problem.right);
  problem.s = {S.data(), static_cast<std::ptrdiff_t>(S.stride(0))};
  return problem;
}

}  // namespace carroll::detail
