// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/matrix_product/access.hpp>
#include <carroll/detail/matrix_product/vendor.hpp>
#include <carroll/distributed/detail/determinant/problem.hpp>
#include <type_traits>

namespace carroll::distributed::detail {

/// C := C - A·B on a device by Carroll's kernels, each sum in the order of its terms.
template <class ExecSpace, class T>
void enqueue_own_product(ExecSpace const& exec, carroll::detail::MatrixProduct<T> const& product) {
  using namespace carroll::detail;
  if (product.m == 0 || product.n == 0) return;
  GemmKernel const kernel = product_kernel(product_place(exec), product_scalar<T>, {});
  enqueue_tiles(exec, kernel, product, TermParts<T>{1, product.k, nullptr});
}

/// C - A·B as a product.
template <class T>
carroll::detail::MatrixProduct<T> subtracted(StridedMatrix<T const> const& a,
                                             StridedMatrix<T const> const& b,
                                             StridedMatrix<T> const& c, int m, int n, int k) {
  carroll::detail::MatrixProduct<T> product;
  product.m = m;
  product.n = n;
  product.k = k;
  product.batch = 1;
  product.alpha = T(-1);
  product.beta = T(1);
  product.a = {a.data, 0, a.row_stride, a.col_stride};
  product.b = {b.data, 0, b.row_stride, b.col_stride};
  product.c = {c.data, 0, c.row_stride, c.col_stride};
  return product;
}

/// What the vendor's products are asked for. cuBLAS adds the terms of an entry in their order, too,
/// so that bits are the same, but where so few entries are wanted that it cuts their sums: one row
/// of them, for example. (H200, CUDA 13.0: k = 256 and 512, 256 rows and more, no entry differs.)
inline constexpr int vendor_rows = 256, vendor_cols = 1536, vendor_terms = 128;

/// C := C - A·B, C of m×n and A of m×k entries, each sum in the order of its terms. Of a rank's
/// rows those of whole blocks come first: their number is a multiple of vendor_rows, however many
/// ranks there are.
template <class ExecSpace, class T>
void enqueue_rank_update(ExecSpace const& exec, StridedMatrix<T const> const& a,
                         StridedMatrix<T const> const& b, StridedMatrix<T> const& c, int m, int n,
                         int k) {
  using namespace carroll::detail;
  auto const rows = [&](int begin, int end) {
    // As they stand in memory, where a rank's last one is the first here.
    bool const turned = c.row_stride < 0;
    int const top = turned ? end - 1 : begin, sign = turned ? -1 : 1;
    return subtracted<T>({&a(top, 0), sign * a.row_stride, a.col_stride}, b,
                         {&c(top, 0), sign * c.row_stride, c.col_stride}, end - begin, n, k);
  };
  int whole = 0;
  // (H200: 32768×65536, k = 256, 45 TFLOP/s, 19 by Carroll's kernels.)
  if constexpr (has_vendor_product && std::is_same_v<T, double>)
    if (k >= vendor_terms && n >= vendor_cols) whole = m / vendor_rows * vendor_rows;
  if (whole > 0 && !enqueue_vendor_product(exec, rows(0, whole))) whole = 0;
  if (whole < m) enqueue_own_product(exec, rows(whole, m));
}

}  // namespace carroll::distributed::detail
