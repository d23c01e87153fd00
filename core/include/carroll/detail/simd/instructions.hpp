// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/simd/avx512.hpp>
#include <carroll/detail/simd/plain_instructions.hpp>

/// Instructions of a host's vectors that its compiler does not find by itself, or not always. They
/// take vectors by reference: how vectors are passed differs between processors.
///
/// Products and sums in one instruction, rounded once, are there with registers of 32 bytes and
/// more. They are asked for by name, as compilers may be told not to fuse, which halves the speed
/// where both use the same units, or choose differently in two copies of a loop.

namespace carroll::detail {

#ifdef __SSE2__
template <>
struct HostInstructions<16> : PlainInstructions {
  template <class Vector>
  static void root(Vector& x) {
    if constexpr (sizeof(x[0]) == 4)
      x = _mm_sqrt_ps(x);
    else
      x = _mm_sqrt_pd(x);
  }
  template <class Ints>
  static unsigned lanes(Ints const& mask) {
    if constexpr (sizeof(mask[0]) == 4)
      return static_cast<unsigned>(_mm_movemask_ps(__m128(mask)));
    else
      return static_cast<unsigned>(_mm_movemask_pd(__m128d(mask)));
  }
  template <class Vector>
  static void widen(Vector& x, float const* source) {
    x = _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<__m128i const*>(source))));
  }
  template <class Vector>
  static void stream(void* target, Vector const& x) {
    _mm_stream_si128(static_cast<__m128i*>(target), __m128i(x));
  }
};
#endif

#ifdef CARROLL_WITH_AVX2
template <>
struct HostInstructions<32> : PlainInstructions {
  static constexpr bool fuses = true;
  template <class Vector>
  CARROLL_WITH_AVX2 static void add(Vector& x, Vector const& a, Vector const& b) {
    if constexpr (sizeof(x[0]) == 4)
      x = _mm256_fmadd_ps(a, b, x);
    else
      x = _mm256_fmadd_pd(a, b, x);
  }
  template <class Vector>
  CARROLL_WITH_AVX2 static void subtract(Vector& x, Vector const& a, Vector const& b) {
    if constexpr (sizeof(x[0]) == 4)
      x = _mm256_fnmadd_ps(a, b, x);
    else
      x = _mm256_fnmadd_pd(a, b, x);
  }
  template <class Vector>
  CARROLL_WITH_AVX2 static void add_exactly(Vector& x, Vector const& a, Vector const& b) {
    add(x, a, b);
  }
  template <class Vector>
  CARROLL_WITH_AVX2 static void root(Vector& x) {
    if constexpr (sizeof(x[0]) == 4)
      x = _mm256_sqrt_ps(x);
    else
      x = _mm256_sqrt_pd(x);
  }
  template <class Ints>
  CARROLL_WITH_AVX2 static unsigned lanes(Ints const& mask) {
    if constexpr (sizeof(mask[0]) == 4)
      return static_cast<unsigned>(_mm256_movemask_ps(__m256(mask)));
    else
      return static_cast<unsigned>(_mm256_movemask_pd(__m256d(mask)));
  }
  template <class Vector>
  CARROLL_WITH_AVX2 static void widen(Vector& x, float const* source) {
    x = _mm256_cvtps_pd(_mm_loadu_ps(source));
  }
  template <class Vector>
  CARROLL_WITH_AVX2 static void stream(void* target, Vector const& x) {
    _mm256_stream_si256(static_cast<__m256i*>(target), __m256i(x));
  }
};
#endif

}  // namespace carroll::detail
