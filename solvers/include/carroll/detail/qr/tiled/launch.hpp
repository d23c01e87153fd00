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
#include <cstdint>

namespace carroll::detail {

/// Columns of Q of the widest.
inline int qr_basis_columns(QrMode mode, QrBounds const& bounds) {
  return mode == QrMode::r      ? 0
         : mode == QrMode::full ? bounds.rows
                                : std::min(bounds.rows, bounds.cols);
}

/// f(members) with the batch at the first of so many members whose launches have no more than
/// `most_teams` teams, `each` to a member: where members of a ragged batch differ in their extents
/// there may be very many that find nothing to do.
template <class Real, class F>
void for_parts_of_batch(QrBatch<Real>& batch, QrBounds const& bounds, std::int64_t each,
                        int most_teams, F const& f) {
  std::int64_t const fit = most_teams / std::max<std::int64_t>(each, 1);
  int const most = static_cast<int>(std::max<std::int64_t>(fit, 1));
  for (std::int64_t first = 0; first < bounds.members; first += most) {
    batch.first = static_cast<int>(first);
    f(std::min(bounds.members - batch.first, most));
  }
}

template <class Real, class ExecSpace, class Kernel>
void launch_qr_tiles(char const* label, ExecSpace const& exec, Kernel const& kernel, int rows,
                     TileTeams const& teams) {
  int const warps = panel_warps(rows);
  launch_teams(label, exec, kernel,
               {teams.count(), 32 * warps, TilePanelScratch<Real>::bytes(warps)});
}

/// R and Q of matrices whose powers of two are known.
template <class Real, class ExecSpace, class Batch>
void enqueue_qr_reflectors(ExecSpace const& exec, Batch const& batch, QrBounds const& bounds,
                           int q_cols) {
  auto const teams = [&](int columns) {
    return TileTeams{bounds.members, static_cast<int>(whole_tiles(columns)) / tile_columns,
                     std::max(panel_chunks<Real>(bounds.rows), 1)};
  };
  with_panel_rows<Real>(bounds.rows, [&](auto r) {
    using Factor = QrTileFactorKernel<ExecSpace, Real, r(), Batch>;
    using Basis = QrTileBasisKernel<ExecSpace, Real, r(), Batch>;
    TileTeams const factors = teams(std::max(bounds.cols, 1)), bases = teams(q_cols);
    launch_qr_tiles<Real>("carroll::qr::tile_factor", exec, Factor(batch, factors), bounds.rows,
                          factors);
    launch_qr_tiles<Real>("carroll::qr::tile_basis", exec, Basis(batch, bases), bounds.rows, bases);
  });
}

/// Enqueues the family `tiled`: in one launch where a team can do all of a matrix, otherwise in
/// three, or two for R alone.
template <class ExecSpace, class Real>
void enqueue_qr_tiled(ExecSpace const& exec, QrBatch<Real> batch, QrPlan const& plan,
                      int most_teams = 1 << 30) {
  QrBounds const& bounds = plan.bounds(QrFamily::tiled);
  batch.selection = plan.members(QrFamily::tiled);
  int const q_cols = qr_basis_columns(batch.mode, bounds);
  int const chunks = std::max(panel_chunks<Real>(bounds.rows), 1);
  // The scan's teams have four columns.
  std::int64_t const each = (std::int64_t{std::max(bounds.cols, q_cols)} / 4 + 1) * chunks;
  bool const alone = bounds.cols <= tile_columns && chunks == 1 && batch.mode != QrMode::full;
  for_parts_of_batch(batch, bounds, each, most_teams, [&](int members) {
    if (alone)
      return with_panel_rows<Real>(bounds.rows, [&](auto r) {
        launch_qr_tiles<Real>("carroll::qr::one_tile", exec,
                              QrOneTileKernel<ExecSpace, Real, r()>(batch), bounds.rows,
                              {members, 1, 1});
      });
    QrBounds part = bounds;
    part.members = members;
    QrTileScanKernel<ExecSpace, Real> const scan(batch, bounds.cols);
    launch_teams("carroll::qr::tile_scan", exec, scan,
                 {members * scan.teams_per_matrix(), scan.threads});
    enqueue_qr_reflectors<Real>(exec, batch, part, q_cols);
  });
}

}  // namespace carroll::detail
