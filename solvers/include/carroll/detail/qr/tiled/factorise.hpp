// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/tiled/panel.hpp>
#include <carroll/detail/qr/tiled/storage.hpp>
#include <carroll/detail/svd/tiled/chunk_sums.hpp>
#include <carroll/detail/svd/tiled/factorise.hpp>
#include <carroll/detail/svd/tiled/panel.hpp>
#include <carroll/detail/svd/tiled/qr.hpp>
#include <carroll/detail/svd/tiled/reflectors.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// Which tile a team works on, by a number that it takes as it begins: see TeamOrder. `launch`: 0,
/// the factorisation, or 1, Q.
template <class Real, class Member, class Batch>
KOKKOS_INLINE_FUNCTION TeamOrder next_qr_tile(Member const& team, Batch const& batch, int launch,
                                              TileTeams const& teams) {
  int number = 0;
  if (team.team_rank() == 0) {
    QrTileStorage<Real> const first(batch(batch.index(0)));
    number = draw_ticket(&first.state->begun[launch]);
  }
  team.team_broadcast(number, 0);
  int const each = teams.members * teams.chunks;
  return {number / each, number % each / teams.chunks, number % teams.chunks};
}

/// A = Q·R by tiles of 16 columns, in one launch: a team per tile and chunk of rows brings its
/// columns into registers, applies the reflectors of the tiles left of it as they are published,
/// makes and publishes its own, and writes R. What a tile costs a single matrix is the latency of
/// 16 dependent steps and of one hand-over through memory; the teams of a batch begin with the
/// first tiles of all matrices and seldom wait.
///
/// Cost: 2mn² - 2n³/3 flops of m >= n; A is read, R and the reflectors are written once, those
/// are read once for each tile right of them.
template <class ExecSpace, class Real, int R, class Batch>
class QrTileFactorKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace, PanelBounds<Real, R>>;

  QrTileFactorKernel(Batch const& batch, TileTeams const& teams) : batch_(batch), teams_(teams) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    TeamOrder const at = next_qr_tile<Real>(team, batch_, 0, teams_);
    QrProblem<Real> const problem = batch_(batch_.index(at.member));
    QrTileStorage<Real> const storage(problem);
    int const m = problem.m, n = problem.n, first = at.tile * tile_columns;
    bool const leads = at.tile == 0 && at.chunk == 0 && team.team_rank() == 0;
    if (m == 0 || n == 0) {
      if (leads) *problem.info = {};
      return;
    }
    if (first >= n || at.chunk >= panel_chunks<Real>(m)) return;
    auto const threads = TilePanelThreads::of(team.team_rank(), m, at.chunk, problem.a.data);
    int const cols = Kokkos::min(n - first, int{tile_columns});
    TilePanel<Real, R> panel;
    if (!has_finite_columns(team, storage)) {
      store_nan(threads, panel, problem.r, problem.r_rows, first, cols);
      if (leads) *problem.info = {.status = Status::non_finite};
      return;
    }
    load_columns(threads, problem, storage, panel, first, cols);
    reflect(team, threads, at, storage, panel, cols);
    finish(team, threads, at, panel);
  }

 private:
  /// The panel := Qᵀ·panel of all reflectors up to its own, which are published.
  KOKKOS_FUNCTION static void reflect(TeamMember<ExecSpace> const& team,
                                      TilePanelThreads const& threads, TeamOrder const& at,
                                      QrTileStorage<Real> const& storage, TilePanel<Real, R>& panel,
                                      int cols) {
    TilePanelScratch<Real> const scratch(team, threads.warps());
    ChunkSums<Real> sums(storage.words_of(at.tile), 0, threads);
    PublishedReflectors<TeamMember<ExecSpace>> others(team, threads, &storage.state->published);
    int const end = (at.chunk + 1) * threads.blocks_per_chunk();  // the chunk ends before
    int const last = Kokkos::min(end, storage.tiles);
    for (int p = 0; p < Kokkos::min(at.tile, last); ++p) {
      others.wait_for(p);
      apply_block<true>(team, threads, storage.reflector(p), scratch, sums, panel);
    }
    if (at.tile >= last) return;
    team.team_barrier();  // all have read their weights
    factorise(team, threads, at.tile, cols, scratch, sums, panel, storage.factor(at.tile));
    store_reflectors(threads, storage, panel, at.tile, cols);
    others.publish();
  }

  /// R; the last of a matrix's teams writes the info.
  KOKKOS_FUNCTION void finish(TeamMember<ExecSpace> const& team, TilePanelThreads const& threads,
                              TeamOrder const& at, TilePanel<Real, R>& panel) const {
    // What is known of the matrix is found again: kept, it would take registers from the panel.
    QrProblem<Real> const problem = batch_(batch_.index(opaque_register(at.member)));
    QrTileStorage<Real> const storage(problem);
    int const first = at.tile * tile_columns;
    bool const infinite = store_triangle(threads, problem, storage, panel, first,
                                         Kokkos::min(problem.n - first, int{tile_columns}));
    bool const fits = all_of_team(team, !infinite);
    if (team.team_rank() > 0) return;
    auto const teams = whole_tiles(storage.cols) / tile_columns * threads.chunks();
    constexpr std::uint64_t overflow = std::uint64_t{1} << 32;
    std::uint64_t const all = gather(&storage.state->gathered, fits ? 1 : overflow + 1);
    if (all % overflow == static_cast<std::uint64_t>(teams))
      *problem.info = {.status = all < overflow ? Status::success : Status::overflow};
  }

  Batch batch_;
  TileTeams teams_;
};

}  // namespace carroll::detail
