// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

namespace carroll::test {

using Ray = std::array<double, 3>;

/// Vectors in long double, for oracles.
namespace long_vectors {

using Real = long double;
using Vector = std::array<Real, 3>;

inline Vector wide(Ray const& a) {
  return {a[0], a[1], a[2]};
}
inline Vector minus(Vector const& a, Vector const& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Real inner(Vector const& a, Vector const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vector outer(Vector const& a, Vector const& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Real volume(Vector const& a, Vector const& b, Vector const& c) {
  return inner(a, outer(minus(b, a), minus(c, a)));
}
inline Real length(Vector const& a) {
  return std::sqrt(inner(a, a));
}

}  // namespace long_vectors

}  // namespace carroll::test
