// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/common/round_robin.hpp>
#include <carroll/detail/svd/tiled/pair.hpp>
#include <carroll/detail/svd/tiled/tile.hpp>
#include <carroll/detail/team.hpp>

/// One-sided Jacobi sweeps on X = R₂ᵀ by blocks of 8 columns: each pair of blocks is a tile.
namespace carroll::detail {

inline constexpr int block_columns = tile_columns / 2;

/// Blocks meet as columns do in round robin.
KOKKOS_INLINE_FUNCTION constexpr RoundRobin block_schedule(int cols) {
  return {(cols + block_columns - 1) / block_columns};
}

/// A pair of blocks made orthogonal, by a warp.
template <class Real, int R>
class TileMeeting {
 public:
  KOKKOS_FUNCTION TileMeeting(Columns<Real> const& X, int const* exponents)
      : X_(X), exponents_(exponents) {}

  KOKKOS_FUNCTION SweepTally<Real> operator()(int lane, RoundRobin::Pair const& blocks,
                                              Real tolerance, bool all) const {
    int const n = X_.rows;
    auto const column = [&](int c) {
      return c < block_columns ? blocks.p * block_columns + c
                               : blocks.q * block_columns + c - block_columns;
    };
    Tile<Real, tile_columns, R> tile;
    load_tile(lane, tile, n, tile_columns,
              [&](int i, int c) { return column(c) < n ? X_(i, column(c)) : Real(0); });
    int const own = column(lane / 2);
    int const exponent = own < n ? exponents_[own] : 0;
    TilePairs<Real, R> pairs(lane, tolerance);
    if (pairs(tile, exponent, all)) {
      Columns<Real> const to{opaque_register(X_.data), opaque_register(n)};
      store_tile(lane, tile, to.rows, tile_columns, [&](int i, int c, Real x) {
        if (column(c) < to.rows) to(i, column(c)) = x;
      });
    }
    SweepTally<Real> tally;
    tally.max_cosine = pairs.max_cosine();
    bool const counts = lane % TilePairs<Real, R>::group == 0;
    tally.rotations = counts ? pairs.rotations() : 0;
    return tally;
  }

 private:
  Columns<Real> X_;
  int const* exponents_;
};

/// The tally of a whole warp, on all its lanes.
template <class Real>
KOKKOS_INLINE_FUNCTION void join(int lane, SweepTally<Real>& tally) {
  DeviceWarp const warp{lane};
  butterfly_down<16>([&](int step) {
    tally.max_cosine = Kokkos::max(tally.max_cosine, warp.from(tally.max_cosine, lane ^ step));
    tally.rotations += warp.from(tally.rotations, lane ^ step);
  });
}

/// All sweeps of a matrix with few enough columns that a warp holds a tile; one team per matrix, a
/// warp per pair of blocks, X in scratch if it fits.
///
/// Cost of s sweeps: 7·s·n³ flops; X crosses between registers and scratch or cache n/8 times a
/// sweep, an eighth as often as with single pairs of columns.
template <class ExecSpace, class Real, int R>
class TileSweepsKernel {
 public:
  TileSweepsKernel(SvdBatch<Real> const& batch, Real tolerance, int max_sweeps, bool staged)
      : batch_(batch), tolerance_(tolerance), max_sweeps_(max_sweeps), staged_(staged) {}

  static std::size_t bytes_per_team(int pairs) { return tally_bytes(pairs) + 16; }
  static std::size_t bytes_to_stage(int n) { return sizeof(Real) * n * n; }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank()));
    int const n = problem.state->columns;
    if (n == 0) return;
    Columns<Real> const X = problem.working();
    auto* const tallies = static_cast<SweepTally<Real>*>(
        team.team_scratch(0).get_shmem_aligned(tally_bytes(team.team_size() / 32), 8));
    Columns<Real> const staged = stage(team, X);
    copy(team, X, staged);
    RoundRobin const schedule = block_schedule(n);
    auto const rule = PairRule<Real>::of(tolerance_, n);
    int const lane = team.team_rank() % 32;
    TileMeeting<Real, R> const meet(staged, problem.working_exponents());
    int const slot = team.team_rank() / 32;
    SweepCourse<Real> course;
    while (!course.converged && course.sweeps < max_sweeps_) {
      ++course.sweeps;
      SweepTally<Real> tally;
      for (int set = 0; set < Kokkos::max(schedule.sets(), 1); ++set) {
        if (slot < schedule.pairs()) {
          auto const own = meet(lane, schedule.pair(set, slot), rule.tolerance, set == 0);
          tally.max_cosine = Kokkos::max(tally.max_cosine, own.max_cosine);
          tally.rotations += own.rotations;
        }
        team.team_barrier();
      }
      join(lane, tally);
      if (lane == 0) tallies[slot] = tally;
      team.team_barrier();
      course.max_cosine = 0;
      for (int k = 0; k < team.team_size() / 32; ++k) {
        course.max_cosine = Kokkos::max(course.max_cosine, tallies[k].max_cosine);
        course.rotations += tallies[k].rotations;
      }
      team.team_barrier();  // all have read them
      course.converged = course.max_cosine <= rule.tolerance;
    }
    course.tell(team, *problem.info);
    copy(team, staged, X);
  }

 private:
  KOKKOS_FUNCTION static constexpr std::size_t tally_bytes(int warps) {
    return sizeof(SweepTally<Real>) * warps;
  }

  KOKKOS_FUNCTION Columns<Real> stage(TeamMember<ExecSpace> const& team,
                                      Columns<Real> const& X) const {
    if (!staged_) return X;
    std::size_t const bytes = sizeof(Real) * X.rows * X.rows;
    return {static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(Real))),
            X.rows};
  }

  KOKKOS_FUNCTION void copy(TeamMember<ExecSpace> const& team, Columns<Real> const& from,
                            Columns<Real> const& to) const {
    if (from.data == to.data) return;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, from.rows * from.rows),
                         [&](int e) { to.data[e] = from.data[e]; });
    team.team_barrier();
  }

  SvdBatch<Real> batch_;
  Real tolerance_;
  int max_sweeps_;
  bool staged_;
};

}  // namespace carroll::detail
