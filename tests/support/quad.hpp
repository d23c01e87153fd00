// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cfloat>
#include <cmath>
#include <type_traits>

namespace carroll::test {

/// 113 bits of significand and 15 of exponent: products of doubles neither overflow nor underflow.
/// For oracles, in files that no device compiler has to understand.
#if LDBL_MANT_DIG >= 113
using Quad = long double;
#else
__extension__ typedef __float128 Quad;
#endif

inline Quad magnitude(Quad x) {
  return x < 0 ? -x : x;
}

/// Newton's iteration from the long double root; two steps double its 64 bits with room to spare.
inline Quad square_root(Quad x) {
  if (x == 0) return 0;
  Quad root = static_cast<Quad>(std::sqrt(static_cast<long double>(x)));
  root = (root + x / root) / 2;
  return (root + x / root) / 2;
}

/// 64 bits or more and the same range, twenty times as fast where a processor has them: what an
/// oracle needs whose own errors are to be a thousandth of double precision's.
using Extended = std::conditional_t<(LDBL_MANT_DIG >= 64), long double, Quad>;

#if LDBL_MANT_DIG < 113
inline long double magnitude(long double x) {
  return std::abs(x);
}
inline long double square_root(long double x) {
  return std::sqrt(x);
}
#endif

/// Bits of the significand of an oracle's numbers.
template <class Number>
inline constexpr int significand_of = std::is_same_v<Number, Quad> ? 113 : LDBL_MANT_DIG;

}  // namespace carroll::test
