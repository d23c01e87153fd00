// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "support/complex_entries.hpp"
#include "support/host_matrix.hpp"
#include "support/random.hpp"
#include "support/svd/matrix_types.hpp"

/// Matrices over float, double or Kokkos::complex of these, for tests of solvers that take either.
namespace carroll::test::field {

/// As an oracle computes.
template <class Value>
using Wide = std::conditional_t<is_complex<Value>, std::complex<long double>, long double>;

template <class Value>
[[nodiscard]] Wide<Value> widened(Value const& x) {
  if constexpr (is_complex<Value>)
    return {x.real(), x.imag()};
  else
    return x;
}

/// What follows is inlined in tests that are hardly optimised, too.
///
/// As ratios of residuals are computed: twice a float's precision is enough for it, and quicker.
template <class Value>
using Checked =
    std::conditional_t<std::is_same_v<RealOf<Value>, float>,
                       std::conditional_t<is_complex<Value>, std::complex<double>, double>,
                       Wide<Value>>;

template <class Value>
[[nodiscard, gnu::always_inline]] inline Checked<Value> checked(Value const& x) {
  if constexpr (is_complex<Value>)
    return {x.real(), x.imag()};
  else
    return x;
}

template <std::floating_point Real>
[[nodiscard, gnu::always_inline]] inline Real conjugated(Real x) {
  return x;
}
template <std::floating_point Real>
[[nodiscard, gnu::always_inline]] inline std::complex<Real> conjugated(
    std::complex<Real> const& x) {
  return std::conj(x);
}

/// a·b; C++'s product of complex numbers looks for infinities first, which takes most of its time.
template <std::floating_point Real>
[[nodiscard, gnu::always_inline]] inline Real product(Real a, Real b) {
  return a * b;
}
template <std::floating_point Real>
[[nodiscard, gnu::always_inline]] inline std::complex<Real> product(std::complex<Real> const& a,
                                                                    std::complex<Real> const& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// |x|²; C++'s norm of a real number goes through complex ones.
template <std::floating_point Real>
[[nodiscard, gnu::always_inline]] inline Real squared_size(Real x) {
  return x * x;
}
template <std::floating_point Real>
[[nodiscard, gnu::always_inline]] inline Real squared_size(std::complex<Real> const& x) {
  return std::norm(x);
}

/// From a real part and an imaginary one, which real matrices do without.
template <class Value>
[[nodiscard]] HostMatrix<Value> combined(HostMatrix<RealOf<Value>> const& re,
                                         HostMatrix<RealOf<Value>> const& im) {
  HostMatrix<Value> A(re.rows, re.cols);
  for (std::size_t k = 0; k < A.data.size(); ++k) {
    if constexpr (is_complex<Value>)
      A.data[k] = Value(re.data[k], im.data[k]);
    else
      A.data[k] = re.data[k];
  }
  return A;
}

/// Of complex numbers both parts are of the type.
template <class Value>
[[nodiscard]] HostMatrix<Value> make_field_matrix(MatrixType type, int rows, int cols,
                                                  std::uint64_t seed) {
  using Real = RealOf<Value>;
  auto const re = make_matrix<Real>(type, rows, cols, seed);
  return combined<Value>(
      re, is_complex<Value> ? make_matrix<Real>(type, rows, cols, seed + 100) : HostMatrix<Real>());
}

/// Normally distributed parts.
template <class Value>
[[nodiscard]] HostMatrix<Value> random_matrix(Random& random, int rows, int cols) {
  HostMatrix<Value> A(rows, cols);
  for (Value& x : A.data) x = normal_entry<Value>(random);
  return A;
}

}  // namespace carroll::test::field
