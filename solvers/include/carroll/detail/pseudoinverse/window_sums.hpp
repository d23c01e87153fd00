// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/double_word.hpp>
#include <carroll/detail/pseudoinverse/core_solve.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/pseudoinverse/product_sums.hpp>
#include <carroll/detail/pseudoinverse/row_tile.hpp>
#include <carroll/detail/pseudoinverse/team_sums.hpp>

namespace carroll::detail {

/// What the windows of a problem have left of the motion columns, put together.
template <class Real>
class WindowSums {
 public:
  /// Windows whose triangles are put into one, in a first step, form this many ranges.
  static constexpr int ranges = 16;

  /// Doubles that sum_by_team needs, or factorise_sums.
  template <int K, bool Wide>
  static constexpr int scratch_size() {
    return Wide ? 2 * (team_sums_size(product_count<K> + K) + K * (K + 1))
                : team_sums_size(K * (K + 2));
  }

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

  /// Both, by all threads together.
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

  /// (R | z) of S and Eᵀf that have low words, S = RᵀR by Cholesky's factorisation in twice the
  /// digits; and norms of the motion columns. What the cutoff cannot tell from 0, for it is below
  /// what the sums' errors leave of a diagonal entry, is one in R, too.
  template <int K, class Member>
  KOKKOS_FUNCTION void factorise_sums(Member const& team, int problem, Core const& core,
                                      double* scratch) const {
    constexpr int sums = product_count<K> + K, parts = team_sum_parts, width = K + 1;
    constexpr double negligible = 0x1p-92;
    int const frame = batch_.frame_of(problem);
    double* const high = scratch;
    double* const low = high + K * width;
    double* const part_high = low + K * width;
    double* const part_low = part_high + team_sums_size(sums);
    using Word = DoubleWord<double>;
    auto const add = [](Word& sum, double x, double x_low) {
      Word const s = Word::sum(sum.high, x);
      sum = {s.high, sum.low + (s.low + x_low)};
    };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, sums * parts), [&](int item) {
      int const e = item % sums, part = item / sums;
      bool const square = e >= product_count<K>;
      int const place = square ? K * width + e - product_count<K> : product_place<K>(e);
      Word sum;
      for (int w = part; w < batch_.windows; w += parts) {
        double* const partial = batch_.partial(problem, w);
        add(sum, partial[place], square ? 0.0 : low_words(partial, K)[e]);
      }
      part_high[e * (parts + 1) + part] = sum.high;
      part_low[e * (parts + 1) + part] = sum.low;
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, sums), [&](int e) {
      Word sum;
      for (int i = e * (parts + 1); i < e * (parts + 1) + parts; ++i)
        add(sum, part_high[i], part_low[i]);
      if (e >= product_count<K>) {
        int const j = e - product_count<K>;
        core.scale[j] = Kokkos::sqrt(sum.high + batch_.damping_of(frame, j));
        return;
      }
      int const place = product_place<K>(e), row = place / width, col = place % width;
      if (row == col) add(sum, batch_.damping_of(frame, row), 0);
      sum = Word::sum(sum.high, sum.low);
      high[place] = sum.high;
      low[place] = sum.low;
    });
    team.team_barrier();
    auto const S = [&](int i, int j) { return Word(high[i * width + j], low[i * width + j]); };
    auto const counts = [&](int i) {
      return !(high[i * width + i] <= negligible * core.scale[i] * core.scale[i]);
    };
    for (int p = 0; p + 1 < K; ++p) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, (p + 1) * width, K * width), [&](int e) {
        int const row = e / width, col = e % width;
        if (col < row || !counts(p)) return;
        Word const left = S(row, col) - S(p, row) * (S(p, col) / S(p, p));
        high[e] = left.high;
        low[e] = left.low;
      });
      team.team_barrier();
    }
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, K * width), [&](int e) {
      int const row = e / width, col = e % width;
      if (col < row) return;
      // NaN stays NaN.
      core.system[e] = high[e] * (counts(row) ? 1 / Kokkos::sqrt(high[row * width + row]) : 0.0);
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
