// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "harness/contender.hpp"

namespace carroll::perf {

/// `batch` matrices, m >= n, column by column, packed one after the other.
struct QrShape {
  int batch;
  int m, n;
  bool basis;  ///< thin Q, too
  bool pivoted;

  std::size_t entries() const { return static_cast<std::size_t>(m) * static_cast<std::size_t>(n); }
  std::size_t all_entries() const { return static_cast<std::size_t>(batch) * entries(); }
  std::size_t square() const { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }
  /// Of the reflectors, and as many for Q, whoever computes what.
  double flops() const {
    return batch * (basis ? 2 : 1) * (2.0 * m * n * n - 2.0 / 3 * std::pow(n, 3));
  }
  /// A in, Q and R out.
  double bytes(std::size_t size) const {
    double const matrices = (basis ? 2.0 : 1.0) * static_cast<double>(entries());
    return batch * (matrices + static_cast<double>(square())) * static_cast<double>(size);
  }
  std::string extents() const {
    return std::to_string(batch) + "x" + std::to_string(m) + "x" + std::to_string(n);
  }
  bool operator==(QrShape const&) const = default;
};

template <class Real>
std::vector<Real> normal_matrices(QrShape const& shape) {
  std::vector<Real> A(shape.all_entries());
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  for (Real& x : A) x = static_cast<Real>(normal(engine));
  return A;
}

/// Of the first member, column by column: Q, where it is wanted, R n×n and the permutation.
template <class Real>
struct QrSolution {
  std::vector<Real> Q, R;
  std::vector<int> P;
};

/// A factorisation bound to one problem.
template <class Real>
class QrContender : public Contender {
 public:
  virtual QrSolution<Real> solution() = 0;
};

/// What is wrong with the first member, "" for nothing: RᵀR against (A·P)ᵀA·P, and, where there is
/// Q, A·P - Q·R, in units of m·eps.
template <class Real>
std::string qr_fault(QrShape const& shape, std::vector<Real> const& A,
                     QrSolution<Real> const& found) {
  auto const m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n);
  auto const column = [&](std::size_t j) {
    return A.data() + m * (found.P.empty() ? j : static_cast<std::size_t>(found.P[j]));
  };
  double const unit = shape.m * double(std::numeric_limits<Real>::epsilon());
  for (std::size_t j = 0; j < n; ++j) {
    double square = 0, in_r = 0, worst = 0;
    for (std::size_t i = 0; i < m; ++i) square += double(column(j)[i]) * double(column(j)[i]);
    for (std::size_t i = 0; i <= j; ++i)
      in_r += double(found.R[i + j * n]) * double(found.R[i + j * n]);
    if (!(std::abs(square - in_r) <= 50 * unit * square)) return "norm of a column of R";
    for (std::size_t i = 0; shape.basis && i < m; ++i) {
      double sum = -double(column(j)[i]);
      for (std::size_t k = 0; k <= j; ++k)
        sum += double(found.Q[i + k * m]) * double(found.R[k + j * n]);
      worst = std::max(worst, std::abs(sum));
    }
    if (!(worst <= 20 * unit * std::sqrt(square))) return "residual";
  }
  return "";
}

}  // namespace carroll::perf
