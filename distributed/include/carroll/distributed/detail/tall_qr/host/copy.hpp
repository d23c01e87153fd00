// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/svd/host_block/tiles.hpp>
#include <carroll/distributed/detail/tall_qr/problem.hpp>

/// Between the caller's rows and a tile, on a host.
namespace carroll::distributed::detail::host {

namespace blocks = carroll::detail::blocks;

/// Rows that go at once where rows are what lies closest together: a line of the cache in a column.
inline constexpr int transposed_rows = 8;

/// f(i, j, count) for pieces of columns, in an order that suits these strides.
template <class T, class F>
void for_pieces(StridedMatrix<T> const& x, int rows, int cols, F const& f) {
  bool const by_columns = x.row_stride <= x.col_stride;
  int const piece = by_columns ? std::max(rows, 1) : transposed_rows;
  for (int i = 0; i < rows; i += piece)
    for (int j = 0; j < cols; ++j) f(i, j, std::min(piece, rows - i));
}

/// tile := x, and zeros from row `rows` to row `end`.
template <class Real>
void load_tile(StridedMatrix<Real const> const& x, int rows, int cols, int end,
               Columns<Real> const& tile) {
  for_pieces(x, rows, cols, [&](int i, int j, int count) {
    Real const* const from = x.data + i * x.row_stride + j * x.col_stride;
    Real* const to = tile.col(j) + i;
    if (x.row_stride == 1)
      std::copy_n(from, count, to);
    else
      for (int r = 0; r < count; ++r) to[r] = from[r * x.row_stride];
  });
  for (int j = 0; j < cols; ++j) std::fill(tile.col(j) + rows, tile.col(j) + end, Real(0));
}

/// x := tile.
template <class Real>
void store_tile(Columns<Real> const& tile, int rows, int cols, StridedMatrix<Real> const& x) {
  for_pieces(x, rows, cols, [&](int i, int j, int count) {
    Real const* const from = tile.col(j) + i;
    Real* const to = x.data + i * x.row_stride + j * x.col_stride;
    if (x.row_stride == 1)
      std::copy_n(from, count, to);
    else
      for (int r = 0; r < count; ++r) to[r * x.row_stride] = from[r];
  });
}

/// The largest |x[i]| of `end` entries, whole tiles; infinity or NaN if there is one.
template <class V, class Real>
Real largest_of(Real const* x, int end) {
  using Ints = typename V::Ints;
  // Magnitudes are in the order of their bits, infinity and NaN above all others.
  Ints most = bits_of(V(Real(0))), other = most;
  for (int i = 0; i < end; i += 2 * V::width) {
    most = max(most, bits_of(abs(V::load(x + i))));
    other = max(other, bits_of(abs(V::load(x + i + V::width))));
  }
  V const largest = V::from_bits(max(most, other));
  carroll::detail::BitsOf<Real> bits = 0;
  for (int lane = 0; lane < V::width; ++lane)
    bits = std::max(bits, Kokkos::bit_cast<carroll::detail::BitsOf<Real>>(largest[lane]));
  return Kokkos::bit_cast<Real>(bits);
}

/// Takes out of each column of a tile the power of two that column_exponent says. False, and the
/// tile zero, if an entry is not finite.
template <class V, class Real>
bool balance_tile(Columns<Real> const& tile, int cols, int end, int* exponents) {
  bool finite = true;
  for (int j = 0; j < cols; ++j) {
    Real* const x = tile.col(j);
    Real const largest = largest_of<V>(x, end);
    finite = finite && largest < Kokkos::Experimental::infinity_v<Real>;
    int const e = exponents[j] = column_exponent(largest);
    if (e == 0 || e == no_exponent) continue;
    // Two factors where one could overflow.
    V const half = carroll::detail::power_of_two<Real>(-(e / 2));
    V const rest = carroll::detail::power_of_two<Real>(-(e - e / 2));
    for (int i = 0; i < end; i += V::width) store(x + i, V::load(x + i) * half * rest);
  }
  if (finite) return true;
  for (int j = 0; j < cols; ++j) {
    std::fill(tile.col(j), tile.col(j) + end, Real(0));
    exponents[j] = no_exponent;
  }
  return false;
}

}  // namespace carroll::distributed::detail::host
