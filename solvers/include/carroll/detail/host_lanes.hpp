// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/strided.hpp>
#include <cstddef>

/// Matrices side by side in the lanes of a host's vector registers, entry (i, j) of all of them in
/// one register: what kernels of such groups share.
namespace carroll::detail::simd {

/// A lane := a matrix, column by column, entries `width` numbers apart; read in the order in which
/// the matrix lies in memory.
template <int width, class Real>
void load_lane(StridedMatrix<Real const> const& a, int rows, int cols, Real* to) {
  if (a.row_stride <= a.col_stride) {
    for (int j = 0; j < cols; ++j)
      for (int i = 0; i < rows; ++i)
        to[(static_cast<std::ptrdiff_t>(j) * rows + i) * width] = a(i, j);
  } else {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j)
        to[(static_cast<std::ptrdiff_t>(j) * rows + i) * width] = a(i, j);
  }
}

/// A matrix := a lane.
template <int width, class Real>
void store_lane(Real const* from, int rows, int cols, StridedMatrix<Real> const& x) {
  if (x.row_stride <= x.col_stride) {
    for (int j = 0; j < cols; ++j)
      for (int i = 0; i < rows; ++i)
        x(i, j) = from[(static_cast<std::ptrdiff_t>(j) * rows + i) * width];
  } else {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j)
        x(i, j) = from[(static_cast<std::ptrdiff_t>(j) * rows + i) * width];
  }
}

/// Columns that are worked on at once: what is needed of each stays in registers.
inline constexpr int host_strip = 4;

/// f<C>(c) for strips of columns begin <= c < end: of four, two and one.
template <class F>
void for_strips(int begin, int end, F const& f) {
  for (; begin + host_strip <= end; begin += host_strip) f.template operator()<host_strip>(begin);
  if (begin + 2 <= end) {
    f.template operator()<2>(begin);
    begin += 2;
  }
  if (begin < end) f.template operator()<1>(begin);
}

}  // namespace carroll::detail::simd
