// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/tiled/factorise.hpp>
#include <carroll/detail/svd/tiled/panel.hpp>
#include <carroll/detail/svd/tiled/reflectors.hpp>
#include <carroll/detail/team.hpp>

/// Blocked Householder QR on tiles of 16 columns.
namespace carroll::detail {

/// Which factorisation: that of A, that of the transposed first R, or that of J·Σ, whose Q is J; or
/// that of orthogonal columns, for the rest of a basis.
enum class TileFactor { outer, inner, rotations, basis };

template <TileFactor which, class Real>
KOKKOS_INLINE_FUNCTION Columns<Real> factor_of(SvdProblem<Real> const& problem) {
  return which == TileFactor::inner       ? problem.inner_factor()
         : which == TileFactor::rotations ? problem.rotations()
                                          : problem.factor();
}

/// The reflectors of a member as teams publish them, tile by tile.
template <class Member>
class PublishedReflectors {
 public:
  KOKKOS_FUNCTION PublishedReflectors(Member const& team, TilePanelThreads const& threads,
                                      int* count)
      : team_(team), threads_(threads), count_(count) {}

  /// On return the thread may read what tile `panel` has been factorised into.
  KOKKOS_FUNCTION void wait_for(int panel) {
    int const wanted = times(panel);
    if (seen_ < wanted) seen_ = wait_until(count_, [&](int seen) { return seen >= wanted; });
  }

  /// The team's share of its tile is in memory.
  KOKKOS_FUNCTION void publish() const {
    team_.team_barrier();
    if (team_.team_rank() == 0) detail::publish(count_);
  }

 private:
  /// What the count is when tiles 0 to `panel` are there: chunks above the diagonal have nothing to
  /// publish. No tile is begun before those left of it are complete.
  KOKKOS_FUNCTION int times(int panel) const {
    int const per_chunk = threads_.blocks_per_chunk();
    int const above = (panel + 1) / per_chunk, rest = (panel + 1) % per_chunk;
    return per_chunk * (above * threads_.chunks() - above * (above - 1) / 2) +
           rest * (threads_.chunks() - above);
  }

  Member const& team_;
  TilePanelThreads threads_;
  int* count_;
  int seen_ = 0;
};

/// A QR factorisation F = Q·R with the columns in the order that they have, in one launch: a team
/// per tile and chunk of rows loads its columns, scales and permutes them, applies the reflectors
/// of the tiles left of it as they are published, factorises and publishes its own. A tile stays in
/// registers from beginning to end; what a panel costs a single matrix is the latency of 16
/// dependent steps and of one hand-over through memory.
///
/// Columns come in descending order of their norms; there is no further pivoting: with a second
/// factorisation of Rᵀ, sorted in the same way, the sweeps that follow converge as fast as after
/// two pivoted ones (within one sweep; uniform and geometric spectra, n = 64 to 256).
///
/// Cost: 2mn² - (2/3)n³ flops; F is written once, reflectors are read once per tile right of them.
template <class ExecSpace, class Real, TileFactor which, int R>
class TileQrKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace, PanelBounds<Real, R>>;

  TileQrKernel(SvdBatch<Real> const& batch, TileTeams const& teams)
      : batch_(batch), teams_(teams) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    constexpr bool basis = which == TileFactor::basis;
    constexpr int launch = basis ? 6 : static_cast<int>(which);
    constexpr int place = basis ? 0 : launch;  // of what is published, free where there is no QR
    TeamOrder const at = TeamOrder::next(team, batch_, launch, teams_);
    SvdProblem<Real> const problem = batch_(batch_.index(at.member));
    int const n = problem.state->columns;
    int const first = at.tile * tile_columns;
    if (first >= n || (which == TileFactor::rotations && problem.right_cols == 0)) return;
    if (basis && (problem.left_cols <= n || problem.orthogonal().rows == n)) return;
    // What has been begun with A or with the first R wants no more.
    bool const again = which == TileFactor::outer && problem.state->refactored;
    if (which != TileFactor::rotations && !basis && problem.state->rotated && !again) return;
    Columns<Real> const F = factor_of<which>(problem);
    if (at.chunk >= panel_chunks<Real>(F.rows)) return;
    auto const threads = TilePanelThreads::of(team.team_rank(), F.rows, at.chunk, F.data);
    int const cols = Kokkos::min(n - first, int{tile_columns});
    TilePanelScratch<Real> const scratch(team, threads.warps());
    ChunkSums<Real> sums(
        problem.exchange_words() + at.tile * exchange_words_per_tile<Real>(problem.rows), launch,
        threads);

    TilePanel<Real, R> panel;
    if (basis || again)
      load_again(threads, F, panel, first, cols);
    else
      load(team, threads, problem, scratch, panel, first, cols);
    PublishedReflectors<TeamMember<ExecSpace>> others(team, threads,
                                                      &problem.state->published[place]);
    int const last = (at.chunk + 1) * threads.blocks_per_chunk();  // the chunk ends before
    for (int p = 0; p < Kokkos::min(at.tile, last); ++p) {
      others.wait_for(p);
      apply_block<true>(team, threads, BlockReflector(F, problem.block_factor(place, p), p, n),
                        scratch, sums, panel);
    }
    bool const factorises = at.tile < last;
    if (factorises) {
      team.team_barrier();  // all have read their weights
      factorise(team, threads, at.tile, cols, scratch, sums, panel,
                problem.block_factor(place, at.tile));
    }
    store_panel(threads, panel, F.rows, cols, [&](int c) {
      Real* const column = opaque_register(F.col(first + c));
      return [=](int i, Real x) { column[i] = x; };
    });
    if (factorises) others.publish();
  }

 private:
  /// Columns that are where their factors will be.
  KOKKOS_FUNCTION static void load_again(TilePanelThreads const& threads, Columns<Real> const& F,
                                         TilePanel<Real, R>& panel, int first, int cols) {
    auto const row = [](int i) { return i; };
    load_panel(threads, panel, F.rows, cols, row, [&](int c) {
      Real const* const column = F.col(first + c);
      return TilePanelColumn{[=](int i) { return column + i; }, [](Real x, int) { return x; }};
    });
  }

  /// Columns of A, rows of the first R, or J·Σ, in their order and with their powers of two taken
  /// out.
  KOKKOS_FUNCTION void load(TeamMember<ExecSpace> const& team, TilePanelThreads const& threads,
                            SvdProblem<Real> const& problem, TilePanelScratch<Real> const& scratch,
                            TilePanel<Real, R>& panel, int first, int cols) const {
    if constexpr (which == TileFactor::outer) {
      auto const row = [](int i) { return i; };
      load_panel(threads, panel, problem.rows, cols, row, [&](int c) {
        auto const a = problem.a.col(problem.permutation()[first + c]);
        // Entries may be as large as numbers can be: the first factor takes them near 1.
        int const e = -problem.exponents()[first + c];
        int const half = e / 2;
        Real const factor = power_of_two<Real>(half), rest = power_of_two<Real>(e - half);
        return TilePanelColumn{[=](int i) { return &a(i); },
                               [=](Real x, int) { return x * factor * rest; }};
      });
    } else if constexpr (which == TileFactor::inner) {
      struct Row {
        int i, exponent;
      };
      Columns<Real> const F = problem.factor();
      auto const row = [&](int i) { return Row{i, problem.exponents()[i]}; };
      load_panel(threads, panel, problem.state->columns, cols, row, [&](int c) {
        int const from = problem.inner_permutation()[first + c];
        int const e = problem.inner_exponents()[first + c];
        return TilePanelColumn{[=](Row const& at) { return &F(from, at.i); },
                               [=](Real x, Row const& at) {
                                 Real const scaled = scale_within_one(x, at.exponent - e);
                                 return at.i < from ? Real(0) : scaled;
                               }};
      });
    } else if constexpr (which == TileFactor::rotations) {
      project(team, threads, problem, scratch, panel, first);
    }
  }

  /// J·Σ = XᵀW, in the order of the singular values, each column with its own power of two taken
  /// out. Rounding leaves errors of order eps·σ₁ in every entry, which the residual U·Σ·Vᵀ - A does
  /// not feel but the directions of short columns do: a QR factorisation makes them orthonormal,
  /// longest first, whatever they are, and J is its Q. So V is orthonormal and the residual small
  /// without a condition on A, at the price of 4n³ flops more than the triangular system that the
  /// team kernels solve, which fails its test for every third random matrix when R₂ has not been
  /// pivoted (uniform 64×64, single precision, H200, 2026-11-21). n³ flops.
  KOKKOS_FUNCTION void project(TeamMember<ExecSpace> const& team, TilePanelThreads const& threads,
                               SvdProblem<Real> const& problem,
                               TilePanelScratch<Real> const& scratch, TilePanel<Real, R>& panel,
                               int first) const {
    int const n = problem.state->columns;
    Columns<Real> const W = problem.working();
    fill_panel(threads, panel, [](int, int) { return Real(0); });
    int const column = first + threads.thread() % tile_columns;
    int const j = column < n ? problem.order()[column] : 0;
    int const exponent = column < n ? problem.working_exponents()[j] : 0;
    for (int p = 0; p < (n + tile_columns - 1) / tile_columns; ++p) {
      // Of the block of W, 16 by 16, all loads are under way before the first entry is scaled.
      constexpr int most_shares = TilePanelScratch<Real>::block / 32;
      Real weights[most_shares];
      int apart[most_shares];
      CARROLL_UNROLL
      for (int share = 0; share < most_shares; ++share) {
        int const k = (threads.thread() + share * team.team_size()) / tile_columns;
        int const row = p * tile_columns + k;
        bool const there = k < tile_columns && row < n && column < n;
        weights[share] = there ? W(row, j) : Real(0);
        apart[share] = there ? problem.inner_exponents()[row] - exponent : 0;
      }
      CARROLL_UNROLL
      for (int share = 0; share < most_shares; ++share) {
        int const e = threads.thread() + share * team.team_size();
        constexpr int most = sizeof(Real) == 4 ? 50 : 400;  // beyond, all is noise
        if (e < TilePanelScratch<Real>::block)
          scratch.weights[e] =
              -scale_within_one(weights[share], Kokkos::min(apart[share], int{most}));
      }
      team.team_barrier();
      TilePanelSource<Real, false> const R2{problem.inner_factor(), problem.block_factor(1, p).R(),
                                            p,
                                            Kokkos::min(n - p * tile_columns, int{tile_columns})};
      subtract_products(threads, TilePanelRows<Real, R>(threads, R2), scratch.weights, panel);
      team.team_barrier();  // all have read their weights
    }
  }

  SvdBatch<Real> batch_;
  TileTeams teams_;
};

}  // namespace carroll::detail
