// SPDX-License-Identifier: BSD-3-Clause
#include "support/solve/checks.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <sstream>

#include "support/field_matrix.hpp"
#include "support/tolerance.hpp"

namespace carroll::test {
namespace {

/// What rounding at the end of the range may add to an entry: subnormal numbers have no relative
/// precision.
template <class T>
constexpr long double smallest_number = std::numeric_limits<RealOf<T>>::denorm_min();

template <class T>
long double unit_of(HostSystem<T> const& system, HostSolve<T> const& result) {
  return static_cast<long double>(system.A.rows * epsilon<RealOf<T>>) * result.info.growth;
}

/// Was A scaled before it was eliminated?
bool is_scaled(ExactSolution const& exact) {
  auto const is = [](int e) { return e != 0; };
  return std::any_of(exact.rows.begin(), exact.rows.end(), is) ||
         std::any_of(exact.cols.begin(), exact.cols.end(), is);
}

template <class T>
double residual_ratio(HostSystem<T> const& system, ExactSolution const& exact,
                      HostSolve<T> const& result) {
  auto const& [A, B] = system;
  int const n = A.rows;
  bool const scaled = is_scaled(exact);
  long double top = 0, worst = 0;
  for (T const& x : A.data) top = std::max(top, static_cast<long double>(detail::largest_part(x)));
  for (int j = 0; j < B.cols; ++j) {
    long double most = 0;
    for (int i = 0; i < n; ++i)
      most = std::max(most, std::ldexp(std::abs(field::widened(B(i, j))),
                                       exact.rows[static_cast<std::size_t>(i)]));
    for (int i = 0; i < n; ++i) {
      int const row = exact.rows[static_cast<std::size_t>(i)];
      field::Wide<T> sum = field::widened(B(i, j));
      long double size = 0, lost = smallest_number<T>;
      for (int k = 0; k < n; ++k) {
        field::Wide<T> const a = field::widened(A(i, k)), x = field::widened(result.X(k, j));
        int const col = exact.cols[static_cast<std::size_t>(k)];
        sum -= field::product(a, x);
        size += (scaled ? std::ldexp(1.0L, -row - col) : top) * std::abs(x);
        lost += std::abs(a) * smallest_number<T>;  // where x is subnormal
      }
      // Entries of B that are 2^-bias times the largest count as zero.
      lost += std::ldexp(most, -row) * std::numeric_limits<RealOf<T>>::min();
      long double const excess = std::max(std::abs(sum) - static_cast<long double>(n) * lost, 0.0L);
      if (excess > 0) worst = std::max(worst, excess / size);
    }
  }
  return static_cast<double>(worst / unit_of(system, result));
}

template <class T>
field::Wide<T> exact_entry(ExactSolution const& exact, [[maybe_unused]] int n, int i, int j) {
  if constexpr (is_complex<T>)
    return {exact.X(i, j), exact.X(n + i, j)};
  else
    return exact.X(i, j);
}

template <class T>
double error_ratio(HostSystem<T> const& system, ExactSolution const& exact,
                   HostSolve<T> const& result) {
  long double const unit = unit_of(system, result) / static_cast<long double>(exact.rcond);
  if (!(unit < 0.1L)) return 0;
  long double worst = 0;
  for (int j = 0; j < system.B.cols; ++j) {
    long double size = 0, error = 0;
    for (int i = 0; i < system.A.rows; ++i) {
      int const col = exact.cols[static_cast<std::size_t>(i)];
      field::Wide<T> const x = exact_entry<T>(exact, system.A.rows, i, j);
      size = std::max(size, std::ldexp(std::abs(x), -col));
      error = std::max(
          error,
          std::ldexp(
              std::max(std::abs(x - field::widened(result.X(i, j))) - smallest_number<T>, 0.0L),
              -col));
    }
    if (error > 0) worst = std::max(worst, error / size);
  }
  return static_cast<double>(worst / unit);
}

/// Is an estimate that is far from right LAPACK's, of the matrix as it was scaled? The method knows
/// no bound for how far it may be.
template <class T>
bool is_as_lapacks(HostSystem<T> const& system, ExactSolution const& exact, double rcond) {
  HostMatrix<T> A = system.A;
  for (int j = 0; j < A.cols; ++j)
    for (int i = 0; i < A.rows; ++i)
      A(i, j) = detail::scale_parts(A(i, j), exact.rows[static_cast<std::size_t>(i)] +
                                                 exact.cols[static_cast<std::size_t>(j)]);
  auto const theirs = lapack_solution(for_lapack(A), for_lapack(system.B));
  return !theirs || rcond <= 2 * theirs->rcond;
}

/// DGET06's comparison of reciprocal conditions, where it can be known.
template <class T>
std::string condition_fault(HostSystem<T> const& system, ExactSolution const& exact,
                            HostSolve<T> const& result, bool inverse) {
  std::ostringstream text;
  double const rcond = static_cast<double>(result.info.rcond), right = exact.rcond;
  double const noise = static_cast<double>(unit_of(system, result));
  if (rcond == -1) {
    if (inverse) text << " no condition;";
    return text.str();
  }
  if (exact.singular || right < noise) {
    if (!(rcond <= 100 * noise)) text << " rcond " << rcond << " of a singular matrix;";
    return text.str();
  }
  double const slack = std::min(1.0, 10 * noise / right) + 1e-4;
  if (!(rcond >= right * (1 - slack))) text << " rcond " << rcond << " below " << right << ';';
  if (!(rcond <= right * (inverse ? 1 + slack : 10) + 10 * noise) &&
      (inverse || !is_as_lapacks(system, exact, rcond)))
    text << " rcond " << rcond << " above " << right << ';';
  if (result.info.ill_conditioned !=
      (result.info.rcond < std::numeric_limits<RealOf<T>>::epsilon()))
    text << " ill_conditioned " << result.info.ill_conditioned << " of " << rcond << ';';
  return text.str();
}

}  // namespace

template <class T>
SolveRatios solve_ratios(HostSystem<T> const& system, ExactSolution const& exact,
                         HostSolve<T> const& result) {
  if (system.A.rows == 0 || exact.singular) return {};
  return {residual_ratio(system, exact, result), error_ratio(system, exact, result)};
}

template <class T>
std::string what_is_wrong(HostSystem<T> const& system, ExactSolution const& exact,
                          HostSolve<T> const& result, bool inverse) {
  std::ostringstream text;
  auto const& info = result.info;
  int const n = system.A.rows;
  if (!result.guarded) text << " wrote beside its output;";
  if (n == 0) {
    if (info.status != Status::success || !(info.growth == 1)) text << " of order 0;";
    return text.str();
  }
  double const growth = static_cast<double>(info.growth);
  // A pivot that is largest by |re| + |im| leaves complex multipliers up to sqrt(2) in modulus, and
  // a product of such a one up to twice the other factor's |re| + |im|.
  double const most = 1.1 * std::pow(is_complex<T> ? 3.0 : 2.0, n - 1);
  if (!(growth >= 1) || !(growth <= most || info.status == Status::breakdown))
    text << " growth " << growth << ';';
  if (info.status == Status::singular || info.status == Status::breakdown) {
    double const bar = 10 * n * epsilon<RealOf<T>> * growth;
    if (!exact.singular && exact.rcond > bar)
      text << ' ' << to_string(info.status) << " with rcond " << exact.rcond << ';';
    if (!all_nan(parts_of(result.X.data))) text << " there is an X;";
    return text.str();
  }
  text << condition_fault(system, exact, result, inverse);
  if (info.status == Status::overflow) {
    auto const parts = parts_of(result.X.data);
    bool const infinite =
        std::any_of(parts.begin(), parts.end(), [](RealOf<T> x) { return std::isinf(x); });
    if (!infinite) text << " overflow without an infinity;";
    return text.str();
  }
  if (info.status != Status::success) text << " status " << to_string(info.status) << ';';
  if (!all_finite(parts_of(result.X.data))) {
    text << " X is not finite;";
    return text.str();
  }
  auto const ratios = solve_ratios(system, exact, result);
  if (!(ratios.residual <= ratio_bar)) text << " residual " << ratios.residual << ';';
  if (!(ratios.error <= ratio_bar)) text << " error " << ratios.error << ';';
  return text.str();
}

#define CARROLL_TEST_INSTANTIATE(T)                                              \
  template SolveRatios solve_ratios(HostSystem<T> const&, ExactSolution const&,  \
                                    HostSolve<T> const&);                        \
  template std::string what_is_wrong(HostSystem<T> const&, ExactSolution const&, \
                                     HostSolve<T> const&, bool)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<float>);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<double>);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
