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

/// `batch` symmetric matrices of order n, both triangles, packed one after the other.
struct EighShape {
  int batch;
  int n;
  bool vectors;

  std::size_t square() const { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }
  std::size_t matrix_entries() const { return static_cast<std::size_t>(batch) * square(); }
  std::size_t values() const {
    return static_cast<std::size_t>(batch) * static_cast<std::size_t>(n);
  }
  /// Of tridiagonalisation, rotations and back-transformation, whoever computes what.
  double flops() const { return batch * (4.0 / 3 + (vectors ? 4.0 / 3 + 5 : 0)) * std::pow(n, 3); }
  std::string extents() const { return std::to_string(batch) + "x" + std::to_string(n); }
  bool operator==(EighShape const&) const = default;
};

template <class Real>
std::vector<Real> symmetric_matrices(EighShape const& shape) {
  std::vector<Real> A(shape.matrix_entries());
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  auto const n = static_cast<std::size_t>(shape.n);
  for (std::size_t b = 0; b < A.size(); b += shape.square())
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = j; i < n; ++i)
        A[b + i + j * n] = A[b + j + i * n] = static_cast<Real>(normal(engine));
  return A;
}

/// Eigenvalues of all members, ascending, and vectors of the first: column after column.
template <class Real>
struct EighSolution {
  std::vector<Real> W, V;
};

/// A decomposition bound to one problem.
template <class Real>
class EighContender : public Contender {
 public:
  virtual EighSolution<Real> solution() = 0;
};

/// What is wrong with the first member, "" for nothing: the residual in units of n·eps.
template <class Real>
std::string eigh_fault(EighShape const& shape, std::vector<Real> const& A,
                       EighSolution<Real> const& found) {
  auto const n = static_cast<std::size_t>(shape.n);
  if (!std::is_sorted(found.W.begin(), found.W.begin() + shape.n)) return "values not ascending";
  double const norm = std::max(std::abs(double(found.W[0])), std::abs(double(found.W[n - 1])));
  double trace = 0, worst = 0;
  for (std::size_t k = 0; k < n; ++k) trace += double(A[k + k * n]) - double(found.W[k]);
  for (std::size_t j = 0; shape.vectors && j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) {
      double sum = -double(found.W[j]) * double(found.V[i + j * n]);
      for (std::size_t k = 0; k < n; ++k) sum += double(A[i + k * n]) * double(found.V[k + j * n]);
      worst = std::max(worst, std::abs(sum));
    }
  double const unit = norm * shape.n * double(std::numeric_limits<Real>::epsilon());
  if (!(worst <= 20 * unit)) return "residual";
  if (!(std::abs(trace) <= 20 * unit * std::sqrt(shape.n))) return "trace";
  return "";
}

}  // namespace carroll::perf
