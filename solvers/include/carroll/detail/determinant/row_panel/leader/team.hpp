// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/candidate.hpp>
#include <carroll/detail/determinant/row_panel/leader/memory.hpp>
#include <carroll/detail/determinant/row_panel/leader/warps.hpp>
#include <carroll/detail/device/threads.hpp>
#include <cstdint>

namespace carroll::detail {

/// What the warps of a leader team share.
template <class T, int Columns, int W, bool Follows>
struct LeaderTeam {
  static constexpr int R = trailing_rows, C = Columns / (32 * W);
  static_assert(C * 32 * W == Columns);
  static constexpr int pitch = Columns + 16 / int(sizeof(T));
  using Threads = RowPanelThreads<LeaderWarps<W>>;

  struct Scratch {
    RowPanelScratch<T, R, W> row_panel;
    alignas(16) T rows[R][pitch];  ///< of the next row panel
    alignas(16) T factors[R][R];
    T tail[R][R + 1];  ///< W of the columns behind those that stay
    T row_factor[R];   ///< of the next row panel
    int tails[32];
    std::uint16_t source[Columns];  ///< the column that stands in a place from now on
    int regular;                    ///< no row has become zero
    int verdict;                    ///< of those who have measured the rows
  };

  Scratch& scratch;
  LeaderMemory<T, Follows> memory;
  StridedMatrix<T const> source;
  StridedMatrix<T> work;

 protected:
  template <int Number>
  KOKKOS_FORCEINLINE_FUNCTION static void tell() {
    named_arrival<Number, 32 * (W + 1)>();
  }
  template <int Number>
  KOKKOS_FORCEINLINE_FUNCTION static void await() {
    named_barrier<Number, 32 * (W + 1)>();
  }
};

}  // namespace carroll::detail
