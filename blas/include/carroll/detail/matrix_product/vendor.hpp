// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <carroll/error.hpp>
#include <optional>
#ifdef CARROLL_HAVE_KOKKOSKERNELS
#include <KokkosBlas3_gemm.hpp>
#endif

/// The vendor's product, by KokkosKernels.
namespace carroll::detail {

#ifdef CARROLL_HAVE_KOKKOSKERNELS
inline constexpr bool has_vendor_product = true;

/// A matrix as BLAS has them: columns without gaps, and how it is meant.
template <class T, class ExecSpace>
struct VendorOperand {
  using View = Kokkos::View<T**, Kokkos::LayoutLeft, ExecSpace, Kokkos::MemoryUnmanaged>;
  View matrix;
  char flag;

  /// rows×cols; nothing where BLAS cannot have it.
  static std::optional<VendorOperand> of(StridedMatrix<T> const& x, int rows, int cols,
                                         bool conjugate) {
    auto const view = [](StridedMatrix<T> const& y, int height, int width) {
      return View(
          Kokkos::subview(View(y.data, y.col_stride, width), Kokkos::pair(0, height), Kokkos::ALL));
    };
    if (!conjugate && x.row_stride == 1 && x.col_stride >= rows)
      return VendorOperand{view(x, rows, cols), 'N'};
    if (x.col_stride == 1 && x.row_stride >= cols)
      return VendorOperand{view(x.transposed(), cols, rows), conjugate ? 'C' : 'T'};
    return std::nullopt;
  }
};

/// False where the library cannot take how the matrices lie; then nothing is enqueued.
template <class ExecSpace, class T>
bool enqueue_vendor_product(ExecSpace const& exec, MatrixProduct<T> product) {
  if (product.c.row_stride != 1) product = product.transposed();
  for (int member = 0; member < product.batch; ++member) {
    using Read = VendorOperand<T const, ExecSpace>;
    auto const a = Read::of(product.a[member], product.m, product.k, product.conjugate_a);
    auto const b = Read::of(product.b[member], product.k, product.n, product.conjugate_b);
    auto const c = VendorOperand<T, ExecSpace>::of(product.c[member], product.m, product.n, false);
    if (!a || !b || !c || c->flag != 'N') return false;
    char const a_flag[] = {a->flag, 0}, b_flag[] = {b->flag, 0};
    KokkosBlas::gemm(exec, a_flag, b_flag, product.alpha, a->matrix, b->matrix, product.beta,
                     c->matrix);
  }
  return true;
}
#else
inline constexpr bool has_vendor_product = false;

template <class ExecSpace, class T>
bool enqueue_vendor_product(ExecSpace const&, MatrixProduct<T> const&) {
  return false;
}
#endif

}  // namespace carroll::detail
