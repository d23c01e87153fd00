// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// z := alpha·x + beta·y for each entry of arrays of up to three dimensions; z may be x or y. With
/// alpha = 0, x is not read, and z is beta·y; with beta = 0, y is not, and z is alpha·x + 0. Both
/// products are rounded, then their sum is: the same bits on all devices.
template <class T>
struct Elementwise {
  T alpha{}, beta{};
  T const* x = nullptr;
  T const* y = nullptr;
  T* z = nullptr;
  /// Innermost dimension of z first.
  std::int64_t extents[3] = {1, 1, 1};
  std::ptrdiff_t x_strides[3] = {}, y_strides[3] = {}, z_strides[3] = {};

  [[nodiscard]] KOKKOS_FUNCTION bool reads_x() const { return !(alpha == T(0)); }
  [[nodiscard]] KOKKOS_FUNCTION bool reads_y() const { return !(beta == T(0)); }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t rows() const { return extents[1] * extents[2]; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t entries() const { return extents[0] * rows(); }

  /// `x`, `y`: any number where it is not read.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T value(T const& from_x, T const& from_y) const {
    if (reads_x()) return combined(alpha, from_x, beta, from_y);
    return reads_y() ? one_nan(rounded_multiple(beta, from_y)) : T(0);
  }

  /// Are all entries side by side, in the same order?
  [[nodiscard]] bool is_flat() const {
    return rows() == 1 && (!reads_x() || x_strides[0] == 1) && (!reads_y() || y_strides[0] == 1) &&
           z_strides[0] == 1;
  }
};

}  // namespace carroll::detail
