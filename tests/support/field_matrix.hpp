// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <complex>
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

[[nodiscard]] inline long double conjugated(long double x) {
  return x;
}
[[nodiscard]] inline std::complex<long double> conjugated(std::complex<long double> const& x) {
  return std::conj(x);
}

/// a·b; C++'s product of complex numbers looks for infinities first, which takes most of its time.
[[nodiscard]] inline long double product(long double a, long double b) {
  return a * b;
}
[[nodiscard]] inline std::complex<long double> product(std::complex<long double> const& a,
                                                       std::complex<long double> const& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// |x|²; C++'s norm of a real number goes through complex ones.
[[nodiscard]] inline long double squared_size(long double x) {
  return x * x;
}
[[nodiscard]] inline long double squared_size(std::complex<long double> const& x) {
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
