// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/concepts.hpp>
#include <carroll/detail/determinant/outer_block/plan.hpp>
#include <carroll/detail/determinant/portable/scratch_size.hpp>
#include <carroll/detail/determinant/row_panel/plan.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/determinant/types.hpp>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>

// clang-format off
// | family            | where         | orders (double)    | in batches of     | workspace     | kernel |
// | ----------------- | ------------- | ------------------ | ----------------- | ------------- | ------ |
// | thread_stream     | warps, real   | 8                  | all, without gaps | none          | warp/stream.hpp |
// | thread_per_matrix | warps, real   | 2 to 12 (8)        | all               | none          | warp/kernels.hpp |
// | lanes_per_matrix  | warps, real   | up to 32           | all               | none          | warp/kernels.hpp |
// | host_closed_form  | hosts, real   | 1 to 3             | all               | none          | closed_form/host.hpp |
// | closed_form       | all           | 0 to 3             | all               | none          | closed_form/kernel.hpp |
// | one_team_tiles    | warps, double | 65 to 128          | 17 and more       | none          | row_panel/one_team/tiles_kernel.hpp |
// | one_team          | warps, real   | 33 to 256          | 17 (n > 128: 65)  | none          | row_panel/one_team/kernel.hpp |
// | per_panel         | warps, real   | 129 to 1024        | 17, 8192/n beyond 256 | 128·n each | row_panel/per_panel/kernels.hpp |
// | leader            | warps, real   | 33 to 2559 (2303)  | all               | n² + 64·n each, 512·n beyond 512 (256) | row_panel/leader/kernel.hpp, pipeline before the last 512 (256) columns |
// | pipeline          | warps, real   | if asked for       |                   | 128·n each    | row_panel/pipeline/kernel.hpp |
// | outer_blocks      | warps, real   | from 2560 (2304)   | all               | 512·n         | outer_block/launch.hpp |
// | host_batch        | hosts, real   | up to 32           | all               | none          | host/batch.hpp |
// | host_scratch      | hosts, real   | up to 256          | all               | none          | host/scratch.hpp |
// | host_panels       | hosts, real   | beyond             | all               | 128·n to 512·n | host/kernels.hpp |
// | scratch           | all           | that fit a team's  | all               | none          | portable/scratch.hpp |
// | panels            | hosts; real   | beyond             | all               | 64·n          | portable/panels.hpp |
// | in_place          | all           | beyond             | all               | dodgson: n² each | portable/in_place.hpp |
// | launches          | all           | of the study       | all               | n²            | study/condensation_steps.hpp |
// clang-format on

/// Which kernels find a determinant: the one place that decides. Workspaces, launches, tests, the
/// tool and benchmarks read this table; without options its first row that fits is taken. Where a
/// row knows how many matrices there are, the next ones do the same arithmetic: a matrix has the
/// same bits in every batch. In the table n is the order; the workspace, in entries, is that of
/// each matrix of a batch or one for all. What `keep` adds says determinant_needs.
///
/// "Warps" are devices that have them (device/warp.hpp); where too few teams run at the same time
/// for row panels, what follows them in the table is taken. By an option a family takes every order
/// that its kernels can, which may be more (`can` below).
namespace carroll::detail {

enum class DeterminantBackend { host, warps, other };

/// What a row of the table is for: `devices` are warps and others.
enum class DeterminantWhere { all, hosts, devices, warps };
enum class DeterminantScalars { all, real, real_double };

/// What else the choice depends on.
struct DeterminantDevice {
  DeterminantBackend backend = DeterminantBackend::host;
  /// That run at the same time at least: one fills a multiprocessor.
  int teams_at_once = 1;
  int scratch_order = 0;  ///< of the largest matrix that fits a team's scratch

  template <class ExecSpace, class T>
  static DeterminantDevice of(int teams_at_once) {
    return {lanes<ExecSpace> == 1  ? DeterminantBackend::host
            : has_warps<ExecSpace> ? DeterminantBackend::warps
                                   : DeterminantBackend::other,
            teams_at_once, most_scratch_order<ExecSpace, T>()};
  }
};

struct DeterminantOrders {
  std::int64_t least, most;
  [[nodiscard]] constexpr bool contain(std::int64_t n) const { return least <= n && n <= most; }
};

struct DeterminantRow {
  DeterminantPath path;
  DeterminantWhere where;
  DeterminantScalars scalars;
  DeterminantOrders can;    ///< orders that the kernels can take, if they are asked for
  DeterminantOrders takes;  ///< that are theirs otherwise …
  /// … of batches of so many matrices, which have so many rows together.
  std::int64_t least_batch = 0, least_rows = 0;
};

/// The largest order for which a thread holds a whole matrix. On an H200 (2026-11-21, single
/// precision, order 12) that reads 1.6 times as fast as groups of lanes; beyond, registers end.
template <class T>
inline constexpr int most_per_thread = sizeof(T) == 4 ? 12 : 8;

/// Orders up to which 16 matrices, and 64 beyond, are sooner done each by several teams, with the
/// same bits, as row panels and sums are the same, and the choice of pivots does not depend on the
/// number of threads; larger batches by teams that ask nobody. (H200, 2026-11-22, order 256, single
/// precision: one matrix 0.12 ms shared, 0.30 by one team; 64 by a launch per row panel 0.23, by
/// one team 0.31, 200 of them 0.52 and 0.46.) Beyond 256, 8192 rows together are sooner done by a
/// launch per row panel than by teams that wait for one another. (Single precision, order 512: 8
/// matrices 0.40 ms per panel, 0.36 shared, 16 of them 0.42 and 0.69, 64 of them 0.94 and 4.9;
/// order 1024, 4 matrices 0.96 and 0.79, 8 of them 1.2 and 1.5.)
template <class T>
constexpr auto determinant_table() {
  using Real = RealOf<T>;
  constexpr std::int64_t any = std::numeric_limits<int>::max();
  constexpr std::int64_t thread = most_per_thread<Real>, outer = least_outer_block_order<Real>;
  constexpr DeterminantOrders none{1, 0};
  using P = DeterminantPath;
  using W = DeterminantWhere;
  using S = DeterminantScalars;
  // path, where, scalars, orders that it can take, that it takes, from a batch, from rows
  return std::to_array<DeterminantRow>({
      {P::thread_stream, W::warps, S::real, {8, 8}, {8, 8}},
      {P::thread_per_matrix, W::warps, S::real, {2, thread}, {2, thread}},
      {P::lanes_per_matrix, W::warps, S::real, {9, 32}, {2, 32}},
      {P::host_closed_form, W::hosts, S::real, {1, 3}, {1, 3}},
      {P::closed_form, W::all, S::all, {0, 3}, {0, 3}},
      {P::one_team_tiles, W::warps, S::real_double, {65, 128}, {65, 128}, 17},
      {P::one_team, W::warps, S::real, {33, 256}, {33, 128}, 17},
      {P::one_team, W::warps, S::real, {33, 256}, {129, 256}, 65},
      {P::per_panel, W::warps, S::real, {129, 1024}, {129, 256}, 17},
      {P::per_panel, W::warps, S::real, {129, 1024}, {257, 1024}, 0, 8192},
      {P::leader, W::warps, S::real, {33, 10240}, {33, outer - 1}},
      {P::pipeline, W::warps, S::real, {257, 10240}, none},
      {P::outer_blocks, W::warps, S::real, {outer, any}, {outer, any}},
      {P::host_batch, W::hosts, S::real, {1, 32}, {1, 32}},
      {P::host_scratch, W::hosts, S::real, {1, 256}, {1, 256}},
      {P::host_panels, W::hosts, S::real, {1, any}, {1, any}},
      {P::scratch, W::all, S::all, {1, any}, {1, any}},
      {P::panels, W::hosts, S::all, {1, any}, {1, any}},
      // Of complex numbers tiles of the product do not fit every device's scratch.
      {P::panels, W::devices, S::real, {1, any}, {1, any}},
      {P::in_place, W::all, S::all, {1, any}, {1, any}},
      {P::launches, W::all, S::all, {1, any}, none},
  });
}

/// Is a row for this device, for T and for the method? The study's methods have one path each.
template <class T>
constexpr bool is_for(DeterminantRow const& row, DeterminantMethod method,
                      DeterminantBackend backend) {
  using W = DeterminantWhere;
  using B = DeterminantBackend;
  using S = DeterminantScalars;
  bool const there = row.where == W::all || (row.where == W::hosts) == (backend == B::host);
  if (!there || (row.where == W::warps && backend != B::warps)) return false;
  if (row.scalars != S::all && is_complex<T>) return false;
  if (row.scalars == S::real_double && sizeof(T) != 8) return false;
  if (method >= DeterminantMethod::condensation_in_place)
    return row.path == DeterminantPath::launches;
  if (method != DeterminantMethod::blocked) return row.path == DeterminantPath::in_place;
  return row.path != DeterminantPath::launches;
}

/// Does a matrix of order n find room? Teams that wait for one another must run at the same time:
/// a leader or those that share a row panel, with one for the rows.
template <class T>
constexpr bool has_room(DeterminantPath path, std::int64_t n, DeterminantDevice const& device) {
  using Real = RealOf<T>;
  int const teams = device.teams_at_once;
  if (path == DeterminantPath::scratch) return n <= device.scratch_order;
  if (path < DeterminantPath::one_team || path > DeterminantPath::outer_blocks) return true;
  if (n <= most_row_panel_columns) return teams >= 2;
  if (path != DeterminantPath::outer_blocks)
    return teams >= 2 && fit(n, row_panel_team_columns<Real>, teams);
  std::int64_t const rest = n - std::int64_t{outer_blocks_of<Real>(n)} * outer_block_rows;
  return teams >= 2 && fit(rest, row_panel_team_columns<Real>, teams) &&
         fit(n, wide_team_columns<Real>, teams);
}

/// Columns of the smallest of a kernel's shapes that holds a matrix of order n; 0 where it has one.
template <class T>
constexpr int determinant_shape(DeterminantPath path, std::int64_t n) {
  using P = DeterminantPath;
  auto const least = [&n](std::initializer_list<int> shapes) {
    for (int const columns : shapes)
      if (n <= columns) return columns;
    return 0;
  };
  constexpr bool is_single = sizeof(RealOf<T>) == 4;
  if (path == P::lanes_per_matrix) return is_single ? least({16, 24, 32}) : least({12, 16, 24, 32});
  if (path == P::one_team) return least({64, 128, 256});
  if (path != P::leader) return 0;
  // The leader's columns, behind which others have come before it.
  n = std::min<std::int64_t>(n, most_leader_columns<RealOf<T>>);
  return least({64, 128, 256, 512});
}

/// What has been decided for a batch.
struct DeterminantPlan {
  DeterminantMethod method = DeterminantMethod::blocked;
  DeterminantPath path = DeterminantPath::closed_form;  ///< never `automatic`
  int shape = 0;          ///< columns of the kernel, see determinant_shape
  int teams_at_once = 1;  ///< of the device
};

/// Nothing where no row fits.
template <class T>
constexpr std::optional<DeterminantPlan> determinant_plan(DeterminantOptions const& options,
                                                          std::int64_t n, std::int64_t batch,
                                                          DeterminantDevice const& device) {
  DeterminantPlan plan{options.method, DeterminantPath::closed_form, 0, device.teams_at_once};
  if (n == 0) return plan;
  bool const is_asked = options.path != DeterminantPath::automatic;
  bool const has_choice = options.method == DeterminantMethod::blocked;
  for (DeterminantRow const& row : determinant_table<T>()) {
    if (!is_for<T>(row, options.method, device.backend) || !has_room<T>(row.path, n, device))
      continue;
    bool const fits = is_asked      ? row.path == options.path && row.can.contain(n)
                      : !has_choice ? row.can.contain(n)
                                    : row.takes.contain(n) && row.least_batch <= batch &&
                                          row.least_rows <= n * batch;
    if (!fits) continue;
    plan.path = row.path;
    plan.shape = determinant_shape<T>(row.path, n);
    return plan;
  }
  return std::nullopt;
}

/// How much a family wants of something: none, for one matrix after the other, or for each.
enum class DeterminantShare { none, one, each };

/// What a workspace holds for a family.
struct DeterminantNeeds {
  DeterminantShare copies;      ///< of matrices that are to be kept
  DeterminantShare rows;        ///< exponents and largest entries
  DeterminantShare row_panels;  ///< RowPanelWorkspace
};

constexpr DeterminantNeeds determinant_needs(DeterminantPath path) {
  using S = DeterminantShare;
  switch (path) {
    case DeterminantPath::one_team:
    case DeterminantPath::one_team_tiles: return {S::each, S::none, S::none};
    case DeterminantPath::per_panel:
    case DeterminantPath::leader:
    case DeterminantPath::pipeline: return {S::each, S::none, S::each};
    case DeterminantPath::outer_blocks: return {S::one, S::none, S::one};
    case DeterminantPath::host_panels:
    case DeterminantPath::panels:
    case DeterminantPath::launches: return {S::one, S::one, S::none};
    case DeterminantPath::in_place: return {S::each, S::each, S::none};
    default: return {S::none, S::none, S::none};
  }
}

constexpr std::int64_t count_of(DeterminantShare share, std::int64_t batch) {
  return share == DeterminantShare::each ? batch : share == DeterminantShare::one ? 1 : 0;
}

}  // namespace carroll::detail
