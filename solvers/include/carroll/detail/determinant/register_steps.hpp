// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <carroll/detail/determinant/register_group.hpp>
#include <carroll/detail/determinant/register_pivots.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/detail/warp.hpp>

namespace carroll::detail {

/// Condensation (condensation.hpp) of small matrices in the registers of a warp, a group of lanes
/// per matrix: its steps.
///
/// A lane holds whole columns, so that a step is: the group's largest entry of row 0 by shuffles,
/// the pivot's column to all lanes through scratch, row 0 divided by the pivot, all other rows
/// reduced and moved up by one, which keeps registers at constant places in a loop. No column is
/// exchanged: that of the pivot becomes zero, and the sign is that of the permutation, told by how
/// many of the columns left stand before each pivot's. Rows shrink by a few at a time:
/// code for all numbers of rows would not stay in the instruction cache.
///
/// What is compared and handed round are keys: an entry's magnitude and, in place of its last five
/// bits, its column. So the largest key tells where the pivot is, and entries within 2^-18 of the
/// largest (double precision: 2^-15) count as equal to it, of which the first is taken. The next
/// row's search begins while the other rows are reduced.
///
/// Per matrix and step on m rows of n columns m·n fused operations, and m entries through scratch,
/// each written by one lane and read once per group.
template <class Warp, class Shape>
class RegisterSteps {
 public:
  using T = typename Shape::Scalar;
  static constexpr int order = Shape::order, cols = Shape::cols, width = Shape::width;

  struct State {
    unsigned left = ~0U;  ///< bit 31 - j: column j held no pivot yet
    unsigned before = 0;  ///< how often a column left stood before a pivot's, modulo 2
    int highest = 0;      ///< key of the largest pivot: NaN and infinities come to be pivots
    int lifted = 0;

    /// One more pivot, of this key.
    KOKKOS_FUNCTION void take(int key) {
      unsigned const bit = 1U << (key & key_columns);
      highest = Kokkos::max(highest, key);
      before ^= left & -(2 * bit);
      left &= ~bit;
    }
  };

  /// Keys of a row: a magnitude without its last five bits, and 31 less the column.
  struct Search {
    int key[cols];
    int top;
  };

  /// `scratch`: two columns and the pivots.
  KOKKOS_FUNCTION RegisterSteps(RegisterGroup<Warp, Shape> const& group, int n, T* scratch)
      : group_(group), n_(n), columns_(scratch), pivots_(scratch + 2 * order) {}

  KOKKOS_FORCEINLINE_FUNCTION Search search(T const (&row)[cols]) const {
    Search pivot = keys(row);
    pivot.top = group_.max(pivot.top);
    return pivot;
  }

  /// Steps k … n-Left-1 on what is left of a, in up to Rows rows.
  template <int Rows, int Left>
  KOKKOS_FORCEINLINE_FUNCTION void condense(T (&a)[order][cols], int k, Search& pivot,
                                            State& state) const {
    if (n_ > Rows - shrink) {
      int const end = Kokkos::min(k + shrink, n_ - Left);
      CARROLL_NO_UNROLL
      for (; k < end; ++k) step<Rows>(a, k, pivot, state);
    }
    if constexpr (Rows > Left + shrink) condense<Rows - shrink, Left>(a, k, pivot, state);
  }

  KOKKOS_FUNCTION T pivot(int k) const { return pivots_[k]; }

 private:
  using Chunk = RegisterChunk<T>;
  static constexpr int chunk = Chunk::size;
  static constexpr int stages = std::bit_width(unsigned{width}) - 1;
  /// The fastest on an H200 (2026-11-22).
  static constexpr int shrink = sizeof(T) == 8 && order <= 24 ? 2 : 4;
  static constexpr int key_columns = 31;  ///< the bits of a key that tell a column

  /// Step k: reduces all rows by `pivot`, which was found in row 0, and moves them up. Among that
  /// the new row 0 is searched, so that shuffles and arithmetic wait for each other less.
  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION void step(T (&a)[order][cols], int k, Search& pivot,
                                        State& state) const {
    constexpr int apart = 16 / cols;  // rows from one stage of the search to the next
    if (group_.warp.ballot(pivot.top < least_pivot<T>) != 0) lift(a[0], pivot, state);
    state.take(pivot.top);

    // Two columns take turns: one is read while lanes that are ahead write the other.
    auto* const column =
        reinterpret_cast<Chunk*>(columns_ + (static_cast<unsigned>(k) % 2) * order);
    publish(a, 0, pivot, column);
    group_.warp.sync();
    T const top_entry = column->entry[chunk - 1];
    CARROLL_UNROLL
    for (int i = chunk; i < Rows; i += chunk) publish(a, i, pivot, column + i / chunk);
    group_.warp.sync();
    if (group_.place == 0) pivots_[k] = top_entry;
    PivotDivision<T> const over_pivot(top_entry);
    T row[cols];
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c) row[c] = over_pivot(a[0][c]);

    Chunk factors[2] = {column[0], column[Rows > chunk ? 1 : 0]};
    int other = 0;
    CARROLL_UNROLL
    for (int i = 0; i < Rows - 1; ++i) {
      int const from = i + 1;
      if (from % chunk == 0 && from + chunk < Rows)
        factors[(from / chunk + 1) % 2] = column[from / chunk + 1];
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c)
        a[i][c] = Kokkos::fma(-factors[from / chunk % 2].entry[chunk - 1 - from % chunk], row[c],
                              a[from][c]);
      if (i == 0) pivot = keys(a[0]);
      CARROLL_UNROLL
      for (int stage = 0; stage < stages; ++stage)
        if (Kokkos::min(stage * apart, Rows - 2) == i) {
          if (stage > 0) pivot.top = Kokkos::max(pivot.top, other);
          other = across(group_.warp, pivot.top, 1 << stage);
        }
    }
    pivot.top = Kokkos::max(pivot.top, other);
  }

  /// Writes rows i on of the pivot's column, one chunk, in the order in which they were read: the
  /// matrix is seen from its last entry, and chunks are registers side by side.
  KOKKOS_FORCEINLINE_FUNCTION void publish(T const (&a)[order][cols], int i, Search const& pivot,
                                           Chunk* to) const {
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c) {
      Chunk part;
      CARROLL_UNROLL
      for (int q = 0; q < chunk; ++q) part.entry[chunk - 1 - q] = a[i + q][c];
      if (pivot.key[c] == pivot.top) *to = part;
    }
  }

  /// Multiplies the row where its pivot is too small, and searches it again.
  KOKKOS_FORCEINLINE_FUNCTION void lift(T (&row)[cols], Search& pivot, State& state) const {
    if (pivot.top < least_pivot<T>) {
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) row[c] *= power_of_two<T>(pivot_lift<T>);
      state.lifted += pivot_lift<T>;
    }
    pivot = search(row);
  }

  /// The search in this lane's columns.
  KOKKOS_FORCEINLINE_FUNCTION Search keys(T const (&row)[cols]) const {
    Search pivot;
    int const last = key_columns - group_.col(0);
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c)
      pivot.key[c] = (magnitude(row[c]) & ~key_columns) | (last - c * Shape::next_col);
    pivot.top = pivot.key[0];
    CARROLL_UNROLL
    for (int c = 1; c < cols; ++c) pivot.top = Kokkos::max(pivot.top, pivot.key[c]);
    return pivot;
  }

  RegisterGroup<Warp, Shape> const& group_;
  int n_;
  T* columns_;
  T* pivots_;
};

}  // namespace carroll::detail
