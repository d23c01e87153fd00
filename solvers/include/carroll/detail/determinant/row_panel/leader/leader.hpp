// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/leader/serve.hpp>
#include <cstdint>

namespace carroll::detail {

/// The row panels of a matrix, one after the other, by one team. Its last warp serves the others:
/// while they condense a row panel, it waits for the rows of the next one and brings them to
/// scratch, and multiplies pivots; while they take the row panel off the next one, it tells the
/// teams that have the rows behind (row_panel/leader/rows.hpp) that W is there. So nobody who
/// computes waits for memory.
///
/// 4·R flops per entry of a row panel: half of them its steps, half of them the update.
template <class T, int Columns, int W, bool Follows>
struct RowPanelLeader : LeaderService<T, Columns, W, Follows> {
  using Base = LeaderService<T, Columns, W, Follows>;
  using Base::scratch;
  using typename Base::Threads;

  KOKKOS_FUNCTION void run(int thread, DeterminantInfo<T>& info) {
    for (int j = thread; j < Columns; j += 32 * (W + 1))
      scratch.source[j] = static_cast<std::uint16_t>(j);
    Threads const threads(thread);
    if (threads.warp_index < W)
      this->condense(threads);
    else
      this->serve(threads.warp, info);
  }
};

}  // namespace carroll::detail
