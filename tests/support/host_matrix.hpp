// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

namespace carroll::test {

/// A column-major matrix on the host: the common currency of generators, oracles and checks.
/// Holds no Kokkos type, so that oracles compile without Kokkos.
template <class Real>
struct HostMatrix {
  using value_type = Real;

  int rows = 0;
  int cols = 0;
  std::vector<Real> data;

  HostMatrix() = default;
  HostMatrix(int row_count, int col_count)
      : rows(row_count),
        cols(col_count),
        data(static_cast<std::size_t>(row_count) * static_cast<std::size_t>(col_count), Real(0)) {}

  // Inlined in tests that are not optimised, too, where their calls are what takes long.
  [[nodiscard, gnu::always_inline]] Real& operator()(int i, int j) { return data[index(i, j)]; }
  [[nodiscard, gnu::always_inline]] Real const& operator()(int i, int j) const {
    return data[index(i, j)];
  }
  [[nodiscard]] Real* column(int j) { return data.data() + index(0, j); }
  [[nodiscard]] Real const* column(int j) const { return data.data() + index(0, j); }

 private:
  [[nodiscard, gnu::always_inline]] std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) +
           static_cast<std::size_t>(j) * static_cast<std::size_t>(rows);
  }
};

template <class Real>
[[nodiscard]] HostMatrix<Real> transposed(HostMatrix<Real> const& A) {
  HostMatrix<Real> T(A.cols, A.rows);
  for (int j = 0; j < A.cols; ++j)
    for (int i = 0; i < A.rows; ++i) T(j, i) = A(i, j);
  return T;
}

/// 2ᵏ·A, exact as long as no entry leaves the normal range.
template <class Real>
[[nodiscard]] HostMatrix<Real> scaled_by_power_of_two(HostMatrix<Real> A, int exponent) {
  for (Real& entry : A.data) entry = std::ldexp(entry, exponent);
  return A;
}

/// Compares bits and not values: NaNs of one kind are equal, +0 and −0 are not.
template <class Real>
[[nodiscard]] bool same_bits(std::vector<Real> const& a, std::vector<Real> const& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0);
}

template <class Real>
[[nodiscard]] bool same_bits(HostMatrix<Real> const& A, HostMatrix<Real> const& B) {
  return A.rows == B.rows && A.cols == B.cols && same_bits(A.data, B.data);
}

template <class Real>
[[nodiscard]] bool all_finite(std::vector<Real> const& values) {
  for (Real const value : values)
    if (!std::isfinite(value)) return false;
  return true;
}

template <class Real>
[[nodiscard]] bool all_nan(std::vector<Real> const& values) {
  for (Real const value : values)
    if (!std::isnan(value)) return false;
  return true;
}

}  // namespace carroll::test
