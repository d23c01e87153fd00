// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Complex.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "harness/contender.hpp"

namespace carroll::perf {

enum class ComplexJob { svd, eigh, qr, solve, lstsq, pinv };

/// `batch` complex n×n matrices, column by column, packed one after the other, of `eigh` Hermitian;
/// everything is wanted of them: U, S and V, W and V, Q and R, X of one right-hand side by
/// elimination (`solve`, without a condition) or of any rank, or A⁺.
struct ComplexShape {
  ComplexJob job;
  int batch;
  int n;

  [[nodiscard]] std::size_t members() const { return static_cast<std::size_t>(batch); }
  [[nodiscard]] std::size_t order() const { return static_cast<std::size_t>(n); }
  [[nodiscard]] std::size_t square() const { return order() * order(); }
  [[nodiscard]] std::size_t matrix_entries() const { return members() * square(); }
  /// Of the last factor, or of what is solved for.
  [[nodiscard]] int columns() const { return has_sides() ? 1 : n; }
  [[nodiscard]] std::size_t right_size() const {
    return order() * static_cast<std::size_t>(columns());
  }
  [[nodiscard]] bool has_sides() const {
    return job == ComplexJob::solve || job == ComplexJob::lstsq;
  }
  /// What comes out are solutions or an inverse, not factors of A.
  [[nodiscard]] bool solves() const { return has_sides() || job == ComplexJob::pinv; }
  /// Four times those of LAPACK's way with real matrices (Golub and Van Loan, 4th ed., §§5.2, 8.3
  /// and 8.6.4).
  [[nodiscard]] double flops() const {
    double const cubes = job == ComplexJob::qr      ? 8.0 / 3
                         : job == ComplexJob::solve ? 2.0 / 3
                         : job == ComplexJob::eigh  ? 8.0 / 3 + 5
                         : job == ComplexJob::pinv  ? 21 + 2
                                                    : 21;
    return batch * 4 * cubes * std::pow(n, 3);
  }
  /// A in, and what is wanted out; `size` of a part.
  [[nodiscard]] double bytes(std::size_t size) const {
    double const all = static_cast<double>(square()), one = n;
    double const entries = has_sides()               ? all + 2 * one
                           : job == ComplexJob::pinv ? 2 * all
                           : job == ComplexJob::eigh ? 2 * all + one / 2
                           : job == ComplexJob::svd  ? 3 * all + one / 2
                                                     : 3 * all;
    return batch * 2 * entries * static_cast<double>(size);
  }
  [[nodiscard]] std::string extents() const {
    return std::to_string(batch) + "x" + std::to_string(n);
  }
};

template <class Real>
using ComplexEntries = std::vector<Kokkos::complex<Real>>;

/// A of all members, and B where there are systems. Of random normal numbers, in two hundred
/// members, of which the others are copies: to draw ten thousand takes longer than to solve them.
template <class Real>
struct ComplexData {
  ComplexEntries<Real> A, B;

  explicit ComplexData(ComplexShape const& shape)
      : A(shape.matrix_entries()), B(shape.has_sides() ? shape.members() * shape.right_size() : 0) {
    std::mt19937_64 engine(7);
    std::normal_distribution<double> normal;
    auto const n = shape.order();
    for (auto* some : {&A, &B}) {
      std::size_t const period = 200 * (some->size() / shape.members());
      for (std::size_t k = 0; k < some->size(); ++k) {
        double const re = k < period ? normal(engine) : 0, im = k < period ? normal(engine) : 0;
        (*some)[k] = k < period
                         ? Kokkos::complex<Real>(static_cast<Real>(re), static_cast<Real>(im))
                         : (*some)[k - period];
      }
    }
    for (std::size_t b = 0; shape.job == ComplexJob::eigh && b < A.size(); b += shape.square())
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i <= j; ++i)
          A[b + i + j * n] = i == j ? Kokkos::complex<Real>(A[b + i + j * n].real())
                                    : Kokkos::conj(A[b + j + i * n]);
  }
};

/// Of the first member, column by column: A = left·diag(values)·right, of which `right` stands as
/// its adjoint where `adjoint` says so and no values are ones; of what solves, X in `right`.
template <class Real>
struct ComplexSolution {
  ComplexEntries<Real> left;
  std::vector<Real> values;
  ComplexEntries<Real> right;
  bool adjoint = false;
};

/// A decomposition or a solver bound to one problem.
template <class Real>
class ComplexContender : public Contender {
 public:
  virtual ComplexSolution<Real> solution() = 0;
};

/// What is wrong with the first member, "" for nothing: A less its factors' product in units of
/// n·eps·‖A‖, or B - A·X in those of n·eps·‖A‖·‖X‖.
template <class Real>
std::string complex_fault(ComplexShape const& shape, ComplexData<Real> const& data,
                          ComplexSolution<Real> const& found) {
  using Wide = Kokkos::complex<double>;
  auto const n = shape.order(), columns = shape.right_size() / n;
  auto const& left = shape.solves() ? data.A : found.left;
  auto const norm_of = [](ComplexEntries<Real> const& entries, std::size_t count) {
    double squares = 0;
    for (std::size_t k = 0; k < count; ++k) {
      Wide const z = entries[k];
      squares += z.real() * z.real() + z.imag() * z.imag();
    }
    return std::sqrt(squares);
  };
  double residual = 0;
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < n; ++i) {
      Wide rest = shape.job == ComplexJob::pinv ? Wide(i == j ? 1 : 0)
                  : shape.has_sides()           ? Wide(data.B[i + j * n])
                                                : Wide(data.A[i + j * n]);
      for (std::size_t k = 0; k < n; ++k) {
        Wide const right = found.adjoint ? Kokkos::conj(Wide(found.right[j + k * n]))
                                         : Wide(found.right[k + j * n]);
        rest -=
            Wide(left[i + k * n]) * (found.values.empty() ? 1.0 : double(found.values[k])) * right;
      }
      residual += rest.real() * rest.real() + rest.imag() * rest.imag();
    }
  double const scale = norm_of(data.A, shape.square()) *
                       (shape.solves() ? norm_of(found.right, shape.right_size()) : 1);
  double const unit = shape.n * double(std::numeric_limits<Real>::epsilon());
  return std::sqrt(residual) <= 20 * unit * scale ? "" : "residual";
}

}  // namespace carroll::perf
