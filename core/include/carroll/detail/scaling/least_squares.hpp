// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <carroll/error.hpp>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

/// Least squares in up to three unknowns, on the host: what fits of measured times are.
namespace carroll::detail {

/// coefficients · x = right
struct Equation {
  std::array<double, 3> coefficients{};
  double right = 0;
};

struct LeastSquares {
  std::array<double, 3> x{};
  double residual = 0;  ///< root of the mean square
};

/// The x whose first `unknowns` entries make the sum of squares least, by Gram-Schmidt, modified
/// and done twice; the others are 0. std::invalid_argument where the equations leave an unknown
/// open.
inline LeastSquares least_squares(char const* function, std::span<Equation const> equations,
                                  int unknowns) {
  auto const m = equations.size();
  auto const n = static_cast<std::size_t>(unknowns);
  std::array<std::vector<double>, 4> q;  // the columns, then the right side
  for (std::size_t j = 0; j < n; ++j)
    for (auto const& equation : equations) q[j].push_back(equation.coefficients[j]);
  for (auto const& equation : equations) q[n].push_back(equation.right);
  auto const dot = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < m; ++k) sum += q[i][k] * q[j][k];
    return sum;
  };
  std::array<std::array<double, 4>, 4> R{};
  for (std::size_t j = 0; j <= n; ++j) {
    double const before = std::sqrt(dot(j, j));
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < j; ++i) {
        double const share = dot(i, j);
        R[i][j] += share;
        for (std::size_t k = 0; k < m; ++k) q[j][k] -= share * q[i][k];
      }
    }
    if (j == n) break;
    R[j][j] = std::sqrt(dot(j, j));
    constexpr double dependent = 1e-12;
    require(R[j][j] > dependent * before, function, [&] {
      return std::to_string(m) + " measurements do not tell " + std::to_string(unknowns) +
             " unknowns: times of more numbers of threads are needed";
    });
    for (double& entry : q[j]) entry /= R[j][j];
  }
  LeastSquares found;
  for (std::size_t j = n; j-- > 0;) {
    double sum = R[j][n];
    for (std::size_t k = j + 1; k < n; ++k) sum -= R[j][k] * found.x[k];
    found.x[j] = sum / R[j][j];
  }
  found.residual = std::sqrt(dot(n, n) / static_cast<double>(m));
  return found;
}

}  // namespace carroll::detail
