// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <type_traits>
#ifdef CARROLL_DEVICE_BLAS
#include <KokkosBlas3_gemm.hpp>
#include <KokkosKernels_EagerInitialize.hpp>
#endif

namespace carroll::detail {

/// Before the first of these products: what the vendor's library wants to allocate.
inline void prepare_subtract_product() {
#ifdef CARROLL_DEVICE_BLAS
  KokkosKernels::eager_initialize();
#endif
}

/// C := C - A·B by the vendor's library where it can be had, and the strides are its.
template <class ExecSpace, class T>
void enqueue_subtract_product(ExecSpace const& exec, Gemm<T> const& gemm) {
#ifdef CARROLL_DEVICE_BLAS
  using Left = Kokkos::View<T**, Kokkos::LayoutLeft, ExecSpace, Kokkos::MemoryUnmanaged>;
  using ConstLeft = Kokkos::View<T const**, Kokkos::LayoutLeft, ExecSpace, Kokkos::MemoryUnmanaged>;
  auto const left = [](auto const& A, int rows, int cols) {  // A.row_stride is 1
    using View = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(A.data)>>,
                                    ConstLeft, Left>;
    return Kokkos::subview(View(A.data, A.col_stride, cols), Kokkos::pair(0, rows), Kokkos::ALL);
  };
  auto const flag = [](auto const& A) { return A.row_stride == 1 ? "N" : "T"; };
  auto const enqueue = [&](Gemm<T> const& g) {
    auto const a = g.a.row_stride == 1 ? left(g.a, g.m, g.k) : left(g.a.transposed(), g.k, g.m);
    auto const b = g.b.row_stride == 1 ? left(g.b, g.k, g.n) : left(g.b.transposed(), g.n, g.k);
    KokkosBlas::gemm(exec, flag(g.a), flag(g.b), T(-1), a, b, T(1), left(g.c, g.m, g.n));
  };
  if (gemm.m == 0 || gemm.n == 0) return;
  if (gemm.c.row_stride == 1 && gemm.c.col_stride >= gemm.m) return enqueue(gemm);
  if (gemm.c.col_stride == 1 && gemm.c.row_stride >= gemm.n)
    return enqueue({gemm.n, gemm.m, gemm.k, gemm.alpha, gemm.b.transposed(), gemm.a.transposed(),
                    gemm.beta, gemm.c.transposed()});
#endif
  enqueue_gemm("carroll::determinant::update", exec, gemm);
}

}  // namespace carroll::detail
