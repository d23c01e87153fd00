// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/field.hpp>
#include <carroll/detail/strided.hpp>
#include <cstddef>

/// Matrices side by side in the lanes of a host's vector registers, entry (i, j) of all of them in
/// one register, or, of complex numbers, in two: what kernels of such groups share.
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

/// Registers of an entry of this type.
template <class Value>
inline constexpr int lane_parts = is_complex<Value> ? 2 : 1;

/// Lanes := the matrices, columns `pitch` entries apart. A register is written at once, whatever
/// the order in which matrices lie in memory: as many lines of a cache as there are lanes are read
/// along, but none of what is written comes and goes.
template <int width, class Value>
void load_lanes(LaneMatrices<width, Value const> const& a, int rows, int cols, int pitch,
                RealOf<Value>* to) {
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i) {
      std::ptrdiff_t const place = i * a.row_stride + j * a.col_stride;
      RealOf<Value>* const entry =
          to + (static_cast<std::ptrdiff_t>(j) * pitch + i) * width * lane_parts<Value>;
      for (int l = 0; l < width; ++l) {
        Value const& x = a.data[l][place];
        if constexpr (is_complex<Value>) {
          entry[l] = x.real();
          entry[width + l] = x.imag();
        } else {
          entry[l] = x;
        }
      }
    }
}

/// What lane l has at `entry`.
template <int width, class Value>
Value lane_entry(RealOf<Value> const* entry, int l) {
  if constexpr (is_complex<Value>)
    return {entry[l], entry[width + l]};
  else
    return entry[l];
}

/// The matrices of the first `count` lanes := these.
template <int width, class Value>
void store_lanes(RealOf<Value> const* from, int rows, int cols, int pitch,
                 LaneMatrices<width, Value> const& x, int count) {
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i) {
      std::ptrdiff_t const place = i * x.row_stride + j * x.col_stride;
      RealOf<Value> const* const entry =
          from + (static_cast<std::ptrdiff_t>(j) * pitch + i) * width * lane_parts<Value>;
      for (int l = 0; l < count; ++l) x.data[l][place] = lane_entry<width, Value>(entry, l);
    }
}

/// Columns that are worked on at once: what is needed of each stays in registers.
inline constexpr int host_strip = 4;

/// f<C>(c) for strips of columns begin <= c < end: of `strip`, at least two, then of two and one.
template <int strip = host_strip, class F>
void for_strips(int begin, int end, F const& f) {
  for (; begin + strip <= end; begin += strip) f.template operator()<strip>(begin);
  if (begin + 2 <= end) {
    f.template operator()<2>(begin);
    begin += 2;
  }
  if (begin < end) f.template operator()<1>(begin);
}

}  // namespace carroll::detail::simd
