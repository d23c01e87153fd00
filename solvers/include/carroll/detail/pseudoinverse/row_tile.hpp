// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/team.hpp>
#include <cstddef>

namespace carroll::detail {

/// Rows in the scratch memory of a thread, column after column, that its lanes factorise.
struct RowTile {
  double* data = nullptr;
  int capacity = 0;  ///< rows of a column

  KOKKOS_FUNCTION double& operator()(int i, int c) const {
    return data[static_cast<std::ptrdiff_t>(c) * capacity + i];
  }
};

/// One step of modified Gram-Schmidt on rows begin <= i < end of columns c, …, last: column c is
/// taken off the later ones, `share` times, and stays as it is. Calls store(l, d, q) once per
/// column, l = c included, with d = ‖column c‖² and q = (column c · column l)/d, 0 where d = 0.
/// 4 flops per entry; four columns at a time, so that column c is read from scratch a quarter as
/// often.
template <class Member, class Share, class Store>
KOKKOS_INLINE_FUNCTION void eliminate_column(Member const& team, RowTile const& tile, int begin,
                                             int end, int c, int last, Share const& share,
                                             Store const& store) {
  constexpr int width = 4;
  double d = 0;
  for (int first = c; first <= last; first += width) {
    // Behind the last column the last one again: its sums are not used.
    auto const column = [&](int l) { return first + l < last ? first + l : last; };
    auto const dot = lane_sums<double, width>(team, end - begin, [&](int i) {
      double const x = tile(begin + i, c);
      Sums<double, width> term;
      for (int l = 0; l < width; ++l) term.value[l] = x * tile(begin + i, column(l));
      return term;
    });
    if (first == c) d = dot[0];
    double q[width];
    for (int l = 0; l < width; ++l) q[l] = d > 0 ? dot[l] / d : 0;
    double const taken = share(d);
    lane_for(team, end - begin, [&](int i) {
      double const x = tile(begin + i, c);
      for (int l = 0; l < width; ++l)
        if (first + l > c && first + l <= last) tile(begin + i, first + l) -= x * (taken * q[l]);
    });
    once_per_thread(team, [&] {
      for (int l = 0; l < width && first + l <= last; ++l) store(first + l, d, q[l]);
    });
  }
}

/// The triangle (R | z), k×(k+1), of `count` rows of k columns and a right-hand side in the tile's
/// columns first, …, first+k. Row-major into `triangle`; entries below the diagonal are not
/// written.
template <class Member>
KOKKOS_INLINE_FUNCTION void factorise_tile(Member const& team, RowTile const& tile, int count,
                                           int first, int k, double* triangle) {
  for (int j = 0; j < k; ++j)
    eliminate_column(
        team, tile, 0, count, first + j, first + k, [](double) { return 1.0; },
        [&](int l, double d, double q) {
          triangle[j * (k + 1) + l - first] =
              l == first + j ? Kokkos::sqrt(d) : Kokkos::sqrt(d) * q;
        });
}

}  // namespace carroll::detail
