// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/strided.hpp>
#include <cstddef>

namespace carroll::detail {

/// Columns of a complex matrix without gaps: of each all real parts, then all imaginary parts. A
/// column is so one of 2·rows real numbers, too, with the same norm, and lanes that go down a
/// column read and write what lies side by side.
template <class Real>
struct SplitColumns {
  using Value = Kokkos::complex<Real>;
  Real* data;
  int rows;

  KOKKOS_FUNCTION Real* col(int j) const {
    return data + 2 * static_cast<std::ptrdiff_t>(j) * rows;
  }
  KOKKOS_FUNCTION Value operator()(int i, int j) const {
    Real const* const x = col(j);
    return {x[i], x[rows + i]};
  }
  KOKKOS_FUNCTION void set(int i, int j, Value const& z) const {
    Real* const x = col(j);
    x[i] = z.real();
    x[rows + i] = z.imag();
  }
};

/// One of them, as `apply_complex_reflectors` takes columns.
template <class Real>
struct SplitColumn {
  SplitColumns<Real> of;
  int j;
  KOKKOS_FUNCTION Kokkos::complex<Real> operator()(int i) const { return of(i, j); }
  KOKKOS_FUNCTION void set(int i, Kokkos::complex<Real> const& z) const { of.set(i, j, z); }
};

/// A column of the caller's.
template <class Real>
struct ComplexColumn {
  StridedVector<Kokkos::complex<Real>> of;
  KOKKOS_FUNCTION Kokkos::complex<Real> operator()(int i) const { return of(i); }
  KOKKOS_FUNCTION void set(int i, Kokkos::complex<Real> const& z) const { of(i) = z; }
};

}  // namespace carroll::detail
