// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/eigenbasis/start.hpp>
#include <carroll/detail/svd/fused/rest.hpp>
#include <carroll/detail/svd/gram/sweeps.hpp>
#include <carroll/detail/svd/gram/together.hpp>
#include <carroll/detail/svd/spectral/start.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/detail/svd/tiled/jacobi.hpp>
#include <carroll/detail/svd/tiled/panel.hpp>
#include <carroll/detail/svd/tiled/qr.hpp>
#include <carroll/detail/svd/tiled/reflectors.hpp>
#include <carroll/detail/svd/tiled/triangle.hpp>
#include <carroll/detail/svd/tiled/vectors.hpp>
#include <type_traits>
#include <utility>

/// The path of matrices that do not fit a team, on devices with warps: A·P = Q·R and Rᵀ·P₂ = Q₂·R₂
/// by blocked QR, sweeps on X = R₂ᵀ by pairs of 8-column blocks in registers or of 32-column blocks
/// by way of their Gram matrices, J as the Q of XᵀW or accumulated, U and V by block reflectors.
namespace carroll::detail {

/// Sweeps that are enqueued for larger matrices, as many launches as sets each: two to four more
/// than matrices of uniformly distributed entries need. A member that wants more is left to the
/// team kernels.
constexpr int guarded_sweeps(int cols) {
  int sweeps = 12;
  for (int n = 128; n < cols; n *= 2) sweeps += 2;
  return sweeps;
}

/// Calls f with the number of rows per thread as a constant; it changes no bits.
template <class Real, class F>
void with_panel_rows(int rows, F const& f) {
  if (rows <= panel_warp_rows * most_panel_warps)
    f(std::integral_constant<int, 4>());
  else if (rows <= 8 * 16 * most_panel_warps || most_panel_rows<Real> == 8)
    f(std::integral_constant<int, 8>());
  else
    f(std::integral_constant<int, most_panel_rows<Real>>());
}

template <class ExecSpace, class Real, TileFactor which>
void enqueue_tile_qr(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdBounds const& bounds) {
  bool const whole = which == TileFactor::outer || which == TileFactor::basis;
  int const rows = whole ? bounds.rows : bounds.cols;
  int const tiles = static_cast<int>(whole_tiles(bounds.cols)) / tile_columns;
  int const warps = panel_warps(rows);
  with_panel_rows<Real>(rows, [&](auto r) {
    using Kernel = TileQrKernel<ExecSpace, Real, which, r()>;
    TileTeams const teams{bounds.members, tiles, panel_chunks<Real>(rows)};
    launch_teams("carroll::svd::tile_qr", exec, Kernel(batch, teams),
                 {teams.count(), 32 * warps, TilePanelScratch<Real>::bytes(warps)});
  });
}

/// The same for the sweeps of matrices that a warp per tile can hold.
template <class Real, class F>
void with_sweep_rows(int cols, F const& f) {
  if (cols <= 64)
    f(std::integral_constant<int, 2>());
  else if (cols <= 96)
    f(std::integral_constant<int, 3>());
  else if (cols <= 128 || most_tiled_cols<Real> == 128)
    f(std::integral_constant<int, 4>());
  else
    f(std::integral_constant<int, most_tiled_cols<Real> / 32>());
}

template <class ExecSpace, class Real, int R>
void enqueue_tile_sweeps(ExecSpace const& exec, SvdBatch<Real> const& batch,
                         SvdBounds const& bounds, Real tolerance, int max_sweeps) {
  using Kernel = TileSweepsKernel<ExecSpace, Real, R>;
  int const cols = bounds.cols;
  int const warps = std::max(block_schedule(cols).pairs(), 1);
  std::size_t const least = Kernel::bytes_per_team(warps);
  std::size_t const whole = least + Kernel::bytes_to_stage(cols);
  bool const staged = whole <= most_team_scratch<ExecSpace>();
  launch_teams("carroll::svd::tile_sweeps", exec, Kernel(batch, tolerance, max_sweeps, staged),
               {bounds.members, 32 * warps, staged ? whole : least});
}

template <bool many, class ExecSpace, class Real>
void enqueue_gram_sweeps(ExecSpace const& exec, SvdBatch<Real> const& batch,
                         SvdBounds const& bounds, Real tolerance, int max_sweeps, bool vectors) {
  using Products = GramProductKernel<ExecSpace, Real, many>;
  using Turns = GramRotateKernel<ExecSpace, Real>;
  RoundRobin const schedule = gram_schedule(bounds.cols);
  int const pairs = schedule.pairs(), parts = gram_parts(bounds.cols);
  for (int sweep = 0; sweep < std::min(max_sweeps, guarded_sweeps(bounds.cols)); ++sweep)
    for (int set = 0; set < schedule.sets(); ++set) {
      GramStep const at{sweep, set};
      Products const products(batch, tolerance, at, pairs, parts, vectors);
      launch_teams("carroll::svd::gram_product", exec, products,
                   {bounds.members * products.teams_per_matrix(), Products::threads,
                    Products::scratch_bytes});
      launch_teams("carroll::svd::gram_rotate", exec, Turns(batch, tolerance, at, pairs),
                   {bounds.members * pairs, Turns::threads, Turns::scratch_bytes});
    }
}

/// Sweeps of matrices that do not fit a team: two launches per set, those after convergence return
/// at once.
template <class ExecSpace, class Real>
void enqueue_gram_sweeps(ExecSpace const& exec, SvdBatch<Real> const& batch,
                         SvdBounds const& bounds, Real tolerance, int max_sweeps, bool vectors) {
  // A multiprocessor is filled by some 16 of the kernel's 64×64 pieces at once.
  auto const pieces = static_cast<std::int64_t>(bounds.members) *
                      gram_schedule(bounds.cols).pairs() * gram_parts(bounds.cols) *
                      (vectors ? 2 : 1);
  if (pieces * 128 >= exec.concurrency())
    enqueue_gram_sweeps<true>(exec, batch, bounds, tolerance, max_sweeps, vectors);
  else
    enqueue_gram_sweeps<false>(exec, batch, bounds, tolerance, max_sweeps, vectors);
}

/// Sweeps of members that seldom want any, in one launch. A team per pair of blocks does for many
/// members; of few each has more, as far as there is work for them.
template <class ExecSpace, class Real>
void enqueue_gram_together(ExecSpace const& exec, SvdBatch<Real> const& batch,
                           SvdBounds const& bounds, Real tolerance, int max_sweeps, bool vectors) {
  using Kernel = GramTogetherKernel<ExecSpace, Real>;
  int const pairs = gram_schedule(bounds.cols).pairs(), resident = processors(exec);
  int const pieces = pairs * gram_parts(bounds.cols) * (vectors ? 2 : 1);
  int const teams = std::min(std::clamp(resident / bounds.members, pairs, pieces), resident);
  launch_teams("carroll::svd::gram_together", exec,
               Kernel(batch, tolerance, std::min(max_sweeps, guarded_sweeps(bounds.cols)), teams),
               {bounds.members * teams, Kernel::threads, Kernel::scratch_bytes});
}

template <class ExecSpace, class Real, TileFactor which>
void enqueue_tile_vectors(ExecSpace const& exec, SvdBatch<Real> const& batch,
                          SvdBounds const& bounds, int rows, int columns) {
  int const tiles = static_cast<int>(whole_tiles(columns)) / tile_columns;
  int const warps = panel_warps(rows);
  with_panel_rows<Real>(rows, [&](auto r) {
    using Kernel = TileVectorsKernel<ExecSpace, Real, which, r()>;
    TileTeams const teams{bounds.members, tiles, panel_chunks<Real>(rows)};
    launch_teams(
        which == TileFactor::inner ? "carroll::svd::tile_right" : "carroll::svd::tile_left", exec,
        Kernel(batch, teams), {teams.count(), 32 * warps, TilePanelScratch<Real>::bytes(warps)});
  });
}

/// Columns by norm.
template <class ExecSpace, class Real, TileRanks which>
void enqueue_tile_ranks(ExecSpace const& exec, SvdBatch<Real> const& batch,
                        SvdBounds const& bounds) {
  TileRankKernel<ExecSpace, Real, which> const ranks(batch, bounds.cols);
  launch_fitting_teams("carroll::svd::tile_ranks", exec, ranks,
                       {bounds.members * ranks.teams_per_matrix(), ranks.threads});
}

/// The scales of A's columns, and a fresh state.
template <class ExecSpace, class Real>
void enqueue_tile_scales(ExecSpace const& exec, SvdBatch<Real> const& batch,
                         SvdBounds const& bounds) {
  TileScanKernel<ExecSpace, Real> const scan(batch, bounds.cols);
  launch_fitting_teams("carroll::svd::tile_scan", exec, scan,
                       {bounds.members * scan.teams_per_matrix(), scan.columns_per_team});
  launch_fitting_teams("carroll::svd::tile_start", exec, TileStartKernel<ExecSpace, Real>{batch},
                       {bounds.members, 4});
}

/// From A to R, of members that have not been begun with A.
template <class ExecSpace, class Real>
void enqueue_outer_factors(ExecSpace const& exec, SvdBatch<Real> const& batch,
                           SvdBounds const& bounds) {
  enqueue_tile_ranks<ExecSpace, Real, TileRanks::columns>(exec, batch, bounds);
  enqueue_tile_qr<ExecSpace, Real, TileFactor::outer>(exec, batch, bounds);
}

/// From R to X = R₂ᵀ, of members that have not been begun with R.
template <class ExecSpace, class Real>
void enqueue_inner_factors(ExecSpace const& exec, SvdBatch<Real> const& batch,
                           SvdBounds const& bounds) {
  auto const rows = [&]<TileFactor which>(char const* label) {
    TileRowsKernel<ExecSpace, Real, which> const kernel(batch, bounds.cols);
    launch_fitting_teams(label, exec, kernel,
                         {bounds.members * kernel.teams_per_matrix(), kernel.columns_per_team});
  };
  rows.template operator()<TileFactor::outer>("carroll::svd::tile_rows");
  enqueue_tile_ranks<ExecSpace, Real, TileRanks::rows>(exec, batch, bounds);
  enqueue_tile_qr<ExecSpace, Real, TileFactor::inner>(exec, batch, bounds);
  rows.template operator()<TileFactor::inner>("carroll::svd::tile_columns");
}

/// Columns of the longer and of the shorter side's vectors, at most. A square matrix may have been
/// turned: then U is the shorter side's and V the longer side's; a ragged batch may hold anything.
template <class Real>
std::pair<int, int> vector_tiles(SvdBatch<Real> const& batch, SvdBounds const& bounds) {
  auto const count = [&](SvdVectors wanted, int length) {
    return static_cast<int>(vector_columns(wanted, length, bounds.cols));
  };
  auto const m = batch.a.extents[1], n = batch.a.extents[2];
  if (!batch.slots && m > n)
    return {count(batch.u_wanted, bounds.rows), count(batch.v_wanted, bounds.cols)};
  if (!batch.slots && m < n)
    return {count(batch.v_wanted, bounds.rows), count(batch.u_wanted, bounds.cols)};
  auto const either = [&](int length) {
    return std::max(count(batch.u_wanted, length), count(batch.v_wanted, length));
  };
  return {either(bounds.rows), either(bounds.cols)};
}

/// May there be members, begun with A, whose full U has more columns than A?
template <class Real>
bool wants_rest(SvdBatch<Real> const& batch, SvdBounds const& bounds, int left) {
  if (batch.slots) return batch.u_wanted == SvdVectors::full || batch.v_wanted == SvdVectors::full;
  return left > bounds.cols && basis_from(bounds.rows, bounds.cols) == BasisFrom::matrix;
}

/// Enqueues the families `tiled`, `gram`, `eigenbasis` and `spectral`, which differ in their
/// sweeps; members that they could not finish are on the list afterwards.
template <class ExecSpace, class Real>
void enqueue_tiles(ExecSpace const& exec, SvdBatch<Real> batch, SvdPlan const& plan,
                   SvdOptions const& options, [[maybe_unused]] SvdStarts<ExecSpace> const& starts) {
  SvdBounds const& tiled = plan.bounds(SvdPlan::tiled);
  SvdBounds const& gram = plan.bounds(SvdPlan::gram);
  SvdBounds const& by_basis = plan.bounds(SvdPlan::eigenbasis);
  SvdBounds by_library = plan.bounds(SvdPlan::spectral);
  SvdBounds const bounds = tiled | gram | by_basis | by_library;
  if (bounds.members == 0) return;
  Real const tolerance = static_cast<Real>(options.tolerance);
  int const members = bounds.members, n = bounds.cols;
  batch.selection = plan.members(SvdPlan::tiled);
  batch.tiled = tiled.members;
  auto const members_of = [&](int bin) {
    SvdBatch<Real> those = batch;
    those.selection = plan.members(bin);
    return those;
  };
  [[maybe_unused]] auto const begin = [&](BasisFrom from) {
    if constexpr (has_backend(svd_backend<ExecSpace>, SvdBackend::tensors))
      if (by_basis.members > 0 && (batch.slots || from == basis_from(bounds.rows, n)))
        starts.basis->enqueue(exec, members_of(SvdPlan::eigenbasis), tolerance, from);
  };
  enqueue_tile_scales(exec, batch, bounds);
  begin(BasisFrom::matrix);
  enqueue_outer_factors(exec, batch, bounds);
  begin(BasisFrom::triangle);
  if constexpr (has_backend(svd_backend<ExecSpace>, SvdBackend::tensors))
    if (by_basis.members > 0 && (batch.slots || is_widest_fused(bounds.rows, n)))
      enqueue_fused_rest(exec, batch, plan.members(SvdPlan::eigenbasis), by_basis.members,
                         by_basis.cols, tolerance, options.max_sweeps);
  if constexpr (has_backend(svd_backend<ExecSpace>, SvdBackend::library))
    if (by_library.members > 0 &&
        starts.spectral->run(exec, members_of(SvdPlan::spectral), tolerance))
      by_library = {};
  enqueue_inner_factors(exec, batch, bounds);

  auto const [left, right] = vector_tiles(batch, bounds);

  if (tiled.members > 0)
    with_sweep_rows<Real>(tiled.cols, [&](auto r) {
      enqueue_tile_sweeps<ExecSpace, Real, r()>(exec, batch, tiled, tolerance, options.max_sweeps);
    });
  if (gram.members > 0)
    enqueue_gram_sweeps(exec, members_of(SvdPlan::gram), gram, tolerance, options.max_sweeps,
                        right > 0);
  if (by_library.members > 0)
    enqueue_gram_sweeps(exec, members_of(SvdPlan::spectral), by_library, tolerance,
                        options.max_sweeps, right > 0);
  if constexpr (has_backend(svd_backend<ExecSpace>, SvdBackend::tensors))
    if (by_basis.members > 0)
      enqueue_gram_together(exec, members_of(SvdPlan::eigenbasis), by_basis, tolerance,
                            options.max_sweeps, right > 0);
  TileNormsKernel<ExecSpace, Real> const norms(batch, n);
  launch_fitting_teams("carroll::svd::tile_norms", exec, norms,
                       {members * norms.teams_per_matrix(), norms.columns_per_team});
  enqueue_tile_ranks<ExecSpace, Real, TileRanks::values>(exec, batch, bounds);
  launch_fitting_teams("carroll::svd::tile_values", exec,
                       TileValuesKernel<ExecSpace, Real>(batch, tolerance), {members, 4});
  if (right > 0 && tiled.members > 0)
    enqueue_tile_qr<ExecSpace, Real, TileFactor::rotations>(exec, batch, tiled);
  if (left > 0)
    enqueue_tile_vectors<ExecSpace, Real, TileFactor::outer>(exec, batch, bounds, bounds.rows,
                                                             left);
  if constexpr (has_backend(svd_backend<ExecSpace>, SvdBackend::tensors))
    if (by_basis.members > 0 && wants_rest(batch, bounds, left)) {
      enqueue_tile_qr<ExecSpace, Real, TileFactor::basis>(exec, members_of(SvdPlan::eigenbasis),
                                                          by_basis);
      enqueue_tile_vectors<ExecSpace, Real, TileFactor::basis>(
          exec, members_of(SvdPlan::eigenbasis), by_basis, by_basis.rows, left);
    }
  if (right > 0)
    enqueue_tile_vectors<ExecSpace, Real, TileFactor::inner>(exec, batch, bounds, bounds.cols,
                                                             right);
}

}  // namespace carroll::detail
