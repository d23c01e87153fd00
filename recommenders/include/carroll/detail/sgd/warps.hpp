// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/sgd/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

namespace carroll::detail {

/// A block by a team of warps: a rating of a wave each, and a barrier behind the wave. A warp has
/// factors l, l + 32, … of both rows in its lanes: in registers with `Chunks` of 32 factors, read
/// again with Chunks = 0, for any number. The rows of a rating are read and written once, 16k bytes
/// of float; what is waited for is memory, once for each wave, and the item with most ratings,
/// whose waves follow one another. Measured is by one warp, so that ratings are in order.
template <class ExecSpace, class Real, int Chunks, bool Measure>
struct SgdWarpKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr int held = Chunks > 0 ? Chunks : 1;

  SgdProblem<Real> p;
  int step;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    DeviceWarp const warp = warp_of_threads(team);
    int const first = team.team_rank() / 32, warps = team.team_size() / 32;
    std::int64_t const block = Measure ? team.league_rank() : p.block(team.league_rank(), step);
    std::int64_t const end = p.begins[block + 1];
    double measured[2] = {0, 0};
    for (std::int64_t t = p.begins[block]; t < end;) {
      std::int64_t const next = end_of_wave(warp, t, end);
      for (std::int64_t k = t + first; k < next; k += warps) visit(warp, p.ratings[k], measured);
      if (!Measure) team.team_barrier();
      t = next;
    }
    if (Measure && warp.lane == 0) {
      p.measures[2 * block] = measured[0];
      p.measures[2 * block + 1] = measured[1];
    }
  }

 private:
  KOKKOS_FUNCTION std::int64_t end_of_wave(DeviceWarp const& warp, std::int64_t begin,
                                           std::int64_t end) const {
    for (std::int64_t t = begin + 1;; t += 32) {
      std::int64_t const mine = t + warp.lane;
      std::uint32_t const stops = warp.ballot(mine >= end || p.ratings[mine].begins_wave());
      if (stops != 0) return t + Kokkos::Experimental::countr_zero_builtin(stops);
    }
  }
  KOKKOS_FUNCTION void visit(DeviceWarp const& warp, SgdRating<Real> const& rating,
                             double* measured) const {
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
