// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/als/types.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "recommenders/factors/oracle.hpp"

namespace carroll::test {

/// How well x solves a row's equations: ‖A·x − b‖∞ over what the magnitudes of all terms that are
/// added make of it, which rounding errors are relative to.
struct RowErrors {
  double backward = 0;
  /// ‖b − A·x‖/‖b‖ as AlsInfo has it, and how far rounding errors move it, for each eps.
  double residual = 0, uncertain = 0;
  double noise = 0;  ///< how far they move ‖b‖, which may be all there is of it
};

/// `sizes`: of each target, the magnitudes it is the difference of.
/// `smallest`: normal number, below which rounding errors are not relative any more.
inline RowErrors row_errors(RowOfRatings const& row, std::vector<double> const& sizes,
                            Factors const& others, AlsOptions const& o,
                            std::vector<double> const& x, double smallest) {
  DenseEquations const eq = dense_equations(row, others, o);
  std::size_t const d = eq.b.size();
  // Magnitudes of the terms of A and b, in the infinity norm.
  double magnitude = 0, right = 0;
  auto const add = [&](std::size_t column, double weight, double target) {
    double largest = d > others.k ? 1 : 0, sum = largest;
    for (std::size_t i = 0; i < others.k; ++i) {
      largest = std::max(largest, std::fabs(others(column, i)));
      sum += std::fabs(others(column, i));
    }
    magnitude += std::fabs(weight) * largest * sum;
    right += std::fabs(target) * largest;
  };
  for (std::size_t e = 0; e < row.columns.size(); ++e) {
    double const sure = 1 + std::fabs(o.confidence * row.values[e]);
    if (o.feedback == Feedback::implicit)
      add(row.columns[e], sure, sure);
    else
      add(row.columns[e], 1, sizes[e]);
  }
  if (o.feedback == Feedback::implicit)
    for (std::size_t c = 0; c < others.rows; ++c) add(c, o.unobserved_weight, 0);
  double const shift =
      o.feedback == Feedback::implicit ? o.unobserved_weight * static_cast<double>(others.rows) : 0;
  magnitude += o.regularization *
               std::pow(static_cast<double>(row.columns.size()) + shift, o.count_exponent);
  long double left = 0, square = 0, norm_b = 0, norm_x = 0;
  for (std::size_t i = 0; i < d; ++i) {
    long double sum = -eq.b[i];
    for (std::size_t j = 0; j < d; ++j) sum += eq.a[i][j] * x[j];
    left = std::max(left, std::fabs(sum));
    square += sum * sum;
    norm_b += eq.b[i] * eq.b[i];
    norm_x = std::max(norm_x, std::fabs(static_cast<long double>(x[i])));
  }
  RowErrors errors;
  auto const terms = static_cast<double>(row.columns.size() + others.rows);
  long double const size =
      magnitude * (norm_x + smallest) + right + static_cast<long double>(terms) * smallest;
  errors.backward = static_cast<double>(size > 0 ? left / size : left);
  auto const root = std::sqrt(static_cast<long double>(d));
  long double const norm = std::sqrt(norm_b), moved = root * (right + terms * smallest);
  if (moved > 0)
    errors.noise =
        norm > 0 ? static_cast<double>(moved / norm) : std::numeric_limits<double>::infinity();
  if (norm > 0) {
    errors.residual = static_cast<double>(std::sqrt(square) / norm);
    errors.uncertain = static_cast<double>(size * root / norm) + 2 * errors.residual * errors.noise;
  }
  return errors;
}

/// Rounding errors of sums in chains of up to 512 terms, of the sums of these, and of a Cholesky
/// factor.
template <class Real>
double row_tolerance(std::size_t k, std::size_t terms) {
  return (64 + 2 * static_cast<double>(k) + static_cast<double>(terms) / 512) *
         static_cast<double>(std::numeric_limits<Real>::epsilon());
}

}  // namespace carroll::test
