// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/plan.hpp>
#include <carroll/detail/qr/tiled/basis.hpp>
#include <carroll/detail/qr/tiled/factorise.hpp>
#include <carroll/detail/qr/tiled/one_tile.hpp>
#include <carroll/detail/qr/tiled/scan.hpp>
#include <carroll/detail/svd/tiled/launch.hpp>

namespace carroll::detail {

/// So many matrices with these bounds: in one launch where a team can do all of a matrix, otherwise
/// in three, or two for R alone.
template <class ExecSpace, class Real>
void enqueue_qr_tiles(ExecSpace const& exec, QrBatch<Real> const& batch, QrBounds const& bounds,
                      int q_cols) {
  int const tiles = static_cast<int>(whole_tiles(bounds.cols)) / tile_columns;
  int const chunks = std::max(panel_chunks<Real>(bounds.rows), 1);
  int const warps = panel_warps(bounds.rows);
  auto const launch = [&](char const* label, auto const& kernel, TileTeams const& teams) {
    launch_teams(label, exec, kernel,
                 {teams.count(), 32 * warps, TilePanelScratch<Real>::bytes(warps)});
  };
  if (tiles <= 1 && chunks == 1 && batch.mode != QrMode::full)
    return with_panel_rows<Real>(bounds.rows, [&](auto r) {
      launch("carroll::qr::one_tile", QrOneTileKernel<ExecSpace, Real, r()>(batch),
             {bounds.members, 1, 1});
    });
  QrTileScanKernel<ExecSpace, Real> const scan(batch, bounds.cols);
  launch_teams("carroll::qr::tile_scan", exec, scan,
               {bounds.members * scan.teams_per_matrix(), scan.threads});
  with_panel_rows<Real>(bounds.rows, [&](auto r) {
    TileTeams const factors{bounds.members, std::max(tiles, 1), chunks};
    TileTeams const bases{bounds.members, static_cast<int>(whole_tiles(q_cols)) / tile_columns,
                          chunks};
    launch("carroll::qr::tile_factor", QrTileFactorKernel<ExecSpace, Real, r()>(batch, factors),
           factors);
    launch("carroll::qr::tile_basis", QrTileBasisKernel<ExecSpace, Real, r()>(batch, bases), bases);
  });
}

/// Enqueues the family `tiled`. Every matrix gets as many teams as the widest and the longest have
/// tiles and chunks, of which those of a launch may be `most_teams`: a ragged batch may need
/// several.
template <class ExecSpace, class Real>
void enqueue_qr_tiled(ExecSpace const& exec, QrBatch<Real> batch, QrPlan const& plan,
                      int most_teams = 1 << 30) {
  QrBounds bounds = plan.bounds(QrFamily::tiled);
  int const members = bounds.members;
  if (members == 0) return;
  batch.selection = plan.members(QrFamily::tiled);
  int const q_cols = batch.mode == QrMode::r      ? 0
                     : batch.mode == QrMode::full ? bounds.rows
                                                  : std::min(bounds.rows, bounds.cols);
  int const each =
      (std::max(bounds.cols, q_cols) / 4 + 1) * std::max(panel_chunks<Real>(bounds.rows), 1);
  int const most = std::max(most_teams / each, 1);
  for (batch.first = 0; batch.first < members; batch.first += bounds.members) {
    bounds.members = std::min(members - batch.first, most);
    enqueue_qr_tiles(exec, batch, bounds, q_cols);
  }
}

}  // namespace carroll::detail
