// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace carroll::test {

/// A dense table in double precision, by rows.
using Table = std::vector<std::vector<double>>;

struct PlainSvd {
  std::vector<double> values;  ///< descending
  Table right;                 ///< right[l]: the singular vector of values[l]
};

/// One-sided Jacobi (Hestenes 1958), as it is in textbooks.
inline PlainSvd plain_svd(Table const& a) {
  std::size_t const m = a.size(), n = a.front().size();
  Table columns(n, std::vector<double>(m)), rotations(n, std::vector<double>(n));
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < m; ++i) columns[j][i] = a[i][j];
    rotations[j][j] = 1;
  }
  auto const dot = [](std::vector<double> const& x, std::vector<double> const& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  };
  for (int sweep = 0; sweep < 40; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        double const cross = dot(columns[p], columns[q]);
        double const first = dot(columns[p], columns[p]), second = dot(columns[q], columns[q]);
        if (std::abs(cross) <= 1e-16 * std::sqrt(first * second)) continue;
        double const zeta = (second - first) / (2 * cross);
        double const t = std::copysign(1, zeta) / (std::abs(zeta) + std::hypot(1, zeta));
        double const cosine = 1 / std::hypot(1, t), sine = cosine * t;
        for (auto* of : {&columns, &rotations})
          for (std::size_t i = 0; i < (*of)[p].size(); ++i) {
            double const x = (*of)[p][i], y = (*of)[q][i];
            (*of)[p][i] = cosine * x - sine * y;
            (*of)[q][i] = sine * x + cosine * y;
          }
      }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> norms;
  for (auto const& column : columns) norms.push_back(std::sqrt(dot(column, column)));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return norms[x] > norms[y]; });
  PlainSvd result;
  for (std::size_t const j : order) {
    result.values.push_back(norms[j]);
    result.right.push_back(rotations[j]);
  }
  return result;
}

}  // namespace carroll::test
