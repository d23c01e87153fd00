// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "hostile/pseudoinverse/arrow_runs.hpp"
#include "hostile/round.hpp"

/// What is asked of a step and of A⁺: the same bits, and the oracle's numbers within a bound that
/// follows from the conditioning.
namespace carroll::test {

/// The same bits; but one NaN is as good as another: which bits an operation on NaN leaves is up to
/// the device, and nobody promises them.
template <class Real>
bool same(Real const* x, Real const* y, std::size_t count) {
  if (count == 0 || std::memcmp(x, y, count * sizeof(Real)) == 0) return true;
  for (std::size_t i = 0; i < count; ++i)
    if (std::memcmp(x + i, y + i, sizeof(Real)) != 0 && !(std::isnan(x[i]) && std::isnan(y[i])))
      return false;
  return true;
}
template <class Real>
bool same(PseudoinverseInfo<Real> const& a, PseudoinverseInfo<Real> const& b) {
  return a.status == b.status && a.rank == b.rank && a.cutoff == b.cutoff &&
         a.smallest_pivot == b.smallest_pivot;
}

/// Compares frame f, right-hand side c of `a` with frame g, right-hand side e of `b`, of as many
/// right-hand sides as each has; empty if all bits that both have are the same. `outputs_matter`:
/// the status may tell of outputs that only one of them has.
template <class Real>
std::string difference(ArrowFrames<Real> const& of, ArrowRun<Real> const& a, int f, int c, int ra,
                       ArrowRun<Real> const& b, int g, int e, int rb, bool same_outputs) {
  auto const k = at(of.k), m = at(of.m);
  auto const p = at(f * ra + c), q = at(g * rb + e);
  std::ostringstream text;
  if (!same(a.y.data() + p * k, b.y.data() + q * k, k)) text << " y";
  if (!same(a.xi.data() + p * m, b.xi.data() + q * m, m)) text << " xi";
  if (!a.covariance.empty() && !b.covariance.empty() &&
      !same(a.covariance.data() + at(f) * k * k, b.covariance.data() + at(g) * k * k, k * k))
    text << " covariance";
  if (!a.variances.empty() && !b.variances.empty() &&
      !same(a.variances.data() + at(f) * m, b.variances.data() + at(g) * m, m))
    text << " variances";
  auto one = a.infos[p], other = b.infos[q];
  bool const overflows = one.status == Status::overflow || other.status == Status::overflow;
  if (!same_outputs && overflows) other.status = one.status;
  if (!same(one, other))
    text << " info (" << static_cast<int>(one.status) << ' ' << one.rank << ' '
         << one.smallest_pivot << " | " << static_cast<int>(other.status) << ' ' << other.rank
         << ' ' << other.smallest_pivot << ')';
  return text.str();
}

/// How far from the exact results those of a frame may be.
template <class Real>
struct ArrowBound {
  static constexpr long double output = std::numeric_limits<Real>::epsilon();
  static constexpr long double eps = std::numeric_limits<double>::epsilon();
  static constexpr long double largest = std::numeric_limits<Real>::max();
  static constexpr long double least = std::numeric_limits<Real>::denorm_min();
  long double factor, kappa;
  bool squares;  ///< errors may grow with the square of the condition number
  /// Of results that are rounded to Real: a dense A⁺ is made of factors that are.
  long double rounding = 2 * output;
  long double beside = 0;  ///< what else grows with eps; see of_column

  ArrowBound(ArrowFrames<Real> const& all, LeastSquaresOracle const& oracle, bool dependent)
      : factor(100 + 10 * (all.k + all.m) + std::sqrt(static_cast<long double>(all.n))),
        kappa(oracle.kappa()),
        squares(all.options.method == PseudoinverseMethod::normal_equations ||
                (sizeof(Real) == sizeof(float) && lanes_of_default > 1 &&
                 all.options.method != PseudoinverseMethod::structured_qr)) {
    if (dependent) kappa *= 4;
  }
  /// With damping the rows of E, of which η is made, are what is left of B where it cancels.
  void of_inverse(int k, bool dependent, bool damped) {
    squares = squares || damped;
    rounding = (4 + 2 * k) * output * (dependent ? kappa : 1.0L);
  }
  /// Column p of A⁺ is had from row p of A: what is rounded there comes times (AᵀA)⁻¹, however
  /// short the column is beside others. Relative to ‖A⁺‖ that is cond(A).
  void of_column(LeastSquaresOracle const& oracle, LongMatrix const& A, int p) {
    long double square = 0;
    for (int j = 0; j < A.cols; ++j) {
      long double const entry = A(p, j) / oracle.norms()[at(j)];
      square += entry * entry;
    }
    if (oracle.rank() > 0) beside = std::sqrt(square) / (oracle.smallest() * oracle.smallest());
  }

  /// Of D·x, in the norm.
  [[nodiscard]] long double step(LeastSquaresOracle::Solution const& exact) const {
    long double const whole = exact.size + exact.rhs;
    long double const grown =
        squares ? kappa * kappa * whole : kappa * whole + kappa * kappa * exact.residual;
    return rounding * exact.size + factor * eps * (grown + beside);
  }
  /// Of entries of the covariance, relative to those of the diagonal.
  [[nodiscard]] long double spread() const { return 4 * output + factor * eps * kappa * kappa; }

  static constexpr int lanes_of_default = detail::lanes<Exec>;
};

/// ‖D(x - x*)‖ against the bound; empty if all is well.
template <class Real>
std::string step_error(LeastSquaresOracle const& oracle, ArrowBound<Real> const& bound,
                       LeastSquaresOracle::Solution const& exact, Real const* y, int k,
                       Real const* xi, int m) {
  using Bound = ArrowBound<Real>;
  long double square = 0, lost = 0;
  bool may_overflow = false;
  for (int j = 0; j < k + m; ++j) {
    auto const value = static_cast<long double>(j < k ? y[j] : xi[j - k]);
    long double const x = exact.x[at(j)], norm = oracle.norms()[at(j)];
    may_overflow = may_overflow || std::abs(x) > 0.9L * Bound::largest;
    lost += norm * Bound::least;
    if (!std::isfinite(value)) {
      bool const fits = std::abs(x) + bound.step(exact) / norm < Bound::largest;
      if (std::isnan(value) || fits) {
        std::ostringstream text;
        text << " entry " << j << " is " << value << ", must be " << x;
        return text.str();
      }
      continue;
    }
    square += norm * (value - x) * (norm * (value - x));
  }
  if (may_overflow) return {};
  long double const error = std::sqrt(square), allowed = bound.step(exact) + lost;
  if (error <= allowed) return {};
  std::ostringstream text;
  text << " error " << error << " of " << exact.size << ", allowed " << allowed << ", kappa "
       << oracle.kappa();
  return text.str();
}

/// Covariance and variances against the bound.
template <class Real>
std::string spread_error(LeastSquaresOracle const& oracle, ArrowBound<Real> const& bound,
                         Real const* covariance, int k, Real const* variances, int m) {
  auto const one = [&](int i, int j, Real found) -> std::string {
    long double const exact = oracle.covariance(i, j);
    long double const size =
        std::sqrt(oracle.covariance(i, i)) * std::sqrt(oracle.covariance(j, j));
    long double const allowed = bound.spread() * size + ArrowBound<Real>::least;
    auto const value = static_cast<long double>(found);
    if (size + allowed > 0.9L * ArrowBound<Real>::largest) return {};
    if (std::abs(value - exact) <= allowed) return {};
    std::ostringstream text;
    text << " covariance (" << i << ", " << j << ") " << value << ", must be " << exact << " +- "
         << allowed << ", kappa " << oracle.kappa();
    return text.str();
  };
  std::string text;
  for (int e = 0; text.empty() && e < k * k; ++e) text = one(e / k, e % k, covariance[e]);
  for (int i = 0; text.empty() && i < m; ++i) text = one(k + i, k + i, variances[i]);
  return text;
}

/// Of large problems: columns of A with what is left of d, ‖a‖·(eps of Real·‖A·x‖ + eps·(…)).
template <class Real>
std::string gradient_error(ArrowFrames<Real> const& all, ArrowFrame<Real> const& frame,
                           Real const* y, Real const* xi) {
  int const columns = all.k + all.m;
  std::vector<long double> gradient(at(columns)), square(at(columns));
  long double rhs = 0;
  auto const x = [&](int j) { return static_cast<long double>(j < all.k ? y[j] : xi[j - all.k]); };
  for (int s = 0; s < all.m; ++s)
    for (int i = frame.offsets[at(s)]; i < frame.offsets[at(s + 1)]; ++i) {
      auto const d = static_cast<long double>(frame.rhs[at(i)]);
      long double const w = weight_root(all.options, d);
      auto const entry = [&](int j) {
        return w * static_cast<long double>(j < all.k ? frame.motion[at(i * all.k + j)]
                                                      : frame.depth[at(i)]);
      };
      long double left = w * d;
      for (int j = 0; j <= all.k; ++j) left -= entry(j) * x(j < all.k ? j : all.k + s);
      for (int j = 0; j <= all.k; ++j) {
        int const c = j < all.k ? j : all.k + s;
        gradient[at(c)] += entry(j) * left;
        square[at(c)] += entry(j) * entry(j);
      }
      rhs += w * d * w * d;
    }
  long double size = 0;
  for (int j = 0; j < columns; ++j) {
    long double const lambda = damping_of(all, frame, j);
    gradient[at(j)] -= lambda * x(j);
    square[at(j)] += lambda;
    size += square[at(j)] * x(j) * x(j);
  }
  long double const allowed = 8 * ArrowBound<Real>::output * std::sqrt(size * all.k) +
                              5e3L * ArrowBound<Real>::eps * (std::sqrt(size) + std::sqrt(rhs));
  for (int j = 0; j < columns; ++j)
    if (!(std::abs(gradient[at(j)]) <= allowed * std::sqrt(square[at(j)]))) {
      std::ostringstream text;
      text << " gradient " << j << " is " << gradient[at(j)] / std::sqrt(square[at(j)])
           << " of the column's norm, allowed " << allowed;
      return text.str();
    }
  return {};
}

}  // namespace carroll::test
