// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/simd/plain_instructions.hpp>
#include <type_traits>

/// HostInstructions for registers of 64 bytes; a part of simd/instructions.hpp.
namespace carroll::detail {

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

  template <class Ints, class Vector>
  CARROLL_WITH_AVX512 static void less(Ints& mask, Vector const& a, Vector const& b) {
    set_mask(mask, compared<_CMP_LT_OS>(a, b));
  }
  template <class Ints, class Vector>
  CARROLL_WITH_AVX512 static void less_equal(Ints& mask, Vector const& a, Vector const& b) {
    set_mask(mask, compared<_CMP_LE_OS>(a, b));
  }
  template <class Ints>
  CARROLL_WITH_AVX512 static void equal(Ints& mask, Ints const& a, Ints const& b) {
    set_mask(mask, compared<_CMP_EQ_OQ>(a, b));
  }
  template <class Ints, class Vector>
  CARROLL_WITH_AVX512 static void choose(Vector& x, Ints const& mask, Vector const& a,
                                         Vector const& b) {
    if constexpr (sizeof(x[0]) == 4)
      x = Vector(
          _mm512_mask_blend_epi32(_mm512_movepi32_mask(__m512i(mask)), __m512i(b), __m512i(a)));
    else
      x = Vector(
          _mm512_mask_blend_epi64(_mm512_movepi64_mask(__m512i(mask)), __m512i(b), __m512i(a)));
  }
  template <class Ints>
  CARROLL_WITH_AVX512 static void both(Ints& x, Ints const& a, Ints const& b) {
    x = Ints(_mm512_and_si512(__m512i(a), __m512i(b)));
  }
  template <class Ints>
  CARROLL_WITH_AVX512 static void either(Ints& x, Ints const& a, Ints const& b) {
    x = Ints(_mm512_or_si512(__m512i(a), __m512i(b)));
  }

  /// A bit for each lane in which they compare so; of whole numbers `Order` is LT or EQ.
  template <int Order, class Vector>
  CARROLL_WITH_AVX512 static unsigned compared(Vector const& a, Vector const& b) {
    using Number = std::remove_cvref_t<decltype(a[0])>;
    if constexpr (std::is_same_v<Number, float>)
      return _mm512_cmp_ps_mask(__m512(a), __m512(b), Order);
    else if constexpr (std::is_same_v<Number, double>)
      return _mm512_cmp_pd_mask(__m512d(a), __m512d(b), Order);
    else if constexpr (sizeof(Number) == 4)
      return Order == _CMP_EQ_OQ ? _mm512_cmpeq_epi32_mask(__m512i(a), __m512i(b))
                                 : _mm512_cmplt_epi32_mask(__m512i(a), __m512i(b));
    else
      return Order == _CMP_EQ_OQ ? _mm512_cmpeq_epi64_mask(__m512i(a), __m512i(b))
                                 : _mm512_cmplt_epi64_mask(__m512i(a), __m512i(b));
  }
  template <class Ints>
  CARROLL_WITH_AVX512 static void set_mask(Ints& mask, unsigned lanes) {
    if constexpr (sizeof(mask[0]) == 4)
      mask = Ints(_mm512_movm_epi32(static_cast<__mmask16>(lanes)));
    else
      mask = Ints(_mm512_movm_epi64(static_cast<__mmask8>(lanes)));
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
