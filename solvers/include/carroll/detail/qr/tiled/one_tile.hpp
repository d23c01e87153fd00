// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/tiled/panel.hpp>
#include <carroll/detail/qr/tiled/scan.hpp>
#include <carroll/detail/qr/tiled/storage.hpp>
#include <carroll/detail/svd/tiled/chunk_sums.hpp>
#include <carroll/detail/svd/tiled/factorise.hpp>
#include <carroll/detail/svd/tiled/panel.hpp>
#include <carroll/detail/svd/tiled/reflectors.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// Matrices of one tile and one chunk, thin Q or R alone: a team each does all in one launch, and
/// waits for nobody. The bits are those of the launches that larger matrices take.
///
/// Flops of 16 columns, however few there are: 2·16·16·m for R, as many for Q; A is read twice, the
/// second time from caches.
template <class ExecSpace, class Real, int R>
class QrOneTileKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace, PanelBounds<Real, R>>;

  explicit QrOneTileKernel(QrBatch<Real> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    QrProblem<Real> const problem = batch_(batch_.index(team.league_rank()));
    QrTileStorage<Real> const storage(problem);
    int const m = problem.m, n = problem.n;
    if (m == 0 || n == 0) return tell(team, problem, Status::success);
    DeviceWarp const warp = warp_of_threads(team);
    for (int j = team.team_rank() / 32; j < n; j += team.team_size() / 32) {
      int const exponent = exponent_of_column(warp, problem.a.col(j), m);
      if (warp.lane == 0) storage.exponents[j] = settled_power(exponent);
    }
    team.team_barrier();
    auto const threads = TilePanelThreads::of(team.team_rank(), m, 0, problem.a.data);
    TilePanel<Real, R> panel;
    if (!has_finite_columns(team, storage)) {
      store_nan(threads, panel, problem.r, problem.r_rows, 0, n);
      if (problem.q_cols > 0) store_nan(threads, panel, problem.q, m, 0, problem.q_cols);
      return tell(team, problem, Status::non_finite);
    }
    load_columns(threads, problem, storage, panel, 0, n);
    TilePanelScratch<Real> const scratch(team, threads.warps());
    ChunkSums<Real> sums(storage.words, 0, threads);
    factorise(team, threads, 0, n, scratch, sums, panel, storage.factor(0));
    if (problem.q_cols > 0) store_reflectors(threads, storage, panel, 0, n);
    bool const infinite = store_triangle(threads, problem, storage, panel, 0, n);
    bool const fits = all_of_team(team, !infinite);
    tell(team, problem, fits ? Status::success : Status::overflow);
    if (problem.q_cols == 0) return;
    fill_identity(threads, panel, 0);
    apply_block<false>(team, threads, storage.reflector(0), scratch, sums, panel);
    store_basis(threads, problem, storage, panel, 0, problem.q_cols);
  }

 private:
  KOKKOS_FUNCTION static void tell(TeamMember<ExecSpace> const& team,
                                   QrProblem<Real> const& problem, Status status) {
    if (team.team_rank() == 0) *problem.info = {.status = status};
  }

  QrBatch<Real> batch_;
};

}  // namespace carroll::detail
