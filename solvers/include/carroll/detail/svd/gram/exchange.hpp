// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/layout.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Entries of a matrix in the registers of a team change places: column j is in lane j of each
/// warp, `rows` rows in each warp.
template <class Member, class Real, int rows>
class GramExchange {
 public:
  /// `travellers`: scratch for rows on their way to another warp.
  KOKKOS_FORCEINLINE_FUNCTION GramExchange(Member const& team, Real* travellers)
      : team_(team),
        lane_(team.team_rank() % 32),
        warp_(team.team_rank() / 32),
        travellers_(travellers) {}

  /// x[i % rows]. Values are chosen, not places, for an array whose places vary has to lie in
  /// memory.
  KOKKOS_FORCEINLINE_FUNCTION static Real pick(Real const (&x)[rows], int i) {
    Real chosen[rows];
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) chosen[r] = x[r];
    CARROLL_UNROLL
    for (int bit = rows / 2; bit > 0; bit /= 2) CARROLL_UNROLL
    for (int r = 0; r < bit; ++r) {
      Real const low = chosen[r], high = chosen[r + bit];
      chosen[r] = i & bit ? high : low;
    }
    return chosen[0];
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T across(T x, int bit) const {
    return DeviceWarp{lane_}.from(x, lane_ ^ bit);
  }

  /// x of the upper half of the lanes and y of the lower half change places.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void exchange(int bit, T& x, T& y) const {
    bool const upper = lane_ & bit;
    T const x_was = x, y_was = y;
    T const got = across(upper ? x_was : y_was, bit);
    x = upper ? got : x_was;
    y = upper ? y_was : got;
  }

  /// x[r] and z[r + bit], y[r] and w[r + bit] change places for all r without that bit.
  KOKKOS_FORCEINLINE_FUNCTION static void swap_rows(int bit, Real (&x)[rows], Real (&y)[rows],
                                                    Real (&z)[rows], Real (&w)[rows]) {
    CARROLL_UNROLL
    for (int b = 1; b < rows; b *= 2)
      if (bit == b) CARROLL_UNROLL
    for (int r = 0; r < rows; ++r)
      if (!(r & b)) {
        Real const of_x = x[r], of_y = y[r];
        x[r] = z[r | b];
        y[r] = w[r | b];
        z[r | b] = of_x;
        w[r | b] = of_y;
      }
  }

  /// Rows change places with those of another warp.
  KOKKOS_FORCEINLINE_FUNCTION void trade(Real (&x)[rows], Real (&y)[rows], int bit) const {
    Real* const mine = travellers_ + warp_ * 2 * rows * gram_columns + lane_;
    Real const* const theirs =
        travellers_ + (warp_ ^ (bit / rows)) * 2 * rows * gram_columns + lane_;
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      mine[r * gram_columns] = x[r];
      mine[(rows + r) * gram_columns] = y[r];
    }
    team_.team_barrier();
    CARROLL_UNROLL
    for (int r = 0; r < rows; ++r) {
      x[r] = theirs[r * gram_columns];
      y[r] = theirs[(rows + r) * gram_columns];
    }
  }

 private:
  Member const& team_;
  int lane_, warp_;
  Real* travellers_;
};

}  // namespace carroll::detail
