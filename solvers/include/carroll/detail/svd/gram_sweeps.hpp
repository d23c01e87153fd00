// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/gram_rotations.hpp>
#include <carroll/detail/svd/pairing.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/rotation.hpp>
#include <carroll/detail/svd/tile_jacobi.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/detail/warp.hpp>

/// One-sided block Jacobi sweeps on X = R₂ᵀ, any number of columns, on devices with warps: each set
/// of block pairs is two launches. The first multiplies the columns by the rotations of the set
/// before and forms the Gram matrices of the new pairs (GramProductKernel), the second finds the
/// rotations that make these diagonal (GramTurnKernel). The Gram matrix picks the angles; its
/// entries before the first rotation are the true cosines by which convergence is judged (Drmač
/// 2009, block-oriented one-sided Jacobi).
namespace carroll::detail {

/// Blocks meet as columns do in round robin.
KOKKOS_INLINE_FUNCTION constexpr RoundRobin gram_schedule(int cols) {
  return {(cols + gram_columns - 1) / gram_columns};
}

/// Where in the sweeps a launch is.
struct GramStep {
  int sweep, set;

  /// Sets done before it.
  KOKKOS_FUNCTION int sets_before(RoundRobin const& schedule) const {
    return sweep * schedule.sets() + set;
  }
};

/// What a member's teams find in its workspace.
template <class Real>
class GramMember {
 public:
  KOKKOS_FUNCTION explicit GramMember(SvdProblem<Real> const& problem)
      : schedule(gram_schedule(problem.cols)), problem_(problem) {}

  /// X before and after the given number of sets: two places in turn.
  KOKKOS_FUNCTION Columns<Real> columns(int sets_done) const {
    return {sets_done % 2 == 0 ? problem_.working_data() : problem_.spare(0), problem_.cols};
  }
  /// The product of all rotations, likewise.
  KOKKOS_FUNCTION Columns<Real> rotations(int sets_done) const {
    return {sets_done % 2 == 0 ? problem_.rotations().data : problem_.spare(1), problem_.cols};
  }
  /// Sets done when the sweeps have ended.
  KOKKOS_FUNCTION int sets_done() const { return problem_.info->sweeps * schedule.sets(); }

  /// The product of its rotations that a pair of blocks leaves for the next set, row by row: in
  /// terms of the columns of X as they are stored; in terms of what they stand for.
  KOKKOS_FUNCTION Real* turn(int slot) const { return matrix(slot); }
  KOKKOS_FUNCTION Real* true_turn(int slot) const { return matrix(schedule.pairs() + slot); }
  /// Did the pair in a slot rotate at all? If not, its product is not written.
  KOKKOS_FUNCTION int* turned(int slot) const {
    return problem_.slot_counts() + problem_.cols / 2 + slot;
  }
  /// The Gram matrix of a slot's columns from one part of the rows.
  KOKKOS_FUNCTION Real* gram(int slot, int part) const {
    return matrix((2 + part) * schedule.pairs() + slot);
  }

  /// Is there nothing left to do at this step? Teams of one launch all come to the same answer:
  /// from the largest cosines of the sweep before, by slot, or the flag that a later set of this
  /// sweep has raised. The whole team calls it.
  template <class Member>
  KOKKOS_FUNCTION bool done(Member const& team, GramStep const& at, Real tolerance) const {
    // All loads are on their way before one is waited for.
    int const lane = team.team_rank() % 32, pairs = schedule.pairs();
    Real const* const before = problem_.slot_cosines() + (at.sweep + 1) % 2 * pairs;
    Real cosine = lane < pairs ? before[lane] : Real(0);
    SvdState const state = *problem_.state;
    for (int k = lane + 32; k < pairs; k += 32) cosine = Kokkos::max(cosine, before[k]);
    bool const still = DeviceWarp{lane}.ballot(cosine > tolerance) == 0;
    return state.columns == 0 || (at.sweep > 0 && (state.converged != 0 || still));
  }

  RoundRobin schedule;

 private:
  KOKKOS_FUNCTION Real* matrix(int k) const {
    return problem_.gram_work() + static_cast<std::ptrdiff_t>(k) * gram_entries;
  }

  SvdProblem<Real> const& problem_;
};

/// Rotations of a set: a team per pair of blocks.
///
/// Cost per pair: 4096 entries read per part; 32 or 63 steps of 24·1024 multiplications and
/// additions, in each of which all wait for the products of the pairs and for their rotations.
template <class ExecSpace, class Real>
class GramTurnKernel {
  /// Pairs whose rows a warp holds: more of them, fewer warps that work out the same rotations.
  static constexpr int rows = 4;

 public:
  static constexpr int threads = 32 * gram_columns / rows;
  using Policy =
      Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads, sizeof(Real) == 4 ? 2 : 1>>;
  using Member = typename Policy::member_type;
  using Rotations = GramRotations<Member, Real, rows>;

  static constexpr std::size_t scratch_bytes = Rotations::scratch_bytes + 16;

  GramTurnKernel(SvdBatch<Real> const& batch, Real tolerance, GramStep const& at, int pairs)
      : batch_(batch), tolerance_(tolerance), at_(at), pairs_(pairs) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank() / pairs_));
    GramMember<Real> const member(problem);
    RoundRobin const& schedule = member.schedule;
    int const slot = team.league_rank() % pairs_, n = problem.cols;
    if (n <= most_sweeps_columns<Real> || slot >= schedule.pairs() || at_.set >= schedule.sets())
      return;
    auto const rule = PairRule<Real>::of(tolerance_, n, true);
    if (member.done(team, at_, rule.tolerance)) {
      // Read by later launches only: the teams of this one find out for themselves.
      if (at_.set > 0 && slot == 0 && team.team_rank() == 0) problem.state->converged = 1;
      return;
    }
    auto const [p, q] = schedule.pair(at_.set, slot);
    int const p_first = p * gram_columns, q_first = q * gram_columns;
    Rotations rotations(
        team, rule.tolerance,
        team.team_scratch(0).get_shmem_aligned(std::size_t{Rotations::scratch_bytes}, 16));
    rotations.load(
        gram_parts(n),
        [&](int part, int i, int j) { return member.gram(slot, part)[i * gram_pair_columns + j]; },
        [&](int i) {
          int const c = i < gram_columns ? p_first + i : q_first + i - gram_columns;
          return c < n ? problem.working_exponents()[c] : 0;
        });
    bool const turned = rotations(at_.set == 0);
    auto const tally = rotations.tally();
    if (turned) {
      Real* const turn = member.turn(slot);
      Real* const true_turn = member.true_turn(slot);
      bool const vectors = problem.right_cols > 0;
      rotations.turn([&](int i, int j, Real x, Real y) {
        turn[i * gram_pair_columns + j] = x;
        if (vectors) true_turn[i * gram_pair_columns + j] = y;
      });
    }
    if (team.team_rank() != 0) return;
    *member.turned(slot) = turned;
    Real& cosine = problem.slot_cosines()[at_.sweep % 2 * schedule.pairs() + slot];
    cosine = at_.set == 0 ? tally.max_cosine : Kokkos::max(cosine, tally.max_cosine);
    problem.slot_counts()[slot] += tally.rotations;
    if (slot == 0 && at_.set == 0) problem.info->sweeps = at_.sweep + 1;
  }

 private:
  SvdBatch<Real> batch_;
  Real tolerance_;
  GramStep at_;
  int pairs_;
};

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
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads, teams_at_once>>;
  using Member = typename Policy::member_type;

  static constexpr std::size_t scratch_bytes = sizeof(Real) * side * side + 16;
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

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const teams = pairs_ * parts_ * kinds_;
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank() / teams));
    GramMember<Real> const member(problem);
    RoundRobin const& schedule = member.schedule;
    int const slot = team.league_rank() % teams % pairs_, n = problem.cols;
    int const part = team.league_rank() % teams / pairs_ % parts_;
    bool const of_j = team.league_rank() % teams >= pairs_ * parts_;
    if (n <= most_sweeps_columns<Real> || slot >= schedule.pairs() || at_.set >= schedule.sets() ||
        part >= gram_parts(n) || (of_j && problem.right_cols == 0))
      return;
    auto const rule = PairRule<Real>::of(tolerance_, n, true);
    auto const [p, q] = schedule.pair(at_.set, slot);
    Source const first = source(member, p, of_j), second = source(member, q, of_j);
    if (member.done(team, at_, rule.tolerance)) return;

    Real* const scratch =
        static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes - 16, 16));
    int const sets = at_.sets_before(schedule);
    Columns<Real> const from = of_j ? member.rotations(sets) : member.columns(sets);
    Columns<Real> const to = of_j ? member.rotations(sets + 1) : member.columns(sets + 1);
    Real sums[block_rows][block_cols] = {};
    int const end = Kokkos::min(n, (part + 1) * gram_part_rows(n));
    for (int row = part * gram_part_rows(n); row < end; row += side) {
      Real y[block_rows][block_cols];
      if (first.turned || second.turned)
        multiply(team, scratch, from, first, second, row, y);
      else
        load(team, from, first, second, row, of_j && sets == 0, y);
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

  KOKKOS_FUNCTION Source source(GramMember<Real> const& member, int block, bool of_j) const {
    RoundRobin const& schedule = member.schedule;
    if (at_.sweep == 0 && at_.set == 0) return {block, block, block, 0, false, nullptr};
    int const set = at_.set == 0 ? schedule.sets() - 1 : at_.set - 1;
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
  KOKKOS_FUNCTION static int row_of(Member const& team, int a) {
    return a / 4 * (side / 2) + team.team_rank() % (side / block_rows) * 4 + a % 4;
  }
  /// Its first column.
  KOKKOS_FUNCTION static int col_of(Member const& team) {
    return team.team_rank() / (side / block_rows) * block_cols;
  }
  /// Which column of X column c of the pair is.
  KOKKOS_FUNCTION static int place(Source const& first, Source const& second, int c) {
    return (c < gram_columns ? first.block : second.block - 1) * gram_columns + c;
  }

  /// y := the block as it is, or that of the identity.
  KOKKOS_FUNCTION static void load(Member const& team, Columns<Real> const& X, Source const& first,
                                   Source const& second, int row, bool identity,
                                   Real (&y)[block_rows][block_cols]) {
    int const j = place(first, second, col_of(team));
    CARROLL_UNROLL
    for (int b = 0; b < block_cols; ++b) CARROLL_UNROLL
    for (int a = 0; a < block_rows; ++a) {
      int const i = row + row_of(team, a);
      y[a][b] = identity ? Real(i == j + b ? 1 : 0) : entry(X, i, j + b);
    }
  }

  /// y := the block times the rotations.
  KOKKOS_FUNCTION static void multiply(Member const& team, Real* scratch, Columns<Real> const& X,
                                       Source const& first, Source const& second, int row,
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
        for (int a = 0; a < block_rows; a += 4) read<4>(rows + k * side + a * (side / 8), u + a);
        read<block_cols>(turns + k * side + col_of(team), v);
        add(u, v, y);
      }
      team.team_barrier();
    }
  }

  /// sums += Σ_k yₖᵀ·yₖ over the rows in scratch.
  KOKKOS_FUNCTION static void add_gram(Member const& team, Real const* scratch,
                                       Real (&sums)[block_rows][block_cols]) {
    CARROLL_NO_UNROLL
    for (int k0 = 0; k0 < side; k0 += 4) CARROLL_UNROLL
    for (int k = k0; k < k0 + 4; ++k) {
      Real u[block_rows], v[block_cols];
      CARROLL_UNROLL
      for (int a = 0; a < block_rows; a += 4) read<4>(scratch + spread(k, row_of(team, a)), u + a);
      CARROLL_UNROLL
      for (int b = 0; b < block_cols; b += 4) read<4>(scratch + spread(k, col_of(team) + b), v + b);
      add(u, v, sums);
    }
  }

  KOKKOS_FUNCTION static void add(Real const (&u)[block_rows], Real const (&v)[block_cols],
                                  Real (&sums)[block_rows][block_cols]) {
    CARROLL_UNROLL
    for (int a = 0; a < block_rows; ++a) CARROLL_UNROLL
    for (int b = 0; b < block_cols; ++b) sums[a][b] += u[a] * v[b];
  }

  struct alignas(16) Group {
    Real entry[16 / sizeof(Real)];
  };
  static constexpr int group = 16 / int(sizeof(Real));

  /// N numbers side by side, 16 bytes at a time.
  template <int N>
  KOKKOS_FUNCTION static void read(Real const* from, Real* x) {
    CARROLL_UNROLL
    for (int k = 0; k < N; k += group) {
      Group const got = *reinterpret_cast<Group const*>(from + k);
      CARROLL_UNROLL
      for (int l = 0; l < group; ++l) x[k + l] = got.entry[l];
    }
  }
  template <int N>
  KOKKOS_FUNCTION static void write(Real const* x, Real* to) {
    CARROLL_UNROLL
    for (int k = 0; k < N; k += group) {
      Group put;
      CARROLL_UNROLL
      for (int l = 0; l < group; ++l) put.entry[l] = x[k + l];
      *reinterpret_cast<Group*>(to + k) = put;
    }
  }

  KOKKOS_FUNCTION static void store(Member const& team, Columns<Real> const& X, Source const& first,
                                    Source const& second, int row,
                                    Real const (&y)[block_rows][block_cols]) {
    int const j = place(first, second, col_of(team));
    bool const inside = row + side <= X.rows && j + block_cols <= X.rows;
    Real* column = X.col(j) + row;
    CARROLL_UNROLL
    for (int b = 0; b < block_cols; ++b) {
      CARROLL_UNROLL
      for (int a = 0; a < block_rows; ++a) {
        int const i = row_of(team, a);
        if (inside || (row + i < X.rows && j + b < X.rows)) column[i] = y[a][b];
      }
      column = forgotten(column + X.rows);
    }
  }

  /// Where entry (i, j) of a piece is in scratch: rows of 64, in which groups of four change places
  /// so that those of different rows are in different banks.
  KOKKOS_FUNCTION static int spread(int i, int j) {
    return i * side + (((j >> 2) ^ ((i >> 2) & 7)) << 2) + (j & 3);
  }

  KOKKOS_FUNCTION static void put(Member const& team, Real* scratch,
                                  Real const (&y)[block_rows][block_cols]) {
    CARROLL_UNROLL
    for (int a = 0; a < block_rows; ++a) CARROLL_UNROLL
    for (int b = 0; b < block_cols; b += 4)
      write<4>(y[a] + b, scratch + spread(row_of(team, a), col_of(team) + b));
  }

  KOKKOS_FUNCTION static void write_gram(Member const& team, Real* gram,
                                         Real const (&sums)[block_rows][block_cols]) {
    CARROLL_UNROLL
    for (int a = 0; a < block_rows; ++a)
      write<block_cols>(sums[a], gram + row_of(team, a) * side + col_of(team));
  }

  SvdBatch<Real> batch_;
  Real tolerance_;
  GramStep at_;
  int pairs_, parts_, kinds_;
};

/// After the sweeps: norms of the working columns, which come to their first place. A warp per
/// column.
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
    GramMember<Real> const member(problem);
    bool const paired = n > most_sweeps_columns<Real>;
    Columns<Real> const last = paired ? member.columns(member.sets_done()) : X;
    thread_for(team, Kokkos::max(0, Kokkos::min(n - from, int{columns_per_team})), [&](int k) {
      Real const* const x = last.col(from + k);
      Real const norm = column_norm(team, x, n);
      if (last.data != X.data) lane_for(team, n, [&](int i) { X(i, from + k) = x[i]; });
      bool const zero = norm * norm < negligible_square<Real>;
      once_per_thread(team, [&] { problem.sigma()[from + k] = zero ? Real(0) : norm; });
    });
  }

 private:
  SvdBatch<Real> batch_;
  int teams_;
};

}  // namespace carroll::detail
