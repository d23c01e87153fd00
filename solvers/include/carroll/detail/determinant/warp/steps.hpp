// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <carroll/detail/determinant/common/pivot_key.hpp>
#include <carroll/detail/determinant/warp/group.hpp>
#include <carroll/detail/determinant/warp/pivots.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Condensation (portable/condensation.hpp) of small matrices in the registers of a warp, a group
/// of lanes per matrix: its steps.
///
/// A lane holds whole columns, so that a step is: the group's largest entry of row 0 by shuffles,
/// the pivot's column to all lanes, row 0 divided by the pivot, all other rows
/// reduced and moved up by one, which keeps registers at constant places in a loop. No column is
/// exchanged: that of the pivot becomes zero, and the sign is that of the permutation, told by how
/// many of the columns left stand before each pivot's. Rows shrink by a few at a time:
/// code for all numbers of rows would not stay in the instruction cache.
///
/// What is compared and handed round are keys (common/pivot_key.hpp): entries within 2^-18 of the
/// largest (double precision: 2^-15) count as equal to it, of which the first is taken. The next
/// row's search begins while the other rows are reduced.
///
/// Per matrix and step on m rows of n columns m·n fused operations, and m entries from one lane to
/// all of the group.
template <class Warp, class Shape>
class RegisterSteps {
 public:
  using Group = RegisterGroup<Warp, Shape>;
  using T = typename Shape::Scalar;
  static constexpr int order = Shape::order, cols = Shape::cols, width = Shape::width;
  using Key = ColumnKey<5>;

  struct State {
    unsigned left = ~0U;  ///< bit 31 - j: column j held no pivot yet
    unsigned before = 0;  ///< how often a column left stood before a pivot's, modulo 2
    int highest = 0;      ///< key of the largest pivot: NaN and infinities come to be pivots
    int lifted = 0;

    /// One more pivot, of this key.
    KOKKOS_FUNCTION void take(int key) {
      unsigned const bit = 0x80000000U >> Key::column(key);
      highest = Kokkos::max(highest, key);
      before ^= left & -(2 * bit);
      left &= ~bit;
    }
  };

  struct Search {
    int key[cols];
    int top;
  };

  /// `scratch`: for the pivots.
  KOKKOS_FUNCTION RegisterSteps(Group const& group, int n, T* scratch)
      : group_(group), n_(n), pivots_(scratch) {}

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
  static constexpr int stages = std::bit_width(unsigned{width}) - 1;
  /// The fastest on an H200 (2026-11-22).
  static constexpr int shrink = sizeof(T) == 8 && order <= 24 ? 2 : 4;

  /// The entries of a pivot's column, for all lanes of a group, by shuffles: one lane's writes and
  /// as many reads as there are groups would keep scratch busier (H200, 2026-11-22: 2 000 000 of
  /// order 16 0.82 ms for 0.89 in single precision, 1.65 for 1.79 in double).
  class PivotColumn {
   public:
    T top;  ///< the pivot

    KOKKOS_FORCEINLINE_FUNCTION PivotColumn(RegisterSteps const& steps, T const (&a)[order][cols],
                                            Search const& pivot)
        : warp_(steps.group_.warp) {
      int const j = Key::column(pivot.top);
      lane_ = steps.group_.slot * width + Shape::place_of(j);
      own_ = Shape::own_of(j);
      top = entry(a, 0);
    }
    KOKKOS_FORCEINLINE_FUNCTION T entry(T const (&a)[order][cols], int i) const {
      T x;
      if constexpr (cols == 4) {
        T const first = own_ % 2 == 0 ? a[i][0] : a[i][1 % cols];
        T const second = own_ % 2 == 0 ? a[i][2 % cols] : a[i][3 % cols];
        x = own_ < 2 ? first : second;
      } else {
        x = a[i][0];
        CARROLL_UNROLL
        for (int c = 1; c < cols; ++c) x = own_ == c ? a[i][c] : x;
      }
      return warp_.from(x, lane_);
    }

   private:
    Warp const& warp_;
    int lane_;  ///< that has the column
    int own_;   ///< its number there
  };

  /// Step k: reduces all rows by `pivot`, which was found in row 0, and moves them up. Among that
  /// the new row 0 is searched, so that shuffles and arithmetic wait for each other less.
  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION void step(T (&a)[order][cols], int k, Search& pivot,
                                        State& state) const {
    constexpr int apart = 16 / cols;  // rows from one stage of the search to the next
    if (group_.warp.ballot(pivot.top < least_pivot<T>) != 0) lift(a[0], pivot, state);
    state.take(pivot.top);

    PivotColumn const column(*this, a, pivot);
    if (group_.place == 0) pivots_[k] = column.top;
    PivotDivision<T> const over_pivot(column.top);
    T row[cols];
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c) row[c] = over_pivot(a[0][c]);

    int other = 0;
    CARROLL_UNROLL
    for (int i = 0; i < Rows - 1; ++i) {
      T const factor = column.entry(a, i + 1);
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) a[i][c] = Kokkos::fma(-factor, row[c], a[i + 1][c]);
      if (i == 0) pivot = keys(a[0]);
      CARROLL_UNROLL
      for (int stage = 0; stage < stages; ++stage)
        if (Kokkos::min(stage * apart, Rows - 2) == i) {
          if (stage > 0) pivot.top = Kokkos::max(pivot.top, other);
          other = group_.warp.across(pivot.top, 1 << stage);
        }
    }
    pivot.top = Kokkos::max(pivot.top, other);
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
    int const first = group_.col(0);
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c) pivot.key[c] = Key::of(row[c], first + c * Shape::next_col);
    pivot.top = pivot.key[0];
    CARROLL_UNROLL
    for (int c = 1; c < cols; ++c) pivot.top = Kokkos::max(pivot.top, pivot.key[c]);
    return pivot;
  }

  Group const& group_;
  int n_;
  T* pivots_;
};

}  // namespace carroll::detail
