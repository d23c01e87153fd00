// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/baseline/kernels.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/ratings_svd/call.hpp>
#include <carroll/error.hpp>
#include <carroll/ratings.hpp>
#include <carroll/ratings/rows.hpp>
#include <carroll/truncated_svd/types.hpp>
#include <concepts>
#include <cstdint>

namespace carroll {

/// The k leading singular triplets of the matrix of ratings, users × items, with 0 where there is
/// no rating: R ≈ U·diag(S)·Vᵀ, with a measured error.
///
///   auto info = carroll::truncated_svd(exec, ratings, U, S, V);
///   auto info = carroll::truncated_svd(exec, by_user, by_item, U, S, V, options);
///
///   by_user, by_item   the same ratings both ways; read only
///   U   users × k   orthonormal columns
///   S   k           descending, >= 0; its extent says how many are wanted, at most the smaller of
///                   users and items
///   V   items × k   orthonormal columns
///
/// Views of the ratings' type, any strided layout each; they must not overlap. The method, its
/// accuracy, its options and what the info says are those of carroll::truncated_svd of a dense
/// matrix (carroll/truncated_svd.hpp), on its randomized path: the full path is refused. Products
/// with R and its transpose are each as parallel as they have rows; sums are in the order of a row,
/// the same bits for any number of threads. With l = k + oversampling a step costs 4·nnz·l +
/// 8(users + items)l² flops, (users + items)·l numbers some times over are allocated. Fences `exec`
/// some times. With a rating that is NaN or infinite the status is non_finite and all outputs are
/// NaN. Misuse throws std::invalid_argument with actual and required sizes before anything is
/// written.
template <ExecutionSpace ExecSpace, class Real, class UView, class SView, class VView>
[[nodiscard]] TruncatedSvdInfo<Real> truncated_svd(
    ExecSpace const& exec, RatingRows<Real, typename ExecSpace::memory_space> const& by_user,
    RatingRows<Real, typename ExecSpace::memory_space> const& by_item, UView const& U,
    SView const& S, VView const& V, TruncatedSvdOptions const& options = {}) {
  static_assert(WritableView<UView, ExecSpace, 2> && WritableView<VView, ExecSpace, 2> &&
                    WritableView<SView, ExecSpace, 1> &&
                    std::same_as<typename UView::value_type, Real> &&
                    std::same_as<typename VView::value_type, Real> &&
                    std::same_as<typename SView::value_type, Real>,
                "carroll::truncated_svd: U, S and V must be strided Views of the ratings' type, of "
                "ranks 2, 1 and 2, in memory that the execution space can access");
  constexpr char const* function = "carroll::truncated_svd";
  detail::require_transposed(function, by_user, by_item);
  detail::require_usable(function, options);
  detail::require(options.path != TruncatedSvdPath::full, function,
                  [] { return std::string("ratings have no full path, options.path is full"); });
  TruncatedSvdExtents const extents{by_user.row_count, by_item.row_count,
                                    static_cast<std::int64_t>(S.extent(0))};
  detail::require_usable(function, extents);
  detail::StridedBatch<Real> left, values, right;
  detail::Binder bind(function);
  bind.output(left, "U", U, {1, extents.rows, extents.rank});
  bind.output(values, "S", S, {1, extents.rank});
  bind.output(right, "V", V, {1, extents.cols, extents.rank});
  if (extents.rank == 0) return {};
  auto const matrix = [](detail::StridedBatch<Real> const& x) {
    return detail::StridedMatrix<Real>{x.data, x.strides[1], x.strides[2]};
  };
  bool const tall = extents.rows >= extents.cols;
  detail::RatingsSvd<ExecSpace, Real> svd(exec, tall ? by_user : by_item, tall ? by_item : by_user,
                                          static_cast<int>(extents.rank), options);
  return svd.run(matrix(tall ? left : right), {values.data, values.strides[1]},
                 matrix(tall ? right : left));
}

/// The same of carroll::Ratings.
template <ExecutionSpace ExecSpace, class Real, class UView, class SView, class VView>
[[nodiscard]] TruncatedSvdInfo<Real> truncated_svd(
    ExecSpace const& exec, Ratings<Real, typename ExecSpace::memory_space> const& ratings,
    UView const& U, SView const& S, VView const& V, TruncatedSvdOptions const& options = {}) {
  return truncated_svd(exec, ratings.by_user(), ratings.by_item(), U, S, V, options);
}

}  // namespace carroll
