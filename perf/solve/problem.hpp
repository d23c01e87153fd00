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

/// `batch` systems of n equations with `columns` right-hand sides, column by column, packed one
/// after the other; of inverses the right-hand sides are those of the identity.
struct SolveShape {
  int batch;
  int n, columns;
  bool inverse;
  bool condition;  ///< is to be known, too, where a solver can tell it; of inverses it always is

  std::size_t square() const { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }
  std::size_t sides() const {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(columns);
  }
  std::size_t members() const { return static_cast<std::size_t>(batch); }
  /// What is asked for, in names of results.
  char const* job() const { return inverse ? "inverse" : condition ? "solve" : "plain"; }
  /// Of the elimination and of the right-hand sides; an inverse takes 2n³.
  double flops() const {
    double const cube = std::pow(n, 3);
    return batch * (inverse ? 2 * cube : 2 * cube / 3 + 2.0 * n * n * columns);
  }
  /// A and B in, X out.
  double bytes(std::size_t size) const {
    std::size_t const entries = square() + (inverse ? 1 : 2) * sides();
    return batch * static_cast<double>(entries * size);
  }
  std::string extents() const {
    return std::to_string(batch) + "x" + std::to_string(n) + "x" + std::to_string(columns);
  }
};

/// Normal matrices and right-hand sides.
template <class Real>
struct SolveData {
  using value_type = Real;
  std::vector<Real> A, B;

  explicit SolveData(SolveShape const& shape)
      : A(shape.members() * shape.square()), B(shape.members() * shape.sides()) {
    std::mt19937_64 engine(7);
    std::normal_distribution<double> normal;
    for (Real& x : A) x = static_cast<Real>(normal(engine));
    for (Real& x : B) x = static_cast<Real>(normal(engine));
    for (std::size_t k = 0; shape.inverse && k < B.size(); ++k)
      B[k] = k % shape.square() % static_cast<std::size_t>(shape.n + 1) == 0 ? Real(1) : Real(0);
  }
};

/// What is wrong with the first member, "" for nothing: |A·X - B| of columns over |A|·|X|, in
/// 1-norms, in units of n·eps.
template <class Real>
std::string solve_fault(SolveShape const& shape, SolveData<Real> const& data,
                        std::vector<Real> const& X) {
  auto const n = static_cast<std::size_t>(shape.n);
  double const unit = shape.n * double(std::numeric_limits<Real>::epsilon());
  double norm = 0;
  for (std::size_t j = 0; j < n; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::abs(double(data.A[i + j * n]));
    norm = std::max(norm, sum);
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(shape.columns); ++j) {
    double left = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = -double(data.B[i + j * n]);
      for (std::size_t k = 0; k < n; ++k) sum += double(data.A[i + k * n]) * double(X[k + j * n]);
      left += std::abs(sum);
      size += std::abs(double(X[i + j * n]));
    }
    if (!(left <= 10 * unit * norm * size)) return "residual";
  }
  return "";
}

}  // namespace carroll::perf
