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

/// `batch` problems with m×n A and m×p B; without p the pseudoinverses of A. All matrices column by
/// column, packed one after the other.
struct LstsqShape {
  int batch, m, n, p;

  [[nodiscard]] bool inverse() const { return p == 0; }
  [[nodiscard]] std::size_t a_size() const { return product(m, n); }
  [[nodiscard]] std::size_t b_size() const { return product(m, p); }
  [[nodiscard]] std::size_t x_size() const { return product(n, inverse() ? m : p); }
  /// Of LAPACK's way to U, Σ and V (Golub and Van Loan, 4th ed., §8.6.4), and of the products.
  [[nodiscard]] double flops() const {
    double const rows = std::max(m, n), cols = std::min(m, n);
    double const products = inverse() ? 2 * cols * m * n : 2 * cols * p * (m + n);
    return batch *
           (4 * rows * rows * cols + 8 * rows * cols * cols + 9 * std::pow(cols, 3) + products);
  }
  /// A and B in, X out.
  [[nodiscard]] double bytes(std::size_t size) const {
    return batch * static_cast<double>((a_size() + b_size() + x_size()) * size);
  }
  [[nodiscard]] std::string extents() const {
    return std::to_string(batch) + "x" + std::to_string(m) + "x" + std::to_string(n) + "x" +
           std::to_string(inverse() ? m : p);
  }

 private:
  static std::size_t product(int a, int b) {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
  }
};

/// A and B of all problems, of random normal entries.
template <class Real>
struct LstsqData {
  using value_type = Real;
  std::vector<Real> A, B;

  explicit LstsqData(LstsqShape const& shape)
      : A(shape.a_size() * static_cast<std::size_t>(shape.batch)),
        B(shape.b_size() * static_cast<std::size_t>(shape.batch)) {
    std::mt19937_64 engine(11);
    std::normal_distribution<double> normal;
    for (auto* some : {&A, &B})
      for (Real& x : *some) x = static_cast<Real>(normal(engine));
  }
};

/// What is wrong with the first problem's X, "" for nothing: Aᵀ(A·X - B), for which random A are
/// well enough conditioned.
template <class Real>
std::string lstsq_fault(LstsqShape const& shape, LstsqData<Real> const& data,
                        std::vector<Real> const& X) {
  auto const m = static_cast<std::size_t>(shape.m), n = static_cast<std::size_t>(shape.n);
  double size_a = 0, size_x = 0, worst = 0;
  for (std::size_t k = 0; k < m * n; ++k) size_a += double(data.A[k]) * double(data.A[k]);
  for (Real const x : X) size_x += double(x) * double(x);
  std::vector<double> residual(m);
  for (std::size_t j = 0; j < X.size() / n; ++j) {
    for (std::size_t i = 0; i < m; ++i) {
      residual[i] = shape.inverse() ? -double(i == j) : -double(data.B[i + j * m]);
      for (std::size_t k = 0; k < n; ++k)
        residual[i] += double(data.A[i + k * m]) * double(X[k + j * n]);
    }
    for (std::size_t k = 0; k < n; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < m; ++i) sum += double(data.A[i + k * m]) * residual[i];
      worst = std::max(worst, std::abs(sum));
    }
  }
  double const unit = std::max(shape.m, shape.n) * double(std::numeric_limits<Real>::epsilon());
  bool const fine = worst <= 10 * unit * size_a * (std::sqrt(size_x) + 1);
  return fine ? "" : "gradient " + std::to_string(worst);
}

}  // namespace carroll::perf
