// SPDX-License-Identifier: BSD-3-Clause
#include "support/eigh/checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <vector>

#include "support/eigh/quad_eigenvalues.hpp"
#include "support/tolerance.hpp"

namespace carroll::test {
namespace {

/// Largest sum of the moduli of a column.
template <class Entry>
long double one_norm(int n, Entry const& entry) {
  long double largest = 0;
  for (int j = 0; j < n; ++j) {
    long double sum = 0;
    for (int i = 0; i < n; ++i) sum += std::abs(entry(i, j));
    largest = std::max(largest, sum);
  }
  return largest;
}

/// The first of the largest entries of each vector is positive.
template <class Real>
bool signs_are_normal(HostMatrix<Real> const& V) {
  for (int j = 0; j < V.cols; ++j) {
    auto const* const v = V.column(j);
    auto const* const largest =
        std::max_element(v, v + V.rows, [](Real x, Real y) { return std::abs(x) < std::abs(y); });
    if (!(*largest > 0)) return false;
  }
  return true;
}

}  // namespace

template <class Real>
EighRatios eigh_ratios(HostMatrix<Real> const& A, HostEigh<Real> const& result) {
  int const n = A.rows;
  if (n == 0) return {};
  auto const& V = result.V;
  long double const unit = static_cast<long double>(n * epsilon<Real>);
  // Subnormal numbers have no relative precision.
  long double const least = std::numeric_limits<Real>::denorm_min() / epsilon<Real>;
  long double const norm =
      std::max(one_norm(n, [&](int i, int j) -> long double { return A(i, j); }), least);
  long double const residual = one_norm(n, [&](int i, int j) {
    long double sum = -static_cast<long double>(V(i, j)) * result.W[static_cast<std::size_t>(j)];
    for (int k = 0; k < n; ++k) sum += static_cast<long double>(A(i, k)) * V(k, j);
    return sum;
  });
  long double const deviation = one_norm(n, [&](int i, int j) {
    long double sum = i == j ? -1 : 0;
    for (int k = 0; k < n; ++k) sum += static_cast<long double>(V(k, i)) * V(k, j);
    return sum;
  });
  return {static_cast<double>(residual / norm / unit), static_cast<double>(deviation / unit)};
}

template <class Real>
double eigenvalue_error(HostMatrix<Real> const& A, std::vector<Real> const& W, bool relative) {
  auto const exact = quad_eigenvalues(A);
  long double largest = std::numeric_limits<Real>::denorm_min() / epsilon<Real>;
  for (long double const x : exact) largest = std::max(largest, std::abs(x));
  long double worst = 0;
  for (std::size_t k = 0; k < W.size(); ++k) {
    long double const error = std::abs(static_cast<long double>(W[k]) - exact[k]);
    if (error > 0) worst = std::max(worst, error / (relative ? std::abs(exact[k]) : largest));
  }
  return static_cast<double>(worst) / (std::max(A.rows, 1) * epsilon<Real>);
}

template <class Real>
std::string what_is_wrong(HostMatrix<Real> const& A, HostEigh<Real> const& result, bool values) {
  std::ostringstream text;
  if (!result.guarded) text << " wrote beside its outputs;";
  if (result.info.status != Status::success)
    text << " status " << to_string(result.info.status) << ';';
  if (!all_finite(result.W) || !all_finite(result.V.data)) {
    text << " not finite;";
    return text.str();
  }
  if (!std::is_sorted(result.W.begin(), result.W.end())) text << " not ascending;";
  if (values) {
    double const error = eigenvalue_error(A, result.W);
    if (!(error <= ratio_bar)) text << " eigenvalue off by " << error << " n eps;";
  }
  if (result.V.cols > 0) {
    if (!signs_are_normal(result.V)) text << " signs;";
    auto const ratios = eigh_ratios(A, result);
    if (!(ratios.residual <= ratio_bar)) text << " residual " << ratios.residual << ';';
    if (!(ratios.orthogonality <= ratio_bar)) text << " deviation " << ratios.orthogonality << ';';
  }
  return text.str();
}

#define CARROLL_TEST_INSTANTIATE(Real)                                                       \
  template EighRatios eigh_ratios(HostMatrix<Real> const&, HostEigh<Real> const&);           \
  template double eigenvalue_error(HostMatrix<Real> const&, std::vector<Real> const&, bool); \
  template std::string what_is_wrong(HostMatrix<Real> const&, HostEigh<Real> const&, bool)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
