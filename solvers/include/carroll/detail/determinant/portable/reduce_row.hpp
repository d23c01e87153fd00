// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/problem.hpp>

/// One row against rows that have been eliminated before it, in contiguous memory:
///
///   r_j := r_j − Σ_{s<min(steps,j)} r_s·u_sj,
///
/// where u is unit upper triangular: the entries of the rows above, divided by their pivots. Terms
/// are added in fours before they are subtracted: sums of few terms are small next to r_j, and so
/// are their rounding errors. Which ones go together depends on s and j alone.
namespace carroll::detail {

/// Columns whose sums a host's thread holds in vector registers; row lengths are padded to them.
template <class T>
inline constexpr int row_tile = sizeof(T) >= 16 ? 8 : 128 / int(sizeof(T));

/// Entries from one row of a packed matrix to the next.
template <class T>
KOKKOS_INLINE_FUNCTION int padded_row(int n) {
  return (n + row_tile<T> - 1) / row_tile<T> * row_tile<T>;
}

/// Rows that have been eliminated, `pitch` entries apart.
template <class T>
struct EliminatedRows {
  T const* data;
  int pitch;
  KOKKOS_FUNCTION T const* row(int s) const {
    return data + static_cast<std::ptrdiff_t>(s) * pitch;
  }
};

/// The `steps` first terms for Width entries of the row from column j on, j >= steps.
template <int Width, class T>
KOKKOS_INLINE_FUNCTION void reduce_entries(T* row, EliminatedRows<T> const& above, int steps,
                                           int j) {
  T held[Width];
  for (int u = 0; u < Width; ++u) held[u] = row[j + u];
  int s = 0;
  for (; s + 4 <= steps; s += 4) {
    T const f0 = row[s], f1 = row[s + 1], f2 = row[s + 2], f3 = row[s + 3];
    T const* const u0 = above.row(s) + j;
    T const* const u1 = above.row(s + 1) + j;
    T const* const u2 = above.row(s + 2) + j;
    T const* const u3 = above.row(s + 3) + j;
    for (int u = 0; u < Width; ++u)
      held[u] -= (f0 * u0[u] + f1 * u1[u]) + (f2 * u2[u] + f3 * u3[u]);
  }
  for (; s < steps; ++s) {
    T const factor = row[s];
    T const* const from = above.row(s) + j;
    for (int u = 0; u < Width; ++u) held[u] -= factor * from[u];
  }
  for (int u = 0; u < Width; ++u) row[j + u] = held[u];
}

/// The tiles that hold columns before `steps`, whose entries become the factors of all others. By
/// one thread. Returns the first column that is still to be reduced.
template <class T>
KOKKOS_INLINE_FUNCTION int reduce_factors(T* row, EliminatedRows<T> const& above, int steps) {
  constexpr int width = row_tile<T>;
  int j = 0;
  for (; j < steps; j += width) {
    reduce_entries<width>(row, above, j, j);
    for (int s = j; s < j + width && s < steps; ++s) {
      T const factor = row[s];
      T const* const from = above.row(s);
      for (int t = s + 1; t < j + width; ++t) row[t] -= factor * from[t];
    }
  }
  return j;
}

}  // namespace carroll::detail
