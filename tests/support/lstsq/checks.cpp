// SPDX-License-Identifier: BSD-3-Clause
#include "support/lstsq/checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <vector>

#include "support/pseudoinverse/least_squares_oracle.hpp"
#include "support/tolerance.hpp"

namespace carroll::test {
namespace {

using Column = std::vector<long double>;

long double norm_of(Column const& x) {
  long double square = 0;
  for (long double const entry : x) square += entry * entry;
  return std::sqrt(square);
}

template <class Real>
LongMatrix in_long(HostMatrix<Real> const& A) {
  LongMatrix L(A.rows, A.cols);
  std::copy(A.data.begin(), A.data.end(), L.data.begin());
  return L;
}

/// Column j of B; without B of the identity.
template <class Real>
Column right_side(LstsqProblem<Real> const& problem, bool inverse, int j) {
  Column d(static_cast<std::size_t>(problem.A.rows));
  for (int i = 0; i < problem.A.rows; ++i)
    d[static_cast<std::size_t>(i)] =
        inverse ? static_cast<long double>(i == j) : static_cast<long double>(problem.B(i, j));
  return d;
}

/// Subnormal numbers have no relative precision.
template <class Real>
long double least_size() {
  return std::numeric_limits<Real>::denorm_min() / static_cast<long double>(epsilon<Real>);
}

template <class Real>
double unit(HostMatrix<Real> const& A) {
  return std::max({A.rows, A.cols, 1}) * epsilon<Real>;
}

template <class Real>
LeastSquaresOracle oracle_of(HostMatrix<Real> const& A, double rcond, double unit_of_errors) {
  return LeastSquaresOracle(in_long(A), false, rcond < 0 ? unit_of_errors : rcond);
}

/// ‖Aᵀr‖ with r = d - A·x, and ‖r‖.
template <class Real>
std::pair<long double, long double> gradient_and_residual(HostMatrix<Real> const& A, Column d,
                                                          Real const* x) {
  for (int j = 0; j < A.cols; ++j)
    for (int i = 0; i < A.rows; ++i)
      d[static_cast<std::size_t>(i)] -= static_cast<long double>(A(i, j)) * x[j];
  Column gradient(static_cast<std::size_t>(A.cols));
  for (int j = 0; j < A.cols; ++j)
    for (int i = 0; i < A.rows; ++i)
      gradient[static_cast<std::size_t>(j)] +=
          static_cast<long double>(A(i, j)) * d[static_cast<std::size_t>(i)];
  return {norm_of(gradient), norm_of(d)};
}

template <class Real>
LstsqRatios ratios_by(LeastSquaresOracle const& oracle, LstsqProblem<Real> const& problem,
                      bool inverse, HostLstsq<Real> const& result, double unit_of_errors) {
  auto const& A = problem.A;
  LstsqRatios ratios;
  ratios.rank = oracle.rank();
  ratios.clear = oracle.has_clear_rank() && oracle.kappa() * unit_of_errors < 0.01L;
  long double const kappa = oracle.kappa(), largest = kappa * oracle.smallest();
  for (int j = 0; j < result.X.cols; ++j) {
    Real const* const x = result.X.column(j);
    if (!std::all_of(x, x + A.cols, [](Real entry) { return std::isfinite(entry); })) continue;
    Column const d = right_side(problem, inverse, j);
    auto const solution = oracle.solve(d);
    Column off(solution.x);
    for (int i = 0; i < A.cols; ++i) off[static_cast<std::size_t>(i)] -= x[i];
    long double const size = norm_of(Column(x, x + A.cols)) + least_size<Real>();
    auto const [gradient, residual] = gradient_and_residual(A, d, x);
    if (!(largest > 0)) continue;
    long double const of_gradient = largest * (norm_of(d) + largest * size);
    long double const of_x = kappa * size + kappa * kappa * residual / largest;
    ratios.gradient =
        std::max(ratios.gradient, static_cast<double>(gradient / of_gradient / unit_of_errors));
    ratios.forward =
        std::max(ratios.forward, static_cast<double>(norm_of(off) / of_x / unit_of_errors));
  }
  return ratios;
}

/// An infinite entry of X that is none in the oracle's solution.
template <class Real>
bool is_infinite_in_vain(LeastSquaresOracle const& oracle, LstsqProblem<Real> const& problem,
                         bool inverse, HostMatrix<Real> const& X) {
  for (int j = 0; j < X.cols; ++j) {
    auto const solution = oracle.solve(right_side(problem, inverse, j));
    for (int i = 0; i < X.rows; ++i)
      if (std::isinf(X(i, j)) && !(solution.size > std::numeric_limits<Real>::max() / 2))
        return true;
  }
  return false;
}

/// Is a singular value that Carroll tells the oracle's, to so many ε of the largest?
template <class Real>
bool agrees(Real told, long double expected, long double tolerance) {
  if (std::isinf(told)) return expected > std::numeric_limits<Real>::max() / 2;
  return std::abs(told - expected) <= tolerance + std::numeric_limits<Real>::denorm_min();
}

template <class Real>
std::string complaint_about(LstsqProblem<Real> const& problem, bool inverse,
                            LstsqOptions const& options, HostLstsq<Real> const& result,
                            double unit_of_errors) {
  std::ostringstream text;
  auto const& [info, X, guarded] = result;
  if (!guarded) text << " wrote beside its output;";
  bool const infinite =
      std::any_of(X.data.begin(), X.data.end(), [](Real x) { return std::isinf(x); });
  if (info.status != (infinite ? Status::overflow : Status::success))
    text << " status " << to_string(info.status) << (infinite ? " with infinities;" : ";");
  if (std::any_of(X.data.begin(), X.data.end(), [](Real x) { return std::isnan(x); })) {
    text << " X has a NaN;";
    return text.str();
  }
  auto const oracle = oracle_of(problem.A, options.rcond, unit_of_errors);
  auto const ratios = ratios_by(oracle, problem, inverse, result, unit_of_errors);
  if (infinite && ratios.clear && is_infinite_in_vain(oracle, problem, inverse, X))
    text << " an entry is infinite in vain;";
  // Nothing is left of what counts as zero that the gradient would show.
  if (options.rcond < 0 && !(ratios.gradient <= ratio_bar))
    text << " gradient " << ratios.gradient << ';';
  long double const largest = oracle.kappa() * oracle.smallest();
  long double const tolerance = ratio_bar * unit_of_errors * largest;
  if (!agrees(info.sigma_max, largest, tolerance)) text << " sigma_max " << info.sigma_max << ';';
  if (!ratios.clear) return text.str();
  if (info.rank != ratios.rank)
    text << " rank " << info.rank << ", must be " << ratios.rank << ';';
  else if (!agrees(info.sigma_min, ratios.rank > 0 ? oracle.smallest() : 0, tolerance))
    text << " sigma_min " << info.sigma_min << ';';
  if (!(ratios.forward <= ratio_bar)) text << " error " << ratios.forward << ';';
  return text.str();
}

}  // namespace

template <class Real>
LstsqRatios lstsq_ratios(LstsqProblem<Real> const& problem, bool inverse, double rcond,
                         HostLstsq<Real> const& result) {
  double const unit_of_errors = unit(problem.A);
  return ratios_by(oracle_of(problem.A, rcond, unit_of_errors), problem, inverse, result,
                   unit_of_errors);
}

template <class T>
std::string what_is_wrong(LstsqProblem<T> const& problem, bool inverse, LstsqOptions const& options,
                          HostLstsq<T> const& result) {
  if constexpr (is_complex<T>) {
    using Real = RealOf<T>;
    LstsqProblem<Real> const twice{embedded(problem.A), stacked(problem.B)};
    auto const& [info, X, guarded] = result;
    HostLstsq<Real> parts{info, inverse ? embedded(X) : stacked(X), guarded};
    parts.info.rank *= 2;
    return complaint_about(twice, inverse, options, parts, unit(twice.A) / 2);
  } else {
    return complaint_about(problem, inverse, options, result, unit(problem.A));
  }
}

template LstsqRatios lstsq_ratios(LstsqProblem<float> const&, bool, double,
                                  HostLstsq<float> const&);
template LstsqRatios lstsq_ratios(LstsqProblem<double> const&, bool, double,
                                  HostLstsq<double> const&);
#define CARROLL_TEST_INSTANTIATE(T)                                                     \
  template std::string what_is_wrong(LstsqProblem<T> const&, bool, LstsqOptions const&, \
                                     HostLstsq<T> const&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<float>);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<double>);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
