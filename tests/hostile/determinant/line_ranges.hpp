// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/field.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/determinant/drivers.hpp"
#include "support/host_matrix.hpp"

/// How far the entries of rows and columns are apart, and what scaling makes of them.
namespace carroll::test {

template <class T>
bool is_finite(HostMatrix<T> const& A) {
  for (T const& x : A.data)
    if (!std::isfinite(detail::largest_part(x))) return false;
  return true;
}
template <class T>
bool has_zero_line(HostMatrix<T> const& A) {
  for (int k = 0; k < A.rows; ++k) {
    bool row = true, column = true;
    for (int l = 0; l < A.rows; ++l) {
      row = row && A(k, l) == T(0);
      column = column && A(l, k) == T(0);
    }
    if (row || column) return true;
  }
  return false;
}

/// Exponents of the largest and smallest parts of a row.
template <class T>
struct LineRange {
  using Real = RealOf<T>;
  int high = std::numeric_limits<int>::min(), low = std::numeric_limits<int>::max();
  void add(Real x) {
    if (x == 0) return;
    high = std::max(high, std::ilogb(x) + 1);
    low = std::min(low, std::ilogb(x) + 1);
  }
  void add(T const& x, bool by_parts) {
    if constexpr (detail::is_complex<T>) {
      if (by_parts) {
        add(x.real());
        add(x.imag());
        return;
      }
    }
    add(detail::largest_part(x));
  }
  [[nodiscard]] bool is_zero() const { return high < low; }
};
template <class T>
LineRange<T> range_of_row(HostMatrix<T> const& A, int i, bool by_parts) {
  LineRange<T> range;
  for (int j = 0; j < A.cols; ++j) range.add(A(i, j), by_parts);
  return range;
}

/// Powers of two above the largest entries of columns, where these are scaled, and then of rows.
/// False for zero rows or columns.
template <class T>
bool scaling_of(HostMatrix<T> const& A, std::vector<int>& rows, std::vector<int>& columns) {
  auto const n = static_cast<std::size_t>(A.rows);
  rows.assign(n, std::numeric_limits<int>::min() / 2);
  columns.assign(n, 0);
  if (has_zero_line(A)) return false;
  bool wide = false;
  for (int i = 0; i < A.rows; ++i) {
    LineRange<T> const range = range_of_row(A, i, false);
    wide = wide || range.high - range.low > detail::widest_row<T>;
  }
  auto const exponent = [&](int i, int j) { return std::ilogb(detail::largest_part(A(i, j))) + 1; };
  for (int j = 0; j < A.cols && wide; ++j) {
    int& column = columns[static_cast<std::size_t>(j)];
    column = std::numeric_limits<int>::min();
    for (int i = 0; i < A.rows; ++i)
      if (A(i, j) != T(0)) column = std::max(column, exponent(i, j));
  }
  for (int i = 0; i < A.rows; ++i)
    for (int j = 0; j < A.cols; ++j)
      if (A(i, j) != T(0)) {
        int& row = rows[static_cast<std::size_t>(i)];
        row = std::max(row, exponent(i, j) - columns[static_cast<std::size_t>(j)]);
      }
  return true;
}

}  // namespace carroll::test
