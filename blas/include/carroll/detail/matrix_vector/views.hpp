// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/matrix_vector/dispatch.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/gemv/types.hpp>
#include <cstdint>
#include <type_traits>

/// From the caller's Views to a checked MatrixVector.
namespace carroll::detail {

template <class ExecSpace, class AView, class XView, class YView, class T>
consteval void assert_gemv_views() {
  static_assert(FieldScalar<T>,
                "carroll::gemv: y must be over float, double or Kokkos::complex of these");
  static_assert(
      is_output_of<YView, ExecSpace, T> && (rank_of<YView>() == 1 || rank_of<YView>() == 2),
      "carroll::gemv: y must be a writable strided View of rank 1, or of rank 2 for a "
      "batch, in memory that the execution space can access");
  static_assert(is_view_of<XView, ExecSpace, T> && rank_of<XView>() == rank_of<YView>(),
                "carroll::gemv: x must be a strided View of y's scalar type and rank, in memory "
                "that the execution space can access");
  static_assert(is_view_of<AView, ExecSpace, T> &&
                    (rank_of<AView>() == 2 || rank_of<AView>() == rank_of<YView>() + 1),
                "carroll::gemv: A must be a strided View of y's scalar type and of rank 2, or of "
                "rank 3 for a batch, in memory that the execution space can access");
}

/// As A and y have them.
template <class AView, class YView>
GemvExtents gemv_extents(AView const& A, YView const& y, GemvOptions const& options) {
  constexpr int a = int(AView::rank), v = int(YView::rank);
  return {static_cast<std::int64_t>(y.extent(v - 1)),
          static_cast<std::int64_t>(A.extent(options.op == MatrixOp::identity ? a - 1 : a - 2)),
          v == 2 ? static_cast<std::int64_t>(y.extent(0)) : 1};
}

template <class T, class AView, class XView, class YView>
MatrixVector<T> bind_gemv(char const* function, GemvExtents const& extents,
                          GemvOptions const& options, T const& alpha, AView const& A,
                          XView const& x, T const& beta, YView const& y) {
  auto const [m, n, batch] = extents;
  bool const transposed = options.op != MatrixOp::identity;
  StridedBatch<T const> a, xs;
  StridedBatch<T> ys;
  Binder bind(function);
  if (transposed)
    bind.shared_input(a, "A", A, {batch, n, m});
  else
    bind.shared_input(a, "A", A, {batch, m, n});
  bind.input(xs, "x", x, {batch, n});
  bind.output(ys, "y", y, {batch, m});
  MatrixVector<T> problem;
  problem.alpha = alpha;
  problem.beta = beta;
  problem.a = a.data;
  problem.x = xs.data;
  problem.y = ys.data;
  // Of what there is once, strides may be any number.
  auto const stride = [](std::int64_t extent, std::ptrdiff_t given, std::ptrdiff_t otherwise) {
    return extent > 1 ? given : otherwise;
  };
  problem.a_distance = stride(batch, a.strides[0], 0);
  problem.row_stride = stride(m, a.strides[transposed ? 2 : 1], 0);
  problem.term_stride = stride(n, a.strides[transposed ? 1 : 2], 0);
  problem.x_distance = stride(batch, xs.strides[0], 0);
  problem.x_stride = stride(n, xs.strides[1], 1);
  problem.y_distance = stride(batch, ys.strides[0], 0);
  problem.y_stride = stride(m, ys.strides[1], 1);
  problem.rows = static_cast<int>(m);
  problem.terms = static_cast<int>(n);
  problem.members = static_cast<int>(batch);
  problem.conjugate = options.op == MatrixOp::conjugate_transpose;
  return problem;
}

template <class T>
MatrixVectorOrder matrix_vector_order(MatrixVector<T> const& problem) {
  constexpr std::ptrdiff_t entries = 16 / static_cast<std::ptrdiff_t>(sizeof(T));
  auto const size = [](std::ptrdiff_t stride) { return stride < 0 ? -stride : stride; };
  auto const whole = [](T const* data, std::ptrdiff_t distance) {
    return distance % entries == 0 && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
  };
  MatrixVectorOrder order;
  order.along_terms = problem.terms > 1 &&
                      (problem.rows == 1 || size(problem.term_stride) < size(problem.row_stride));
  order.wide = order.along_terms && problem.term_stride == 1 && problem.x_stride == 1 &&
               whole(problem.a, problem.row_stride) && whole(problem.a, problem.a_distance) &&
               whole(problem.x, problem.x_distance);
  return order;
}

}  // namespace carroll::detail
