// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/plan.hpp>
#include <carroll/detail/qr/tall/blocks.hpp>
#include <carroll/detail/qr/tall/member.hpp>
#include <carroll/detail/qr/tiled/launch.hpp>

namespace carroll::detail {

/// Enqueues the family `tall`: five launches, or three for R alone.
template <class ExecSpace, class Real>
void enqueue_qr_tall(ExecSpace const& exec, QrBatch<Real> batch, QrPlan const& plan,
                     int most_teams = 1 << 30) {
  QrBounds const& bounds = plan.bounds(QrFamily::tall);
  batch.selection = plan.members(QrFamily::tall);
  int const q_cols = qr_basis_columns(batch.mode, bounds);
  int const tiles = static_cast<int>(whole_tiles(q_cols)) / tile_columns;
  int const blocks = QrTallMember<Real>::block_count(bounds.rows);
  std::size_t const scratch = TilePanelScratch<Real>::bytes(most_panel_warps);
  for_parts_of_batch(batch, bounds, blocks * std::max(tiles, 1), most_teams, [&](int members) {
    int const teams = members * blocks;
    launch_teams("carroll::qr::block_scan", exec, QrBlockScanKernel<ExecSpace, Real>(batch, blocks),
                 {teams, block_threads});
    launch_teams("carroll::qr::block_factor", exec,
                 QrBlockFactorKernel<ExecSpace, Real>(batch, blocks),
                 {teams, block_threads, scratch});
    QrBounds stacked = bounds;
    stacked.members = members;
    stacked.rows = QrTallMember<Real>::stacked_rows(bounds.rows);
    enqueue_qr_reflectors<Real>(exec, QrStackedBatch<Real>{batch}, stacked,
                                qr_basis_columns(batch.mode, stacked));
    launch_teams("carroll::qr::block_basis", exec,
                 QrBlockBasisKernel<ExecSpace, Real>(batch, blocks, tiles),
                 {teams * tiles, block_threads, scratch});
  });
}

}  // namespace carroll::detail
