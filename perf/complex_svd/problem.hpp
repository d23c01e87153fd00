// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "harness/contender.hpp"

namespace carroll::perf {

/// `batch` complex matrices n×n, column by column, packed one after the other; all of U, S and V.
struct ComplexSvdShape {
  int batch;
  int n;

  std::size_t entries() const { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }
  std::size_t all_entries() const { return static_cast<std::size_t>(batch) * entries(); }
  std::size_t all_values() const {
    return static_cast<std::size_t>(batch) * static_cast<std::size_t>(n);
  }
  /// Four times those of LAPACK's way with real matrices (Golub and Van Loan, 4th ed., §8.6.4).
  double flops() const { return batch * 4 * 21 * std::pow(n, 3); }
  /// A in, U, S and V out; `size` of a part.
  double bytes(std::size_t size) const {
    return static_cast<double>((6 * all_entries() + all_values()) * size);
  }
  std::string extents() const {
    return std::to_string(batch) + "x" + std::to_string(n) + "x" + std::to_string(n);
  }
};

template <class Real>
std::vector<std::complex<Real>> complex_normal_matrices(ComplexSvdShape const& shape) {
  std::vector<std::complex<Real>> A(shape.all_entries());
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  for (auto& z : A) {
    double const re = normal(engine), im = normal(engine);
    z = {static_cast<Real>(re), static_cast<Real>(im)};
  }
  return A;
}

/// Of the first member, column by column; `V` is Vᴴ where `adjoint` says so.
template <class Real>
struct ComplexSvdSolution {
  std::vector<std::complex<Real>> U;
  std::vector<Real> S;
  std::vector<std::complex<Real>> V;
  bool adjoint = false;
};

/// A decomposition bound to one problem.
template <class Real>
class ComplexSvdContender : public Contender {
 public:
  virtual ComplexSvdSolution<Real> solution() = 0;
};

/// What is wrong with the first member, "" for nothing: A - U·diag(S)·Vᴴ in units of n·eps.
template <class Real>
std::string complex_svd_fault(ComplexSvdShape const& shape,
                              std::vector<std::complex<Real>> const& A,
                              ComplexSvdSolution<Real> const& found) {
  auto const n = static_cast<std::size_t>(shape.n);
  double norm = 0, residual = 0;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) {
      std::complex<double> left = A[i + j * n];
      norm += std::norm(left);
      for (std::size_t k = 0; k < n; ++k) {
        std::complex<double> const u = found.U[i + k * n];
        std::complex<double> const v =
            found.adjoint ? found.V[k + j * n] : std::conj(found.V[j + k * n]);
        left -= u * static_cast<double>(found.S[k]) * v;
      }
      residual += std::norm(left);
    }
  double const unit = shape.n * double(std::numeric_limits<Real>::epsilon());
  return std::sqrt(residual) <= 20 * unit * std::sqrt(norm) ? "" : "residual";
}

}  // namespace carroll::perf
