// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/double_word.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/common/product_sums.hpp>
#include <carroll/detail/pseudoinverse/common/team_sums.hpp>
#include <carroll/detail/pseudoinverse/core/solve.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/pseudoinverse/windows/row_tile.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// What the windows of a problem have left of the motion columns, put together.
template <class Real>
class WindowSums {
 public:
  /// Windows whose triangles are put into one, in a first step, form this many ranges.
  static constexpr int ranges = 16;

  /// Doubles that sum_systems needs.
  template <int K, bool Wide>
  static constexpr int systems_scratch() {
    constexpr int words = Wide ? 2 : 1;
    return K * (K + 1) + words * system_parts * (product_count<K> + K);
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

  /// Both for K columns, with what SegmentMerge has left of pieces, each sum in as many parts as
  /// eight warps have lanes for, with loads in flight. The low words, if there are some, go to
  /// `scratch`.
  template <int K, bool Wide, class Member>
  KOKKOS_FUNCTION void sum_systems(Member const& team, int problem, Core const& core,
                                   double* scratch) const {
    constexpr int sums = product_count<K> + K, width = K + 1, parts = system_parts, ahead = 4;
    constexpr int pieces = K * (K + 2), piece = K + 2;
    int const frame = batch_.frame_of(problem);
    bool const damped = batch_.options.damping > 0 || batch_.damping.data;
    double* const high = scratch + K * width;
    double* const low = high + parts * sums;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, sums * parts), [&](int item) {
      int const e = item % sums, part = item / sums;
      bool const square = e >= product_count<K>;
      int const place = square ? K * width + e - product_count<K> : product_place<K>(e);
      int const row = place / width, col = place % width;
      int const left = pieces + 2 + row, right = pieces + (col == K ? 1 : 2 + col);
      DoubleWord<double> sum;
      for (int first = part; first < batch_.windows; first += parts * ahead) {
        double x[ahead], x_low[ahead] = {}, y[ahead] = {}, z[ahead] = {};
        CARROLL_UNROLL
        for (int a = 0; a < ahead; ++a) {
          int const w = first + a * parts;
          double* const partial = batch_.partial(problem, Kokkos::min(w, batch_.windows - 1));
          x[a] = partial[place];
          if constexpr (Wide) x_low[a] = square ? 0.0 : low_words(partial, K)[e];
          if (!square) y[a] = partial[left], z[a] = partial[right];
          if (w >= batch_.windows) x[a] = x_low[a] = y[a] = 0;
        }
        CARROLL_UNROLL
        for (int a = 0; a < ahead; ++a) {
          add<Wide>(sum, x[a], x_low[a]);
          add_product<Wide>(sum, y[a], z[a]);
        }
      }
      for (int w = part; damped && !square && w < batch_.windows; w += parts) {
        double const* const last = batch_.partial(problem, w) + piece;
        add_product<Wide>(sum, last[left], last[right]);
      }
      high[item] = sum.high;
      if constexpr (Wide) low[item] = sum.low;
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, sums), [&](int e) {
      DoubleWord<double> sum;
      CARROLL_UNROLL
      for (int part = 0; part < parts; ++part)
        add<Wide>(sum, high[part * sums + e], Wide ? low[part * sums + e] : 0.0);
      if (e >= product_count<K>) {
        int const j = e - product_count<K>;
        core.scale[j] = Kokkos::sqrt(sum.high + batch_.damping_of(frame, j));
        return;
      }
      int const place = product_place<K>(e), row = place / width, col = place % width;
      if (row == col) add<Wide>(sum, batch_.damping_of(frame, row), 0);
      if constexpr (Wide) {
        sum = DoubleWord<double>::sum(sum.high, sum.low);
        scratch[place] = sum.low;
      }
      core.system[place] = sum.high;
    });
  }

  /// (R | z) of S and Eᵀf with the low words that sum_systems leaves, S = RᵀR by Cholesky's
  /// factorisation in twice the digits. What is no more than the sums' errors is 0 in R, too.
  template <int K, class Member>
  KOKKOS_FUNCTION static void factorise_sums(Member const& team, Core const& core, double* low) {
    constexpr int width = K + 1;
    constexpr double negligible = 0x1p-92;  // the square of the least cutoff
    double* const high = core.system;
    using Word = DoubleWord<double>;
    auto const S = [&](int i, int j) { return Word(high[i * width + j], low[i * width + j]); };
    auto const counts = [&](int i) {
      return high[i * width + i] > negligible * core.scale[i] * core.scale[i];
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
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int row = 0; row < K; ++row) {
        double const factor = counts(row) ? 1 / Kokkos::sqrt(high[row * (width + 1)]) : 0;
        for (int col = row; col < width; ++col) high[row * width + col] *= factor;
      }
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
  static constexpr int system_parts = 7;

  template <bool Wide>
  KOKKOS_FUNCTION static void add(DoubleWord<double>& sum, double x, double x_low) {
    if constexpr (Wide) {
      auto const s = DoubleWord<double>::sum(sum.high, x);
      sum = {s.high, sum.low + (s.low + x_low)};
    } else {
      sum.high += x;
    }
  }

  template <bool Wide>
  KOKKOS_FUNCTION static void add_product(DoubleWord<double>& sum, double x, double y) {
    if constexpr (Wide) {
      auto const product = DoubleWord<double>::product(x, y);
      add<Wide>(sum, product.high, product.low);
    } else {
      sum.high = multiply_add(x, y, sum.high);
    }
  }

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
