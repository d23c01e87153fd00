// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

/// How far a step is from the one that is wanted.
namespace carroll::test {

inline double norm(std::vector<double> const& x) {
  double sum = 0;
  for (double const value : x) sum += value * value;
  return std::sqrt(sum);
}

inline double distance(std::vector<double> a, std::vector<double> const& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return norm(a);
}

}  // namespace carroll::test
