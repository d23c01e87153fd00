// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/tiled/factorise.hpp>
#include <carroll/detail/qr/tiled/panel.hpp>
#include <carroll/detail/qr/tiled/storage.hpp>
#include <carroll/detail/svd/tiled/chunk_sums.hpp>
#include <carroll/detail/svd/tiled/panel.hpp>
#include <carroll/detail/svd/tiled/reflectors.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// Q, 16 columns per team and chunk of rows, in registers while the block reflectors pass, the last
/// first; those of tiles right of its own leave a tile of the identity as it is. 2mn² - 2n³/3 flops
/// for thin Q; Q is written once, reflectors are read once for each tile right of them.
template <class ExecSpace, class Real, int R, class Batch>
class QrTileBasisKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace, PanelBounds<Real, R>>;

  QrTileBasisKernel(Batch const& batch, TileTeams const& teams) : batch_(batch), teams_(teams) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    TeamOrder const at = teams_.chunks > 1 ? next_qr_tile<Real>(team, batch_, 1, teams_)
                                           : TeamOrder{team.league_rank() % teams_.tiles,
                                                       team.league_rank() / teams_.tiles, 0};
    QrProblem<Real> const problem = batch_(batch_.index(at.member));
    QrTileStorage<Real> const storage(problem);
    int const m = problem.m, first = at.tile * tile_columns;
    if (first >= problem.q_cols || at.chunk >= panel_chunks<Real>(m)) return;
    auto const threads = TilePanelThreads::of(team.team_rank(), m, at.chunk, problem.a.data);
    int const cols = Kokkos::min(problem.q_cols - first, int{tile_columns});
    TilePanel<Real, R> panel;
    if (problem.info->status == Status::non_finite)
      return store_nan(threads, panel, problem.q, m, first, cols);
    fill_identity(threads, panel, first);
    TilePanelScratch<Real> const scratch(team, threads.warps());
    ChunkSums<Real> sums(storage.words_of(at.tile), 1, threads);
    for (int p = Kokkos::min(at.tile, storage.tiles - 1); p >= 0; --p)
      apply_block<false>(team, threads, storage.reflector(p), scratch, sums, panel);
    store_basis(threads, problem, storage, panel, first, cols);
  }

 private:
  Batch batch_;
  TileTeams teams_;
};

}  // namespace carroll::detail
