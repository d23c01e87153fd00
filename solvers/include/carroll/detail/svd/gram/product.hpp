// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/chunk.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/gram/member.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// Columns of a set's block pairs, multiplied by the rotations of the set before, and their Gram
/// matrices; and the columns of J, without these. They go from one place to another, since a block
/// is read by two teams. A team per pair and 64 rows or, of large matrices, a part of the rows.
///
/// A piece is 64×64 and so is a Gram matrix; of both a thread holds block_rows × block_cols. Small
/// blocks, many threads: sooner done. Large ones, `many` = true: less traffic with scratch, for
/// when there are pieces enough to fill the device. Bits are the same.
///
/// Cost per row of a pair: 64² multiplications and additions, twice for X; 128 entries read, 64
/// written.
template <class ExecSpace, class Real, bool many>
class GramProductKernel {
  static constexpr int side = gram_pair_columns;
  static constexpr int block_rows = 4, block_cols = many ? 8 : 4;
  static constexpr int terms =
      many ? 8 : 16;  ///< of the 64 of a product that lie in scratch at a time

 public:
  static constexpr int threads = side * side / block_rows / block_cols;
  static constexpr int teams_at_once = sizeof(Real) == 8 ? (many ? 2 : 1) : many ? 4 : 2;
  static constexpr std::size_t scratch_bytes = sizeof(Real) * side * side + 16;
  using Policy = BoundedTeams<ExecSpace, threads, teams_at_once, scratch_bytes>;
  static_assert(3 * terms <= side);

  /// `vectors`: J too.
  GramProductKernel(SvdBatch<Real> const& batch, Real tolerance, GramStep const& at, int pairs,
                    int parts, bool vectors)
      : batch_(batch),
        tolerance_(tolerance),
        at_(at),
        pairs_(pairs),
        parts_(parts),
        kinds_(vectors ? 2 : 1) {}

  int teams_per_matrix() const { return pairs_ * parts_ * kinds_; }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const teams = pairs_ * parts_ * kinds_;
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank() / teams));
    GramMember<Real> const member(problem);
    int const rank = team.league_rank() % teams;
    GramPiece const piece{rank % pairs_, rank / pairs_ % parts_, rank >= pairs_ * parts_};
    if (piece.slot >= member.schedule.pairs() || at_.set >= member.schedule.sets()) return;
    if (piece.part >= gram_parts(problem.cols) || (piece.of_j && problem.right_cols == 0)) return;
    run(team, member, tolerance_, at_, piece,
        team.team_scratch(0).get_shmem_aligned(scratch_bytes - 16, 16));
  }

  /// A team's piece, unless the member is done. Scratch is free again at the end.
  KOKKOS_FORCEINLINE_FUNCTION static void run(TeamMember<ExecSpace> const& team,
                                              GramMember<Real> const& member, Real tolerance,
                                              GramStep const& at, GramPiece const& piece,
                                              void* memory) {
    SvdProblem<Real> const& problem = member.problem();
    RoundRobin const& schedule = member.schedule;
    auto const [slot, part, of_j] = piece;
    int const n = problem.cols, sets = at.sets_before(schedule);
    auto const [p, q] = schedule.pair(at.set, slot);
    Source const first = source(member, at, p, of_j), second = source(member, at, q, of_j);
    if (member.done(team, at, PairRule<Real>::of(tolerance, n).tolerance)) return;

    auto* const scratch = static_cast<Real*>(memory);
    Columns<Real> const from = of_j ? member.rotations(sets) : member.columns(sets);
    Columns<Real> const to = of_j ? member.rotations(sets + 1) : member.columns(sets + 1);
    Real sums[block_rows][block_cols] = {};
    int const end = Kokkos::min(n, (part + 1) * gram_part_rows(n));
    for (int row = part * gram_part_rows(n); row < end; row += side) {
      Real y[block_rows][block_cols];
      if (first.turned || second.turned)
        multiply(team, scratch, from, first, second, row, y);
      else
        load(team, from, first, second, row, of_j && sets == 0 && !problem.state->rotated, y);
      store(team, to, first, second, row, y);
      if (of_j) continue;
      put(team, scratch, y);
      team.team_barrier();
      add_gram(team, scratch, sums);
      team.team_barrier();
    }
    if (!of_j) write_gram(team, member.gram(slot, part), sums);
  }

 private:
  /// A block of columns, and the pair of the set before that it was half of.
  struct Source {
    int block, p, q, half;
    bool turned;
    Real const* turn;
  };

  KOKKOS_FUNCTION static Source source(GramMember<Real> const& member, GramStep const& at,
                                       int block, bool of_j) {
    RoundRobin const& schedule = member.schedule;
    if (at.sweep == 0 && at.set == 0) return {block, block, block, 0, false, nullptr};
    int const set = at.set == 0 ? schedule.sets() - 1 : at.set - 1;
    int const slot = schedule.slot_of(set, block);
    auto const [p, q] = schedule.pair(set, slot);
    return {.block = block,
            .p = p,
            .q = q,
            .half = block == p ? 0 : 1,
            .turned = *member.turned(slot) != 0,
            .turn = of_j ? member.true_turn(slot) : member.turn(slot)};
  }

  KOKKOS_FUNCTION static Real entry(Columns<Real> const& X, int i, int j) {
    return i < X.rows && j < X.rows ? X(i, j) : Real(0);
  }

  /// Row a of a thread's block: groups of four, so that neighbouring threads read side by side.
  KOKKOS_FUNCTION static int row_of(TeamMember<ExecSpace> const& team, int a) {
    return a / 4 * (side / 2) + team.team_rank() % (side / block_rows) * 4 + a % 4;
  }
  /// Its first column.
  KOKKOS_FUNCTION static int col_of(TeamMember<ExecSpace> const& team) {
    return team.team_rank() / (side / block_rows) * block_cols;
  }
  /// Which column of X column c of the pair is.
  KOKKOS_FUNCTION static int column_of(Source const& first, Source const& second, int c) {
    return (c < gram_columns ? first.block : second.block - 1) * gram_columns + c;
  }

  /// y := the block as it is, or that of the identity.
  KOKKOS_FUNCTION static void load(TeamMember<ExecSpace> const& team, Columns<Real> const& X,
                                   Source const& first, Source const& second, int row,
                                   bool identity, Real (&y)[block_rows][block_cols]) {
    int const j = column_of(first, second, col_of(team));
    CARROLL_UNROLL
    for (int b = 0; b < block_cols; ++b) CARROLL_UNROLL
    for (int a = 0; a < block_rows; ++a) {
      int const i = row + row_of(team, a);
      y[a][b] = identity ? Real(i == j + b ? 1 : 0) : entry(X, i, j + b);
    }
  }

  /// y := the block times the rotations.
  KOKKOS_FUNCTION static void multiply(TeamMember<ExecSpace> const& team, Real* scratch,
                                       Columns<Real> const& X, Source const& first,
                                       Source const& second, int row,
                                       Real (&y)[block_rows][block_cols]) {
    // For each term: 64 rows of the first block's old pair, of the second's, 64 columns of T.
    Real* const left = scratch;
    Real* const right = left + terms * side;
    Real* const turns = right + terms * side;
    constexpr int loads = terms * side / threads, step = threads / side;
    int const lane = team.team_rank() % side, from = team.team_rank() / side;
    // Values are chosen, not structures, which would then have to lie in memory.
    bool const in_first = lane < gram_columns;
    int const half = in_first ? int{first.half} : int{second.half};
    int const turn_column = half * gram_columns + lane % gram_columns;
    Real const* const first_turn = first.turn;
    Real const* const second_turn = second.turn;
    Real const* const turn = in_first ? first_turn : second_turn;
    bool const turned = in_first ? bool{first.turned} : bool{second.turned};
    Real next_left[loads], next_right[loads], next_turns[loads];
    bool const inside = row + side <= X.rows &&
                        Kokkos::max(Kokkos::max(first.p, first.q),
                                    Kokkos::max(second.p, second.q)) < X.rows / gram_columns;
    auto const fetch = [&](int stage) {
      bool const in_p = stage * terms < gram_columns;
      int const column = stage * terms % gram_columns + from;
      int const left_column = (in_p ? int{first.p} : int{first.q}) * gram_columns + column;
      int const right_column = (in_p ? int{second.p} : int{second.q}) * gram_columns + column;
      if (inside) {
        Real const* const x = &X(row + lane, left_column);
        Real const* const z = &X(row + lane, right_column);
        CARROLL_UNROLL
        for (int k = 0; k < loads; ++k) {
          auto const at = static_cast<std::ptrdiff_t>(step * k) * X.rows;
          next_left[k] = x[at];
          next_right[k] = z[at];
        }
      } else {
        CARROLL_UNROLL
        for (int k = 0; k < loads; ++k) {
          next_left[k] = entry(X, row + lane, left_column + step * k);
          next_right[k] = entry(X, row + lane, right_column + step * k);
        }
      }
      int const term = stage * terms + from;
      CARROLL_UNROLL
      for (int k = 0; k < loads; ++k)
        next_turns[k] = turned ? turn[(term + step * k) * side + turn_column]
                               : Real(term + step * k == turn_column ? 1 : 0);
    };
    CARROLL_UNROLL
    for (int a = 0; a < block_rows; ++a) CARROLL_UNROLL
    for (int b = 0; b < block_cols; ++b) y[a][b] = 0;
    Real const* const rows = (col_of(team) < gram_columns ? left : right) + row_of(team, 0);
    fetch(0);
    CARROLL_NO_UNROLL
    for (int stage = 0; stage < side / terms; ++stage) {
      CARROLL_UNROLL
      for (int k = 0; k < loads; ++k) {
        int const at = (from + step * k) * side + lane;
        left[at] = next_left[k];
        right[at] = next_right[k];
        turns[at] = next_turns[k];
      }
      team.team_barrier();
      if ((stage + 1) * terms < side) fetch(stage + 1);
      CARROLL_NO_UNROLL
      for (int k0 = 0; k0 < terms; k0 += 4) CARROLL_UNROLL
      for (int k = k0; k < k0 + 4; ++k) {
        Real u[block_rows], v[block_cols];
        CARROLL_UNROLL
        for (int a = 0; a < block_rows; a += 4)
          read_chunks<4>(rows + k * side + a * (side / 8), u + a);
        read_chunks<block_cols>(turns + k * side + col_of(team), v);
        add(u, v, y);
      }
      team.team_barrier();
    }
  }

  /// sums += Σ_k yₖᵀ·yₖ over the rows in scratch.
  KOKKOS_FUNCTION static void add_gram(TeamMember<ExecSpace> const& team, Real const* scratch,
                                       Real (&sums)[block_rows][block_cols]) {
    CARROLL_NO_UNROLL
    for (int k0 = 0; k0 < side; k0 += 4) CARROLL_UNROLL
    for (int k = k0; k < k0 + 4; ++k) {
      Real u[block_rows], v[block_cols];
      CARROLL_UNROLL
      for (int a = 0; a < block_rows; a += 4)
        read_chunks<4>(scratch + spread(k, row_of(team, a)), u + a);
      CARROLL_UNROLL
      for (int b = 0; b < block_cols; b += 4)
        read_chunks<4>(scratch + spread(k, col_of(team) + b), v + b);
      add(u, v, sums);
    }
  }

  KOKKOS_FUNCTION static void add(Real const (&u)[block_rows], Real const (&v)[block_cols],
                                  Real (&sums)[block_rows][block_cols]) {
    CARROLL_UNROLL
    for (int a = 0; a < block_rows; ++a) CARROLL_UNROLL
    for (int b = 0; b < block_cols; ++b) sums[a][b] += u[a] * v[b];
  }

  KOKKOS_FUNCTION static void store(TeamMember<ExecSpace> const& team, Columns<Real> const& X,
                                    Source const& first, Source const& second, int row,
                                    Real const (&y)[block_rows][block_cols]) {
    int const j = column_of(first, second, col_of(team));
    bool const inside = row + side <= X.rows && j + block_cols <= X.rows;
    Real* column = X.col(j) + row;
    CARROLL_UNROLL
    for (int b = 0; b < block_cols; ++b) {
      CARROLL_UNROLL
      for (int a = 0; a < block_rows; ++a) {
        int const i = row_of(team, a);
        if (inside || (row + i < X.rows && j + b < X.rows)) column[i] = y[a][b];
      }
      column = opaque_register(column + X.rows);
    }
  }

  /// Where entry (i, j) of a piece is in scratch: rows of 64, in which groups of four change places
  /// so that those of different rows are in different banks.
  KOKKOS_FUNCTION static int spread(int i, int j) {
    return i * side + (((j >> 2) ^ ((i >> 2) & 7)) << 2) + (j & 3);
  }

  KOKKOS_FUNCTION static void put(TeamMember<ExecSpace> const& team, Real* scratch,
                                  Real const (&y)[block_rows][block_cols]) {
    CARROLL_UNROLL
    for (int a = 0; a < block_rows; ++a) CARROLL_UNROLL
    for (int b = 0; b < block_cols; b += 4)
      write_chunks<4>(y[a] + b, scratch + spread(row_of(team, a), col_of(team) + b));
  }

  KOKKOS_FUNCTION static void write_gram(TeamMember<ExecSpace> const& team, Real* gram,
                                         Real const (&sums)[block_rows][block_cols]) {
    CARROLL_UNROLL
    for (int a = 0; a < block_rows; ++a)
      write_chunks<block_cols>(sums[a], gram + row_of(team, a) * side + col_of(team));
  }

  SvdBatch<Real> batch_;
  Real tolerance_;
  GramStep at_;
  int pairs_, parts_, kinds_;
};

}  // namespace carroll::detail
