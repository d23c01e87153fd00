// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>
#ifdef CARROLL_CUDA_PASS
#include <carroll/detail/device/cuda/tensor_product.hpp>
#endif

/// Small matrix products by one warp.
///
/// In double precision each entry is a chain of fused multiplications and additions, one after the
/// other, whatever carries them out: the tensor cores of CUDA devices round like that.
///
/// In single precision tensor cores take 11 bits of a factor. A number is the sum of 11 upper bits
/// and of what is left, and a product is three products of these: that of what is left and what is
/// left, less than 2⁻²⁰ of the whole, is not formed, nor what is left of 22 bits. Sums of eight
/// products are within 2⁻¹⁹ of the sum of absolute values, 2⁻²² on average; they are the same bits
/// on devices of one kind.
namespace carroll::detail {

/// d += A·B, A with 8 rows and 4 columns, B with 4 rows and 8 columns. Lane 4·i + k has a = A(i,
/// k), lane 4·j + k has b = B(k, j), and lane 4·i + q has D(i, 2q) and D(i, 2q + 1). k ascends.
KOKKOS_FORCEINLINE_FUNCTION void add_warp_product([[maybe_unused]] DeviceWarp const& warp, double a,
                                                  double b, double (&d)[2]) {
#if defined(CARROLL_CUDA_PASS) && __CUDA_ARCH__ >= 800
  multiply_8x8x4(a, b, d);
#else
  CARROLL_UNROLL
  for (int k = 0; k < 4; ++k) {
    double const x = warp.from(a, warp.lane / 4 * 4 + k);
    CARROLL_UNROLL
    for (int h = 0; h < 2; ++h)
      d[h] = Kokkos::fma(x, warp.from(b, 4 * (2 * (warp.lane % 4) + h) + k), d[h]);
  }
#endif
}

/// d1 += A1·B and d2 += A2·B with the same B, at the price of one: the instruction that has all of
/// the tensor cores' speed.
KOKKOS_FORCEINLINE_FUNCTION void add_warp_products([[maybe_unused]] DeviceWarp const& warp,
                                                   double a1, double a2, double b, double (&d1)[2],
                                                   double (&d2)[2]) {
#if defined(CARROLL_CUDA_PASS) && __CUDA_ARCH__ >= 900
  multiply_16x8x4(a1, a2, b, d1, d2);
#else
  add_warp_product(warp, a1, b, d1);
  add_warp_product(warp, a2, b, d2);
#endif
}

/// The 11 upper bits of some numbers, and what is left of them.
template <int N>
struct SplitFloats {
  float upper[N], rest[N];

  KOKKOS_FORCEINLINE_FUNCTION void set(int i, float x) {
    upper[i] = Kokkos::bit_cast<float>(Kokkos::bit_cast<std::uint32_t>(x) & 0xffffe000U);
    rest[i] = x - upper[i];
  }
};

#if !defined(CARROLL_CUDA_PASS) || __CUDA_ARCH__ < 800
/// Those of another lane, as DeviceWarp::from() has single numbers.
template <int N>
KOKKOS_INLINE_FUNCTION SplitFloats<N> of_lane(DeviceWarp const& warp, SplitFloats<N> const& own,
                                              int lane) {
#ifdef CARROLL_DEVICE_PASS
  SplitFloats<N> other;
  for (int i = 0; i < N; ++i) {
    other.upper[i] = warp.from(own.upper[i], lane);
    other.rest[i] = warp.from(own.rest[i], lane);
  }
  return other;
#else
  return warp.from(own, lane);
#endif
}
#endif

/// d[j] := A·B[j] for the first `count` of N matrices B, A with 16 rows and 8 columns, B with 8
/// rows and 8 columns. Lane 4·i + k has a = A(i, k), A(i + 8, k), A(i, k + 4) and A(i + 8, k + 4),
/// lane 4·j + k has b = B(k, j) and B(k + 4, j), and lane 4·i + q has D(i, 2q), D(i, 2q + 1), D(i +
/// 8, 2q) and D(i + 8, 2q + 1).
template <int N>
KOKKOS_FORCEINLINE_FUNCTION void warp_products([[maybe_unused]] DeviceWarp const& warp,
                                               SplitFloats<4> const (&a)[N],
                                               SplitFloats<2> const (&b)[N], int count,
                                               float (&d)[N][4]) {
#if defined(CARROLL_CUDA_PASS) && __CUDA_ARCH__ >= 800
  float const none[4] = {0, 0, 0, 0};
  // Term by term, as each waits for the one before.
  CARROLL_UNROLL
  for (int j = 0; j < N; ++j)
    if (j < count) multiply_16x8x8(a[j].rest, b[j].upper, none, d[j]);
  CARROLL_UNROLL
  for (int j = 0; j < N; ++j)
    if (j < count) multiply_16x8x8(a[j].upper, b[j].rest, d[j], d[j]);
  CARROLL_UNROLL
  for (int j = 0; j < N; ++j)
    if (j < count) multiply_16x8x8(a[j].upper, b[j].upper, d[j], d[j]);
#else
  for (int j = 0; j < N && j < count; ++j) {
    SplitFloats<4> rows[4];
    SplitFloats<2> columns[2][4];
    for (int k = 0; k < 4; ++k) rows[k] = of_lane(warp, a[j], warp.lane / 4 * 4 + k);
    for (int k = 0; k < 4; ++k)
      for (int h = 0; h < 2; ++h)
        columns[h][k] = of_lane(warp, b[j], 4 * (2 * (warp.lane % 4) + h) + k);
    for (int n = 0; n < 4; ++n) {
      d[j][n] = 0;
      for (int k = 0; k < 8; ++k) {
        auto const& row = rows[k % 4];
        auto const& column = columns[n % 2][k % 4];
        int const x = n / 2 + k / 4 * 2, y = k / 4;
        d[j][n] = Kokkos::fma(row.rest[x], column.upper[y], d[j][n]);
        d[j][n] = Kokkos::fma(row.upper[x], column.rest[y], d[j][n]);
        d[j][n] = Kokkos::fma(row.upper[x], column.upper[y], d[j][n]);
      }
    }
  }
#endif
}

}  // namespace carroll::detail
