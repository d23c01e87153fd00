// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/memory.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/sgd/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

namespace carroll::detail {

/// A block by a team of warps: a rating of a wave each, and a barrier behind the wave. A warp has
/// factors l, l + 32, … of both rows in its lanes: in registers with `Chunks` of 32 factors, read
/// again with Chunks = 0, for any number. Each rating's rows are read and written once, 16k bytes
/// of float.
///
/// Where an item has many ratings their waves follow one another, and what counts is how long one
/// takes. So ratings are staged in scratch, and rows of the next wave are asked for in this one:
/// into the processor's own cache, where what the team writes meanwhile gets, too. Measured is by
/// one warp, so that ratings are in order.
template <class ExecSpace, class Real, int Chunks, bool Measure>
struct SgdWarpKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  using Rating = SgdRating<Real>;
  static constexpr int held = Chunks > 0 ? Chunks : 1;
  static constexpr int staged = 256;  ///< ratings in scratch

  SgdProblem<Real> p;
  int step;

  static std::size_t scratch_bytes() { return staged * sizeof(Rating); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    DeviceWarp const warp = warp_of_threads(team);
    auto* const ratings =
        static_cast<Rating*>(team.team_scratch(0).get_shmem_aligned(staged * sizeof(Rating), 16));
    std::int64_t const block = Measure ? team.league_rank() : p.block(team.league_rank(), step);
    std::int64_t const end = p.begins[block + 1];
    double measured[2] = {0, 0};
    for (std::int64_t begin = p.begins[block]; begin < end; begin += staged) {
      // A wave that ends with what is staged goes on behind a barrier, which does no harm.
      int const count = end - begin < staged ? static_cast<int>(end - begin) : int{staged};
      for (int k = team.team_rank(); k < count; k += team.team_size())
        ratings[k] = p.ratings[begin + k];
      team.team_barrier();
      visit_waves(team, warp, ratings, count, measured);
      team.team_barrier();
    }
    if (Measure && warp.lane == 0) {
      p.measures[2 * block] = measured[0];
      p.measures[2 * block + 1] = measured[1];
    }
  }

 private:
  KOKKOS_FUNCTION void visit_waves(Member const& team, DeviceWarp const& warp,
                                   Rating const* ratings, int count, double* measured) const {
    int const first = team.team_rank() / 32, warps = team.team_size() / 32;
    if (first < count) ask_for(warp, ratings[first]);
    for (int t = 0; t < count;) {
      int const next = end_of_wave(warp, ratings, t, count);
      if (next + first < count) ask_for(warp, ratings[next + first]);
      for (int k = t + first; k < next; k += warps) visit(warp, ratings[k], measured);
      if (!Measure) team.team_barrier();
      t = next;
    }
  }
  KOKKOS_FUNCTION static int end_of_wave(DeviceWarp const& warp, Rating const* ratings, int begin,
                                         int count) {
    for (int t = begin + 1;; t += 32) {
      int const mine = t + warp.lane;
      std::uint32_t const stops = warp.ballot(mine >= count || ratings[mine].begins_wave());
      if (stops != 0) return t + Kokkos::Experimental::countr_zero_builtin(stops);
    }
  }
  /// Half of the warp asks for the user's row, a line each, half for the item's.
  KOKKOS_FUNCTION void ask_for(DeviceWarp const& warp, Rating const& rating) const {
    constexpr int line = 128 / int(sizeof(Real));
    std::int64_t const at = std::int64_t{warp.lane % 16} * line, width = p.width();
    if (at < width)
      prefetch_line(warp.lane < 16 ? p.u + rating.row() * width + at
                                   : p.v + rating.column() * width + at);
  }
  KOKKOS_FUNCTION void visit(DeviceWarp const& warp, Rating const& rating, double* measured) const {
    std::int64_t const width = p.width();
    Real* const u = p.u + rating.row() * width + warp.lane;
    Real* const v = p.v + rating.column() * width + warp.lane;
    Real x[held], y[held], sum = 0;
    if constexpr (Chunks > 0) {
      CARROLL_UNROLL
      for (int c = 0; c < held; ++c) {
        x[c] = u[32 * c];
        y[c] = v[32 * c];
      }
      CARROLL_UNROLL
      for (int c = 0; c < held; ++c) sum = Kokkos::fma(x[c], y[c], sum);
    } else {
      for (int c = 0; c < p.chunks; ++c) sum = Kokkos::fma(u[32 * c], v[32 * c], sum);
    }
    // Every lane has the same numbers in its sums of sums: additions commute.
    Real const error = (rating.value - p.base(rating)) - lanes_sum_down(warp, sum);
    if constexpr (Measure) {
      Real squares = 0;
      for (int c = 0; c < p.chunks; ++c)
        squares = Kokkos::fma(v[32 * c], v[32 * c], Kokkos::fma(u[32 * c], u[32 * c], squares));
      p.measure(rating, error, lanes_sum_down(warp, squares), measured);
    } else {
      warp.sync();  // all have read the biases
      Real const along = rounded_product(p.step, error);
      auto const move = [&](int c, Real a, Real b) {
        u[32 * c] = Kokkos::fma(along, b, rounded_product(p.keep, a));
        v[32 * c] = Kokkos::fma(along, a, rounded_product(p.keep, b));
      };
      if constexpr (Chunks > 0) {
        CARROLL_UNROLL
        for (int c = 0; c < held; ++c) move(c, x[c], y[c]);
      } else {
        for (int c = 0; c < p.chunks; ++c) move(c, u[32 * c], v[32 * c]);
      }
      if (p.with_biases && warp.lane == 0) p.move_biases(rating, error);
    }
  }
};

}  // namespace carroll::detail
