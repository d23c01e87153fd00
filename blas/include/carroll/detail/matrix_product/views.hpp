// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <carroll/gemm/types.hpp>

/// From the caller's Views to a checked MatrixProduct.
namespace carroll::detail {

template <class ExecSpace, class AView, class BView, class CView, class T>
consteval void assert_gemm_views() {
  static_assert(FieldScalar<T>,
                "carroll::gemm: C must be over float, double or Kokkos::complex of these");
  static_assert(
      is_output_of<CView, ExecSpace, T> && (rank_of<CView>() == 2 || rank_of<CView>() == 3),
      "carroll::gemm: C must be a writable strided View of rank 2, or of rank 3 for a "
      "batch, in memory that the execution space can access");
  static_assert(
      is_view_of<AView, ExecSpace, T> &&
          (rank_of<AView>() == 2 || rank_of<AView>() == rank_of<CView>()),
      "carroll::gemm: A must be a strided View of C's scalar type and rank, or of rank 2, "
      "in memory that the execution space can access");
  static_assert(
      is_view_of<BView, ExecSpace, T> &&
          (rank_of<BView>() == 2 || rank_of<BView>() == rank_of<CView>()),
      "carroll::gemm: B must be a strided View of C's scalar type and rank, or of rank 2, "
      "in memory that the execution space can access");
}

template <class View>
std::int64_t extent_of(View const& view, int from_end) {
  return static_cast<std::int64_t>(view.extent(int(View::rank) - 1 - from_end));
}

/// As C and A have them.
template <class AView, class CView>
GemmExtents gemm_extents(AView const& A, CView const& C, GemmOptions const& options) {
  GemmExtents extents{extent_of(C, 1), extent_of(C, 0),
                      extent_of(A, options.op_a == MatrixOp::identity ? 0 : 1), 1};
  if constexpr (int(CView::rank) == 3) extents.batch = static_cast<std::int64_t>(C.extent(0));
  return extents;
}

/// op of the matrices of a batch.
template <class T>
MatrixBatch<T> matrix_batch(StridedBatch<T> const& x, MatrixOp op) {
  MatrixBatch<T> const batch{x.data, x.strides[0], x.strides[1], x.strides[2]};
  return op == MatrixOp::identity ? batch : batch.transposed();
}

template <class T, class AView, class BView, class CView>
MatrixProduct<T> bind_gemm(char const* function, GemmExtents const& extents,
                           GemmOptions const& options, T const& alpha, AView const& A,
                           BView const& B, T const& beta, CView const& C) {
  auto const [m, n, k, batch] = extents;
  StridedBatch<T const> a, b;
  StridedBatch<T> c;
  Binder bind(function);
  if (options.op_a == MatrixOp::identity)
    bind.shared_input(a, "A", A, {batch, m, k});
  else
    bind.shared_input(a, "A", A, {batch, k, m});
  if (options.op_b == MatrixOp::identity)
    bind.shared_input(b, "B", B, {batch, k, n});
  else
    bind.shared_input(b, "B", B, {batch, n, k});
  bind.output(c, "C", C, {batch, m, n});
  MatrixProduct<T> product;
  product.m = static_cast<int>(m);
  product.n = static_cast<int>(n);
  product.k = static_cast<int>(k);
  product.batch = static_cast<int>(batch);
  product.alpha = alpha;
  product.beta = beta;
  product.a = matrix_batch(a, options.op_a);
  product.b = matrix_batch(b, options.op_b);
  product.c = matrix_batch(c, MatrixOp::identity);
  product.conjugate_a = options.op_a == MatrixOp::conjugate_transpose;
  product.conjugate_b = options.op_b == MatrixOp::conjugate_transpose;
  return product;
}

}  // namespace carroll::detail
