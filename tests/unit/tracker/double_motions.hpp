// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

/// Motions in double precision, written down as they are defined, for differences of residuals.
namespace carroll::test::double_motions {

using Vec = std::array<double, 3>;
using Mat = std::array<Vec, 3>;

inline double dot(Vec const& a, Vec const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vec times(Mat const& m, Vec const& x) {
  return {dot(m[0], x), dot(m[1], x), dot(m[2], x)};
}
inline Mat transposed(Mat const& m) {
  Mat t;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) t[i][j] = m[j][i];
  return t;
}
/// x of m·x = b, by Cramer's rule.
inline Vec solved(Mat const& m, Vec const& b) {
  auto const det = [](Mat const& a) {
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
  };
  Vec x;
  for (int j = 0; j < 3; ++j) {
    Mat replaced = m;
    for (int i = 0; i < 3; ++i) replaced[i][j] = b[i];
    x[j] = det(replaced) / det(m);
  }
  return x;
}

/// A motion in double precision, as its definition says.
struct Motion {
  Mat rotation;
  Vec translation;

  static Motion arc(double rho) {
    double const a = 2 * std::asin(rho / 2);
    return {{{{std::cos(a), -std::sin(a), 0}, {std::sin(a), std::cos(a), 0}, {0, 0, 1}}},
            {std::cos(a / 2), std::sin(a / 2), 0}};
  }
  /// R·exp[ω]ₓ to second order, t + R·v.
  [[nodiscard]] Motion moved(Vec const& w, Vec const& v) const {
    Mat e;
    Mat const x = {{{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}}};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        e[i][j] = (i == j) + x[i][j];
        for (int k = 0; k < 3; ++k) e[i][j] += 0.5 * x[i][k] * x[k][j];
      }
    Motion m = *this;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        m.rotation[i][j] = 0;
        for (int k = 0; k < 3; ++k) m.rotation[i][j] += rotation[i][k] * e[k][j];
      }
    Vec const shift = times(rotation, v);
    for (int i = 0; i < 3; ++i) m.translation[i] += shift[i];
    return m;
  }
};

}  // namespace carroll::test::double_motions
