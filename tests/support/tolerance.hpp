// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

namespace carroll::test {

/// Every tolerance of the tests is one of these functions of ε, the size and the norm.
/// ε is the distance from 1 to the next number, LAPACK's "precision".
template <class Real>
inline constexpr double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());

/// Bar for LAPACK's scaled residuals; LAPACK's own test programs accept 50.
inline constexpr double ratio_bar = 10;

/// How far apart two computations of the same singular values may be: min(m,n)·ε·σ₁.
template <class Real>
[[nodiscard]] constexpr double absolute_sigma_tolerance(int min_extent, double sigma_max) {
  return min_extent * epsilon<Real> * sigma_max;
}

/// Relative error allowed in every singular value of A = B·D with n columns: 50·n·ε for cond(B) ≤ 1e3.
///
/// For the smallest n that is less than what rounding A itself brings: entries of relative size ε move
/// the singular values of B·D by cond(B)·ε (Demmel and Veselić 1992, Theorem 2.14), so cond(B)·ε is
/// allowed where it is more, which with cond(B) = 1e3 is n < 20.
template <class Real>
[[nodiscard]] constexpr double relative_sigma_tolerance(int cols, double condition) {
  double const bar = 50.0 * cols;
  return (bar > condition ? bar : condition) * epsilon<Real>;
}

}  // namespace carroll::test
