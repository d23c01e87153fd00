// SPDX-License-Identifier: BSD-3-Clause
#include "support/pseudoinverse/least_squares_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace carroll::test {
namespace {

long double dot(long double const* x, long double const* y, int n) {
  long double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

/// Makes columns p and q of A orthogonal, and V and the columns' squares follow; returns whether
/// they were not. Columns that are shorter than √least count for nothing.
bool rotate(LongMatrix& A, LongMatrix& V, std::vector<long double>& squares, int p, int q,
            long double least) {
  long double &a = squares[static_cast<std::size_t>(p)], &b = squares[static_cast<std::size_t>(q)];
  if (a < least || b < least) return false;
  long double const c = dot(A.column(p), A.column(q), A.rows);
  // The rounding of the sum is about this large.
  long double const noise = std::max(1e-19L, 0x1p-64L * static_cast<long double>(A.rows));
  if (!(std::abs(c) > noise * std::sqrt(a) * std::sqrt(b))) return false;
  long double const zeta = (b - a) / (2 * c);
  long double const t = std::copysign(1.0L, zeta) / (std::abs(zeta) + std::hypot(1.0L, zeta));
  long double const cosine = 1 / std::sqrt(1 + t * t), sine = cosine * t;
  auto const turn = [&](long double* x, long double* y, int n) {
    for (int i = 0; i < n; ++i) {
      long double const held = x[i];
      x[i] = cosine * held - sine * y[i];
      y[i] = sine * held + cosine * y[i];
    }
  };
  turn(A.column(p), A.column(q), A.rows);
  turn(V.column(p), V.column(q), V.rows);
  auto const follow = [&](long double& square, int j, long double follows) {
    bool const sound = follows > square / 1024;  // few digits have cancelled
    square = sound ? follows : dot(A.column(j), A.column(j), A.rows);
  };
  follow(a, p, a - t * c);
  follow(b, q, b + t * c);
  return true;
}

}  // namespace

LeastSquaresOracle::LeastSquaresOracle(LongMatrix A, bool equal_norms, long double relative_cut)
    : original_(A), U_(std::move(A)), V_(original_.cols, original_.cols) {
  int const n = U_.cols;
  for (int j = 0; j < n; ++j) {
    long double const norm =
        equal_norms ? std::sqrt(dot(U_.column(j), U_.column(j), U_.rows)) : 1.0L;
    norms_.push_back(norm > 0 ? norm : 1.0L);
    for (int i = 0; i < U_.rows; ++i) U_(i, j) /= norms_.back();
    V_(j, j) = 1;
  }
  std::vector<long double> squares(static_cast<std::size_t>(n));
  auto const measure = [&] {
    for (int j = 0; j < n; ++j)
      squares[static_cast<std::size_t>(j)] = dot(U_.column(j), U_.column(j), U_.rows);
  };
  measure();
  long double const top = n > 0 ? *std::max_element(squares.begin(), squares.end()) : 0;
  // Of matrices that have no full rank columns of rounding errors are left, which shrink for ever.
  // Those that count turn by less than the last bit where they are left as they are.
  long double const least = top * (1e-22L * relative_cut) * (1e-22L * relative_cut);
  bool more = true;
  for (int sweep = 0; more && sweep < 40; ++sweep) {
    more = false;
    for (int p = 0; p + 1 < n; ++p)
      for (int q = p + 1; q < n; ++q) more = rotate(U_, V_, squares, p, q, least) || more;
    measure();
  }
  for (int j = 0; j < n; ++j) sigma_.push_back(std::sqrt(dot(U_.column(j), U_.column(j), U_.rows)));
  long double const largest = n > 0 ? *std::max_element(sigma_.begin(), sigma_.end()) : 0;
  // Rounding errors in long double leave some 1e-19 of A where there is nothing.
  long double const cut = relative_cut * largest;
  smallest_ = largest;
  for (int j = 0; j < n; ++j) {
    if (sigma_[static_cast<std::size_t>(j)] > cut) {
      order_.push_back(j);
      smallest_ = std::min(smallest_, sigma_[static_cast<std::size_t>(j)]);
      clear_ = clear_ && sigma_[static_cast<std::size_t>(j)] > 100 * cut;
    } else {
      clear_ = clear_ && sigma_[static_cast<std::size_t>(j)] < cut / 100;
    }
  }
  kappa_ = order_.empty() ? 1.0L : largest / smallest_;
}

LeastSquaresOracle::Solution LeastSquaresOracle::solve(std::vector<long double> const& d) const {
  Solution solution;
  int const n = U_.cols;
  std::vector<long double> scaled(static_cast<std::size_t>(n));
  std::vector<long double> rest(d);
  solution.rhs = std::sqrt(dot(d.data(), d.data(), static_cast<int>(d.size())));
  for (int pass = 0; pass < 2; ++pass) {  // refined once
    for (int const j : order_) {
      long double const s = sigma_[static_cast<std::size_t>(j)];
      long double const factor = dot(U_.column(j), rest.data(), U_.rows) / s / s;
      for (int i = 0; i < n; ++i) scaled[static_cast<std::size_t>(i)] += factor * V_(i, j);
    }
    rest = d;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < U_.rows; ++i)
        rest[static_cast<std::size_t>(i)] -= original_(i, j) / norms_[static_cast<std::size_t>(j)] *
                                             scaled[static_cast<std::size_t>(j)];
  }
  solution.residual = std::sqrt(dot(rest.data(), rest.data(), static_cast<int>(rest.size())));
  solution.size = std::sqrt(dot(scaled.data(), scaled.data(), n));
  for (int j = 0; j < n; ++j)
    solution.x.push_back(scaled[static_cast<std::size_t>(j)] / norms_[static_cast<std::size_t>(j)]);
  return solution;
}

long double LeastSquaresOracle::covariance(int i, int j) const {
  long double sum = 0;
  for (int const c : order_) {
    long double const s = sigma_[static_cast<std::size_t>(c)];
    sum += V_(i, c) / s * (V_(j, c) / s);
  }
  return sum / norms_[static_cast<std::size_t>(i)] / norms_[static_cast<std::size_t>(j)];
}

}  // namespace carroll::test
