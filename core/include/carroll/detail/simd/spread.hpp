// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/simd/instructions.hpp>

namespace carroll::detail {

/// A number into all lanes of a register. Of neighbouring numbers a compiler would make one load
/// and shuffles, of which there is one unit.
template <int Bytes>
struct Spread {
  template <class Vector, class Real>
  static void run(Vector& x, Real const* source) {
    x = *source - Vector{};
  }
};

#ifdef CARROLL_WITH_AVX2
template <>
struct Spread<32> {
  template <class Vector, class Real>
  CARROLL_WITH_AVX2 static void run(Vector& x, Real const* source) {
    if constexpr (sizeof(Real) == 4)
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
    if constexpr (sizeof(Real) == 4)
      x = _mm512_maskz_broadcastss_ps(0xffff, _mm_load_ss(source));
    else
      x = _mm512_maskz_broadcastsd_pd(0xff, _mm_load_sd(source));
  }
};
#endif

}  // namespace carroll::detail
