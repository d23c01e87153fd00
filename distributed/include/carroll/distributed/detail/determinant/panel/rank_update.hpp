// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/matrix_product/access.hpp>
#include <carroll/detail/matrix_product/vendor.hpp>
#include <carroll/distributed/detail/determinant/problem.hpp>
#include <type_traits>

namespace carroll::distributed::detail {

/// C := C - A·B on a device, C of m×n and A of m×k entries, each sum in the order of its terms.
template <class ExecSpace, class T>
void enqueue_rank_update(ExecSpace const& exec, StridedMatrix<T const> const& a,
                         StridedMatrix<T const> const& b, StridedMatrix<T> const& c, int m, int n,
                         int k) {
  using namespace carroll::detail;
  MatrixProduct<T> product;
  product.m = m;
  product.n = n;
  product.k = k;
  product.batch = 1;
  product.alpha = T(-1);
  product.beta = T(1);
  // Rows as they stand in memory, where a rank's last one is the first here.
  bool const turned = c.row_stride < 0;
  int const top = turned ? m - 1 : 0, sign = turned ? -1 : 1;
  product.a = {&a(top, 0), 0, sign * a.row_stride, a.col_stride};
  product.b = {b.data, 0, b.row_stride, b.col_stride};
  product.c = {&c(top, 0), 0, sign * c.row_stride, c.col_stride};
  // cuBLAS adds the terms of an entry in their order as well, whatever the extents: the same bits.
  // (H200: 32768×65536, k = 256, 45 TFLOP/s, 19 by Carroll's kernels.)
  if constexpr (has_vendor_product && std::is_same_v<T, double>)
    if (k >= 128 && enqueue_vendor_product(exec, product)) return;
  GemmKernel const kernel = product_kernel(product_place(exec), product_scalar<T>, {});
  enqueue_tiles(exec, kernel, product, TermParts<T>{1, k, nullptr});
}

}  // namespace carroll::distributed::detail
