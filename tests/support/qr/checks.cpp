// SPDX-License-Identifier: BSD-3-Clause
#include "support/qr/checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <sstream>
#include <vector>

#include "support/tolerance.hpp"

namespace carroll::test {
namespace {

/// Column j of A·P is this one of A.
template <class Real>
int source_of(HostQr<Real> const& result, int j) {
  return result.P.empty() ? j : result.P[static_cast<std::size_t>(j)];
}

/// R(k, k) is the norm of the longest of the columns that are left, in units of n·ε; columns that
/// are far shorter than the longest of all may stand anywhere.
template <class Real>
double order_fault(HostQr<Real> const& result) {
  auto const& R = result.R;
  int const diagonal = std::min(R.rows, R.cols);
  double worst = 0;
  long double const least =
      diagonal == 0 ? 0
                    : std::ldexp(static_cast<long double>(R(0, 0)), sizeof(Real) == 4 ? -30 : -200);
  for (int k = 0; k < diagonal; ++k)
    for (int j = k + 1; j < R.cols; ++j) {
      long double square = 0;
      for (int i = k; i < std::min(j + 1, R.rows); ++i)
        square += static_cast<long double>(R(i, j)) * R(i, j);
      // Subnormal numbers have no relative precision.
      long double const tiny = std::numeric_limits<Real>::denorm_min() / epsilon<Real>;
      long double const left = std::sqrt(square);
      long double const largest = std::max(static_cast<long double>(R(0, 0)), tiny);
      // Norms of what is left are known to rounding errors of whole columns.
      if (left > least && left > R(k, k))
        worst = std::max(worst, static_cast<double>((left - R(k, k)) / largest));
    }
  return worst / (std::max(R.cols, 1) * epsilon<Real>);
}

template <class Real>
bool is_permutation_of_columns(HostQr<Real> const& result) {
  std::vector<int> sorted = result.P, expected(result.P.size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(expected.begin(), expected.end(), 0);
  return sorted == expected;
}

}  // namespace

template <class Real>
QrRatios qr_ratios(HostMatrix<Real> const& A, HostQr<Real> const& result) {
  int const m = A.rows, n = A.cols;
  if (m == 0) return {};
  auto const& [info, Q, R, P, guarded] = result;
  auto const unit = static_cast<long double>(std::max(m, n) * epsilon<Real>);
  // Subnormal numbers have no relative precision.
  long double const least = std::numeric_limits<Real>::denorm_min() / epsilon<Real>;
  long double residual = 0, deviation = 0;
  for (int j = 0; j < n; ++j) {
    Real const* const a = A.column(source_of(result, j));
    long double square = 0, norm = 0;
    for (int i = 0; i < m; ++i) {
      long double sum = -static_cast<long double>(a[i]);
      norm += static_cast<long double>(a[i]) * a[i];
      for (int k = 0; k < std::min(R.rows, j + 1); ++k)
        sum += static_cast<long double>(Q(i, k)) * R(k, j);
      square += sum * sum;
    }
    residual = std::max(residual, std::sqrt(square) / std::max(std::sqrt(norm), least));
  }
  for (int j = 0; j < Q.cols; ++j) {
    long double column = 0;
    for (int k = 0; k < Q.cols; ++k) {
      long double sum = j == k ? -1 : 0;
      for (int i = 0; i < m; ++i) sum += static_cast<long double>(Q(i, j)) * Q(i, k);
      column += std::abs(sum);
    }
    deviation = std::max(deviation, column);
  }
  return {static_cast<double>(residual / unit), static_cast<double>(deviation / unit)};
}

template <class Real>
std::string what_is_wrong(HostMatrix<Real> const& A, HostQr<Real> const& result) {
  std::ostringstream text;
  auto const& [info, Q, R, P, guarded] = result;
  if (!guarded) text << " wrote beside its outputs;";
  if (!is_permutation_of_columns(result)) {
    text << " P is no permutation;";
    return text.str();
  }
  for (int j = 0; j < R.cols; ++j)
    for (int i = j; i < R.rows; ++i) {
      if (i > j && !(R(i, j) == 0)) text << " R is not zero below its diagonal;";
      if (i == j && !(R(i, j) >= 0)) text << " R has a negative diagonal;";
    }
  if (!all_finite(Q.data)) text << " Q is not finite;";
  if (info.status == Status::overflow) {
    bool const infinite =
        std::any_of(R.data.begin(), R.data.end(), [](Real x) { return std::isinf(x); });
    if (!infinite) text << " overflow without an infinity;";
    return text.str();
  }
  if (info.status != Status::success) text << " status " << to_string(info.status) << ';';
  if (!all_finite(R.data)) {
    text << " R is not finite;";
    return text.str();
  }
  if (R.cols > 0 && P.empty() != (info.rank == -1)) text << " rank " << info.rank << ';';
  if (!P.empty()) {
    double const fault = order_fault(result);
    if (!(fault <= ratio_bar)) text << " a column left behind is longer by " << fault << " n eps;";
  }
  if (Q.cols > 0) {
    auto const ratios = qr_ratios(A, result);
    if (!(ratios.residual <= ratio_bar)) text << " residual " << ratios.residual << ';';
    if (!(ratios.orthogonality <= ratio_bar)) text << " deviation " << ratios.orthogonality << ';';
  }
  return text.str();
}

#define CARROLL_TEST_INSTANTIATE(Real)                                       \
  template QrRatios qr_ratios(HostMatrix<Real> const&, HostQr<Real> const&); \
  template std::string what_is_wrong(HostMatrix<Real> const&, HostQr<Real> const&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
