// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/determinant/common/magnitude_range.hpp>
#include <carroll/detail/determinant/row_panel/leader/warps.hpp>
#include <carroll/detail/determinant/row_panel/row_panel.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <cstdint>

namespace carroll::detail {

/// A team that has a matrix, for row_panel/one_team/tiles.hpp, and how it keeps rows in range.
template <int Columns, int W, class Member>
struct RowPanelTilesRange {
  using T = double;
  static constexpr int R = 16, C = Columns / (32 * W);
  static_assert(C * 32 * W == Columns && Columns % 16 == 0);
  static constexpr int pitch = Columns + 4;  ///< four rows of eight columns in different banks
  static constexpr int rows_at_once = 8, tiles = Columns / 8, together = 4;
  static constexpr int rows_pitch = Columns + 2;  ///< of four pairs of rows four columns
  using Threads = RowPanelThreads<LeaderWarps<W>>;

  struct Scratch {
    RowPanelScratch<T, R, W> row_panel;
    alignas(16) T W_rows[R][pitch];
    alignas(16) T rows[W][rows_at_once][rows_pitch];  ///< that each warp works on next
    T pivots[Columns];
    T row_top[Columns];
    T row_factor[Columns];  ///< power of two by which a row is multiplied when it is read
    int columns[Columns];   ///< that the pivots stood in
    int source[Columns];    ///< the column that is found in a place from now on
    int tails[32];
    int flags;
    int scaling;  ///< log₂ of what scaling has taken out of the determinant
    int regular;  ///< no row of the row panel has become zero
    int odd;
  };

  Member const& team;
  Scratch& scratch;
  StridedMatrix<T const> from;
  StridedMatrix<T> to;
  int n;
  DeviceWarp warp;
  int warp_index;
  /// Matrices to be brought into the second-level cache, where they are one piece.
  struct Fetches {
    T const* first = nullptr;
    T const* next = nullptr;  ///< of the team that likely follows this one
    std::uint32_t size = 0;
  } fetches;

  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { named_barrier<0, 32 * W>(); }

  /// Powers of two for some rows, and what speaks against going on.
  KOKKOS_FUNCTION void measure(int first, int end) const {
    constexpr int rows = 8, cols = Columns / 32;
    CARROLL_NO_UNROLL
    for (int begin = first + rows * warp_index; begin < end; begin += rows * W) {
      MagnitudeRange range;  // of row begin + lane
      T held[rows][cols];
      CARROLL_UNROLL
      for (int r = 0; r < rows; ++r) {
        CARROLL_UNROLL
        for (int c = 0; c < cols; ++c) {
          int const j = 32 * c + warp.lane;
          held[r][c] = begin + r < end && j < n ? from(begin + r, j) : T(0);
        }
      }
      CARROLL_UNROLL
      for (int r = 0; r < rows; ++r) {
        auto const row = MagnitudeRange::of(warp, held[r]);
        if (warp.lane == r) range = row;
      }
      int const i = begin + warp.lane;
      if (warp.lane < rows && i < end) {
        int const flags = range.template flags<T>();
        if (flags != 0) Kokkos::atomic_or(&scratch.flags, flags);
        scratch.row_top[i] = range.template top<T>();
        divide(i, flags == 0 ? range.template exponent<T>() : 0);
      }
    }
  }

  /// What the flags of all rows say.
  KOKKOS_FUNCTION Status verdict() {
    int const flags = scratch.flags;
    if (flags & MagnitudeRange::non_finite) return Status::non_finite;
    if (flags & MagnitudeRange::zero) return Status::singular;
    return balance();
  }

  /// Row i will be divided by 2^e.
  KOKKOS_FUNCTION void divide(int i, int e) const {
    scratch.row_factor[i] = power_of_two<T>(-e);
    if (e != 0) Kokkos::atomic_add(&scratch.scaling, e);
  }

  /// Out of the ordinary: columns are scaled, too, and at once, in memory.
  KOKKOS_FUNCTION Status balance() {
    auto* const exponents = reinterpret_cast<int*>(&scratch.W_rows[0][0]);
    Balance<T, Member> balance(team, from, n, {exponents, exponents + n, scratch.row_top});
    barrier();
    Status const status = balance.measure();
    if (status != Status::success) return status;
    balance.copy_to(to);
    from = {to.data, to.row_stride, to.col_stride};
    if (warp_index == 0 && warp.lane == 0) scratch.scaling = static_cast<int>(balance.exponent());
    for (int i = 32 * warp_index + warp.lane; i < n; i += 32 * W) {
      scratch.row_factor[i] = T(1);
      scratch.row_top[i] = as_magnitude_range(scratch.row_top[i]);
    }
    barrier();
    return Status::success;
  }

  /// Rows that have left the range in which they are safe are scaled when they are read next.
  KOKKOS_FORCEINLINE_FUNCTION void rescale_rows(int begin, int (&largest)[2]) const {
    CARROLL_UNROLL
    for (int h = 0; h < 2; ++h) {
      largest[h] = lanes_max<4, 32>(warp, largest[h]);
      int const i = begin + 2 * warp.lane + h;
      if (warp.lane >= 4 || i >= n) continue;
      int const e = pending_exponent<T>(largest[h]);
      divide(i, e);
      if (e != 0) scratch.row_top[i] = scale(scratch.row_top[i], -e);
    }
  }
};

}  // namespace carroll::detail
