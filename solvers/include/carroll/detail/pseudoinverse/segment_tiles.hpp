// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/pseudoinverse/async_copy.hpp>
#include <carroll/detail/pseudoinverse/core.hpp>
#include <carroll/detail/pseudoinverse/depth_group.hpp>
#include <carroll/detail/pseudoinverse/fused_rows.hpp>
#include <carroll/detail/pseudoinverse/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/segment_merge.hpp>
#include <carroll/detail/pseudoinverse/team_sums.hpp>
#include <carroll/detail/scattered_sums.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/detail/warp.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// A step of a GPU with warps, in one kernel, for K motion columns of which the sums of products
/// tell enough: one column, whose Σe² is the square of R, or rows of float, whose EᵀE in double
/// precision loses nothing down to a condition of 1/√eps, 7·10⁷, far beyond the cutoff.
///
/// A warp has a window for itself. Its rows go into scratch, once and in the order of memory; then
/// each lane takes a run of them, wherever segments begin in it, and forms of their pieces
///
///   structured_qr:     Σu², Σub, Σur, and once more with e = b - uβ, f = r - uγ: Σeᵀe, Σeᵀf;
///   normal_equations:  Σu², Σub, Σur, Σbᵀb, Σbᵀr, less d·βᵀβ, d·βᵀγ.
///
/// Between the two a scan over the lanes puts pieces of a segment together, and a lane makes β and
/// γ of each. So a row costs the same whatever the segments are, down to 8 or 16 rows in each; then
/// their sums no longer have room in scratch at a time, and the lanes go through the rows again.
///
/// Taking γ off r costs little and makes the error of Σeᵀr that e and u are not quite orthogonal
/// one of second order. The last team of a problem to end goes on with its core.
/// (K+2)n entries are read, K² + 7K + 4 flops a row.
template <class ExecSpace, class Real, int K, class Source>
class SegmentTilesKernel {
 public:
  static constexpr int run = K == 1 && sizeof(Real) < sizeof(double) ? 32 : 16;  ///< of a lane
  static constexpr int window_rows = 32 * run;
  static constexpr int most_threads = 4;
  /// Of a processor: threads that it can hold, and warps that have room in registers and scratch.
  static constexpr int processor_threads = 2048, processor_warps = K == 1 ? 16 : 12;
  using Policy =
      Kokkos::TeamPolicy<ExecSpace,
                         Kokkos::LaunchBounds<32 * most_threads, processor_warps / most_threads>>;
  using Member = typename Policy::member_type;

  SegmentTilesKernel(ExecSpace const& exec, ArrowBatch<Real> const& batch, Source const& source)
      : batch_(batch),
        source_(source),
        thread_windows_(windows_for(exec, batch)),
        teams_((batch.windows + window_threads * thread_windows_ - 1) /
               (window_threads * thread_windows_)),
        share_(batch.m / std::max(batch.windows, 1) + 1) {}

  Policy policy(ExecSpace const& exec) const {
    // Of few teams the last one is waited for: threads without windows help it with the core.
    int const threads = batch_.problems() < 64 ? most_threads : window_threads;
    return Policy(exec, batch_.problems() * teams_, threads, 32)
        .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes + sizeof(int) + 32)));
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (batch_.k != K) return;  // the compiler knows k from here on
    int const problem = team.league_rank() / teams_;
    int const window = team.league_rank() % teams_ * (window_threads * thread_windows_) +
                       team.team_rank() * thread_windows_;
    auto* const bytes =
        static_cast<char*>(team.team_scratch(0).get_shmem_aligned(std::size_t{scratch_bytes}, 16));
    auto& last = *static_cast<int*>(team.team_scratch(0).get_shmem_aligned(sizeof(int), 16));
    if (team.team_rank() < window_threads) {
      DeviceWarp warp{0};
      lane_for(team, 32, [&](int lane) { warp.lane = lane; });
      auto& tile = *reinterpret_cast<Tile*>(bytes + team.team_rank() * sizeof(Tile));
      take_windows(warp, problem, window, Kokkos::min(window + thread_windows_, batch_.windows),
                   tile);
    }
    team.team_barrier();
    if (!is_last(team, problem, last)) return;

    auto* const data = reinterpret_cast<double*>(bytes);
    double* const scratch = data + core_size(K);
    ArrowCore<Real, K> const core(batch_, data, reinterpret_cast<int*>(scratch), scratch + K);
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
  /// Upper half of S row by row, each with its entry of Eᵀf; then what the depths have of the
  /// squares of the motion columns.
  static constexpr int sums = products + K;
  using Totals = Sums<double, sums>;
  using DepthSums = Sums<double, columns>;
  static constexpr int most_windows = 10;  ///< of a thread
  static constexpr int pieces_at_once = K == 1 ? 64 : 32;

  /// What a lane reads at a time.
  struct alignas(16) Vector {
    static constexpr unsigned width = 16 / sizeof(Stored);
    Stored part[width];
  };
  static constexpr unsigned width = Vector::width;
  static constexpr unsigned lane_vectors = run / width, vectors = 32 * lane_vectors;

  /// A warp's scratch.
  struct Tile {
    Vector rows[columns][vectors];
    double pieces[pieces_at_once][columns | 1];  ///< odd, so that neighbours are in other banks
    std::uint32_t starts[32];

    /// Where vector x of a column is: those that lanes read together are in different banks. For
    /// the v-th one of a lane's run that is place(lane·lane_vectors) ^ v.
    KOKKOS_FUNCTION static unsigned place(unsigned x) {
      constexpr unsigned apart = lane_vectors > 8 ? lane_vectors : 8;
      return x ^ (x / apart % 8);
    }
    KOKKOS_FUNCTION Stored& at(int c, unsigned i) {
      return rows[c][place(i / width)].part[i % width];
    }
  };

  static constexpr std::size_t room = 40'000;  ///< that a team has wherever there are warps
  static constexpr int window_threads = 2 * sizeof(Tile) <= room ? 2 : 1;
  static constexpr std::size_t core_bytes =
      (core_size(K) + K + team_sums_size(K * (K + 2))) * sizeof(double);
  static constexpr std::size_t scratch_bytes = std::max(window_threads * sizeof(Tile), core_bytes);

  /// The segment offsets of a frame.
  struct Offsets {
    int const* data;
    std::ptrdiff_t stride;
    int m;
    KOKKOS_FUNCTION Offsets(ArrowBatch<Real> const& batch, int frame)
        : data(batch.offsets.data + frame * batch.offsets.strides[0]),
          stride(batch.offsets.strides[1]),
          m(batch.m) {}
    KOKKOS_FUNCTION int operator()(int i) const { return data[static_cast<unsigned>(i) * stride]; }
  };

  /// Rows of segment s, from, …, behind - 1; none of one that does not exist.
  struct Bounds {
    int s, from, behind;
    KOKKOS_FUNCTION Bounds(Offsets const& offsets, int segment, int none)
        : s(segment),
          from(segment < offsets.m ? offsets(segment) : none),
          behind(segment < offsets.m ? offsets(segment + 1) : none) {}
  };

  /// The pieces of a window's segments, numbered in the order of rows, as a lane sees them.
  struct Pieces {
    std::uint32_t starts;  ///< bit i: a segment begins with its row i, not with the window
    int before;            ///< piece that its first row belongs to, or one that ends there
    int count;             ///< of the window
  };

  /// Windows of a thread, one after the other, so that all are done soon. A team begins and ends in
  /// the time of one of them.
  static int windows_for(ExecSpace const& exec, ArrowBatch<Real> const& batch) {
    std::int64_t const at_once =
        std::max(exec.concurrency() / processor_threads * (processor_warps / window_threads), 1);
    std::int64_t least = 0;
    int best = 1;
    for (int windows = 1; windows <= most_windows; ++windows) {
      std::int64_t const of_team = static_cast<std::int64_t>(windows) * window_threads;
      std::int64_t const teams = batch.problems() * ((batch.windows + of_team - 1) / of_team);
      std::int64_t const time = (teams + at_once - 1) / at_once * (windows + 1);
      if (windows == 1 || time < least) {
        least = time;
        best = windows;
      }
    }
    return best;
  }

  /// Windows first, …, end_window - 1. The rows of one are under way before the sums of the one
  /// before it are put together.
  KOKKOS_FUNCTION void take_windows(DeviceWarp const& warp, int problem, int first, int end_window,
                                    Tile& tile) const {
    if (first >= end_window) return;
    Offsets const offsets(batch_, batch_.frame_of(problem));
    int segment = -1;  // of the window's first row, or one before it
    Totals totals;
    for (int window = first;; ++window) {
      int const begin = window * window_rows;
      int const end = Kokkos::min(begin + window_rows, batch_.n);
      WindowEdges edges;
      if (window < end_window) edges.invalid = load(warp, problem, begin, end, tile);
      if (window > first) leave(warp, totals, batch_.partial(problem, window - 1));  // meanwhile
      if (window == end_window) return;
      if (segment < 0) segment = find_segment(warp, offsets, begin);
      Bounds const bounds(offsets, segment + warp.lane, end);
      check_offsets(warp, problem, window, edges);
      auto const pieces = find_pieces(warp, offsets, bounds, begin, end, tile);
      wait_for_copies();
      warp.sync();
      totals = {};
      int next = segment;
      auto const take = [&](auto all, int done) {
        sum_depths<all.value>(warp, pieces, done, tile);
        warp.sync();
        next = take_segments(warp, problem, window, offsets, bounds, pieces, done, next, segment,
                             tile, totals, edges);
        warp.sync();
        add_products<all.value>(warp, pieces, done, tile, totals);
        warp.sync();
      };
      if (pieces.count <= pieces_at_once)
        take(std::true_type{}, 0);
      else
        for (int done = 0; done < pieces.count; done += pieces_at_once)
          take(std::false_type{}, done);
      for (int j = 0, e = 0; j < K; e += K + 1 - j, ++j)
        totals.value[products + j] += totals.value[e];
      if (warp.lane == 0) batch_.edges_of(problem, window) = edges;
    }
  }

  /// The window's rows, with zeros behind the last one. Returns whether one is none.
  KOKKOS_FUNCTION int load(DeviceWarp const& warp, int problem, int begin, int end,
                           Tile& tile) const {
    auto const rows = source_.of(batch_, problem);
    int const count = end - begin;
    bool invalid = false;
    if constexpr (Source::is_plain) {
      Real const* from[columns];
      bool aligned = count == window_rows;
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) {
        auto const column = rows.column(c, K);
        from[c] = column.data + begin * column.stride;
        aligned = aligned && column.stride == 1 &&
                  reinterpret_cast<std::uintptr_t>(from[c]) % sizeof(Vector) == 0;
      }
      if (aligned) {
        CARROLL_UNROLL
        for (int c = 0; c < columns; ++c) CARROLL_UNROLL
        for (unsigned x = 0; x < vectors; x += 32)
          copy_async(&tile.rows[c][Tile::place(x + warp.lane)],
                     reinterpret_cast<Vector const*>(from[c]) + x + warp.lane);
      } else {
        CARROLL_UNROLL
        for (int c = 0; c < columns; ++c) {
          std::ptrdiff_t const stride = rows.column(c, K).stride;
          CARROLL_NO_UNROLL
          for (int i = warp.lane; i < window_rows; i += 32)
            copy_async(&tile.at(c, i), from[c] + (i < count ? i : 0) * stride, i < count);
        }
      }
    } else {
      constexpr int ahead = 4;  // rows that are on their way at a time
      for (int first = warp.lane; first < window_rows; first += 32 * ahead) {
        Stored held[ahead][columns] = {};
        CARROLL_UNROLL
        for (int a = 0; a < ahead; ++a) {
          int const i = first + 32 * a;
          if (i >= count) continue;
          rows.read(begin + i, K, [&](int c, double value) { held[a][c] = value; });
          if constexpr (Source::checks_places) invalid = invalid || !rows.valid_at(begin + i);
        }
        CARROLL_UNROLL
        for (int a = 0; a < ahead; ++a)
          for (int c = 0; c < columns; ++c) tile.at(c, first + 32 * a) = held[a][c];
      }
    }
    return Source::checks_places && warp.ballot(invalid) != 0 ? 1 : 0;
  }

  /// The segment of place `place`: the last one that begins at or before it.
  KOKKOS_FUNCTION static int find_segment(DeviceWarp const& warp, Offsets const& offsets,
                                          int place) {
    int found = 0;
    for (int left = offsets.m; left > 1;) {
      int const stride = (left + 31) / 32;
      int const i = warp.lane * stride;
      bool const begins = i < left && offsets(found + i) <= place;
      int const passed = stride * highest_bit(warp.ballot(begins));
      found += passed;
      left = Kokkos::min(stride, left - passed);
    }
    return found;
  }
  /// Of the bits, 0 where there is none.
  KOKKOS_FUNCTION static int highest_bit(std::uint32_t bits) {
    return 31 - Kokkos::Experimental::countl_zero_builtin(bits | 1U);
  }

  /// Where segments begin in the window. `bounds`: on each lane one of the first 32 of them.
  KOKKOS_FUNCTION static Pieces find_pieces(DeviceWarp const& warp, Offsets const& offsets,
                                            Bounds bounds, int begin, int end, Tile& tile) {
    tile.starts[warp.lane] = 0;
    warp.sync();
    while (true) {
      int const at = bounds.behind;
      unsigned const row = at - begin;
      if (begin < at && at < end) Kokkos::atomic_or(&tile.starts[row / run], 1U << row % run);
      if (warp.ballot(at >= end) != 0) break;
      bounds = Bounds(offsets, bounds.s + 32, end);
    }
    warp.sync();
    std::uint32_t const starts = tile.starts[warp.lane];
    int behind = Kokkos::popcount(starts);
    int const own = behind;
    CARROLL_UNROLL
    for (int step = 1; step < 32; step *= 2) {
      int const other = warp.from(behind, warp.lane - step);
      if (warp.lane >= step) behind += other;
    }
    return {starts, behind - own, warp.from(behind, 31) + 1};
  }

  /// The window's share of the offsets.
  KOKKOS_FUNCTION void check_offsets(DeviceWarp const& warp, int problem, int window,
                                     WindowEdges& edges) const {
    int const begin = window * share_;
    int const count = Kokkos::min(int{share_}, batch_.m + 1 - begin);
    SegmentMerge<Real> const segments(batch_, true);
    for (int first = 0; first < count; first += 32) {
      typename SegmentMerge<Real>::Found found{0, 0};
      if (first + warp.lane < count)
        found = segments.check_offset(problem, begin + first + warp.lane);
      if (warp.ballot(found.invalid != 0) != 0) edges.invalid = 1;
      edges.depths += Kokkos::popcount(warp.ballot(found.depths != 0));
    }
  }

  /// Calls row(entries, begins) for every row of the lane's run, in their order.
  template <class Row>
  KOKKOS_FUNCTION void for_rows(DeviceWarp const& warp, Tile const& tile, std::uint32_t starts,
                                Row const& row) const {
    constexpr unsigned at_once = K == 1 ? 2 : 1;  // vectors that are on their way
    unsigned const place = Tile::place(warp.lane * lane_vectors);
    CARROLL_NO_UNROLL
    for (unsigned v = 0; v < lane_vectors; v += at_once) {
      Vector held[at_once][columns];
      CARROLL_UNROLL
      for (unsigned a = 0; a < at_once; ++a) CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) held[a][c] = tile.rows[c][place ^ (v + a)];
      CARROLL_UNROLL
      for (unsigned a = 0; a < at_once; ++a) CARROLL_UNROLL
      for (unsigned i = 0; i < width; ++i) {
        double entries[columns];
        CARROLL_UNROLL
        for (int c = 0; c < columns; ++c) entries[c] = static_cast<double>(held[a][c].part[i]);
        row(entries, (starts >> (a * width + i) & 1U) != 0);
      }
      starts >>= at_once * width;
    }
  }

  /// Σu², Σub, Σur of pieces `first`, …; `All`: they are all the window's pieces.
  template <bool All>
  KOKKOS_FUNCTION void sum_depths(DeviceWarp const& warp, Pieces const& pieces, int first,
                                  Tile& tile) const {
    DepthSums own;
    int piece = pieces.before - first;
    auto const put = [&](bool wanted) {
      if (!wanted || !(All || has_room(piece))) return;
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) tile.pieces[piece][c] = own.value[c];
    };
    for_rows(warp, tile, pieces.starts, [&](double const(&entries)[columns], bool begins) {
      put(begins);
      piece += begins ? 1 : 0;
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) {
        double const before = begins ? 0.0 : own.value[c];
        own.value[c] = multiply_add(entries[0], entries[c], before);
      }
    });
    // What the lanes since the piece's beginning, at most up to this one, have of it.
    std::uint32_t const beginning = warp.ballot(pieces.starts != 0);
    int const since = highest_bit(beginning & (0xffffffffU >> (31 - warp.lane)));
    for (int step = 1; warp.ballot(warp.lane - step >= since) != 0; step *= 2) {
      DepthSums other;
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) other.value[c] = warp.from(own.value[c], warp.lane - step);
      if (warp.lane - step >= since) own += other;
    }
    put(warp.lane == 31);
    DepthSums carried;
    CARROLL_UNROLL
    for (int c = 0; c < columns; ++c) carried.value[c] = warp.from(own.value[c], warp.lane - 1);
    piece = pieces.before - first;
    if (warp.lane > 0 && pieces.starts != 0 && (All || has_room(piece)))
      for (int c = 0; c < columns; ++c) tile.pieces[piece][c] += carried[c];
  }

  KOKKOS_FUNCTION static bool has_room(int piece) {
    return static_cast<unsigned>(piece) < static_cast<unsigned>(pieces_at_once);
  }

  /// Leaves groups of whole segments and pieces of others, of pieces `first`, …, of which `next` is
  /// the first one's segment or one before it, and puts what is to be taken off their rows into
  /// the tile. Returns the same for the pieces behind them; `segment`: the last one's.
  KOKKOS_FUNCTION int take_segments(DeviceWarp const& warp, int problem, int window,
                                    Offsets const& offsets, Bounds const& bounds,
                                    Pieces const& pieces, int first, int next, int& segment,
                                    Tile& tile, Totals& totals, WindowEdges& edges) const {
    int const frame = batch_.frame_of(problem);
    int const begin = window * window_rows;
    int const end = Kokkos::min(begin + window_rows, batch_.n);
    double* const groups = &batch_.group(problem, 0, 0);
    bool const gram = batch_.options.method == PseudoinverseMethod::normal_equations;
    for (; next < batch_.m; next += 32) {
      int const s = next + warp.lane;
      int from = bounds.from, behind = bounds.behind;
      if (s != bounds.s) {
        Bounds const others(offsets, s, end);
        from = others.from;
        behind = others.behind;
      }
      unsigned const at = Kokkos::max(from - begin, 0);
      bool const holds = static_cast<int>(at) < Kokkos::min(behind, end) - begin;
      int const lane = holds ? static_cast<int>(at / run) : 0;
      std::uint32_t const starts =
          warp.from(pieces.starts, lane) & (0xffffffffU >> (31 - at % run));
      int const p = warp.from(pieces.before, lane) + Kokkos::popcount(starts) - first;
      bool const mine = holds && 0 <= p && p < pieces_at_once;
      bool const begins = from >= begin;
      bool const whole = begins && behind <= end;
      bool counts = false;
      if (mine) {
        double* const piece = tile.pieces[p];
        double const mu = whole ? batch_.damping_of(frame, K + s) : 0;
        double const d = piece[0], damped = d + mu;
        double const kept = mu > 0 ? d / damped : 1;          // of β and γ
        double const share = gram ? 0 : damped_share(d, mu);  // of them that is taken off the rows
        double sum[K + 1], group[K + 1];
        CARROLL_UNROLL
        for (int c = 0; c <= K; ++c) {
          sum[c] = piece[1 + c];
          double const quotient = d > 0 ? sum[c] / d : 0;
          group[c] = kept * quotient;
          piece[c] = share * quotient;
        }
        CARROLL_UNROLL
        for (int j = 0, e = 0; j < K; ++j) {
          totals.value[products + j] = multiply_add(group[j], sum[j], totals.value[products + j]);
          CARROLL_UNROLL
          for (int l = j; l <= K; ++l, ++e)
            if (gram) totals.value[e] = multiply_add(-group[j], sum[l], totals.value[e]);
        }
        double* const edge = batch_.partial(problem, window) + K * (K + 2) + (begins ? K + 2 : 0);
        double* const out = whole ? groups + s : edge;
        std::ptrdiff_t const apart = whole ? batch_.m : 1;
        out[0] = damped;
        out[apart] = group[K];
        CARROLL_UNROLL
        for (int j = 0; j < K; ++j) out[(2 + j) * apart] = group[j];
        counts = whole && damped > 0;
      }
      edges.depths += Kokkos::popcount(warp.ballot(counts));
      std::uint32_t const head = warp.ballot(mine && !begins);
      std::uint32_t const tail = warp.ballot(mine && begins && !whole);
      if (std::uint32_t const held = warp.ballot(mine); held != 0)
        segment = next + highest_bit(held);
      if (head != 0) edges.head = next + highest_bit(head);
      if (tail != 0) edges.tail = next + highest_bit(tail);
      if (warp.ballot(from >= end || (holds && p >= pieces_at_once)) != 0) break;
    }
    return next;
  }

  /// Adds the lane's products of rows of pieces `first`, …, of which those times u are taken off;
  /// `All`: they are all the window's pieces.
  template <bool All>
  KOKKOS_FUNCTION void add_products(DeviceWarp const& warp, Pieces const& pieces, int first,
                                    Tile const& tile, Totals& totals) const {
    double taken[K + 1];
    int piece = pieces.before - first;
    auto const get = [&](bool wanted) {
      if (!wanted || !(All || has_room(piece))) return;
      CARROLL_UNROLL
      for (int c = 0; c <= K; ++c) taken[c] = tile.pieces[piece][c];
    };
    get(true);
    for_rows(warp, tile, pieces.starts, [&](double const(&entries)[columns], bool begins) {
      piece += begins ? 1 : 0;
      get(begins);
      if (!(All || has_room(piece))) return;
      double left[K + 1];
      CARROLL_UNROLL
      for (int c = 0; c <= K; ++c) left[c] = multiply_add(-entries[0], taken[c], entries[1 + c]);
      CARROLL_UNROLL
      for (int j = 0, e = 0; j < K; ++j) CARROLL_UNROLL
      for (int l = j; l <= K; ++l, ++e)
        totals.value[e] = multiply_add(left[j], left[l], totals.value[e]);
    });
  }

  /// The sums over all lanes, into the window's system.
  KOKKOS_FUNCTION static void leave(DeviceWarp const& warp, Totals const& totals, double* partial) {
    constexpr int squares = K * (K + 1);  // begin here in the system
    if constexpr (K > 1) {
      Sums<double, products> product;
      Sums<double, K> square;
      CARROLL_UNROLL
      for (int e = 0; e < products; ++e) product.value[e] = totals[e];
      CARROLL_UNROLL
      for (int j = 0; j < K; ++j) square.value[j] = totals[products + j];
      ScatteredSums<products>(warp, product).for_each([&](int e, double sum) {
        partial[place_of(e)] = sum;
      });
      ScatteredSums<K>(warp, square).for_each([&](int j, double sum) {
        partial[squares + j] = sum;
      });
    } else {
      CARROLL_UNROLL
      for (int e = 0; e < sums; ++e) {
        double sum = totals[e];
        CARROLL_UNROLL
        for (int step = 1; step < 32; step *= 2) sum += warp.from(sum, warp.lane ^ step);
        if (warp.lane == e) partial[e] = sum;
      }
    }
  }

  /// Where product e stands in a window's system: row j has j entries more before it there.
  KOKKOS_FUNCTION static int place_of(int e) {
    int place = e;
    CARROLL_UNROLL
    for (int j = 1; j < K; ++j)
      if (e >= j * (K + 1) - j * (j - 1) / 2) place += j;
    return place;
  }

  /// Whether all other teams of the problem have ended; what they left is visible then.
  KOKKOS_FUNCTION bool is_last(Member const& team, int problem, int& last) const {
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      Kokkos::memory_fence();
      int& ticket = batch_.tickets[problem];
      last = Kokkos::atomic_fetch_add(&ticket, 1) == teams_ - 1 ? 1 : 0;
      if (last != 0) ticket = 0;
    });
    team.team_barrier();
    if (last == 0) return false;
    Kokkos::memory_fence();
    return true;
  }

  ArrowBatch<Real> batch_;
  Source source_;
  int thread_windows_;
  int teams_;  ///< of a problem
  int share_;  ///< of the offsets, that a window checks
};

}  // namespace carroll::detail
