// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "support/host_matrix.hpp"
#include "support/random.hpp"

namespace carroll::test {

using carroll::detail::is_complex;
using carroll::detail::RealOf;

template <carroll::FieldScalar T>
[[nodiscard]] RealOf<T> real_part(T const& x) {
  if constexpr (is_complex<T>)
    return x.real();
  else
    return x;
}
template <carroll::FieldScalar T>
[[nodiscard]] RealOf<T> imaginary_part(T const& x) {
  if constexpr (is_complex<T>)
    return x.imag();
  else
    return 0;
}

/// Of all entries; a real matrix has no imaginary part.
template <class T>
[[nodiscard]] HostMatrix<RealOf<T>> real_part(HostMatrix<T> const& A) {
  HostMatrix<RealOf<T>> part(A.rows, A.cols);
  for (std::size_t k = 0; k < A.data.size(); ++k) part.data[k] = real_part(A.data[k]);
  return part;
}
template <class T>
[[nodiscard]] HostMatrix<RealOf<T>> imaginary_part(HostMatrix<T> const& A) {
  if constexpr (!is_complex<T>) return {};
  HostMatrix<RealOf<T>> part(A.rows, A.cols);
  for (std::size_t k = 0; k < A.data.size(); ++k) part.data[k] = imaginary_part(A.data[k]);
  return part;
}

/// Numbers, of complex ones both parts.
template <class T>
[[nodiscard]] std::vector<RealOf<T>> parts_of(std::vector<T> const& values) {
  if constexpr (is_complex<T>) {
    std::vector<RealOf<T>> parts;
    parts.reserve(2 * values.size());
    for (T const& z : values) {
      parts.push_back(z.real());
      parts.push_back(z.imag());
    }
    return parts;
  } else {
    return values;
  }
}

/// The same, where they lie.
template <class T>
[[nodiscard]] std::span<RealOf<T>> parts_in(std::vector<T>& values) {
  return {reinterpret_cast<RealOf<T>*>(values.data()),
          values.size() * (sizeof(T) / sizeof(RealOf<T>))};
}

/// The last part of a number, of complex ones the imaginary one.
template <class T>
[[nodiscard]] RealOf<T>& last_part(T& x) {
  return reinterpret_cast<RealOf<T>*>(&x)[is_complex<T> ? 1 : 0];
}

/// Of a normal distribution, of complex numbers both parts.
template <class T>
[[nodiscard]] T normal_entry(Random& random, double size = 1) {
  auto const x = static_cast<RealOf<T>>(size * random.normal());
  if constexpr (is_complex<T>)
    return {x, static_cast<RealOf<T>>(size * random.normal())};
  else
    return x;
}

/// [Re -Im; Im Re], which has each singular value of A twice, of a Hermitian A each eigenvalue, and
/// whose pseudoinverse is that of A so written.
template <class Real>
[[nodiscard]] HostMatrix<Real> embedded(HostMatrix<Kokkos::complex<Real>> const& A) {
  HostMatrix<Real> R(2 * A.rows, 2 * A.cols);
  for (int j = 0; j < A.cols; ++j)
    for (int i = 0; i < A.rows; ++i) {
      auto const z = A(i, j);
      R(i, j) = R(A.rows + i, A.cols + j) = z.real();
      R(A.rows + i, j) = z.imag();
      R(i, A.cols + j) = -z.imag();
    }
  return R;
}

/// Its first columns alone, [Re; Im]: of right-hand sides and solutions.
template <class Real>
[[nodiscard]] HostMatrix<Real> stacked(HostMatrix<Kokkos::complex<Real>> const& A) {
  auto R = embedded(A);
  R.data.resize(R.data.size() / 2);
  R.cols = A.cols;
  return R;
}

/// 2ᵏ·A, part by part.
template <class Real>
[[nodiscard]] HostMatrix<Kokkos::complex<Real>> scaled_by_power_of_two(
    HostMatrix<Kokkos::complex<Real>> A, int exponent) {
  for (auto& z : A.data)
    z = Kokkos::complex<Real>(std::ldexp(z.real(), exponent), std::ldexp(z.imag(), exponent));
  return A;
}

}  // namespace carroll::test
