// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/simd/instructions.hpp>

namespace carroll::detail {

/// A number into all lanes of a register. Of neighbouring numbers a compiler would make one load
/// and shuffles, of which there is one unit; and where g++ 12 lowers vectors for the oldest
/// processor before it makes one function of all, 16 lanes become 16 masked instructions.
template <int Bytes>
struct Spread {
  template <class Vector, class Real>
  static void run(Vector& x, Real const* source) {
    if constexpr (Real(0.5) == Real(0))
      x = Vector{} + *source;
    else
      x = *source - Vector{};  // keeps the sign of -0
  }
};

#ifdef CARROLL_WITH_AVX2
template <>
struct Spread<32> {
  template <class Vector, class Real>
  CARROLL_WITH_AVX2 static void run(Vector& x, Real const* source) {
    if constexpr (Real(0.5) == Real(0))
      x = sizeof(Real) == 4 ? Vector(_mm256_set1_epi32(static_cast<int>(*source)))
                            : Vector(_mm256_set1_epi64x(*source));
    else if constexpr (sizeof(Real) == 4)
      x = _mm256_broadcast_ss(source);
    else
      x = _mm256_broadcast_sd(source);
  }
};
#endif

#ifdef CARROLL_WITH_AVX512
template <>
struct Spread<64> {
  template <class Vector, class Real>
  CARROLL_WITH_AVX512 static void run(Vector& x, Real const* source) {
    if constexpr (Real(0.5) == Real(0))
      x = sizeof(Real) == 4 ? Vector(_mm512_maskz_set1_epi32(0xffff, static_cast<int>(*source)))
                            : Vector(_mm512_maskz_set1_epi64(0xff, *source));
    else if constexpr (sizeof(Real) == 4)
      x = _mm512_maskz_broadcastss_ps(0xffff, _mm_load_ss(source));
    else
      x = _mm512_maskz_broadcastsd_pd(0xff, _mm_load_sd(source));
  }
};
#endif

}  // namespace carroll::detail
