// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/solve/dispatch.hpp>
#include <carroll/detail/solve/tiled/storage.hpp>
#include <type_traits>

/// Panels of the family `tiled`: what a team has in its registers.
namespace carroll::detail {

inline constexpr int most_panel_threads = 512;

/// Columns of a panel with R rows a thread: 64 registers of 32 bits are theirs.
template <class Value, int R>
inline constexpr int solve_panel_width = std::min(256 / int{sizeof(Value)} / R, solve_block);

/// f(R), rows of a thread, for panels of m rows, at most 4·most_threads. It goes by m alone, as
/// bits depend on the widths of panels.
template <class F>
void with_solve_panel_rows(int m, int most_threads, F const& f) {
  if (m <= most_threads) return f(std::integral_constant<int, 1>{});
  if (m <= 2 * most_threads) return f(std::integral_constant<int, 2>{});
  return f(std::integral_constant<int, 4>{});
}
static_assert(most_solve_tiled == 4 * most_panel_threads);

}  // namespace carroll::detail
