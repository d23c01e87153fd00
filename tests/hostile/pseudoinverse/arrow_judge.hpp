// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "hostile/pseudoinverse/arrow_checks.hpp"
#include "hostile/pseudoinverse/arrow_draws.hpp"

namespace carroll::test {

/// What is wrong with steps and inverses, by themselves and against oracles; empty: nothing. Where
/// nobody can be sure of the rank nothing is.
template <class Real>
class ArrowJudge {
 public:
  /// `expected`: of each frame. All of these must stay.
  ArrowJudge(ArrowFrames<Real> const& all, std::string_view kind,
             std::vector<Status> const& expected)
      : all_(all), kind_(kind), expected_(expected) {}

  /// Status and, where all is well, numbers, of right-hand side c.
  [[nodiscard]] std::string frame(int f, int c, PseudoinverseInfo<Real> const& info, Real const* y,
                                  Real const* xi, Real const* covariance,
                                  Real const* variances) const {
    if (expected_[at(f)] != Status::success) return failure(f, info.status, y, xi);
    if (info.status != Status::success && info.status != Status::overflow)
      return " status " + std::to_string(static_cast<int>(info.status));
    auto one = all_.frames[at(f)];
    one.rhs = {one.rhs.begin() + c * all_.n, one.rhs.begin() + (c + 1) * all_.n};
    if (kind_ == "large") return gradient_error(all_, one, y, xi);
    auto const A = dense_jacobian(all_, one);
    LeastSquaresOracle const first(A, true);
    if (!is_clear(first)) return {};
    if (info.rank != first.rank())
      return " rank " + std::to_string(info.rank) + ", must be " + std::to_string(first.rank());
    bool const full = is_full(first, A);
    if (!full && kind_ != "deficient") return {};
    LeastSquaresOracle const oracle(A, full);
    if (!full && !is_clear(oracle)) return {};
    ArrowBound<Real> const bound(all_, oracle, !full);
    auto const exact = oracle.solve(dense_rhs(all_, one, A.rows));
    auto text = step_error(oracle, bound, exact, y, all_.k, xi, all_.m);
    if (text.empty() && covariance)
      text = spread_error(oracle, bound, covariance, all_.k, variances, all_.m);
    return text;
  }
  /// Of many columns some, from `first` on.
  [[nodiscard]] std::string inverse(int f, int first, PseudoinverseInfo<Real> const& info,
                                    Real const* entries) const {
    std::size_t const rows = at(all_.k + all_.m);
    if (expected_[at(f)] != Status::success) {
      for (int p = 0; p < all_.n; ++p) {
        Real const* const column = entries + at(p) * rows;
        auto const text = failure(f, info.status, column, column + all_.k);
        if (!text.empty()) return text;
      }
      return {};
    }
    if (info.status != Status::success && info.status != Status::overflow)
      return " status " + std::to_string(static_cast<int>(info.status));
    if (kind_ == "large" || all_.n > 60) return {};
    auto const A = dense_jacobian(all_, all_.frames[at(f)]);
    LeastSquaresOracle const scaled(A, true);
    if (!is_clear(scaled)) return {};
    bool const full = is_full(scaled, A);
    if (!full && kind_ != "deficient") return {};
    LeastSquaresOracle const oracle(A, full);
    if (!full && !is_clear(oracle)) return {};
    ArrowBound<Real> bound(all_, oracle, !full);
    bound.of_inverse(all_.k, !full, A.rows > all_.n);
    int const turns = std::min(all_.n, 4);
    for (int t = 0; t < turns; ++t) {
      int const p = (first + t * std::max(all_.n / turns, 1)) % all_.n;
      std::vector<long double> d(at(A.rows));
      d[at(p)] = 1;
      Real const* const column = entries + at(p) * rows;
      if (full) bound.of_column(oracle, A, p);
      auto const text =
          step_error(oracle, bound, oracle.solve(d), column, all_.k, column + all_.k, all_.m);
      if (!text.empty()) return " column " + std::to_string(p) + text;
    }
    return {};
  }

 private:
  /// Whether all columns are independent but those that are zero: then only the zero ones have
  /// zeros in x, however columns are scaled.
  [[nodiscard]] bool is_full(LeastSquaresOracle const& oracle, LongMatrix const& A) const {
    int count = 0;
    for (int j = 0; j < A.cols; ++j)
      count += std::any_of(A.column(j), A.column(j) + A.rows, [](long double a) { return a != 0; });
    return oracle.rank() == count;
  }
  /// Whether nobody can be in doubt about the rank.
  [[nodiscard]] bool is_clear(LeastSquaresOracle const& oracle) const {
    bool const squares = all_.options.method == PseudoinverseMethod::normal_equations;
    long double const most = sizeof(Real) == sizeof(float) ? 1e3L : squares ? 1e4L : 1e6L;
    return oracle.has_clear_rank() && oracle.kappa() < most;
  }

  std::string failure(int f, Status status, Real const* y, Real const* xi) const {
    if (status != expected_[at(f)])
      return " status " + std::to_string(static_cast<int>(status)) + ", must be " +
             std::to_string(static_cast<int>(expected_[at(f)]));
    auto const is_nan = [](Real x) { return std::isnan(x); };
    if (!std::all_of(y, y + all_.k, is_nan) || !std::all_of(xi, xi + all_.m, is_nan))
      return " outputs that are not NaN";
    return {};
  }

  ArrowFrames<Real> const& all_;
  std::string_view kind_;
  std::vector<Status> const& expected_;
};

}  // namespace carroll::test
