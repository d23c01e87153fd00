// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/vectors.hpp>
#include <cmath>
#include <cstdint>

/// Instructions of a host's vectors that its compiler does not find by itself, or not always. They
/// take vectors by reference: how vectors are passed differs between processors.
///
/// Products and sums in one instruction, rounded once, are there with registers of 32 bytes and
/// more. They are asked for by name, as compilers may be told not to fuse, which halves the speed
/// where both use the same units, or choose differently in two copies of a loop.

#ifdef __SSE2__
#include <immintrin.h>
#endif

// Where the compiler is told to compile for such a processor, or a kernel for it may be chosen.
#if CARROLL_COMPILED_VECTOR_BYTES >= 32
#define CARROLL_WITH_AVX2 [[gnu::always_inline]]
#elif defined(CARROLL_HOST_VECTOR_CHOICE) && !defined(CARROLL_DEVICE_COMPILER)
#define CARROLL_WITH_AVX2 __attribute__((target("avx2,fma")))
#endif
#if CARROLL_COMPILED_VECTOR_BYTES >= 64
#define CARROLL_WITH_AVX512 [[gnu::always_inline]]
#elif defined(CARROLL_HOST_VECTOR_CHOICE) && defined(CARROLL_HOST_VECTORS_OF_64_BYTES)
#define CARROLL_WITH_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
#endif

namespace carroll::detail {

/// What any compiler can.
struct PlainInstructions {
  /// Whether `add_exactly` is one instruction.
#if defined(__FMA__) || defined(__aarch64__)
  static constexpr bool fuses = true;
#else
  static constexpr bool fuses = false;
#endif
  /// x ± a·b, rounded once with registers of 32 bytes and more.
  template <class Vector>
  static void add(Vector& x, Vector const& a, Vector const& b) {
    x += a * b;
  }
  template <class Vector>
  static void subtract(Vector& x, Vector const& a, Vector const& b) {
    x -= a * b;
  }
  /// x + a·b, rounded once, at whatever price.
  template <class Vector>
  static void add_exactly(Vector& x, Vector const& a, Vector const& b) {
    for (int l = 0; l < int(sizeof(Vector) / sizeof(x[0])); ++l) x[l] = std::fma(a[l], b[l], x[l]);
  }
  /// x := a number in all lanes. Of neighbouring numbers a compiler makes one load and shuffles.
  template <class Vector, class Real>
  static void spread(Vector& x, Real const* source) {
    x = *source - Vector{};
  }
  /// x := √x; the compiler may not use the instruction by itself, as a root may set errno.
  template <class Vector>
  static void root(Vector& x) {
    for (int l = 0; l < int(sizeof(Vector) / sizeof(x[0])); ++l) x[l] = std::sqrt(x[l]);
  }
  /// A bit for each lane that has all bits set; the others have none.
  template <class Ints>
  static unsigned lanes(Ints const& mask) {
    unsigned bits = 0;
    for (int l = 0; l < int(sizeof(Ints) / sizeof(mask[0])); ++l)
      bits |= mask[l] != 0 ? 1u << l : 0u;
    return bits;
  }
  /// Compilers convert vectors of float by halves or one by one.
  template <class Vector>
  static void widen(Vector& x, float const* source) {
    for (int l = 0; l < int(sizeof(Vector) / sizeof(x[0])); ++l) x[l] = source[l];
  }
  /// A store that goes past the caches, where the processor has it, to a place that is aligned.
  template <class Vector>
  static void stream(void* target, Vector const& x) {
    *static_cast<Vector*>(target) = x;
  }
  /// Whether there are `widen`, `load` and `store` of some lanes only.
  static constexpr bool masks = false;
};

template <int Bytes>
struct HostInstructions : PlainInstructions {};

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
  template <class Vector, class Real>
  CARROLL_WITH_AVX2 static void spread(Vector& x, Real const* source) {
    if constexpr (sizeof(Real) == 4)
      x = _mm256_broadcast_ss(source);
    else
      x = _mm256_broadcast_sd(source);
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

#ifdef CARROLL_WITH_AVX512
// Many are masked because the plain ones make g++ 12 warn.
template <>
struct HostInstructions<64> : PlainInstructions {
  static constexpr bool fuses = true;
  template <class Vector>
  CARROLL_WITH_AVX512 static void add(Vector& x, Vector const& a, Vector const& b) {
    if constexpr (sizeof(x[0]) == 4)
      x = _mm512_fmadd_ps(a, b, x);
    else
      x = _mm512_fmadd_pd(a, b, x);
  }
  template <class Vector>
  CARROLL_WITH_AVX512 static void subtract(Vector& x, Vector const& a, Vector const& b) {
    if constexpr (sizeof(x[0]) == 4)
      x = _mm512_fnmadd_ps(a, b, x);
    else
      x = _mm512_fnmadd_pd(a, b, x);
  }
  template <class Vector>
  CARROLL_WITH_AVX512 static void add_exactly(Vector& x, Vector const& a, Vector const& b) {
    add(x, a, b);
  }
  template <class Vector, class Real>
  CARROLL_WITH_AVX512 static void spread(Vector& x, Real const* source) {
    if constexpr (sizeof(Real) == 4)
      x = _mm512_maskz_broadcastss_ps(0xffff, _mm_load_ss(source));
    else
      x = _mm512_maskz_broadcastsd_pd(0xff, _mm_load_sd(source));
  }
  template <class Vector>
  CARROLL_WITH_AVX512 static void root(Vector& x) {
    if constexpr (sizeof(x[0]) == 4)
      x = _mm512_maskz_sqrt_ps(0xffff, x);
    else
      x = _mm512_maskz_sqrt_pd(0xff, x);
  }
  template <class Ints>
  CARROLL_WITH_AVX512 static unsigned lanes(Ints const& mask) {
    if constexpr (sizeof(mask[0]) == 4)
      return _mm512_test_epi32_mask(__m512i(mask), __m512i(mask));
    else
      return _mm512_test_epi64_mask(__m512i(mask), __m512i(mask));
  }
  template <class Vector>
  CARROLL_WITH_AVX512 static void widen(Vector& x, float const* source) {
    x = _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(source));
  }
  template <class Vector>
  CARROLL_WITH_AVX512 static void stream(void* target, Vector const& x) {
    _mm512_stream_si512(static_cast<__m512i*>(target), __m512i(x));
  }

  static constexpr bool masks = true;
  /// The lanes of a mask, a bit each, and zeros. All numbers must be there.
  template <class Vector>
  CARROLL_WITH_AVX512 static void widen(Vector& x, unsigned lanes, float const* source) {
    x = _mm512_maskz_cvtps_pd(static_cast<__mmask8>(lanes), _mm256_loadu_ps(source));
  }
  /// The same; touches no others.
  template <class Vector>
  CARROLL_WITH_AVX512 static void load(Vector& x, unsigned lanes, double const* source) {
    x = _mm512_maskz_loadu_pd(static_cast<__mmask8>(lanes), source);
  }
  template <class Vector>
  CARROLL_WITH_AVX512 static void store(double* target, unsigned lanes, Vector const& x) {
    _mm512_mask_storeu_pd(target, static_cast<__mmask8>(lanes), x);
  }
  template <class Vector>
  CARROLL_WITH_AVX512 static void clear_others(Vector& x, unsigned lanes) {
    x = _mm512_maskz_mov_pd(static_cast<__mmask8>(lanes), x);
  }
};
#endif

}  // namespace carroll::detail
