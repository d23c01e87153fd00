// SPDX-License-Identifier: BSD-3-Clause
#include "support/qr/checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <sstream>
#include <vector>

#include "support/field_matrix.hpp"
#include "support/tolerance.hpp"

namespace carroll::test {
namespace {

/// Column j of A·P is this one of A.
template <class Value>
int source_of(HostQr<Value> const& result, int j) {
  return result.P.empty() ? j : result.P[static_cast<std::size_t>(j)];
}

/// R(k, k) is the norm of the longest of the columns that are left, in units of n·ε; columns that
/// are far shorter than the longest of all may stand anywhere.
template <class Value>
double order_fault(HostQr<Value> const& result) {
  using Real = RealOf<Value>;
  auto const& R = result.R;
  int const diagonal = std::min(R.rows, R.cols);
  double worst = 0;
  long double const least = diagonal == 0 ? 0
                                          : std::ldexp(static_cast<long double>(real_part(R(0, 0))),
                                                       sizeof(Real) == 4 ? -30 : -200);
  for (int k = 0; k < diagonal; ++k)
    for (int j = k + 1; j < R.cols; ++j) {
      long double square = 0;
      for (int i = k; i < std::min(j + 1, R.rows); ++i)
        square += field::squared_size(field::widened(R(i, j)));
      // Subnormal numbers have no relative precision.
      long double const tiny = std::numeric_limits<Real>::denorm_min() / epsilon<Real>;
      long double const left = std::sqrt(square);
      long double const largest = std::max(static_cast<long double>(real_part(R(0, 0))), tiny);
      // Norms of what is left are known to rounding errors of whole columns.
      long double const taken = real_part(R(k, k));
      if (left > least && left > taken)
        worst = std::max(worst, static_cast<double>((left - taken) / largest));
    }
  return worst / (std::max(R.cols, 1) * epsilon<Real>);
}

template <class Value>
bool is_permutation_of_columns(HostQr<Value> const& result) {
  std::vector<int> sorted = result.P, expected(result.P.size());
  std::sort(sorted.begin(), sorted.end());
  std::iota(expected.begin(), expected.end(), 0);
  return sorted == expected;
}

}  // namespace

template <class Value>
QrRatios qr_ratios(HostMatrix<Value> const& A, HostQr<Value> const& result) {
  using Real = RealOf<Value>;
  int const m = A.rows, n = A.cols;
  if (m == 0) return {};
  auto const& [info, Q, R, P, guarded] = result;
  auto const unit = static_cast<long double>(std::max(m, n) * epsilon<Real>);
  // Subnormal numbers have no relative precision.
  long double const least = std::numeric_limits<Real>::denorm_min() / epsilon<Real>;
  long double residual = 0;
  std::vector<field::Checked<Value>> off(static_cast<std::size_t>(m));
  for (int j = 0; j < n; ++j) {
    Value const* const a = A.column(source_of(result, j));
    long double square = 0, norm = 0;
    for (std::size_t i = 0; i < off.size(); ++i) off[i] = -field::checked(a[i]);
    for (auto const& x : off) norm += field::squared_size(x);
    for (int k = 0; k < std::min(R.rows, j + 1); ++k) {
      auto const r = field::checked(R(k, j));
      Value const* const q = Q.column(k);
      for (std::size_t i = 0; i < off.size(); ++i)
        off[i] += field::product(field::checked(q[i]), r);
    }
    for (auto const& x : off) square += field::squared_size(x);
    residual = std::max(residual, std::sqrt(square) / std::max(std::sqrt(norm), least));
  }
  // Sums of columns of the Hermitian matrix I - QᴴQ.
  std::vector<long double> columns(static_cast<std::size_t>(Q.cols));
  for (int j = 0; j < Q.cols; ++j)
    for (int k = 0; k <= j; ++k) {
      Value const *const x = Q.column(j), *const y = Q.column(k);
      field::Checked<Value> sum = j == k ? -1 : 0;
      for (int i = 0; i < m; ++i)
        sum += field::product(field::conjugated(field::checked(x[i])), field::checked(y[i]));
      long double const size = std::sqrt(field::squared_size(sum));
      columns[static_cast<std::size_t>(j)] += size;
      if (k < j) columns[static_cast<std::size_t>(k)] += size;
    }
  long double const deviation =
      columns.empty() ? 0 : *std::max_element(columns.begin(), columns.end());
  return {static_cast<double>(residual / unit), static_cast<double>(deviation / unit)};
}

template <class Value>
std::string what_is_wrong(HostMatrix<Value> const& A, HostQr<Value> const& result) {
  std::ostringstream text;
  auto const& [info, Q, R, P, guarded] = result;
  if (!guarded) text << " wrote beside its outputs;";
  if (!is_permutation_of_columns(result)) {
    text << " P is no permutation;";
    return text.str();
  }
  for (int j = 0; j < R.cols; ++j)
    for (int i = j; i < R.rows; ++i) {
      Value const& x = R(i, j);
      if (i > j && !(x == Value(0))) text << " R is not zero below its diagonal;";
      if (i == j && !(real_part(x) >= 0)) text << " R has a negative diagonal;";
      if (i == j && imaginary_part(x) != 0) text << " R's diagonal is not real;";
    }
  if (!all_finite(parts_of(Q.data))) text << " Q is not finite;";
  if (info.status == Status::overflow) {
    auto const parts = parts_of(R.data);
    bool const infinite =
        std::any_of(parts.begin(), parts.end(), [](auto x) { return std::isinf(x); });
    if (!infinite) text << " overflow without an infinity;";
    return text.str();
  }
  if (info.status != Status::success) text << " status " << to_string(info.status) << ';';
  if (!all_finite(parts_of(R.data))) {
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

#define CARROLL_TEST_INSTANTIATE(Value)                                        \
  template QrRatios qr_ratios(HostMatrix<Value> const&, HostQr<Value> const&); \
  template std::string what_is_wrong(HostMatrix<Value> const&, HostQr<Value> const&)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<float>);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<double>);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
