// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/row_panel/tickets.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/warp.hpp>

/// How the teams of one launch share a matrix whose row panels one team can hold: that team, the
/// front, has the row panels, each of the others some blocks of rows, one after the other, which it
/// holds in scratch until they are the leader's next row panel. W of all row panels is kept, so
/// that a block depends on row panels only, and a row panel on the blocks of its rows: one team
/// besides the leader would do. What is counted or told is put back to 0 by the team that leaves
/// the matrix last, for the next launch.
namespace carroll::detail {

inline constexpr int leader_block = 8;

/// What is known once all rows have been measured.
struct LeaderVerdict {
  static constexpr int go_on = 1, balanced = 2, ends = 3;
};

/// A pivot of a row panel, and which column moves where, in a word that is there once W is.
struct LeaderWord {
  static constexpr std::uint64_t there = std::uint64_t{1} << 48, stop = std::uint64_t{1} << 49;

  KOKKOS_FUNCTION static std::uint64_t of(int pivot, int hole, int filler) {
    return there | static_cast<std::uint64_t>(pivot) << 32 |
           static_cast<std::uint64_t>(hole + 1) << 16 | static_cast<std::uint64_t>(filler + 1);
  }
  KOKKOS_FUNCTION static int pivot(std::uint64_t word) { return word >> 32 & 0xffff; }
  KOKKOS_FUNCTION static int hole(std::uint64_t word) {
    return static_cast<int>(word >> 16 & 0xffff) - 1;
  }
  KOKKOS_FUNCTION static int filler(std::uint64_t word) {
    return static_cast<int>(word & 0xffff) - 1;
  }
};

/// The arrays of one matrix.
template <class T, bool Follows>
struct LeaderMemory {
  RowPanelMemory<T> memory;
  int* started;  ///< teams, followed by matrices that all teams have left
  int n;
  int rows_before;  ///< that have been taken off by another launch
  int teams;        ///< of the matrix
  int members;      ///< matrices

  [[nodiscard]] KOKKOS_FUNCTION int row_panels() const {
    return (n + trailing_rows - 1) / trailing_rows;
  }
  [[nodiscard]] KOKKOS_FUNCTION int blocks() const { return (n + leader_block - 1) / leader_block; }
  /// Columns that are left when row panel s begins.
  [[nodiscard]] KOKKOS_FUNCTION int columns(int s) const { return n - s * trailing_rows; }
  /// Does anybody wait for W of row panel s?
  [[nodiscard]] KOKKOS_FUNCTION bool is_awaited(int s) const { return s + 2 < row_panels(); }

  /// Column j of a row of W.
  [[nodiscard]] KOKKOS_FUNCTION T* entry_of_W(int s, int k, int j) const {
    return memory.W + static_cast<std::ptrdiff_t>(s * trailing_rows + k) * memory.pitch + j;
  }
  /// Column j, of those that row panel t - 1 has, of a row of row panel t, in rows of multiples of
  /// 16 bytes.
  [[nodiscard]] KOKKOS_FUNCTION T* staged(int t, int r, int j) const {
    auto const begin = (reinterpret_cast<std::uintptr_t>(memory.next) + 15) / 16 * 16;
    return reinterpret_cast<T*>(begin) + (t % 2 * trailing_rows + r) * staged_pitch() + j;
  }
  [[nodiscard]] KOKKOS_FUNCTION int staged_pitch() const { return (n + 3) / 4 * 4; }
  /// Blocks of row panel t that are staged.
  [[nodiscard]] KOKKOS_FUNCTION int* delivered(int t) const { return memory.delivered + t; }
  [[nodiscard]] KOKKOS_FUNCTION int blocks_of(int t) const {
    constexpr int all = trailing_rows / leader_block;
    return Kokkos::min(all, blocks() - t * all);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t* told(int s, int lane) const {
    return memory.told + s * trailing_rows + lane;
  }

  /// Tasks of the teams that have rows: to measure a block, all of them, and to have one, all but
  /// those of the first row panel.
  [[nodiscard]] KOKKOS_FUNCTION int tasks() const { return measured() + blocks() - first_block; }
  [[nodiscard]] KOKKOS_FUNCTION int measured() const { return Follows ? 0 : blocks(); }
  [[nodiscard]] KOKKOS_FUNCTION int first() const { return Follows ? rows_before : 0; }
  static constexpr int first_block = trailing_rows / leader_block;
  /// The next task's number, or beyond all tasks: then the team has left.
  [[nodiscard]] KOKKOS_FUNCTION int next_task() const {
    return draw_ordered_ticket(memory.leader_ticket);
  }
  /// The leader leaves when it waits for nothing any more, so that tasks + teams numbers are drawn.
  [[nodiscard]] KOKKOS_FUNCTION bool leaves_last(int number) const {
    return number == tasks() + teams - 1;
  }
  /// By one warp of the team that has left last.
  KOKKOS_FUNCTION void put_back(DeviceWarp const& warp) const {
    for (int t = warp.lane; t < row_panels(); t += 32) *delivered(t) = 0;
    for (int k = warp.lane; k < row_panels() * trailing_rows; k += 32) *told(0, k) = 0;
    if (warp.lane != 0) return;
    *memory.leader_ticket = 0;
    *memory.progress = {};
    if (is_last_arriver(started + 1, members)) started[0] = 0;
  }
};

}  // namespace carroll::detail
