// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/workspace_sizes.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/host_matrix.hpp"
#include "support/svd/matrix_types.hpp"

/// Members whose sweeps are begun with the triangle of one QR factorisation.
namespace carroll::test {

using detail::SvdBatch;
using detail::SvdFamily;
using detail::SvdProblem;
using detail::SvdState;

/// A member as it is begun.
template <class Real>
struct Begun {
  HostMatrix<Real> X, J;
  std::vector<int> exponents;
  SvdState state;
};

/// A triangle as the factorisation leaves it, column j times 2^exponents[j].
template <class Real>
struct Factor {
  HostMatrix<Real> X;
  std::vector<int> exponents;
  int columns;  ///< that are not negligible

  explicit Factor(HostMatrix<Real> const& matrix)
      : X(matrix), exponents(static_cast<std::size_t>(matrix.cols), 0), columns(matrix.cols) {}
};

/// Bit by bit.
template <class Real>
bool same_begun(Begun<Real> const& a, Begun<Real> const& b) {
  return same_bits(a.X.data, b.X.data) && same_bits(a.J.data, b.J.data) &&
         a.exponents == b.exponents;
}
inline bool is_untouched(SvdState const& state) {
  return !state.rotated && !state.converged;
}

/// Members of one order, in a workspace of families that begin sweeps.
template <class Real>
class FactorBatch {
 public:
  explicit FactorBatch(std::vector<Factor<Real>> const& factors) : factors_(factors) {
    // Of matrices this long the triangle is what eigenvectors begin with.
    int const n = factors.front().X.cols, m = 2 * n + 1, count = static_cast<int>(factors.size());
    auto const sizes = detail::svd_workspace_sizes<Real>(SvdFamily::spectral, m, n, true);
    auto const room = [&](std::int64_t each) { return static_cast<std::size_t>(count * each); };
    reals_.assign(room(sizes.reals), std::numeric_limits<Real>::quiet_NaN());
    ints_.assign(room(sizes.ints), 0);
    states_.resize(room(1));
    infos_.resize(room(1));
    batch_.a = {nullptr, {count, m, n}, {m * n, 1, m}};
    batch_.u = {nullptr, {count, m, n}, {m * n, 1, m}};
    batch_.s = {nullptr, {count, n, 1}, {n, 1, 1}};
    batch_.v = {nullptr, {count, n, n}, {n * n, 1, n}};
    batch_.u_wanted = batch_.v_wanted = SvdVectors::thin;
    batch_.method = SvdMethod::preconditioned;
    batch_.reals = reals_.data();
    batch_.ints = ints_.data();
    batch_.distance = sizes;
    batch_.states = states_.data();
    batch_.infos = infos_.data();
    batch_.info_stride = 1;
    for (int b = 0; b < count; ++b) {
      auto const& factor = factors[static_cast<std::size_t>(b)];
      states_[static_cast<std::size_t>(b)].columns = factor.columns;
      SvdProblem<Real> const problem = batch_(b);
      // Below the diagonal are reflectors, here NaN.
      for (int j = 0; j < factor.columns; ++j)
        for (int i = 0; i <= j; ++i) problem.factor()(i, j) = factor.X(i, j);
      std::copy(factor.exponents.begin(), factor.exponents.end(), problem.exponents());
    }
  }

  Begun<Real> result(int b) const {
    SvdProblem<Real> const problem = batch_(b);
    int const n = problem.cols;
    Begun<Real> begun{HostMatrix<Real>(n, n), HostMatrix<Real>(n, n), {}, *problem.state};
    std::copy_n(problem.working().data, n * n, begun.X.data.begin());
    std::copy_n(problem.rotations().data, n * n, begun.J.data.begin());
    begun.exponents.assign(problem.working_exponents(), problem.working_exponents() + n);
    return begun;
  }

 protected:
  std::vector<Factor<Real>> factors_;
  std::vector<Real> reals_;
  std::vector<int> ints_;
  std::vector<SvdState> states_;
  std::vector<SvdInfo<Real>> infos_;
  SvdBatch<Real> batch_{};
};

template <class Real>
double dot(HostMatrix<Real> const& A, int i, HostMatrix<Real> const& B, int j) {
  double sum = 0;
  for (int k = 0; k < A.rows; ++k)
    sum += static_cast<double>(A(k, i)) * static_cast<double>(B(k, j));
  return sum;
}

/// Of columns, in units of roundoff.
template <class Real>
double largest_cosine(HostMatrix<Real> const& X) {
  double most = 0;
  for (int j = 0; j < X.cols; ++j)
    for (int i = 0; i < j; ++i)
      most =
          std::max(most, std::abs(dot(X, i, X, j)) / std::sqrt(dot(X, i, X, i) * dot(X, j, X, j)));
  return most / static_cast<double>(std::numeric_limits<Real>::epsilon());
}
/// ‖JᵀJ - I‖ by its largest entry, and of the columns of X·J - Y those relative to Y's, in
/// roundoff.
template <class Real>
double deviation(HostMatrix<Real> const& J) {
  double most = 0;
  for (int j = 0; j < J.cols; ++j)
    for (int i = 0; i <= j; ++i)
      most = std::max(most, std::abs(dot(J, i, J, j) - (i == j ? 1 : 0)));
  return most / static_cast<double>(std::numeric_limits<Real>::epsilon());
}
template <class Real>
double residual(Factor<Real> const& factor, Begun<Real> const& begun) {
  int const n = factor.X.cols;
  double most = 0;
  for (int j = 0; j < n; ++j) {
    double error = 0, size = 0;
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int k = 0; k < n; ++k)
        sum += std::ldexp(static_cast<double>(factor.X(i, k)),
                          factor.exponents[static_cast<std::size_t>(k)]) *
               static_cast<double>(begun.J(k, j));
      double const y = std::ldexp(static_cast<double>(begun.X(i, j)),
                                  begun.exponents[static_cast<std::size_t>(j)]);
      error = std::max(error, std::abs(sum - y));
      size = std::max(size, std::abs(y));
    }
    most = std::max(most, error / size);
  }
  return most / static_cast<double>(std::numeric_limits<Real>::epsilon());
}

/// R of a matrix of random entries, by Gram-Schmidt.
template <class Real>
Factor<Real> random_factor(int n, std::uint64_t seed) {
  auto Q = make_matrix<double>(MatrixType::random, n, n, seed);
  HostMatrix<Real> R(n, n);
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) {
      double const product = dot(Q, k, Q, j);
      R(k, j) = static_cast<Real>(product);
      for (int i = 0; i < n; ++i) Q(i, j) -= product * Q(i, k);
    }
    double const length = std::sqrt(dot(Q, j, Q, j));
    R(j, j) = static_cast<Real>(length);
    for (int i = 0; i < n; ++i) Q(i, j) /= length;
  }
  return Factor<Real>(R);
}
/// A column of zeros, whose exponent is 0, among others that have this one.
template <class Real>
Factor<Real> factor_with_zeros(int exponent) {
  auto factor = random_factor<Real>(65, 25);
  std::ranges::fill(factor.exponents, exponent);
  for (int i = 0; i <= 9; ++i) factor.X(i, 9) = 0;
  factor.exponents[9] = 0;
  return factor;
}
/// Columns that descend by a factor of 50.
template <class Real>
Factor<Real> triangular_factor(int n, std::uint64_t seed) {
  auto X = make_matrix<Real>(MatrixType::random, n, n, seed);
  for (int j = 0; j < n; ++j) {
    auto const length = static_cast<Real>(std::pow(50.0, -j / (n - 1.0)));
    auto const above = static_cast<Real>(length / std::sqrt(n) / 2);
    for (int i = 0; i < n; ++i) X(i, j) = i < j ? X(i, j) * above : i == j ? length : Real(0);
  }
  return Factor<Real>(X);
}
template <class Real>
std::string begun_well(Factor<Real> const& factor, Begun<Real> const& begun) {
  double const n = factor.X.cols;
  std::string wrong;
  if (!begun.state.rotated || !begun.state.converged) wrong += "not begun; ";
  if (!(largest_cosine(begun.X) <= std::max(2.0, std::sqrt(n)))) wrong += "not orthogonal; ";
  if (!(deviation(begun.J) <= 2 * std::sqrt(n))) wrong += "J is not orthonormal; ";
  if (double const off = residual(factor, begun); !(off <= 40 * n))
    wrong += "X·J differs by " + std::to_string(off) + "; ";
  return wrong;
}

}  // namespace carroll::test
