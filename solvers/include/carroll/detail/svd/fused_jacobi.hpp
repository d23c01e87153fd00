// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/fused_team.hpp>
#include <carroll/detail/svd/pairing.hpp>
#include <carroll/detail/svd/warp_jacobi.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// One-sided Jacobi on the columns in the team's work matrix, by pairs of blocks: a warp takes two
/// blocks of half its columns each into registers, a column of either per lane, makes all pairs
/// between them orthogonal as the warp path does, and puts them back. Blocks meet in round robin; in
/// the first set of a sweep the columns of a block meet each other too.
///
/// Of a set only the second block's columns move, between lanes: a step costs 6 flops a row and pair
/// of columns that is rotated, one move of a column, one sum over the lanes of a pair. Columns cross
/// between registers and the work matrix once a set.
template <class Team, class Real>
class FusedSweeps {
 public:
  using Shape = typename Team::Shape;
  using Group = typename Team::Group;
  static constexpr int block = Shape::pairs;
  static constexpr int K = Team::K;
  using Column = WarpColumn<Real, K>;

  KOKKOS_FUNCTION FusedSweeps(Team const& team, int n, Real tolerance)
      : team_(team), n_(n), tolerance_(tolerance), limit_(magnitude(tolerance)) {}

  /// The same result in all lanes. Begins after and ends with a barrier.
  KOKKOS_FUNCTION WarpTally operator()(int max_sweeps) const {
    RoundRobin const schedule{(n_ + block - 1) / block};
    int const sets = Kokkos::max(schedule.sets(), 1);
    WarpTally tally;
    while (!tally.converged && tally.sweeps < max_sweeps) {
      WarpSweep sweep;
      if (team_.warp < schedule.pairs()) meet_all(schedule.pair(0, team_.warp), sweep);
      team_.barrier();
      CARROLL_NO_UNROLL
      for (int set = 1; set < sets; ++set) {
        if (team_.warp < schedule.pairs()) meet(schedule.pair(set, team_.warp), sweep);
        team_.barrier();
      }
      join(sweep, tally.sweeps % 2);
      ++tally.sweeps;
      tally.rotations += sweep.rotations;
      // See sweep_all.
      Real const met = of_magnitude<Real>(sweep.cosine);
      Real const bound = (n_ * of_magnitude<Real>(sweep.mixing) + Real(0x1p-18)) * met;
      bool const checked = sweep.cosine <= limit_;
      tally.converged = checked || bound <= tolerance_;
      tally.max_cosine = checked || !tally.converged ? met : bound;
    }
    return tally;
  }

  /// Squared norms below this, of columns that began with entries near 2^start, are zero: nothing but
  /// rounding errors, which would be parallel to another column after every further rotation.
  KOKKOS_FUNCTION static Real negligible(int start) {
    return sizeof(Real) == 4 ? power_of_two<Real>(-100)
                             : power_of_two<Real>(Kokkos::max(2 * start - 220, -1020));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void load(int j, Column& x) const {
    team_.load(j, n_, x.x);
    x.scale = x.inverse = 1;
    x.exponent = j < n_ ? team_.scratch.working_exponents[j] : 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(int j, Column& x) const {
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) x.x[t] *= x.scale;
    team_.store(j, n_, x.x);
    if (j < n_ && team_.writes()) team_.scratch.squares[j] = x.squares;
  }

  KOKKOS_FORCEINLINE_FUNCTION void measure_anew(int j, Column& x) const {
    measure(team_.group, x);
    if (x.squares < negligible(j < n_ ? team_.scratch.starts[j] : 0)) {
      x.squares = 0;
      CARROLL_UNROLL
      for (int t = 0; t < K; ++t) x.x[t] = 0;
    }
  }

  /// Every pair of columns of two blocks. The line of columns is reversed in the end, see sweep_all.
  KOKKOS_FUNCTION void meet_all(RoundRobin::Pair const& blocks, WarpSweep& sweep) const {
    Group const& group = team_.group;
    int const p_base = blocks.p * block, q_base = blocks.q * block;
    Column p, q;
    load(p_base + group.pair, p);
    load(q_base + group.pair, q);
    measure_anew(p_base + group.pair, p);
    measure_anew(q_base + group.pair, q);
    bool const wall = group.is_last_pair();
    CARROLL_NO_UNROLL
    for (int step = 0; step < 2 * block; step += 2) {
      orthogonalise(group, p, q, true, limit_, sweep);
      take(group, q, group.next);
      orthogonalise(group, p, q, !wall, limit_, sweep);
      if (wall) Kokkos::kokkos_swap(p, q);
      take(group, p, group.prev);
    }
    int const mirrored = block - 1 - group.pair;
    store(q_base + mirrored, p);
    store(p_base + mirrored, q);
  }

  /// Every pair of a column of one block and one of the other.
  KOKKOS_FUNCTION void meet(RoundRobin::Pair const& blocks, WarpSweep& sweep) const {
    Group const& group = team_.group;
    int const p_at = blocks.p * block + group.pair, q_at = blocks.q * block + group.pair;
    if (blocks.q * block >= n_) return;
    Column p, q;
    load(p_at, p);
    load(q_at, q);
    p.squares = p_at < n_ ? team_.scratch.squares[p_at] : Real(0);
    q.squares = q_at < n_ ? team_.scratch.squares[q_at] : Real(0);
    CARROLL_NO_UNROLL
    for (int step = 0; step < block; ++step) {
      orthogonalise(group, p, q, true, limit_, sweep);
      take(group, q, group.next);
    }
    store(p_at, p);
    store(q_at, q);
  }

  /// What the whole team has seen. `turn`: of the places in scratch, so that one barrier is enough.
  KOKKOS_FUNCTION void join(WarpSweep& sweep, int turn) const {
    Group const& group = team_.group;
    int* const tallies = team_.scratch.tallies + turn * 4 * team_.warps;
    int const cosine = group.max(sweep.cosine), mixing = group.max(sweep.mixing);
    int const rotations = group.sum(sweep.rotations) / Shape::split;
    if (group.warp.lane == 0) {
      tallies[4 * team_.warp] = cosine;
      tallies[4 * team_.warp + 1] = mixing;
      tallies[4 * team_.warp + 2] = rotations;
    }
    team_.barrier();
    sweep = {};
    for (int w = 0; w < team_.warps; ++w) {
      sweep.cosine = Kokkos::max(sweep.cosine, tallies[4 * w]);
      sweep.mixing = Kokkos::max(sweep.mixing, tallies[4 * w + 1]);
      sweep.rotations += tallies[4 * w + 2];
    }
  }

  Team const& team_;
  int n_;
  Real tolerance_;
  int limit_;
};

}  // namespace carroll::detail
