// SPDX-License-Identifier: BSD-3-Clause
#include "support/eigh/checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <vector>

#include "support/field_matrix.hpp"
#include "support/tolerance.hpp"

namespace carroll::test {
namespace {

/// Largest sum of the moduli of a column.
template <class Entry>
long double one_norm(int n, Entry const& entry) {
  long double largest = 0;
  for (int j = 0; j < n; ++j) {
    long double sum = 0;
    for (int i = 0; i < n; ++i) sum += std::sqrt(field::squared_size(entry(i, j)));
    largest = std::max(largest, sum);
  }
  return largest;
}

/// An entry of each vector that no other exceeds in modulus, but for rounding, is positive; of real
/// ones the first of the largest.
template <class T>
bool signs_are_normal(HostMatrix<T> const& V) {
  for (int j = 0; j < V.cols; ++j) {
    T const* const v = V.column(j);
    auto const smaller = [](T const& x, T const& y) {
      return field::squared_size(field::widened(x)) < field::squared_size(field::widened(y));
    };
    T const* const largest = std::max_element(v, v + V.rows, smaller);
    if constexpr (is_complex<T>) {
      auto const size = std::abs(field::widened(*largest)) * (1 - 4 * epsilon<RealOf<T>>);
      if (std::none_of(v, v + V.rows,
                       [&](T const& x) { return x.imag() == 0 && x.real() >= size; }))
        return false;
    } else if (!(*largest > 0)) {
      return false;
    }
  }
  return true;
}

std::vector<long double> every_other(std::vector<long double> const& twice) {
  std::vector<long double> values;
  for (std::size_t k = 0; k < twice.size(); k += 2) values.push_back(twice[k]);
  return values;
}

}  // namespace

template <class T>
std::vector<long double> exact_eigenvalues(HostMatrix<T> const& A) {
  if constexpr (is_complex<T>)
    return every_other(quad_eigenvalues(embedded(A)));
  else
    return quad_eigenvalues(A);
}
template <class Real>
std::vector<long double> extended_eigenvalues(HostMatrix<Kokkos::complex<Real>> const& A) {
  return every_other(extended_eigenvalues(embedded(A)));
}

template <class T>
EighRatios eigh_ratios(HostMatrix<T> const& A, HostEigh<T> const& result) {
  using Real = RealOf<T>;
  int const n = A.rows;
  if (n == 0) return {};
  auto const& V = result.V;
  long double const unit = static_cast<long double>(n * epsilon<Real>);
  // Subnormal numbers have no relative precision.
  long double const least = std::numeric_limits<Real>::denorm_min() / epsilon<Real>;
  long double const norm =
      std::max(one_norm(n, [&](int i, int j) { return field::checked(A(i, j)); }), least);
  long double const residual = one_norm(n, [&](int i, int j) {
    auto sum = -field::checked(V(i, j)) * field::checked(result.W[static_cast<std::size_t>(j)]);
    for (int k = 0; k < n; ++k)
      sum += field::product(field::checked(A(i, k)), field::checked(V(k, j)));
    return sum;
  });
  long double const deviation = one_norm(n, [&](int i, int j) {
    field::Checked<T> sum = i == j ? -1 : 0;
    for (int k = 0; k < n; ++k)
      sum += field::product(field::conjugated(field::checked(V(k, i))), field::checked(V(k, j)));
    return sum;
  });
  return {static_cast<double>(residual / norm / unit), static_cast<double>(deviation / unit)};
}

template <class Real>
double eigenvalue_error(std::vector<long double> const& exact, std::vector<Real> const& W,
                        bool relative) {
  long double largest = std::numeric_limits<Real>::denorm_min() / epsilon<Real>;
  for (long double const x : exact) largest = std::max(largest, std::abs(x));
  long double worst = 0;
  for (std::size_t k = 0; k < W.size(); ++k) {
    long double const error = std::abs(static_cast<long double>(W[k]) - exact[k]);
    if (error > 0) worst = std::max(worst, error / (relative ? std::abs(exact[k]) : largest));
  }
  auto const n = static_cast<double>(std::max<std::size_t>(W.size(), 1));
  return static_cast<double>(worst) / (n * epsilon<Real>);
}
template <class T>
double eigenvalue_error(HostMatrix<T> const& A, std::vector<RealOf<T>> const& W, bool relative) {
  return eigenvalue_error(exact_eigenvalues(A), W, relative);
}

template <class T>
std::string what_is_wrong(HostMatrix<T> const& A, HostEigh<T> const& result, bool values) {
  std::ostringstream text;
  if (!result.guarded) text << " wrote beside its outputs;";
  if (result.info.status != Status::success)
    text << " status " << to_string(result.info.status) << ';';
  if (!all_finite(result.W) || !all_finite(parts_of(result.V.data))) {
    text << " not finite;";
    return text.str();
  }
  if (!std::is_sorted(result.W.begin(), result.W.end())) text << " not ascending;";
  if (values) {
    double const error = eigenvalue_error(extended_eigenvalues(A), result.W);
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

#define CARROLL_TEST_INSTANTIATE(T)                                                            \
  template std::vector<long double> exact_eigenvalues(HostMatrix<T> const&);                   \
  template EighRatios eigh_ratios(HostMatrix<T> const&, HostEigh<T> const&);                   \
  template double eigenvalue_error(HostMatrix<T> const&, std::vector<RealOf<T>> const&, bool); \
  template std::string what_is_wrong(HostMatrix<T> const&, HostEigh<T> const&, bool)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<float>);
CARROLL_TEST_INSTANTIATE(Kokkos::complex<double>);
#undef CARROLL_TEST_INSTANTIATE
#define CARROLL_TEST_INSTANTIATE(Real)                    \
  template std::vector<long double> extended_eigenvalues( \
      HostMatrix<Kokkos::complex<Real>> const&);          \
  template double eigenvalue_error(std::vector<long double> const&, std::vector<Real> const&, bool)
CARROLL_TEST_INSTANTIATE(float);
CARROLL_TEST_INSTANTIATE(double);
#undef CARROLL_TEST_INSTANTIATE

}  // namespace carroll::test
