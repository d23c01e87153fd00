// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/strided.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace carroll::detail {

/// x + a·b of real numbers, rounded once; where a host is not known to have an instruction for
/// that, twice.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real add_product(Real a, Real b, Real x) {
#if defined(CARROLL_DEVICE_PASS) || defined(__FMA__) || defined(__aarch64__)
  return Kokkos::fma(a, b, x);
#else
  return x + a * b;
#endif
}

/// x + a·b; of complex numbers each part is a chain of two of these.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T plus_product(T const& a, T const& b, T const& x) {
  if constexpr (is_complex<T>)
    return {add_product(-a.imag(), b.imag(), add_product(a.real(), b.real(), x.real())),
            add_product(a.imag(), b.real(), add_product(a.real(), b.imag(), x.imag()))};
  else
    return add_product(a, b, x);
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T conjugate_if([[maybe_unused]] bool yes, T const& x) {
  if constexpr (is_complex<T>)
    return {x.real(), yes ? -x.imag() : x.imag()};
  else
    return x;
}

/// Matrices at equal distances.
template <class T>
struct MatrixBatch {
  T* data = nullptr;
  std::ptrdiff_t distance = 0, row_stride = 1, col_stride = 0;

  KOKKOS_FUNCTION StridedMatrix<T> operator[](int member) const {
    return {data + member * distance, row_stride, col_stride};
  }
  [[nodiscard]] MatrixBatch transposed() const { return {data, distance, col_stride, row_stride}; }
  /// Do 16 bytes along a column that begin where a multiple of 16 bytes does lie so in memory?
  [[nodiscard]] bool has_wide_columns() const {
    constexpr std::ptrdiff_t entries = 16 / static_cast<std::ptrdiff_t>(sizeof(T));
    return row_stride == 1 && col_stride % entries == 0 && distance % entries == 0 &&
           reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
  }
};

/// C := alpha·A·B + beta·C for each member of a batch: m×k A, k×n B, m×n C. Transposes are strides.
/// With beta = 0, C is not read.
template <class T>
struct MatrixProduct {
  int m = 0, n = 0, k = 0, batch = 0;
  T alpha{}, beta{};
  MatrixBatch<T const> a, b;
  MatrixBatch<T> c;
  bool conjugate_a = false, conjugate_b = false;

  /// Cᵀ := alpha·Bᵀ·Aᵀ + beta·Cᵀ: the same sums.
  [[nodiscard]] MatrixProduct transposed() const {
    MatrixProduct p = *this;
    std::swap(p.m, p.n);
    p.a = b.transposed();
    p.b = a.transposed();
    p.c = c.transposed();
    std::swap(p.conjugate_a, p.conjugate_b);
    return p;
  }
  /// Sums are of a·b or a·conj(b): conj(a)·b = conj(a·conj(b)).
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool conjugate_factor() const {
    return conjugate_a != conjugate_b;
  }
  /// Of a member: A, B, and their extents, which all members share.
  KOKKOS_FORCEINLINE_FUNCTION StridedMatrix<T const> left(int member) const { return a[member]; }
  KOKKOS_FORCEINLINE_FUNCTION StridedMatrix<T const> right(int member) const { return b[member]; }
  KOKKOS_FORCEINLINE_FUNCTION int rows(int /*member*/) const { return m; }
  KOKKOS_FORCEINLINE_FUNCTION int cols(int /*member*/) const { return n; }
  KOKKOS_FORCEINLINE_FUNCTION int terms(int /*member*/) const { return k; }
  /// Is a tile of C wanted? All are.
  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION bool wants(Place const& /*place*/, int /*tile_rows*/,
                                         int /*tile_cols*/) const {
    return true;
  }
  /// What C has for a sum.
  KOKKOS_FORCEINLINE_FUNCTION T result(T const& sum, T const& before) const {
    return beta == T(0) ? alpha * conjugate_if(conjugate_a, sum)
                        : plus_product(beta, before, alpha * conjugate_if(conjugate_a, sum));
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(StridedMatrix<T> const& C, int i, int j,
                                         T const& sum) const {
    T& entry = C(i, j);
    entry = beta == T(0) ? alpha * conjugate_if(conjugate_a, sum) : result(sum, entry);
  }
};

/// The terms of a sum in `parts` ranges of `depth` each; with several, sums of a part go to
/// partial[part][member][j][i]. Fixed by the extents alone, so that the order of summation is.
template <class T>
struct TermParts {
  int parts = 1, depth = 0;
  T* partial = nullptr;
};

}  // namespace carroll::detail
