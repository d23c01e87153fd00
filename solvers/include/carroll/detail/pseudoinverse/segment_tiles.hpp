// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/pseudoinverse/core.hpp>
#include <carroll/detail/pseudoinverse/depth_group.hpp>
#include <carroll/detail/pseudoinverse/fused_rows.hpp>
#include <carroll/detail/pseudoinverse/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/team_sums.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// A step of a GPU, in one kernel, for K motion columns of which the sums of products tell enough:
/// one column, whose Σe² is the square of R, or rows of float, whose EᵀE in double precision loses
/// nothing down to a condition of 1/√eps, 7·10⁷, far beyond the cutoff.
///
/// A team takes a few windows, one after the other: its rows into scratch, once and in the order of
/// memory; then a few lanes take each segment, and from its rows
///
///   structured_qr:     Σu², Σub, Σur, and once more with e = b - uβ, f = r - uγ: Σeᵀe, Σeᵀf;
///   normal_equations:  Σu², Σub, Σur, Σbᵀb, Σbᵀr, less d·βᵀβ, d·βᵀγ.
///
/// Taking γ off r costs little and makes the error of Σeᵀr that e and u are not quite orthogonal
/// one of second order. The last team of a problem to end goes on with its core.
/// (K+2)n entries are read, K² + 7K + 4 flops a row.
template <class ExecSpace, class Real, int K, class Source>
class SegmentTilesKernel {
 public:
  static constexpr int threads = 128;
  static constexpr int window_rows = K == 1 ? 1024 : 512;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads, K == 1 ? 8 : 3>>;
  using Member = typename Policy::member_type;

  SegmentTilesKernel(ArrowBatch<Real> const& batch, Source const& source)
      : batch_(batch),
        source_(source),
        lanes_(lanes_for(batch.n / std::max(batch.m, 1))),
        team_windows_(windows_for(batch)),
        teams_((batch.windows + team_windows_ - 1) / team_windows_) {}

  Policy policy(ExecSpace const& exec) const {
    return Policy(exec, batch_.problems() * teams_, threads / lanes_, lanes_)
        .set_scratch_size(0,
                          Kokkos::PerTeam(static_cast<int>(scratch_bytes + sizeof(Shared) + 32)));
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (batch_.k != K) return;  // the compiler knows k from here on
    int const problem = team.league_rank() / teams_;
    int const first_window = team.league_rank() % teams_ * team_windows_;
    int const end_window = Kokkos::min(first_window + team_windows_, batch_.windows);
    auto* const tile = static_cast<Stored*>(
        team.team_scratch(0).get_shmem_aligned(std::size_t{scratch_bytes}, 16));
    auto& shared =
        *static_cast<Shared*>(team.team_scratch(0).get_shmem_aligned(sizeof(Shared), 16));
    double* const data = reinterpret_cast<double*>(tile);
    Kokkos::single(Kokkos::PerTeam(team), [&] { shared = {}; });
    team.team_barrier();
    int segment = find_segment(team, problem, begin_of(first_window), shared);
    for (int window = first_window; window < end_window; ++window) {
      load(team, problem, window, tile, shared);
      check_offsets(team, problem, window, shared);
      team.team_barrier();
      Totals const totals = take_segments(team, problem, window, tile, segment, shared);
      team.team_barrier();
      segment = shared.found;
      leave(team, problem, window, totals, data, shared);
    }
    if (!is_last(team, problem, shared)) return;

    double* const scratch = data + core_size(K);
    ArrowCore<Real> const core(batch_, data, reinterpret_cast<int*>(scratch), scratch + K);
    core(team, problem, {});
    if (batch_.inverse.data) {  // its factors are made of this
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<int>(core_size(K))),
                           [&](int i) { batch_.core(problem)[i] = data[i]; });
    }
  }

 private:
  using Stored = std::conditional_t<Source::is_plain, Real, double>;
  static constexpr int columns = K + 2;  // u, b, r
  static constexpr int products = K * (K + 3) / 2;
  static constexpr int rows_per_lane = K == 1 ? 16 : 8;
  /// Upper half of S row by row, each with its entry of Eᵀf; then what the depths have of the
  /// squares of the motion columns.
  static constexpr int sums = products + K;
  using Totals = Sums<double, sums>;
  static constexpr int least_lanes = K == 1 ? 1 : 4;
  static constexpr int sums_at_once = sums < 11 ? sums : 11;  // that the tile has room for
  static constexpr std::size_t tile_bytes = columns * window_rows * sizeof(Stored);
  static constexpr std::size_t sum_bytes =
      (sums_at_once * threads + team_sums_size(sums_at_once)) * sizeof(double);
  static constexpr std::size_t core_bytes =
      (core_size(K) + K + team_sums_size(K * (K + 2))) * sizeof(double);
  static constexpr std::size_t scratch_bytes =
      std::max(tile_bytes, std::max(sum_bytes, core_bytes));

  struct Shared {
    WindowEdges edges;
    int found = 0;  ///< segment of the row behind the window, or one before it
    int is_last = 0;
  };

  /// Lanes for segments of so many rows: few, for sums over them take the longer the more they are.
  static int lanes_for(int rows) {
    int lanes = least_lanes;
    while (lanes < 32 && rows_per_lane * lanes <= rows) lanes *= 2;
    return lanes;
  }

  /// Windows of a team: one while there are few, for one problem is to be done soon.
  static int windows_for(ArrowBatch<Real> const& batch) {
    std::int64_t const all = static_cast<std::int64_t>(batch.problems()) * batch.windows;
    return static_cast<int>(std::clamp<std::int64_t>(all / 4096, 1, 8));
  }

  KOKKOS_FUNCTION int begin_of(int window) const { return window * window_rows; }
  KOKKOS_FUNCTION int end_of(int window) const {
    return Kokkos::min(begin_of(window) + window_rows, batch_.n);
  }

  /// Column c of the window's row i to tile[c·window_rows + i].
  KOKKOS_FUNCTION void load(Member const& team, int problem, int window, Stored* tile,
                            Shared& shared) const {
    auto const rows = source_.of(batch_, problem);
    int const begin = begin_of(window);
    int const count = end_of(window) - begin;
    auto const read = [&](int i, Stored* held) {
      auto const put = [&](int c, double value) { held[c] = static_cast<Stored>(value); };
      if constexpr (Source::is_plain && K == 1) {
        SingleRow const row = rows.single(begin + i);
        put(0, row.u), put(1, row.a), put(2, row.r);
      } else {
        rows.read(begin + i, K, put);
      }
      if constexpr (Source::checks_places)
        if (!rows.valid_at(begin + i)) Kokkos::atomic_max(&shared.edges.invalid, 1);
    };
    auto const write = [&](int i, Stored const* held) {
      for (int c = 0; c < columns; ++c) tile[c * window_rows + i] = held[c];
    };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int{threads}), [&](int t) {
      if (count == window_rows) {
        constexpr int each = window_rows / threads;
        Stored held[each][columns];  // all loads are on their way before the first store
        for (int i = 0; i < each; ++i) read(t + i * threads, held[i]);
        for (int i = 0; i < each; ++i) write(t + i * threads, held[i]);
      } else {
        for (int i = t; i < count; i += threads) {
          Stored held[columns];
          read(i, held);
          write(i, held);
        }
      }
    });
  }

  /// The segment of place `place`: the last one that begins at or before it. Each thread looks at
  /// one of every stride-th offset, until few are left.
  KOKKOS_FUNCTION int find_segment(Member const& team, int problem, int place,
                                   Shared& shared) const {
    constexpr int few = 8;
    int const frame = batch_.frame_of(problem);
    int found = 0;
    int left = batch_.m;
    while (left > few) {
      int const end = Kokkos::min(found + left, batch_.m);
      int const stride = (left + threads - 1) / threads;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int{threads}), [&](int t) {
        int const i = found + t * stride;
        if (i < end && (t == 0 || batch_.offset(frame, i) <= place) &&
            (i + stride >= end || batch_.offset(frame, i + stride) > place))
          shared.found = i;
      });
      team.team_barrier();
      found = shared.found;
      team.team_barrier();
      left = stride;
    }
    int const end = Kokkos::min(found + left, batch_.m);
    while (found + 1 < end && batch_.offset(frame, found + 1) <= place) ++found;
    return found;
  }

  /// The window's share of the offsets.
  KOKKOS_FUNCTION void check_offsets(Member const& team, int problem, int window,
                                     Shared& shared) const {
    int const share = batch_.m / batch_.windows + 1;
    int const begin = window * share;
    SegmentMerge<Real> const segments(batch_, true);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Kokkos::min(share, batch_.m + 1 - begin)),
                         [&](int i) {
                           auto const found = segments.check_offset(problem, begin + i);
                           if (found.invalid != 0) Kokkos::atomic_max(&shared.edges.invalid, 1);
                           if (found.depths != 0) Kokkos::atomic_inc(&shared.edges.depths);
                         });
  }

  /// Leaves groups of whole segments and pieces of others; returns the sums of each lane.
  /// `segment`: of the window's first row, or one before it.
  KOKKOS_FUNCTION Totals take_segments(Member const& team, int problem, int window,
                                       Stored const* tile, int segment, Shared& shared) const {
    Totals totals;
    int const frame = batch_.frame_of(problem);
    double* const groups = &batch_.group(problem, 0, 0);
    int const begin = begin_of(window);
    int const end = end_of(window);
    bool const gram = batch_.options.method == PseudoinverseMethod::normal_equations;
    for (int s = segment + team.team_rank(); s < batch_.m; s += team.team_size()) {
      int const first = batch_.offset(frame, s), behind = batch_.offset(frame, s + 1);
      if (first >= end) break;
      int const at = Kokkos::max(first, begin), stop = Kokkos::min(behind, end);
      if (at >= stop) continue;
      bool const begins = first >= begin;
      bool const whole = begins && behind <= end;
      double const mu = whole ? batch_.damping_of(frame, K + s) : 0;
      Stored const* const rows = tile + (at - begin);
      auto const depth = depth_sums(team, rows, stop - at);
      double const d = depth[0], damped = d + mu;
      double const kept = mu > 0 ? d / damped : 1;          // of β and γ
      double const share = gram ? 0 : damped_share(d, mu);  // of them that is taken off the rows
      double group[K + 1], taken[K + 1];
      for (int c = 0; c <= K; ++c) {
        double const quotient = d > 0 ? depth[1 + c] / d : 0;
        group[c] = kept * quotient;
        taken[c] = share * quotient;
      }
      add_products(team, rows, stop - at, taken, totals);
      once_per_thread(team, [&] {
        for (int j = 0, e = 0; j < K; ++j) {
          totals.value[products + j] =
              multiply_add(group[j], depth[1 + j], totals.value[products + j]);
          for (int l = j; l <= K; ++l, ++e)
            if (gram) totals.value[e] = multiply_add(-group[j], depth[1 + l], totals.value[e]);
        }
        double* const edge = batch_.partial(problem, window) + K * (K + 2) + (begins ? K + 2 : 0);
        auto const put = [&](int c, double value) {
          if (whole)
            groups[static_cast<std::ptrdiff_t>(c) * batch_.m + s] = value;
          else
            edge[c] = value;
        };
        put(0, damped);
        put(1, group[K]);
        for (int j = 0; j < K; ++j) put(2 + j, group[j]);
        if (!whole)
          (begins ? shared.edges.tail : shared.edges.head) = s;
        else if (damped > 0)
          Kokkos::atomic_inc(&shared.edges.depths);
        if (behind >= end) shared.found = s;
      });
    }
    return totals;
  }

  /// Σu², Σub, Σur.
  KOKKOS_FUNCTION Sums<double, columns> depth_sums(Member const& team, Stored const* rows,
                                                   int count) const {
    Sums<double, columns> own;
    lane_for(team, count, [&](int i) {
      double const u = rows[i];
      for (int c = 0; c < columns; ++c)
        own.value[c] =
            multiply_add(u, static_cast<double>(rows[c * window_rows + i]), own.value[c]);
    });
    return lane_totals(team, own);
  }

  /// Adds the lane's products of rows, of which `taken` times u is taken off.
  KOKKOS_FUNCTION void add_products(Member const& team, Stored const* rows, int count,
                                    double const* taken, Totals& totals) const {
    lane_for(team, count, [&](int i) {
      double const u = rows[i];
      double left[K + 1];
      for (int c = 0; c <= K; ++c)
        left[c] = multiply_add(-u, taken[c], static_cast<double>(rows[(1 + c) * window_rows + i]));
      for (int j = 0, e = 0; j < K; ++j)
        for (int l = j; l <= K; ++l, ++e)
          totals.value[e] = multiply_add(left[j], left[l], totals.value[e]);
    });
  }

  /// Sums over the lanes of a thread, for all of them.
  template <int Count>
  KOKKOS_FUNCTION Sums<double, Count> lane_totals(Member const& team,
                                                  Sums<double, Count> const& own) const {
    return lane_sums<double, Count>(team, lanes_, [&](int) { return own; });
  }

  /// The team's sums, into the window's system, a few at a time. `data`: the tile, which nobody
  /// needs any more.
  KOKKOS_FUNCTION void leave(Member const& team, int problem, int window, Totals own, double* data,
                             Shared& shared) const {
    for (int j = 0, e = 0; j < K; e += K + 1 - j, ++j) own.value[products + j] += own.value[e];
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      batch_.edges_of(problem, window) = shared.edges;
      shared.edges = {};
    });
    double* const partial = batch_.partial(problem, window);
    int const rank = team.team_rank() * lanes_;
    for (int first = 0; first < sums; first += sums_at_once) {
      lane_for(team, lanes_, [&](int lane) {
        for (int e = 0; e < sums; ++e)  // so that the compiler knows which ones
          if (first <= e && e < first + sums_at_once)
            data[(e - first) * threads + rank + lane] = own.value[e];
      });
      team.team_barrier();
      team_sums(
          team, data + sums_at_once * threads, Kokkos::min(int{sums_at_once}, sums - first),
          threads, [&](int e, int i) { return data[e * threads + i]; },
          [&](int e, double sum) { partial[place_of(first + e)] = sum; });
      team.team_barrier();
    }
  }

  /// Where sum e stands in a window's system.
  KOKKOS_FUNCTION static int place_of(int e) {
    if (e >= products) return K * (K + 1) + e - products;
    int j = 0, l = e;
    for (; l > K - j; ++j) l -= K + 1 - j;
    return j * (K + 1) + j + l;
  }

  /// Whether all other teams of the problem have ended; what they left is visible then.
  KOKKOS_FUNCTION bool is_last(Member const& team, int problem, Shared& shared) const {
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      Kokkos::memory_fence();
      int& ticket = batch_.tickets[problem];
      shared.is_last = Kokkos::atomic_fetch_add(&ticket, 1) == teams_ - 1 ? 1 : 0;
      if (shared.is_last != 0) ticket = 0;
    });
    team.team_barrier();
    if (shared.is_last == 0) return false;
    Kokkos::memory_fence();
    return true;
  }

  ArrowBatch<Real> batch_;
  Source source_;
  int lanes_;
  int team_windows_;
  int teams_;  ///< of a problem
};

}  // namespace carroll::detail
