// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cfloat>
#include <cmath>

namespace carroll::test {

/// 113 bits of significand and 15 of exponent: products of doubles neither overflow nor underflow.
/// For oracles, in files that only the host's compiler reads.
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

}  // namespace carroll::test
