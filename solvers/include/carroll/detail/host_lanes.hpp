// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/strided.hpp>
#include <cstddef>

/// Matrices side by side in the lanes of a host's vector registers, entry (i, j) of all of them in
/// one register: what kernels of such groups share.
namespace carroll::detail::simd {

/// Matrices of equal extents and strides, one for each lane.
template <int width, class T>
struct LaneMatrices {
  T* data[width];
  std::ptrdiff_t row_stride, col_stride;
};

/// of(l) is the matrix of lane l.
template <int width, class T, class Of>
LaneMatrices<width, T> lane_matrices(Of const& of) {
  StridedMatrix<T> const first = of(0);
  LaneMatrices<width, T> all{{}, first.row_stride, first.col_stride};
  for (int l = 0; l < width; ++l) all.data[l] = of(l).data;
  return all;
}

/// Lanes := the matrices, columns `pitch` registers apart. A register is written at once, whatever
/// the order in which matrices lie in memory: as many lines of a cache as there are lanes are read
/// along, but none of what is written comes and goes.
template <int width, class Real>
void load_lanes(LaneMatrices<width, Real const> const& a, int rows, int cols, int pitch, Real* to) {
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i) {
      std::ptrdiff_t const place = i * a.row_stride + j * a.col_stride;
      Real* const entry = to + (static_cast<std::ptrdiff_t>(j) * pitch + i) * width;
      for (int l = 0; l < width; ++l) entry[l] = a.data[l][place];
    }
}

/// The matrices of the first `count` lanes := these.
template <int width, class Real>
void store_lanes(Real const* from, int rows, int cols, int pitch,
                 LaneMatrices<width, Real> const& x, int count) {
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i) {
      std::ptrdiff_t const place = i * x.row_stride + j * x.col_stride;
      Real const* const entry = from + (static_cast<std::ptrdiff_t>(j) * pitch + i) * width;
      for (int l = 0; l < count; ++l) x.data[l][place] = entry[l];
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
