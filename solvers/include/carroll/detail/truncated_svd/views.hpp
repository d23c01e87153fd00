// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/assert_views.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/truncated_svd/workspace.hpp>

/// From the caller's Views to a checked TruncatedProblem.
namespace carroll::detail {

template <class ExecSpace, class AView, class UView, class SView, class VView>
consteval void assert_truncated_views() {
  static_assert(
      ReadableView<AView, ExecSpace, 2>,
      "carroll::truncated_svd: A must be a strided View of float or double, of rank 2, in "
      "memory that the execution space can access");
  using Real = typename AView::non_const_value_type;
  CARROLL_ASSERT_OUTPUT("carroll::truncated_svd", "U", UView, ExecSpace, Real, 2);
  static_assert(is_output_of<SView, ExecSpace, Real> && rank_of<SView>() == 1,
                "carroll::truncated_svd: S must be a writable strided View of rank 1 and of A's "
                "scalar type, in memory that the execution space can access");
  CARROLL_ASSERT_OUTPUT("carroll::truncated_svd", "V", VView, ExecSpace, Real, 2);
}

template <class ExecSpace, class InfoView, class Real>
consteval void assert_truncated_info() {
  static_assert(
      is_info_view<InfoView, ExecSpace, TruncatedSvdInfo<Real>, 0>,
      "carroll::truncated_svd_async: info must be a writable View of carroll::TruncatedSvdInfo of "
      "A's scalar type and of rank 0, in memory that the execution space can access");
}

template <class T>
StridedMatrix<T> single_matrix(StridedBatch<T> const& batch) {
  return {batch.data, batch.strides[1], batch.strides[2]};
}

/// The caller's Views, checked against the extents and against each other.
template <class AView, class UView, class SView, class VView>
auto bind_truncated(char const* function, TruncatedSvdExtents const& extents, AView const& A,
                    UView const& U, SView const& S, VView const& V) {
  auto const& [rows, cols, rank] = extents;
  SvdViews<typename AView::non_const_value_type> views;
  Binder bind(function);
  bind.input(views.a, "A", A, {1, rows, cols});
  bind.output(views.u, "U", U, {1, rows, rank});
  bind.output(views.s, "S", S, {1, rank});
  bind.output(views.v, "V", V, {1, cols, rank});
  return views;
}

/// The workspace's problem on the caller's matrices. The scaled copy of A lies as A does, and both
/// are turned so that there are at least as many rows as columns.
template <class ExecSpace, class Real>
TruncatedProblem<Real> truncated_problem(TruncatedSvdWorkspace<ExecSpace, Real> const& workspace,
                                         SvdViews<Real> const& views) {
  auto problem = AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>::problem(workspace);
  bool const tall = workspace.extents().rows >= workspace.extents().cols;
  auto const a = single_matrix(views.a);
  problem.a = tall ? a : a.transposed();
  bool const by_columns = problem.a.row_stride <= problem.a.col_stride;
  problem.scaled.row_stride = by_columns ? 1 : problem.cols;
  problem.scaled.col_stride = by_columns ? problem.rows : 1;
  problem.left = single_matrix(tall ? views.u : views.v);
  problem.right = single_matrix(tall ? views.v : views.u);
  problem.s = {views.s.data, views.s.strides[1]};
  return problem;
}

template <class ExecSpace, class Real, class AView, class UView, class SView, class VView>
TruncatedProblem<Real> bind_truncated(char const* function,
                                      TruncatedSvdWorkspace<ExecSpace, Real> const& workspace,
                                      AView const& A, UView const& U, SView const& S,
                                      VView const& V) {
  CARROLL_ASSERT_WORKSPACE("carroll::truncated_svd", AView, Real);
  return truncated_problem(workspace, bind_truncated(function, workspace.extents(), A, U, S, V));
}

}  // namespace carroll::detail
