// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/core_solve.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/pseudoinverse/row_tile.hpp>
#include <carroll/detail/pseudoinverse/team_sums.hpp>

namespace carroll::detail {

/// What the windows of a problem have left of the motion columns, put together.
template <class Real>
class WindowSums {
 public:
  /// Windows whose triangles are put into one, in a first step, form this many ranges.
  static constexpr int ranges = 16;

  KOKKOS_FUNCTION explicit WindowSums(ArrowBatch<Real> const& batch) : batch_(batch) {}

  /// S and Eᵀf: entry by entry over the windows.
  template <class Member>
  KOKKOS_FUNCTION void sum(Member const& team, int problem, Core const& core) const {
    int const k = batch_.k;
    thread_for(team, k * (k + 1), [&](int e) {
      if (e % (k + 1) < e / (k + 1)) return;
      double const sum = lane_sum<double>(team, batch_.windows,
                                          [&](int w) { return batch_.partial(problem, w)[e]; });
      bool const diagonal = e % (k + 1) == e / (k + 1);
      double const lambda = diagonal ? batch_.damping_of(batch_.frame_of(problem), e / (k + 1)) : 0;
      once_per_thread(team, [&] { core.system[e] = sum + lambda; });
    });
  }

  /// Norms of the motion columns, damping included.
  template <class Member>
  KOKKOS_FUNCTION void sum_squares(Member const& team, int problem, Core const& core) const {
    int const k = batch_.k;
    thread_for(team, k, [&](int j) {
      double const sum = lane_sum<double>(
          team, batch_.windows, [&](int w) { return batch_.partial(problem, w)[k * (k + 1) + j]; });
      double const lambda = batch_.damping_of(batch_.frame_of(problem), j);
      once_per_thread(team, [&] { core.scale[j] = Kokkos::sqrt(sum + lambda); });
    });
  }

  /// Both, by all threads together. `scratch`: team_sums_size(k·(k+2)) doubles.
  template <class Member>
  KOKKOS_FUNCTION void sum_by_team(Member const& team, int problem, Core const& core,
                                   double* scratch) const {
    int const k = batch_.k;
    int const frame = batch_.frame_of(problem);
    team_sums(
        team, scratch, k * (k + 2), batch_.windows,
        [&](int e, int w) { return batch_.partial(problem, w)[e]; },
        [&](int e, double sum) {
          if (e >= k * (k + 1)) {
            int const j = e - k * (k + 1);
            core.scale[j] = Kokkos::sqrt(sum + batch_.damping_of(frame, j));
            return;
          }
          int const row = e / (k + 1), col = e % (k + 1);
          if (col >= row) core.system[e] = sum + (row == col ? batch_.damping_of(frame, row) : 0);
        });
  }

  /// (R | z) of all windows, by way of ranges of them; with the rows of the damping.
  template <class Member>
  KOKKOS_FUNCTION void factorise(Member const& team, int problem, RowTile const& tile,
                                 Core const& core) const {
    int const k = batch_.k;
    thread_for(team, ranges, [&](int r) {
      int const first = range_begin(r);
      int const count = range_begin(r + 1) - first;
      if (count == 0) return;
      stack(team, tile, count * k, batch_.partial(problem, first), [&](int q, int c) {
        return q % k <= c ? batch_.partial(problem, first + q / k)[(q % k) * (k + 1) + c] : 0.0;
      });
    });
    team.team_barrier();
    if (team.team_rank() == 0) {
      int const frame = batch_.frame_of(problem);
      stack(team, tile, (ranges + 1) * k, core.system, [&](int q, int c) {
        int const r = q / k, row = q % k;
        if (r == ranges) return row == c ? Kokkos::sqrt(batch_.damping_of(frame, c)) : 0.0;
        int const first = range_begin(r);
        if (row > c || range_begin(r + 1) == first) return 0.0;
        return batch_.partial(problem, first)[row * (k + 1) + c];
      });
    }
  }

 private:
  /// Windows begin, …, end-1 of range r.
  KOKKOS_FUNCTION int range_begin(int r) const {
    return static_cast<int>(static_cast<std::int64_t>(batch_.windows) * r / ranges);
  }

  /// The triangle of `count` rows, row(q, c), as many at a time as the tile holds.
  template <class Member, class Row>
  KOKKOS_FUNCTION void stack(Member const& team, RowTile const& tile, int count, double* triangle,
                             Row const& row) const {
    int const k = batch_.k;
    int held = 0;  // rows of the triangle so far
    for (int done = 0; done < count;) {
      int const taken = Kokkos::min(tile.capacity - held, count - done);
      lane_for(team, held + taken, [&](int i) {
        for (int c = 0; c <= k; ++c)
          tile(i, c) = i >= held ? row(done + i - held, c)
                       : i <= c  ? triangle[i * (k + 1) + c]
                                 : 0.0;
      });
      factorise_tile(team, tile, held + taken, 0, k, triangle);
      done += taken;
      held = k;
    }
  }

  ArrowBatch<Real> const& batch_;
};

}  // namespace carroll::detail
