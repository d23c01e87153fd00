// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/copy.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/ratings/triples.hpp>
#include <carroll/detail/recommend/problem.hpp>
#include <carroll/detail/recommend/select_host.hpp>
#include <carroll/detail/recommend/select_team.hpp>
#include <carroll/detail/recommend/tile.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/gemm.hpp>
#include <cstddef>
#include <cstdint>

/// Rows go by tiles: their factors are gathered, `gemm` multiplies them with those of all items,
/// and what comes out, a tile of scores, is searched for the best. Sums of a product are not cut
/// into parts, so that a row's scores do not depend on the rows beside it.
namespace carroll::detail {

/// Who looks for the best of a row.
enum class Selection { automatic, threads, teams };

struct BestPlan {
  Selection selection = Selection::automatic;
  std::int64_t tile_bytes = 0;  ///< of scores; 0: 256 MiB on devices, 8 MiB for a host's caches
  int team_threads = 0;         ///< 0: by N on devices, 1 on hosts
};

/// So many that groups suffice for a bound, up to N = 512.
inline int selecting_threads(int wanted) {
  int threads = 128;
  while (threads < wanted && threads < 512) threads *= 2;
  return threads;
}

/// Launches the selection by teams, with scratch in memory where near scratch has no room for so
/// many best ones.
template <class ExecSpace, class Real>
void select_by_teams(ExecSpace const& exec,
                     BestProblem<Real, typename ExecSpace::memory_space> const& problem,
                     BestTile<Real, typename ExecSpace::memory_space> const& tile, int threads) {
  using Near = SelectByTeams<ExecSpace, Real, 0>;
  SelectionShape const shape = SelectionShape::of(problem.wanted, threads);
  auto const launch = [&](auto const& kernel, int level) {
    launch_teams("carroll::recommend::select", exec, kernel,
                 {.count = static_cast<int>(tile.end - tile.begin),
                  .threads = threads,
                  .scratch = Near::bytes(shape.places),
                  .level = level});
  };
  std::size_t const most = std::min(most_team_scratch<ExecSpace>(), std::size_t{most_lent_scratch});
  bool const fits = Near::bytes(shape.places) <= most;
  if (fits)
    launch(Near{problem, tile, shape}, 0);
  else
    launch(SelectByTeams<ExecSpace, Real, 1>{problem, tile, shape}, 1);
}

/// What else there is to be added to the products of a tile: nothing.
struct NoMoreScores {
  template <class ExecSpace, class Problem, class Tile>
  void operator()(ExecSpace const&, Problem const&, Tile const&) const {}
};

/// Fills the problem's outputs. Fences once; returns what has been counted.
template <class ExecSpace, class Real, class More = NoMoreScores>
Kokkos::Array<std::int64_t, int(BestCount::all)> find_best(
    ExecSpace const& exec, char const* function,
    BestProblem<Real, typename ExecSpace::memory_space> const& problem, BestPlan plan,
    More const& more = {}) {
  using Memory = typename ExecSpace::memory_space;
  using Gemm = AccessTo<GemmWorkspace<ExecSpace, Real>>;
  Kokkos::Array<std::int64_t, int(BestCount::all)> counts{};
  std::int64_t const rows = problem.row_count, items = problem.items();
  if (rows == 0 || problem.wanted == 0) return counts;
  constexpr bool on_host = lanes<ExecSpace> == 1;
  if (plan.selection == Selection::automatic)
    plan.selection = on_host ? Selection::threads : Selection::teams;
  if (plan.team_threads == 0) plan.team_threads = on_host ? 1 : selecting_threads(problem.wanted);
  if (plan.tile_bytes == 0) plan.tile_bytes = std::int64_t{on_host ? 8 : 256} << 20;

  // Tiles of one size, or nearly.
  std::int64_t const row_bytes = std::max<std::int64_t>(items, 1) * std::int64_t{sizeof(Real)};
  std::int64_t const most =
      std::min(rows, std::clamp<std::int64_t>(plan.tile_bytes / row_bytes, 1, 32768));
  std::int64_t const tiles = (rows + most - 1) / most, height = (rows + tiles - 1) / tiles;

  BestTile<Real, Memory> tile;
  tile.factors = static_cast<std::int64_t>(problem.V.extent(1));
  bool const by_threads = plan.selection == Selection::threads;
  tile.capacity = candidate_capacity(problem.wanted);
  auto const memory = allocate_arena(exec, "carroll::recommend::tile", [&](Arena& arena) {
    tile.left = arena.take<Real>(height * tile.factors);
    tile.scores = arena.take<Real>(height * items);
    tile.candidates = arena.take_if<Candidate<Real>>(by_threads, height * tile.capacity);
    tile.counts = arena.take<std::int64_t>(int(BestCount::all));
  });
  GemmOptions options;
  options.op_b = MatrixOp::transpose;
  auto const workspace =
      Gemm::make(exec, function, {height, items, tile.factors, 1}, options, false);
  using Tile = Kokkos::View<Real**, Kokkos::LayoutRight, Memory, Kokkos::MemoryUnmanaged>;
  auto const extent = [](std::int64_t x) { return static_cast<std::size_t>(x); };
  Tile const left(tile.left, extent(height), extent(tile.factors));
  Tile const scores(tile.scores, extent(height), extent(items));
  set_to_zero(exec, tile.counts, int(BestCount::all));
  for (tile.begin = 0; tile.begin < rows; tile.begin += height) {
    tile.end = std::min(tile.begin + height, rows);
    auto const count = static_cast<int>(tile.end - tile.begin);
    Kokkos::parallel_for("carroll::recommend::gather",
                         Range<ExecSpace>(exec, 0, height * tile.factors),
                         GatherRows<Real, Memory>{problem, tile});
    gemm_async(exec, Real(1), left, problem.V, Real(0), scores, workspace);
    more(exec, problem, tile);
    if (by_threads) {
      Kokkos::parallel_for("carroll::recommend::mask",
                           Kokkos::TeamPolicy<ExecSpace>(exec, count, Kokkos::AUTO),
                           MaskScores<ExecSpace, Real>{problem, tile});
      Kokkos::parallel_for("carroll::recommend::select", Range<ExecSpace>(exec, 0, count),
                           SelectOnHost<Real, Memory>{problem, tile});
    } else {
      select_by_teams(exec, problem, tile, plan.team_threads);
    }
  }
  copy_objects<Kokkos::HostSpace, Memory, std::int64_t>(exec, counts.data(), tile.counts,
                                                        counts.size());
  exec.fence(function);
  return counts;
}

}  // namespace carroll::detail
