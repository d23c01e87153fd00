// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/finish.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/tile_jacobi.hpp>
#include <carroll/detail/svd/tile_qr.hpp>

/// From orthogonal working columns W·Σ to S, U and V, on the tile path.
namespace carroll::detail {

/// S, the order of the columns, the status; a team per matrix.
template <class ExecSpace, class Real>
class TileValuesKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  TileValuesKernel(SvdBatch<Real> const& batch, Real tolerance)
      : batch_(batch), finish_(batch), tolerance_(tolerance) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank()));
    if (problem.info->status == Status::non_finite) {
      finish_.fill_with_nan(team, problem);
      return;
    }
    int const n = problem.state->columns;
    if (n == 0) return;
    if (n > most_sweeps_columns<Real>) join_slots(team, problem);
    team.team_barrier();
    int const ordered = finish_.values(team, problem);
    team.team_barrier();  // all have read the state
    // Columns that ended as zero have to be completed.
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if ((ordered < n && problem.vectors()) || problem.info->status == Status::not_converged) {
        problem.state->left_over = 1;
        problem.state->columns = 0;
      }
    });
  }

 private:
  /// Sweeps that were launched set by set have left their tallies by slot.
  KOKKOS_FUNCTION void join_slots(Member const& team, SvdProblem<Real> const& problem) const {
    int const n = problem.state->columns;
    int const pairs = block_schedule(n).pairs();
    Real const* const last = problem.slot_cosines() + (problem.info->sweeps - 1) % 2 * pairs;
    Real const max_cosine = lane_max<Real>(team, pairs, [&](int k) { return last[k]; });
    std::int64_t rotations = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, pairs),
        [&](int k, std::int64_t& sum) { sum += problem.slot_counts()[k]; }, rotations);
    bool const converged = max_cosine <= PairRule<Real>::of(tolerance_, n, true).tolerance;
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      problem.info->status = converged ? Status::success : Status::not_converged;
      problem.info->rotations = rotations;
      problem.info->max_cosine = max_cosine;
    });
  }

  SvdBatch<Real> batch_;
  FinishKernel<ExecSpace, Real> finish_;
  Real tolerance_;
};

/// Members that the tile path could not finish go onto the list for the team kernels.
template <class ExecSpace, class Real>
class TileVerdictKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  explicit TileVerdictKernel(SvdBatch<Real> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(int k) const {
    int const b = batch_.index(k);
    if (batch_.states[b].left_over) batch_.todo.add(b);
  }

 private:
  SvdBatch<Real> batch_;
};

/// J·Σ = XᵀW, in place of J: columns in the order of the singular values, each with its own power
/// of two taken out. Rounding leaves errors of order eps·σ₁ in every entry, which the residual
/// U·Σ·Vᵀ - A does not feel but the directions of short columns do: a QR factorisation makes them
/// orthonormal, longest first, whatever they are, and J is its Q. So V is orthonormal and the
/// residual small without a condition on A, at the price of 4n³ flops more than the triangular
/// system that the team kernels solve, which fails its test for every third random matrix when R₂
/// has not been pivoted (uniform 64×64, single precision, H200, 2026-11-21). A team per 16 columns;
/// n³ flops.
template <class ExecSpace, class Real, int R>
class TileProjectKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr int block = tile_columns * tile_columns;

  TileProjectKernel(SvdBatch<Real> const& batch, int tiles) : batch_(batch), tiles_(tiles) {}

  int teams_per_matrix() const { return tiles_; }
  KOKKOS_FUNCTION static int scratch_reals(int) { return block; }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank() / tiles_));
    int const n = problem.state->columns;
    int const first = team.league_rank() % tiles_ * tile_columns;
    if (first >= n || problem.right_cols == 0) return;
    int const cols = Kokkos::min(n - first, int{tile_columns});
    TileThreads const threads{team.team_rank(), tile_warps(n)};
    Real* const weights = static_cast<Real*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(Real) * block, alignof(double)));
    Columns<Real> const W = problem.working();
    Columns<Real> const F = problem.inner_factor();
    Columns<Real> const J = problem.rotations();
    Tile<Real, tile_columns, R> tile;
    load_tile(threads, tile, n, cols, [](int, int) { return Real(0); });
    for (int at = 0; at < n; at += tile_columns) {
      int const count = Kokkos::min(n - at, int{tile_columns});
      for (int e = threads.thread; e < block; e += team.team_size()) {
        int const k = at + e / tile_columns, c = first + e % tile_columns;
        Real weight = 0;
        if (k < n && c < n) {
          int const j = problem.order()[c];
          int const apart = problem.inner_exponents()[k] - problem.working_exponents()[j];
          constexpr int most = sizeof(Real) == 4 ? 50 : 400;  // beyond, all is noise
          weight = -scale(W(k, j), Kokkos::min(apart, int{most}));
        }
        weights[e] = weight;
      }
      team.team_barrier();
      subtract_products(threads, tile, count, weights,
                        [&](int k, int i) { return i <= at + k ? F(i, at + k) : Real(0); });
      team.team_barrier();  // all have read their weights
    }
    store_tile(threads, tile, n, cols, [&](int i, int c, Real x) { J(i, first + c) = x; });
  }

 private:
  SvdBatch<Real> batch_;
  int tiles_;
};

/// U = Q·[P₂·W 0; 0 I] and V = P·Q₂·J, 16 columns per team, in registers while all block reflectors
/// pass. Cost: 4·rows·n·columns flops for U, 8n³ for V; the reflectors are read once per 16
/// columns.
template <class ExecSpace, class Real, TileFactor which, int R>
class TileVectorsKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr int block = tile_columns * tile_columns;

  TileVectorsKernel(SvdBatch<Real> const& batch, int tiles) : batch_(batch), tiles_(tiles) {}

  int teams_per_matrix() const { return tiles_; }
  KOKKOS_FUNCTION static int scratch_reals(int warps) {
    return ReflectorScratch<Real>::size(warps);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    constexpr bool outer = which == TileFactor::outer;
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank() / tiles_));
    int const n = problem.state->columns;
    int const first = team.league_rank() % tiles_ * tile_columns;
    int const wanted = outer ? problem.left_cols : problem.right_cols;
    if (n == 0 || first >= wanted) return;
    Columns<Real> const F = outer ? problem.factor() : problem.inner_factor();
    int const cols = Kokkos::min(wanted - first, int{tile_columns});
    TileThreads const threads{team.team_rank(), tile_warps(F.rows)};
    ReflectorScratch<Real> const scratch(static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(
        sizeof(Real) * ReflectorScratch<Real>::size(threads.warps), alignof(double))));
    Tile<Real, tile_columns, R> tile;
    if constexpr (outer) {
      load_left(threads, problem, tile, first, cols);
    } else {
      load_right(team, threads, problem, scratch, tile, first, cols);
    }
    apply_all(team, threads, F, problem.block_factors(outer ? 0 : 1), n, scratch, tile);
    store_tile(threads, tile, F.rows, cols, [&](int i, int c, Real x) {
      if constexpr (outer)
        problem.left(i, first + c) = x;
      else
        problem.right(problem.permutation()[i], first + c) = x;
    });
  }

 private:
  /// tile := Q·tile, all block reflectors from the last to the first.
  KOKKOS_FUNCTION static void apply_all(Member const& team, TileThreads const& threads,
                                        Columns<Real> const& F, Real const* T, int n,
                                        ReflectorScratch<Real> const& scratch,
                                        Tile<Real, tile_columns, R>& tile) {
    for (int at = (n - 1) / tile_columns * tile_columns; at >= 0; at -= tile_columns)
      apply_block<false>(team, threads,
                         BlockReflector<Real>{F, T + at * tile_columns, at,
                                              Kokkos::min(n - at, int{tile_columns})},
                         scratch, tile);
  }

  KOKKOS_FUNCTION static void load_left(TileThreads const& threads, SvdProblem<Real> const& problem,
                                        Tile<Real, tile_columns, R>& tile, int first, int cols) {
    int const n = problem.state->columns;
    Columns<Real> const W = problem.working();
    load_tile(threads, tile, problem.rows, cols, [&](int i, int c) {
      int const k = first + c;
      if (k >= n || i >= n) return Real(i == k ? 1 : 0);
      int const j = problem.order()[k];
      return W(problem.inner_places()[i], j) / problem.sigma()[j];
    });
  }

  /// J·Σ = Q₃·R₃, with R₃ diagonal but for rounding: J = Q₃ with the signs of the diagonal.
  KOKKOS_FUNCTION static void load_right(Member const& team, TileThreads const& threads,
                                         SvdProblem<Real> const& problem,
                                         ReflectorScratch<Real> const& scratch,
                                         Tile<Real, tile_columns, R>& tile, int first, int cols) {
    int const n = problem.state->columns;
    Columns<Real> const J = problem.rotations();
    load_tile(threads, tile, n, cols, [&](int i, int c) {
      int const k = first + c;
      return i != k ? Real(0) : J(k, k) < 0 ? Real(-1) : Real(1);
    });
    apply_all(team, threads, J, problem.block_factors(2), n, scratch, tile);
  }

  SvdBatch<Real> batch_;
  int tiles_;
};

}  // namespace carroll::detail
