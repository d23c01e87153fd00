// SPDX-License-Identifier: BSD-3-Clause
#include "svd/accuracy/matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

namespace carroll::perf {
namespace {

class Square {
 public:
  explicit Square(int n) : n_(static_cast<std::size_t>(n)), data_(n_ * n_) {}
  std::size_t size() const { return n_; }
  double* operator[](std::size_t j) { return data_.data() + j * n_; }
  double const* operator[](std::size_t j) const { return data_.data() + j * n_; }

 private:
  std::size_t n_;
  std::vector<double> data_;
};

/// The engine's bits alone, as the standard's distributions differ between libraries.
double uniform(std::mt19937_64& engine) {
  return std::ldexp(static_cast<double>(engine() >> 11), -52) - 1;  // in [-1, 1)
}

/// Gram and Schmidt, twice, on random columns.
Square random_orthogonal(int n, std::mt19937_64& engine) {
  Square Q(n);
  for (std::size_t j = 0; j < Q.size(); ++j) {
    double* const q = Q[j];
    for (std::size_t i = 0; i < Q.size(); ++i) q[i] = uniform(engine);
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t k = 0; k < j; ++k) {
        double product = 0;
        for (std::size_t i = 0; i < Q.size(); ++i) product += Q[k][i] * q[i];
        for (std::size_t i = 0; i < Q.size(); ++i) q[i] -= product * Q[k][i];
      }
      double square = 0;
      for (std::size_t i = 0; i < Q.size(); ++i) square += q[i] * q[i];
      for (std::size_t i = 0; i < Q.size(); ++i) q[i] /= std::sqrt(square);
    }
  }
  return Q;
}

/// cond^(-k/(n−1)), k = 0 … n−1
std::vector<double> geometric_sequence(int n, double cond) {
  std::vector<double> values;
  for (int k = 0; k < n; ++k) values.push_back(std::pow(cond, -k / std::max(1.0, n - 1.0)));
  return values;
}

Square with_singular_values(std::vector<double> const& sigma, std::mt19937_64& engine) {
  auto const n = static_cast<int>(sigma.size());
  Square const U = random_orthogonal(n, engine), V = random_orthogonal(n, engine);
  Square A(n);
  for (std::size_t j = 0; j < A.size(); ++j)
    for (std::size_t k = 0; k < A.size(); ++k)
      for (std::size_t i = 0; i < A.size(); ++i) A[j][i] += U[k][i] * (sigma[k] * V[k][j]);
  return A;
}

}  // namespace

std::string_view to_string(AccuracyKind kind) {
  switch (kind) {
    case AccuracyKind::geometric: return "geometric";
    case AccuracyKind::scaled_columns: return "scaled_columns";
  }
  return "?";
}

template <class Real>
std::vector<Real> accuracy_matrix(AccuracyKind kind, int n, double cond, int seed) {
  std::mt19937_64 engine(static_cast<std::mt19937_64::result_type>(seed));
  bool const scaled = kind == AccuracyKind::scaled_columns;
  Square const A = with_singular_values(geometric_sequence(n, scaled ? 10 : cond), engine);
  std::vector<double> scales = geometric_sequence(n, scaled ? cond : 1);
  for (std::size_t j = scales.size(); j > 1; --j)  // Fisher and Yates
    std::swap(scales[j - 1], scales[engine() % j]);
  std::vector<Real> rounded;
  for (std::size_t j = 0; j < A.size(); ++j)
    for (std::size_t i = 0; i < A.size(); ++i)
      rounded.push_back(static_cast<Real>(A[j][i] * scales[j]));
  return rounded;
}
template std::vector<float> accuracy_matrix(AccuracyKind, int, double, int);
template std::vector<double> accuracy_matrix(AccuracyKind, int, double, int);

}  // namespace carroll::perf
