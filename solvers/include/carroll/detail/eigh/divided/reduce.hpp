// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/columns.hpp>
#include <carroll/detail/eigh/divided/crew.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/eigh/divided/tiles.hpp>
#include <carroll/detail/eigh/divided/work.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

namespace carroll::detail {

/// A = Q·T·Qᵀ by Householder reflections, T tridiagonal, a team for each matrix.
///
/// The matrix is brought into tiles of its lower triangle, scaled by a power of two to entries of
/// at most 1. A column reads each of them once, for both of its triangles: n³/6 numbers altogether,
/// and an eighth of that for panels that are brought in. Least of memory: the lower triangle read,
/// the reflectors written, n² numbers, where nearer caches have the tiles.
///
/// 4n³/3 flops, two barriers a column. Sums have the same order in every team.
template <class ExecSpace, class Real>
class DividedReduceKernel {
  using Crew = CrewOf<ExecSpace>;
  using Tiles = SymmetricTiles<Real>;

 public:
  static constexpr int most_warps = 16;
  using Policy =
      std::conditional_t<has_warps<ExecSpace>,
                         Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32 * most_warps>>,
                         Kokkos::TeamPolicy<ExecSpace>>;

  DividedReduceKernel(EighBatch<Real> const& batch, std::size_t scratch)
      : batch_(batch), scratch_(scratch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Crew const crew(team);
    EighProblem<Real> const problem = batch_(batch_.index(team.league_rank()));
    DividedStorage<Real> const at(problem);
    Real* const scratch =
        scratch_ > 0 ? static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(scratch_, 16))
                     : nullptr;
    ReduceWork<Real> const work(at.n, at.P.data, scratch, static_cast<std::int64_t>(scratch_));
    int exponent = 0;
    bool const finite = load(crew, problem, work, exponent);
    if (crew.leads())
      crew.once([&] {
        using Storage = DividedStorage<Real>;
        at.message[Storage::is_finite] = finite ? 1 : 0;
        at.message[Storage::exponent] = exponent;
        at.message[Storage::steps] = 0;
        at.message[Storage::done] = 1;
      });
    if (finite) DividedColumns<Real, Crew, TilesOf<ExecSpace, Real>>(crew, at, work).reduce();
  }

 private:
  /// The lower triangle, scaled by 2^-exponent. Returns false if an entry is not finite.
  KOKKOS_FUNCTION static bool load(Crew const& crew, EighProblem<Real> const& problem,
                                   ReduceWork<Real> const& work, int& exponent) {
    int const n = problem.n;
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    crew.units(n, [&](int j) {
      Real const largest = crew.template max<Real>(n - j, [&](int i) {
        Real const size = Kokkos::abs(problem.lower(j + i, j));
        return size < infinity ? size : infinity;
      });
      crew.once([&] { work.column[j] = largest; });
    });
    crew.barrier();
    Real const largest = crew.template max<Real>(n, [&](int j) { return work.column[j]; });
    if (!(largest < infinity)) return false;
    exponent = largest > Real(0) ? exponent_of(largest) : 0;
    crew.units(Tiles::count(work.tiles), [&](int unit) {
      TileIndex const at(unit);
      Real* const tile = work.A.tile(at.row, at.column);
      int const first = Tiles::order * at.column;
      for (int j = 0; j < Tiles::order; ++j)
        crew.lanes(Tiles::order, [&](int lane) {
          int const i = Tiles::order * at.row + lane;
          bool const inside = i < n && first + j < n;
          tile[Tiles::column(j) + lane] =
              inside ? scale(problem.entry(i, first + j), -exponent) : Real(0);
        });
    });
    crew.barrier();
    return true;
  }

  EighBatch<Real> batch_;
  std::size_t scratch_;
};

/// How a launch is cut. No result depends on it.
struct DividedReduceTeams {
  int warps;
  std::size_t scratch;  ///< in bytes
};
template <class ExecSpace, class Real>
DividedReduceTeams divided_reduce_teams(int members, int n) {
  if constexpr (lanes<ExecSpace> == 1) return {1, 0};
  using Work = ReduceWork<Real>;
  std::size_t const available = most_team_scratch<ExecSpace>() - 16;
  std::size_t scratch = static_cast<std::size_t>(Work::scratch_bytes(n, true, false));
  if (scratch > std::min<std::size_t>(available, 20 << 10))
    scratch = static_cast<std::size_t>(Work::scratch_bytes(n, false, false));
  if (scratch > available) scratch = 0;
  return {members > 132 ? (n > 128 ? 8 : 4) : 16, scratch};
}

/// T and the reflectors of the first `members` members of a batch, or of its selection, by such
/// teams.
template <class ExecSpace, class Real>
void enqueue_divided_reduce(ExecSpace const& exec, EighBatch<Real> const& batch, int members,
                            DividedReduceTeams const& teams) {
  DividedReduceKernel<ExecSpace, Real> const kernel(batch, teams.scratch);
  std::size_t const scratch = teams.scratch + (teams.scratch > 0 ? 16 : 0);
  if constexpr (has_warps<ExecSpace>)
    launch_teams("carroll::eigh::reduce", exec, kernel,
                 {.count = members, .threads = 32 * teams.warps, .scratch = scratch});
  else
    launch_fitting_teams("carroll::eigh::reduce", exec, kernel,
                         {.count = members, .threads = teams.warps, .scratch = scratch});
}
/// Of members of order n at most.
template <class ExecSpace, class Real>
void enqueue_divided_reduce(ExecSpace const& exec, EighBatch<Real> const& batch, int members,
                            int n) {
  enqueue_divided_reduce(exec, batch, members, divided_reduce_teams<ExecSpace, Real>(members, n));
}

}  // namespace carroll::detail
