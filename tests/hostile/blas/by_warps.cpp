// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#ifndef KOKKOS_ENABLE_CUDA
#include "support/blas/emulated_reductions.hpp"
// Before all kernels.
#endif
#include "hostile/blas/by_warps.hpp"

namespace carroll::test {

template <Reduction R, class T>
std::vector<ReductionInfo<ReductionValue<R, T>>> reduced_by_warps(
    [[maybe_unused]] std::vector<std::vector<T>> const& x,
    [[maybe_unused]] std::vector<std::vector<T>> const& y, [[maybe_unused]] int stride,
    [[maybe_unused]] int offset, [[maybe_unused]] Summation summation,
    [[maybe_unused]] bool conjugate, bool& tidy) {
  tidy = true;
#ifdef KOKKOS_ENABLE_CUDA
  return {};
#else
  EmulatedReductions<T> emulated(x, y, stride, offset);
  auto const infos = emulated.template run<R>(summation, conjugate);
  tidy = emulated.is_tidy();
  return infos;
#endif
}

#define CARROLL_BY_WARPS(R, T)                                                                     \
  template std::vector<ReductionInfo<ReductionValue<R, T>>> reduced_by_warps<R, T>(                \
      std::vector<std::vector<T>> const&, std::vector<std::vector<T>> const&, int, int, Summation, \
      bool, bool&)
#define CARROLL_ALL_BY_WARPS(T)          \
  CARROLL_BY_WARPS(Reduction::sum, T);   \
  CARROLL_BY_WARPS(Reduction::asum, T);  \
  CARROLL_BY_WARPS(Reduction::dot, T);   \
  CARROLL_BY_WARPS(Reduction::norm2, T); \
  CARROLL_BY_WARPS(Reduction::max_abs, T)

CARROLL_ALL_BY_WARPS(float);
CARROLL_ALL_BY_WARPS(double);
CARROLL_ALL_BY_WARPS(Kokkos::complex<float>);
CARROLL_ALL_BY_WARPS(Kokkos::complex<double>);

}  // namespace carroll::test
