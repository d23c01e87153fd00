// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/householder.hpp>
#include <carroll/detail/svd/common/order.hpp>
#include <carroll/detail/svd/gram/member.hpp>
#include <carroll/detail/svd/team/finish.hpp>
#include <carroll/detail/svd/tiled/pair.hpp>
#include <carroll/detail/svd/tiled/panel.hpp>
#include <carroll/detail/svd/tiled/qr.hpp>
#include <carroll/detail/svd/tiled/reflectors.hpp>
#include <carroll/detail/svd/tiled/shared_columns.hpp>
#include <carroll/detail/team.hpp>

/// From orthogonal working columns W·Σ to S, U and V, on the tile path.
namespace carroll::detail {

/// After the sweeps: norms of the working columns, which come to their first place. A warp per
/// column.
template <class ExecSpace, class Real>
class TileNormsKernel : public SharedColumns<4> {
 public:
  TileNormsKernel(SvdBatch<Real> const& batch, int cols) : SharedColumns(cols), batch_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const place = place_of(team);
    SvdProblem<Real> const problem = batch_(batch_.index(place));
    int const n = problem.state->columns;
    int const from = first_of(team);
    Columns<Real> const X = problem.orthogonal();
    GramMember<Real> const member(problem);
    bool const swept = batch_.by_gram(place) && X.rows == n;
    Columns<Real> const last = swept ? member.columns(member.sets_done()) : X;
    thread_for(team, Kokkos::max(0, Kokkos::min(n - from, int{columns_per_team})), [&](int k) {
      Real const* const x = last.col(from + k);
      Real const norm = column_norm<SummedRows::few>(team, x, X.rows);
      if (last.data != X.data) lane_for(team, n, [&](int i) { X(i, from + k) = x[i]; });
      bool const zero = norm * norm < negligible_square<Real>;
      once_per_thread(team, [&] { problem.sigma()[from + k] = zero ? Real(0) : norm; });
    });
  }

 private:
  SvdBatch<Real> batch_;
};

/// S and the status, once the columns are ranked; a team per matrix. Members that the tile path
/// could not finish go onto the list for the team kernels.
template <class ExecSpace, class Real>
class TileValuesKernel {
 public:
  TileValuesKernel(SvdBatch<Real> const& batch, Real tolerance)
      : batch_(batch), finish_(batch), tolerance_(tolerance) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank()));
    if (problem.info->status == Status::non_finite) {
      finish_.fill_with_nan(team, problem);
      return;
    }
    int const n = problem.state->columns;
    if (n == 0) return;
    if (batch_.by_gram(team.league_rank())) join_slots(team, problem);
    int const ordered = count_nonzero(team, n, problem.sigma());
    team.team_barrier();
    finish_.write_values(team, problem, ordered);
    team.team_barrier();  // all have read the state
    // Columns that ended as zero have to be completed.
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (ordered < n || problem.info->status == Status::not_converged) {
        batch_.fallback.add(batch_.index(team.league_rank()));
        problem.state->columns = 0;
      }
    });
  }

 private:
  /// Sweeps that were launched set by set have left their tallies by slot.
  KOKKOS_FUNCTION void join_slots(TeamMember<ExecSpace> const& team,
                                  SvdProblem<Real> const& problem) const {
    int const n = problem.state->columns;
    int const pairs = gram_schedule(n).pairs();
    Real const* const last = problem.slot_cosines() + (problem.info->sweeps + 1) % 2 * pairs;
    Real const max_cosine = lane_max<Real>(team, pairs, [&](int k) { return last[k]; });
    std::int64_t rotations = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, pairs),
        [&](int k, std::int64_t& sum) { sum += problem.slot_counts()[k]; }, rotations);
    bool const converged = max_cosine <= PairRule<Real>::of(tolerance_, n).tolerance;
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      problem.info->status = converged ? Status::success : Status::not_converged;
      problem.info->rotations = rotations;
      problem.info->max_cosine = max_cosine;
    });
  }

  SvdBatch<Real> batch_;
  FinishKernel<ExecSpace, Real, SummedRows::few> finish_;
  Real tolerance_;
};

/// U = Q·[P₂·W 0; 0 I] and V = P·Q₂·J, 16 columns per team and chunk of rows, in registers while
/// all block reflectors pass. Cost: 4·rows·n·columns flops for U, 6n³ for V; the reflectors are
/// read once per 16 columns.
template <class ExecSpace, class Real, TileFactor which, int R>
class TileVectorsKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace, PanelBounds<Real, R>>;

  TileVectorsKernel(SvdBatch<Real> const& batch, TileTeams const& teams)
      : batch_(batch), teams_(teams) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    constexpr bool outer = which != TileFactor::inner, rest = which == TileFactor::basis;
    constexpr int launch = rest ? 7 : outer ? 3 : 4;
    TeamOrder const at = teams_.chunks > 1 ? TeamOrder::next(team, batch_, launch, teams_)
                                           : TeamOrder{team.league_rank() % teams_.tiles,
                                                       team.league_rank() / teams_.tiles, 0};
    SvdProblem<Real> const problem = batch_(batch_.index(at.member));
    int const n = problem.state->columns;
    int const first = at.tile * tile_columns;
    bool const apart = outer && problem.orthogonal().rows > n;  // the rest of a full U comes later
    int const left_cols = apart && !rest ? Kokkos::min(n, problem.left_cols) : problem.left_cols;
    int const wanted = outer ? left_cols : problem.right_cols;
    if (n == 0 || first >= wanted) return;
    if (rest && (!apart || wanted <= n || first + tile_columns <= n)) return;
    Columns<Real> const F = outer ? problem.factor() : problem.inner_factor();
    if (at.chunk >= panel_chunks<Real>(F.rows)) return;
    int const cols = Kokkos::min(wanted - first, int{tile_columns});
    auto const threads = TilePanelThreads::of(team.team_rank(), F.rows, at.chunk, F.data);
    TilePanelScratch<Real> const scratch(team, threads.warps());
    ChunkSums<Real> sums(
        problem.exchange_words() + at.tile * exchange_words_per_tile<Real>(problem.rows), launch,
        threads);
    TilePanel<Real, R> panel;
    int const tiles = (n + tile_columns - 1) / tile_columns;
    if constexpr (outer) {
      load_left(threads, problem, panel, first, cols, rest ? 0 : n);
    } else if (batch_.by_gram(at.member)) {
      load_accumulated(threads, problem, panel, first, cols);
    } else {
      load_right(threads, problem, panel, first, cols);
      // Reflectors right of a coordinate vector's tile leave it alone.
      apply_all(team, threads, problem.rotations(), problem, 2, at.tile + 1, scratch, sums, panel);
    }
    // What has been begun has no Q₂, or no Q either.
    if (rest || !(outer ? problem.state->direct : problem.state->rotated))
      apply_all(team, threads, F, problem, outer ? 0 : 1, tiles, scratch, sums, panel);
    store_panel(threads, panel, F.rows, cols, [&](int c) {
      auto const column = (outer ? problem.left : problem.right).col(first + c);
      int const* const places = problem.permutation();
      bool const kept = rest && first + c < n;
      return [=](int i, Real x) {
        if (!kept) column(outer ? i : places[i]) = x;
      };
    });
  }

 private:
  /// panel := Q·panel, the block reflectors of the first `tiles` tiles from the last to the first.
  KOKKOS_FUNCTION static void apply_all(TeamMember<ExecSpace> const& team,
                                        TilePanelThreads const& threads, Columns<Real> const& F,
                                        SvdProblem<Real> const& problem, int launch, int tiles,
                                        TilePanelScratch<Real> const& scratch,
                                        ChunkSums<Real>& sums, TilePanel<Real, R>& panel) {
    int const n = problem.state->columns;
    for (int p = tiles - 1; p >= 0; --p)
      apply_block<false>(team, threads, BlockReflector(F, problem.block_factor(launch, p), p, n),
                         scratch, sums, panel);
  }

  /// Of the first `given` columns, and behind these coordinate vectors.
  KOKKOS_FUNCTION static void load_left(TilePanelThreads const& threads,
                                        SvdProblem<Real> const& problem, TilePanel<Real, R>& panel,
                                        int first, int cols, int given) {
    int const n = problem.state->columns;
    Columns<Real> const W = problem.orthogonal();
    struct Row {
      int i, place;
    };
    auto const row = [&](int i) {
      return Row{i, W.rows > n ? i : i < n ? problem.inner_places()[i] : 0};
    };
    load_panel(threads, panel, problem.rows, cols, row, [&](int c) {
      int const k = first + c;
      int const j = k < n ? problem.order()[k] : 0;
      Real const norm = problem.sigma()[j];
      return TilePanelColumn{[=](Row const& at) { return &W(at.place, j); },
                             [=](Real x, Row const& at) {
                               Real const one = at.i == k ? 1 : 0;
                               return k >= given || at.i >= W.rows ? one : x / norm;
                             }};
    });
  }

  /// J as the sweeps by Gram matrices have accumulated it.
  KOKKOS_FUNCTION static void load_accumulated(TilePanelThreads const& threads,
                                               SvdProblem<Real> const& problem,
                                               TilePanel<Real, R>& panel, int first, int cols) {
    GramMember<Real> const member(problem);
    Columns<Real> const J = member.rotations(member.sets_done());
    auto const row = [](int i) { return i; };
    load_panel(threads, panel, problem.state->columns, cols, row, [&](int c) {
      int const j = problem.order()[first + c];
      return TilePanelColumn{[=](int i) { return &J(i, j); }, [](Real x, int) { return x; }};
    });
  }

  /// J from J·Σ = Q₃·R₃, with R₃ diagonal but for rounding: J = Q₃ with the signs of the diagonal.
  KOKKOS_FUNCTION static void load_right(TilePanelThreads const& threads,
                                         SvdProblem<Real> const& problem, TilePanel<Real, R>& panel,
                                         int first, int cols) {
    Columns<Real> const J = problem.rotations();
    int const own = first + threads.side() * panel_side;
    int const last = first + cols - 1;
    Real sign[panel_side];
    CARROLL_UNROLL
    for (int j = 0; j < panel_side; ++j) {
      int const k = Kokkos::min(own + j, last);
      sign[j] = J(k, k) < 0 ? Real(-1) : Real(1);
    }
    fill_panel(threads, panel,
               [&](int i, int j) { return i == own + j && i <= last ? sign[j] : Real(0); });
  }

  SvdBatch<Real> batch_;
  TileTeams teams_;
};

}  // namespace carroll::detail
