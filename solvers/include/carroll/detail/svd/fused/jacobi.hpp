// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/math.hpp>
#include <carroll/detail/svd/fused/team.hpp>
#include <carroll/detail/svd/warp/jacobi.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// One-sided Jacobi on the columns in the team's work matrix, by pairs of blocks: a warp holds two
/// blocks of half its columns each, a column of either per lane, and makes all pairs between them
/// orthogonal as the warp path does; at the beginning of a sweep the columns of a block meet each
/// other too. Of two blocks that meet only the second one's columns move, between lanes: a step
/// costs 6 flops a row and pair of columns that is rotated, one move of a column, one sum over the
/// lanes of a pair.
///
/// Where the work matrix is in scratch, blocks meet in round robin and are taken from there and put
/// back for each meeting. Where it is not, they stay in registers: they stand in a line, as the
/// columns of a warp do in sweep_all, and after each meeting one of a warp's two blocks goes to its
/// neighbour through scratch. That takes a meeting more.
template <class Team, class Real>
class FusedSweeps {
 public:
  using Shape = typename Team::Shape;
  using Group = typename Team::Group;
  static constexpr int block = Shape::pairs;
  static constexpr int K = Team::K;
  using Column = WarpColumn<Real, K>;

  KOKKOS_FORCEINLINE_FUNCTION FusedSweeps(Team const& team, int n, Real tolerance)
      : team_(team),
        n_(n),
        tolerance_(tolerance),
        limit_(magnitude(tolerance)),
        blocks_((n + block - 1) / block),
        pairs_((blocks_ + 1) / 2) {}

  /// The same result in all lanes. Begins after and ends with a barrier.
  KOKKOS_FORCEINLINE_FUNCTION WarpTally operator()(int max_sweeps) const {
    WarpTally tally;
    Line line;
    line.p_block = 2 * team_.warp;
    line.q_block = 2 * team_.warp + 1;
    if constexpr (FusedWork<Real, Shape>::fits) {
      while (!tally.converged && tally.sweeps < max_sweeps) {
        WarpSweep sweep;
        meet_in_round_robin(sweep);
        judge(sweep, tally);
      }
      load(line);
    } else {
      load(line);
      while (!tally.converged && tally.sweeps < max_sweeps) {
        WarpSweep sweep;
        meet_in_line(line, sweep);
        judge(sweep, tally);
      }
    }
    if (team_.warp < pairs_) {
      fold(line.p);
      fold(line.q);
      store(column_of(line.p_block), line.p);
      store(column_of(line.q_block), line.q);
    }
    team_.barrier();
    return tally;
  }

  /// Squared norms below this, of columns that began with entries near 2^start, are zero: nothing
  /// but rounding errors, which would be parallel to another column after every further rotation.
  KOKKOS_FORCEINLINE_FUNCTION static Real negligible(int start) {
    return sizeof(Real) == 4 ? power_of_two<Real>(-100)
                             : power_of_two<Real>(Kokkos::max(2 * start - 220, -1020));
  }

 private:
  /// This lane's column of a block; none where all others have theirs.
  KOKKOS_FORCEINLINE_FUNCTION int column_of(int some_block) const {
    int const pair = team_.group.pair;
    return pair < block ? some_block * block + pair : int{Team::no_column};
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(int j, Column& x) const {
    team_.load(j, n_, x.x);
    x.squares = 0;
    x.excess = j < n_ ? team_.scratch.excesses()[j] : Real(0);
    x.exponent = j < n_ ? team_.scratch.working_exponents()[j] : 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(int j, Column& x) const {
    team_.store(j, n_, x.x);
    if (j < n_ && team_.writes()) {
      team_.scratch.squares()[j] = x.squares;
      team_.scratch.excesses()[j] = x.excess;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void measure_anew(int j, Column& x) const {
    fold(x);
    measure(team_.group, x);
    if (x.squares < negligible(j < n_ ? team_.scratch.starts()[j] : 0)) {
      x.squares = 0;
      CARROLL_UNROLL
      for (int t = 0; t < K; ++t) x.x[t] = 0;
    }
  }

  /// Blocks meet as columns do in RoundRobin.
  KOKKOS_FORCEINLINE_FUNCTION void meet_in_round_robin(WarpSweep& sweep) const {
    Group const& group = team_.group;
    int const ring = 2 * pairs_ - 1;
    // Of pair 0 the last block stays, the others move on by one each time.
    int a = team_.warp, b = team_.warp == 0 ? ring : ring - team_.warp;
    CARROLL_NO_UNROLL
    for (int set = 0; set < ring; ++set) {
      int const p_at = column_of(a), q_at = column_of(b);
      bool const meets = team_.warp < pairs_ && (set == 0 || (a < blocks_ && b < blocks_));
      if (meets) {
        Column p, q;
        load(p_at, p);
        load(q_at, q);
        if (set == 0) {
          measure_anew(p_at, p);
          measure_anew(q_at, q);
          meet_all(p, q, sweep);
        } else {
          p.squares = p_at < n_ ? team_.scratch.squares()[p_at] : Real(0);
          q.squares = q_at < n_ ? team_.scratch.squares()[q_at] : Real(0);
          fold_long(p, long_);
          fold_long(q, long_);
          meet(p, q, sweep);
        }
        group.warp.sync();  // columns have changed lanes: all have read theirs
        store(p_at, p);
        store(q_at, q);
      }
      team_.barrier();
      a = a + 1 == ring ? 0 : a + 1;
      if (team_.warp != 0) b = b + 1 == ring ? 0 : b + 1;
    }
  }

  /// The blocks of a warp that stands in a line.
  struct Line {
    Column p, q;
    int p_block, q_block;
  };

  KOKKOS_FORCEINLINE_FUNCTION void load(Line& line) const {
    load(column_of(line.p_block), line.p);
    load(column_of(line.q_block), line.q);
  }

  /// See sweep_all, of which this is the same thing with blocks.
  KOKKOS_FORCEINLINE_FUNCTION void meet_in_line(Line& line, WarpSweep& sweep) const {
    bool const stands = team_.warp < pairs_, last = team_.warp == pairs_ - 1;
    if (stands) {
      measure_anew(column_of(line.p_block), line.p);
      measure_anew(column_of(line.q_block), line.q);
      meet_all(line.p, line.q, sweep);
    }
    if (pairs_ == 1) return;
    CARROLL_NO_UNROLL
    for (int step = 0; step < 2 * pairs_; step += 2) {
      if (stands && step > 0) meet(line.p, line.q, sweep);
      exchange(line.q, line.q_block, last ? 0 : team_.warp + 1);
      if (stands && !last) meet(line.p, line.q, sweep);
      if (last) {
        Kokkos::kokkos_swap(line.p, line.q);
        Kokkos::kokkos_swap(line.p_block, line.q_block);
      }
      exchange(line.p, line.p_block, team_.warp == 0 ? pairs_ - 1 : team_.warp - 1);
    }
  }

  /// x := that of another warp. The team calls it together.
  KOKKOS_FORCEINLINE_FUNCTION void exchange(Column& x, int& index, int source) const {
    using Exchange = FusedExchange<Real, Shape>;
    static_assert(Shape::lanes == 32);
    constexpr int length = chunk_length<Real>;
    constexpr int chunks = K / length / Exchange::rounds;
    Group const& group = team_.group;
    auto const& scratch = team_.scratch;
    int const from = source * block + group.pair, to = team_.warp * block + group.pair;
    bool const stands = team_.warp < pairs_;
    fold_long(x, long_);
    CARROLL_UNROLL
    for (int round = 0; round < Exchange::rounds; ++round) {
      Real part[K / Exchange::rounds];
      if (stands) {
        CARROLL_UNROLL
        for (int t = 0; t < chunks * length; ++t) part[t] = x.x[round * chunks * length + t];
        store_column<Shape>(scratch.exchanged() + to * Exchange::stride, group.part, part);
        if (round == 0 && team_.writes()) {
          scratch.squares()[to] = x.squares;
          scratch.excesses()[to] = x.excess;
          scratch.order()[to] = x.exponent;
          scratch.tallies()[4 * team_.warp + 3] = index;
        }
      }
      team_.barrier();
      if (stands) {
        load_column<Shape>(scratch.exchanged() + from * Exchange::stride, group.part, part);
        CARROLL_UNROLL
        for (int t = 0; t < chunks * length; ++t) x.x[round * chunks * length + t] = part[t];
        if (round == 0) {
          x.squares = scratch.squares()[from];
          x.excess = scratch.excesses()[from];
          x.exponent = scratch.order()[from];
          index = scratch.tallies()[4 * source + 3];
        }
      }
      team_.barrier();
    }
  }

  /// Every pair of columns of two blocks, as in sweep_all.
  KOKKOS_FORCEINLINE_FUNCTION void meet_all(Column& p, Column& q, WarpSweep& sweep) const {
    Group const& group = team_.group;
    bool const wall = group.is_last_pair();
    CARROLL_NO_UNROLL
    for (int step = 0; step < 2 * block; step += 2) {
      orthogonalise(group, p, q, true, limit_, sweep);
      take(group, q, group.next);
      orthogonalise(group, p, q, !wall, limit_, sweep);
      swap_if(wall, p, q);
      take(group, p, group.prev);
    }
    // The line is reversed.
    Kokkos::kokkos_swap(p, q);
    take(group, p, group.mirror);
    take(group, q, group.mirror);
  }

  /// Every pair of a column of one block and one of the other.
  KOKKOS_FORCEINLINE_FUNCTION void meet(Column& p, Column& q, WarpSweep& sweep) const {
    CARROLL_NO_UNROLL
    for (int step = 0; step < block; ++step) {
      orthogonalise(team_.group, p, q, true, limit_, sweep);
      take(team_.group, q, team_.group.next);
    }
  }

  /// Is that enough? See sweep_all.
  KOKKOS_FORCEINLINE_FUNCTION void judge(WarpSweep& sweep, WarpTally& tally) const {
    join(sweep, tally.sweeps % 2);
    ++tally.sweeps;
    tally.rotations += sweep.rotations;
    Real const met = of_magnitude<Real>(sweep.cosine);
    Real const bound = (n_ * of_magnitude<Real>(sweep.mixing) + Real(0x1p-18)) * met;
    bool const checked = sweep.cosine <= limit_;
    tally.converged = checked || bound <= tolerance_;
    tally.max_cosine = checked || !tally.converged ? met : bound;
  }

  /// What the whole team has seen. `turn`: of the places in scratch, so that one barrier is enough.
  KOKKOS_FORCEINLINE_FUNCTION void join(WarpSweep& sweep, int turn) const {
    Group const& group = team_.group;
    int* const tallies = team_.scratch.tallies() + turn * 4 * team_.warps;
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

  /// Columns with an excess beyond are divided by their length: what a meeting adds keeps far away
  /// from the range's end. 2^20.
  static constexpr Real long_ = 1 << 20;

  Team const& team_;
  int n_;
  Real tolerance_;
  int limit_;
  int blocks_, pairs_;
};

}  // namespace carroll::detail
