// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>
#include <type_traits>
#include <utility>

#if defined(__SSE2__) && !defined(CARROLL_DEVICE_COMPILER)
#include <immintrin.h>
#endif

/// Sums of a block of numbers at a time on hosts, in several registers of the compilation at hand,
/// so that one addition need not wait for the one before: of eight numbers, of sixteen where a
/// register holds eight. Every eighth, or sixteenth, term goes to the same lane, and lanes are
/// added in pairs. Products are fused with the sums that they go to where the processor can do
/// that.
namespace carroll::detail {

/// Registers hold what stays in them where all is inlined at once, into functions that have no more
/// than one loop's worth of them.
#if defined(__GNUC__)
#define CARROLL_HOST_INLINE __attribute__((always_inline))
#define CARROLL_HOST_FUNCTION __attribute__((noinline))
#else
#define CARROLL_HOST_INLINE
#define CARROLL_HOST_FUNCTION
#endif

#ifdef CARROLL_DEVICE_COMPILER
inline constexpr int register_width = 1;  // device compilers know no vectors
using Register = double;
#else
#if defined(__AVX512F__) && defined(__AVX512VL__)
inline constexpr int register_width = 8;
#elif defined(__AVX__)
inline constexpr int register_width = 4;
#else
inline constexpr int register_width = 2;
#endif
typedef double Register __attribute__((vector_size(8 * register_width)));
#endif

inline constexpr int block_lanes = register_width == 8 ? 16 : 8;
inline constexpr int register_parts = block_lanes / register_width;

/// f(std::integral_constant<int, p>) for the registers p of a block.
template <class F>
CARROLL_HOST_INLINE inline void for_parts(F const& f) {
  [&]<int... P>(std::integer_sequence<int, P...>) CARROLL_HOST_INLINE {
    (f(std::integral_constant<int, P>{}), ...);
  }
  (std::make_integer_sequence<int, register_parts>{});
}

CARROLL_HOST_INLINE inline Register fused(Register const& x, Register const& y, Register const& z) {
#ifdef CARROLL_DEVICE_COMPILER
  return x * y + z;
#elif defined(__AVX512F__) && defined(__AVX512VL__)
  return _mm512_fmadd_pd(x, y, z);
#elif defined(__FMA__)
  return _mm256_fmadd_pd(x, y, z);
#else
  return x * y + z;
#endif
}

/// z - x·y.
CARROLL_HOST_INLINE inline Register less(Register const& x, Register const& y, Register const& z) {
#ifdef CARROLL_DEVICE_COMPILER
  return z - x * y;
#elif defined(__AVX512F__) && defined(__AVX512VL__)
  return _mm512_fnmadd_pd(x, y, z);
#elif defined(__FMA__)
  return _mm256_fnmadd_pd(x, y, z);
#else
  return z - x * y;
#endif
}

/// Asks for a cache line that will soon be written: another processor may have it.
CARROLL_HOST_INLINE inline void expect_write([[maybe_unused]] void const* place) {
#if defined(__GNUC__)
  __builtin_prefetch(place, 1);
#endif
}

/// Consecutive numbers in memory. Compilers convert vectors of float by halves or one by one.
template <class Real>
CARROLL_HOST_INLINE inline Register load_register(Real const* source) {
#ifdef CARROLL_DEVICE_COMPILER
  return static_cast<double>(*source);
#else
  if constexpr (std::is_same_v<Real, double>) {
    typedef double Stored
        __attribute__((vector_size(8 * register_width), aligned(sizeof(double)), may_alias));
    return *reinterpret_cast<Stored const*>(source);
  } else {
#if defined(__AVX512F__) && defined(__AVX512VL__)
    return _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(source));
#elif defined(__AVX__)
    return _mm256_cvtps_pd(_mm_loadu_ps(source));
#elif defined(__SSE2__)
    return _mm_cvtps_pd(
        _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<__m128i const*>(source))));
#else
    Register numbers;
    for (int w = 0; w < register_width; ++w) numbers[w] = source[w];
    return numbers;
#endif
  }
#endif
}

/// Loads that touch nothing behind the numbers that are wanted. Those of float are not masked: what
/// is made of them is, at no cost.
template <class Real>
inline constexpr bool masks_loads = register_width == 8 && std::is_same_v<Real, double>;

/// Part p of a block of which the numbers first <= i < last are wanted, and the others zero. Where
/// loads are not masked all must be there, and first is 0.
template <class Real>
CARROLL_HOST_INLINE inline Register load_register(Real const* source, int p,
                                                  [[maybe_unused]] int first, int last) {
#ifdef CARROLL_DEVICE_COMPILER
  return p < last ? static_cast<double>(source[p]) : 0.0;
#elif defined(__AVX512F__) && defined(__AVX512VL__)
  static_assert(block_lanes == 16);
  unsigned const wanted = (0xffffu >> (last < 16 ? 16 - last : 0)) & (0xffffu << first);
  auto const mask = static_cast<__mmask8>(wanted >> (p * register_width));
  if constexpr (std::is_same_v<Real, double>)
    return _mm512_maskz_loadu_pd(mask, source + p * register_width);
  else
    return _mm512_maskz_cvtps_pd(mask, _mm256_loadu_ps(source + p * register_width));
#else
  int const left = last - p * register_width;
  Register lane;
  for (int w = 0; w < register_width; ++w) lane[w] = w;
  return lane < static_cast<double>(left) ? load_register(source + p * register_width) : Register{};
#endif
}

CARROLL_HOST_INLINE inline void store_register(double* target, Register const& numbers) {
#ifdef CARROLL_DEVICE_COMPILER
  *target = numbers;
#else
  typedef double Stored
      __attribute__((vector_size(8 * register_width), aligned(sizeof(double)), may_alias));
  *reinterpret_cast<Stored*>(target) = numbers;
#endif
}

/// One half is added to the other until one number is left.
template <class Vector>
CARROLL_HOST_INLINE inline double sum_of(Vector const& x) {
#ifdef CARROLL_DEVICE_COMPILER
  return x;
#else
  if constexpr (sizeof(x) == 64)
    return sum_of(__builtin_shufflevector(x, x, 0, 1, 2, 3) +
                  __builtin_shufflevector(x, x, 4, 5, 6, 7));
  else if constexpr (sizeof(x) == 32)
    return sum_of(__builtin_shufflevector(x, x, 0, 1) + __builtin_shufflevector(x, x, 2, 3));
  else
    return x[0] + x[1];
#endif
}

/// Sums that are formed side by side where the processor does that well, and one such number for
/// each lane of them.
#if defined(__AVX512F__) && defined(__AVX512VL__) && !defined(CARROLL_DEVICE_COMPILER)
inline constexpr int sums_at_once = 8;
using SideBySide = Register;

/// Σ of each of eight registers in memory.
CARROLL_HOST_INLINE inline SideBySide sums_of(double const (*lanes)[8]) {
  auto const both = [&](int i) CARROLL_HOST_INLINE {
    Register const x = load_register(lanes[i]), y = load_register(lanes[i + 1]);
    return __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14) +
           __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
  };
  auto const merged = [](Register const& x, Register const& y) CARROLL_HOST_INLINE {
    return __builtin_shufflevector(x, y, 0, 1, 4, 5, 8, 9, 12, 13) +
           __builtin_shufflevector(x, y, 2, 3, 6, 7, 10, 11, 14, 15);
  };
  return merged(merged(both(0), both(2)), merged(both(4), both(6)));
}
CARROLL_HOST_INLINE inline void store_side_by_side(double* target, SideBySide const& x) {
  store_register(target, x);
}
CARROLL_HOST_INLINE inline SideBySide load_side_by_side(double const* source) {
  return load_register(source);
}
/// The first `count` of them, and zeros.
CARROLL_HOST_INLINE inline SideBySide first_of(SideBySide const& x, int count) {
  return _mm512_maskz_mov_pd(static_cast<__mmask8>(count < 8 ? (1 << count) - 1 : 0xff), x);
}
CARROLL_HOST_INLINE inline double side_sum(SideBySide const& x) {
  return sum_of(x);
}
CARROLL_HOST_INLINE inline __mmask8 mask_of(int first, int last) {
  return static_cast<__mmask8>((0xff >> (8 - last)) & (0xff << first));
}
/// Copies the numbers first <= i < last of eight.
CARROLL_HOST_INLINE inline void copy_some(double* target, double const* source, int first,
                                          int last) {
  _mm512_mask_storeu_pd(target, mask_of(first, last), load_register(source));
}
/// How many of them are above zero.
CARROLL_HOST_INLINE inline int count_positive(double const* x, int first, int last) {
  return __builtin_popcount(
      _mm512_mask_cmp_pd_mask(mask_of(first, last), load_register(x), Register{}, _CMP_GT_OQ));
}
#else
inline constexpr int sums_at_once = 1;
using SideBySide = double;

CARROLL_HOST_INLINE inline SideBySide sums_of(double const (*lanes)[8]) {
  return lanes[0][0];
}
CARROLL_HOST_INLINE inline void store_side_by_side(double* target, SideBySide const& x) {
  *target = x;
}
CARROLL_HOST_INLINE inline SideBySide load_side_by_side(double const* source) {
  return *source;
}
CARROLL_HOST_INLINE inline SideBySide first_of(SideBySide const& x, int) {
  return x;
}
CARROLL_HOST_INLINE inline double side_sum(SideBySide const& x) {
  return x;
}
CARROLL_HOST_INLINE inline void copy_some(double* target, double const* source, int first,
                                          int last) {
  for (int i = first; i < last; ++i) target[i] = source[i];
}
CARROLL_HOST_INLINE inline int count_positive(double const* x, int first, int last) {
  int count = 0;
  for (int i = first; i < last; ++i) count += x[i] > 0 ? 1 : 0;
  return count;
}
#endif

/// A sum for each lane of a block.
struct BlockSums {
  Register part[register_parts] = {};

  /// For sums_of.
  CARROLL_HOST_INLINE void store(double (&lanes)[8]) const {
    if constexpr (sums_at_once == 8)
      store_register(lanes, part[0] + part[1 % register_parts]);
    else
      lanes[0] = sum();
  }

  [[nodiscard]] CARROLL_HOST_INLINE double sum() const {
    if constexpr (register_parts == 8)
      return sum_of((part[0] + part[4]) + (part[2] + part[6])) +
             sum_of((part[1] + part[5]) + (part[3] + part[7]));
    else if constexpr (register_parts == 4)
      return sum_of((part[0] + part[2]) + (part[1] + part[3]));
    else
      return sum_of(part[0] + part[1]);
  }
};

/// In lanes whose sum is that of the block.
CARROLL_HOST_INLINE inline SideBySide side_by_side(BlockSums const& x) {
  alignas(64) double lanes[8];
  x.store(lanes);
  return load_side_by_side(lanes);
}

/// Σ x·y of n terms, side by side in memory.
inline double host_dot(double const* x, double const* y, int n) {
  BlockSums sum;
  int i = 0;
  for (; i + block_lanes <= n; i += block_lanes)
    for_parts([&](auto p) CARROLL_HOST_INLINE {
      constexpr int at = p * register_width;
      sum.part[p] = fused(load_register(x + i + at), load_register(y + i + at), sum.part[p]);
    });
  double all = sum.sum();
  for (; i < n; ++i) all += x[i] * y[i];
  return all;
}

}  // namespace carroll::detail
