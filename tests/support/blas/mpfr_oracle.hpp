// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace carroll::test {

/// Was MPFR there when the tests were built?
[[nodiscard]] bool have_mpfr();

/// A term of a sum, a·b, exactly: numbers have b = 1. Infinities and NaN are what IEEE 754 makes of
/// them.
struct ExactTerm {
  double a = 0, b = 1;
};

/// The number of Real nearest to Σ a·b, and to √(Σ a·b), subnormal ones and infinity included; 0 is
/// +0. By MPFR; NaN without it.
template <class Real>
[[nodiscard]] Real nearest_to_sum(std::vector<ExactTerm> const& terms);
template <class Real>
[[nodiscard]] Real nearest_to_root(std::vector<ExactTerm> const& terms);

/// How a value stands to a sum of finite terms: each to more digits than a double has, in a range
/// that holds products of doubles.
struct SumDistance {
  long double error = 0;      ///< |value - Σ a·b|, or of its root
  long double sum = 0;        ///< |Σ a·b|, or its root
  long double magnitude = 0;  ///< Σ |a·b|
};
[[nodiscard]] SumDistance distance_to_sum(double value, std::vector<ExactTerm> const& terms);
[[nodiscard]] SumDistance distance_to_root(double value, std::vector<ExactTerm> const& terms);

}  // namespace carroll::test
