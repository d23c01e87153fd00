// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/pairing.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/rotation.hpp>
#include <carroll/detail/svd/tile.hpp>
#include <carroll/detail/svd/tile_pair.hpp>

/// One-sided Jacobi sweeps on X = R₂ᵀ by blocks of 8 columns: each pair of blocks is a tile.
namespace carroll::detail {

inline constexpr int block_columns = tile_columns / 2;

/// Up to so many columns a warp holds a pair of blocks and a team a matrix; beyond, a team holds a
/// pair of blocks. In double precision ten tiles of 160 rows would want more registers than there
/// are.
template <class Real>
inline constexpr int most_sweeps_columns = sizeof(Real) == 4 ? 160 : 128;

/// Blocks meet as columns do in round robin.
KOKKOS_INLINE_FUNCTION constexpr RoundRobin block_schedule(int cols) {
  return {(cols + block_columns - 1) / block_columns};
}

/// A pair of blocks made orthogonal, by the threads that share its tile.
template <class Real, int R>
class TileMeeting {
 public:
  KOKKOS_FUNCTION TileMeeting(Columns<Real> const& X, int const* exponents)
      : X_(X), exponents_(exponents) {}

  template <class Sums>
  KOKKOS_FUNCTION SweepTally<Real> operator()(TileThreads const& threads, Sums& sums,
                                              RoundRobin::Pair const& blocks, Real tolerance,
                                              bool all) const {
    int const n = X_.rows;
    auto const column = [&](int c) {
      return c < block_columns ? blocks.p * block_columns + c
                               : blocks.q * block_columns + c - block_columns;
    };
    Tile<Real, tile_columns, R> tile;
    load_tile(threads, tile, n, tile_columns,
              [&](int i, int c) { return column(c) < n ? X_(i, column(c)) : Real(0); });
    int const own = column(threads.lane() / 2);
    int const exponent = own < n ? exponents_[own] : 0;
    TilePairs<Real, R, Sums> pairs(threads, sums, tolerance);
    if (pairs(tile, exponent, all)) {
      Columns<Real> const to{forgotten(X_.data), forgotten(n)};
      store_tile(threads, tile, to.rows, tile_columns, [&](int i, int c, Real x) {
        if (column(c) < to.rows) to(i, column(c)) = x;
      });
    }
    SweepTally<Real> tally;
    tally.max_cosine = pairs.max_cosine();
    bool const counts =
        threads.warp() == 0 && threads.lane() % TilePairs<Real, R, Sums>::group == 0;
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
  for (int d = 16; d > 0; d /= 2) {
    tally.max_cosine = Kokkos::max(tally.max_cosine, warp.from(tally.max_cosine, lane ^ d));
    tally.rotations += warp.from(tally.rotations, lane ^ d);
  }
}

/// All sweeps of a matrix with few enough columns that a warp holds a tile; one team per matrix, a
/// warp per pair of blocks, X in scratch if it fits.
///
/// Cost of s sweeps: 7·s·n³ flops; X crosses between registers and scratch or cache n/8 times a
/// sweep, an eighth as often as with single pairs of columns.
template <class ExecSpace, class Real, int R>
class TileSweepsKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  TileSweepsKernel(SvdBatch<Real> const& batch, Real tolerance, int max_sweeps, bool staged)
      : batch_(batch), tolerance_(tolerance), max_sweeps_(max_sweeps), staged_(staged) {}

  static std::size_t bytes_per_team(int pairs) { return tally_bytes(pairs) + 16; }
  static std::size_t bytes_to_stage(int n) { return sizeof(Real) * n * n; }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank()));
    int const n = problem.state->columns;
    if (n == 0 || n > most_sweeps_columns<Real>) return;
    Columns<Real> const X = problem.working();
    auto* const tallies = static_cast<SweepTally<Real>*>(
        team.team_scratch(0).get_shmem_aligned(tally_bytes(team.team_size() / 32), 8));
    Columns<Real> const staged = stage(team, X);
    copy(team, X, staged);
    RoundRobin const schedule = block_schedule(n);
    auto const rule = PairRule<Real>::of(tolerance_, n, true);
    TileThreads const threads{team.team_rank() % 32, 1};
    TileSums<Member, Real> sums(team, threads, nullptr);
    TileMeeting<Real, R> const meet(staged, problem.working_exponents());
    int const slot = team.team_rank() / 32;
    std::int64_t rotations = 0;
    Real max_cosine = 0;
    bool converged = false;
    int sweeps = 0;
    while (!converged && sweeps < max_sweeps_) {
      ++sweeps;
      SweepTally<Real> tally;
      for (int set = 0; set < Kokkos::max(schedule.sets(), 1); ++set) {
        if (slot < schedule.pairs()) {
          auto const own = meet(threads, sums, schedule.pair(set, slot), rule.tolerance, set == 0);
          tally.max_cosine = Kokkos::max(tally.max_cosine, own.max_cosine);
          tally.rotations += own.rotations;
        }
        team.team_barrier();
      }
      join(threads.lane(), tally);
      if (threads.lane() == 0) tallies[slot] = tally;
      team.team_barrier();
      max_cosine = 0;
      for (int k = 0; k < team.team_size() / 32; ++k) {
        max_cosine = Kokkos::max(max_cosine, tallies[k].max_cosine);
        rotations += tallies[k].rotations;
      }
      team.team_barrier();  // all have read them
      converged = max_cosine <= rule.tolerance;
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      problem.info->status = converged ? Status::success : Status::not_converged;
      problem.info->sweeps = sweeps;
      problem.info->rotations = rotations;
      problem.info->max_cosine = max_cosine;
    });
    copy(team, staged, X);
  }

 private:
  KOKKOS_FUNCTION static constexpr std::size_t tally_bytes(int warps) {
    return sizeof(SweepTally<Real>) * warps;
  }

  KOKKOS_FUNCTION Columns<Real> stage(Member const& team, Columns<Real> const& X) const {
    if (!staged_) return X;
    std::size_t const bytes = sizeof(Real) * X.rows * X.rows;
    return {static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(Real))),
            X.rows};
  }

  KOKKOS_FUNCTION void copy(Member const& team, Columns<Real> const& from,
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

/// One set of a sweep for larger matrices: a team per pair of blocks. A launch per set is the
/// barrier between sets. Launches of a member that has converged return at once: the teams find the
/// largest cosine of the sweep before, by slot of the round robin, or the flag that the sweep after
/// it has raised.
///
/// Cost of a sweep: 7·n³ flops in n/8 launches, each of which reads and writes X once.
template <class ExecSpace, class Real, int R>
class TileSetKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  TileSetKernel(SvdBatch<Real> const& batch, Real tolerance, int pairs, int sweep, int set)
      : batch_(batch), tolerance_(tolerance), pairs_(pairs), sweep_(sweep), set_(set) {}

  KOKKOS_FUNCTION static int scratch_reals(int warps) {
    return TileSums<Member, Real>::parts(tile_columns, warps);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank() / pairs_));
    int const slot = team.league_rank() % pairs_;
    int const n = problem.state->columns;
    RoundRobin const schedule = block_schedule(n);
    if (n <= most_sweeps_columns<Real> || slot >= schedule.pairs() || set_ >= schedule.sets())
      return;
    auto const rule = PairRule<Real>::of(tolerance_, n, true);
    Real* const cosines = problem.slot_cosines();
    if (sweep_ > 0 && has_converged(team, problem, schedule.pairs(), rule.tolerance)) return;

    TileThreads const threads{team.team_rank(), tile_warps(n)};
    Real* parts = nullptr;
    if (threads.warps > 1)
      parts = static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(
          sizeof(Real) * TileSums<Member, Real>::parts(tile_columns, threads.warps),
          alignof(Real)));
    TileSums<Member, Real> sums(team, threads, parts);
    auto tally = TileMeeting<Real, R>(problem.working(), problem.working_exponents())(
        threads, sums, schedule.pair(set_, slot), rule.tolerance, set_ == 0);
    join(threads.lane(), tally);
    if (team.team_rank() != 0) return;
    Real& cosine = cosines[sweep_ % 2 * schedule.pairs() + slot];
    cosine = set_ == 0 ? tally.max_cosine : Kokkos::max(cosine, tally.max_cosine);
    problem.slot_counts()[slot] += tally.rotations;
    if (slot == 0 && set_ == 0) problem.info->sweeps = sweep_ + 1;
  }

 private:
  KOKKOS_FUNCTION bool has_converged(Member const& team, SvdProblem<Real> const& problem, int pairs,
                                     Real tolerance) const {
    if (problem.state->converged) return true;
    Real const* const before = problem.slot_cosines() + (sweep_ - 1) % 2 * pairs;
    bool still = true;
    for (int k = team.team_rank() % 32; k < pairs; k += 32) still = still && before[k] <= tolerance;
    DeviceWarp const warp{team.team_rank() % 32};
    if (warp.ballot(!still) != 0) return false;
    // Read by later launches only: the teams of this one find out for themselves.
    if (set_ > 0 && team.team_rank() == 0 && team.league_rank() % pairs_ == 0)
      problem.state->converged = 1;
    return true;
  }

  SvdBatch<Real> batch_;
  Real tolerance_;
  int pairs_, sweep_, set_;
};

/// After the sweeps: norms of the working columns, a warp per column.
template <class ExecSpace, class Real>
class TileNormsKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr int columns_per_team = 4;

  TileNormsKernel(SvdBatch<Real> const& batch, int cols)
      : batch_(batch), teams_((cols + columns_per_team - 1) / columns_per_team) {}

  int teams_per_matrix() const { return teams_; }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank() / teams_));
    int const n = problem.state->columns;
    int const from = team.league_rank() % teams_ * columns_per_team;
    Columns<Real> const X = problem.working();
    thread_for(team, Kokkos::max(0, Kokkos::min(n - from, int{columns_per_team})), [&](int k) {
      Real const norm = column_norm(team, X.col(from + k), n);
      bool const zero = norm * norm < negligible_square<Real>;
      once_per_thread(team, [&] { problem.sigma()[from + k] = zero ? Real(0) : norm; });
    });
  }

 private:
  SvdBatch<Real> batch_;
  int teams_;
};

}  // namespace carroll::detail
