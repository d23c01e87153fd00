// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

/// Where a polynomial becomes 0 first: how far the formula of a lens is one. On the host.
namespace carroll::detail {

inline double value_of(std::span<double const> coefficients, double x) {
  double value = 0;
  for (std::size_t i = coefficients.size(); i-- > 0;) value = value * x + coefficients[i];
  return value;
}

/// Where Σ cᵢxⁱ changes its sign in (0, end), rising. Between the roots of the derivative, found
/// likewise, it rises or falls all the way: there halving finds the one root that there may be.
inline std::vector<double> sign_changes(std::span<double const> coefficients, double end) {
  std::vector<double> roots;
  if (coefficients.size() < 2) return roots;
  std::vector<double> derivative;
  for (std::size_t i = 1; i < coefficients.size(); ++i)
    derivative.push_back(static_cast<double>(i) * coefficients[i]);
  std::vector<double> places = {0};
  for (double const x : sign_changes(derivative, end)) places.push_back(x);
  places.push_back(end);
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    double low = places[i], high = places[i + 1];
    bool const above = value_of(coefficients, low) > 0;
    if ((value_of(coefficients, high) > 0) == above) continue;
    for (int step = 0; step < 200 && low < high; ++step) {
      double const middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) break;
      ((value_of(coefficients, middle) > 0) == above ? low : high) = middle;
    }
    roots.push_back(high);
  }
  return roots;
}

/// The smallest of these, or `end`.
inline double first_root(std::span<double const> coefficients, double end) {
  auto const roots = sign_changes(coefficients, end);
  return roots.empty() ? end : roots.front();
}

}  // namespace carroll::detail
