// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <carroll/detail/determinant/warp/pivots.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// `Width` lanes hold a matrix of order up to `order`, `Cols` columns each.
template <class T, int Width, int Cols>
struct RegisterShape {
  using Scalar = T;
  static constexpr int width = Width, cols = Cols, order = Width * Cols;
  static constexpr int matrices = 32 / Width;  ///< of a warp
  /// Do lanes hold neighbouring columns, which they can read in chunks? Else every Width-th.
  static constexpr bool neighbours = Cols % RegisterChunk<T>::size == 0;
  KOKKOS_FUNCTION static constexpr int first_col(int lane) {
    return neighbours ? lane * Cols : lane;
  }
  static constexpr int next_col = neighbours ? 1 : Width;
  /// Which lane has column j, and its number there.
  KOKKOS_FUNCTION static constexpr int place_of(int j) { return neighbours ? j / Cols : j % Width; }
  KOKKOS_FUNCTION static constexpr int own_of(int j) { return neighbours ? j % Cols : j / Width; }
  /// Rows whose pivots and largest entries a lane looks after: side by side, in chunks.
  static constexpr int own_rows = Cols <= 2 ? Cols : (Cols + 3) / 4 * 4;
  /// Ints of scratch from one lane's largest entries of all rows to the next one's.
  static constexpr int tops = order + 4;
  /// Entries of scratch per matrix: the pivots, before that the lanes' largest entries. Matrices
  /// are an odd number of chunks apart, so that their lanes read from different banks. One lane
  /// needs none.
  static constexpr int scratch = Width == 1 ? 0 : [] {
    constexpr int size = RegisterChunk<T>::size;
    int const entries = order, ints = Width * tops * 4 / int(sizeof(T));
    return ((entries > ints ? entries : ints) / size | 1) * size;
  }();
  static_assert(order % 4 == 0 && order <= 32 && 32 % Width == 0);
};

/// A lane's place in its group, and what the group's lanes find out together. `Warp` is DeviceWarp,
/// or stands for it on the host.
template <class Warp, class Shape>
class RegisterGroup {
 public:
  using T = typename Shape::Scalar;
  static constexpr int order = Shape::order, cols = Shape::cols, width = Shape::width;
  static constexpr int own_rows = Shape::own_rows;

  KOKKOS_FUNCTION explicit RegisterGroup(Warp const& of_warp)
      : warp(of_warp), slot(warp.lane / width), place(warp.lane % width) {}

  KOKKOS_FUNCTION int col(int c) const { return Shape::first_col(place) + c * Shape::next_col; }
  KOKKOS_FUNCTION int own_row(int t) const { return place * own_rows + t; }

  KOKKOS_FUNCTION bool any(bool yes) const { return (warp.ballot(yes) & lanes()) != 0; }
  template <class X>
  KOKKOS_FUNCTION X max(X x) const {
    butterfly_up<1, width>([&](int step) { x = Kokkos::max(x, warp.across(x, step)); });
    return x;
  }

  Warp const& warp;
  int slot;   ///< of the matrix in the warp
  int place;  ///< of the lane in the group

 private:
  KOKKOS_FUNCTION unsigned lanes() const {
    return (width == 32 ? 0xffffffffU : (1U << width % 32) - 1) << (slot * width);
  }
};

}  // namespace carroll::detail
