// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/columns_kernel.hpp>
#include <carroll/detail/eigh/divided/reduce/crew.hpp>
#include <carroll/detail/eigh/divided/reduce/load.hpp>
#include <carroll/detail/eigh/divided/reduce/tiles.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// Have teams room for four tiles? Those of 16-byte numbers have one, as registers and scratch hold
/// no more.
template <class T>
inline constexpr bool has_reduce_blocks = sizeof(T) <= 8;

/// Before the first column, in two launches: columns are measured, and tiles come to be.
template <class ExecSpace, class T, bool Loads>
class DividedReduceLoadKernel {
 public:
  static constexpr int warps = 4, units_each = 8;

  DividedReduceLoadKernel(EighBatch<T> const& batch, int n) : batch_(batch) {
    int const units = Loads ? SymmetricTiles<T>::count(SymmetricTiles<T>::across(n)) : n;
    teams_each_ = (units + units_each - 1) / units_each;
  }

  [[nodiscard]] TeamLaunch teams(int members) const {
    return {.count = members * teams_each_, .threads = 32 * warps};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    WarpCrew<TeamMember<ExecSpace>> const crew(team);
    int const member = team.league_rank() / teams_each_, number = team.league_rank() % teams_each_;
    EighProblem<T> const problem = batch_(batch_.index(member));
    DividedStorage<T> const at(problem);
    ReduceWork<T> const work(at.n, at.scratch());
    ReduceLoad<T, WarpCrew<TeamMember<ExecSpace>>> const loader(crew, problem, work);
    int const units = Loads ? SymmetricTiles<T>::count(work.tiles) : at.n;
    int const first = number * units_each;
    int exponent = 0;
    if (!Loads && number == 0 && team.team_rank() < at.signals_of_reduce)
      at.signals[team.team_rank()] = 0;
    if constexpr (Loads)
      if (!loader.scale_of(at, crew.leads() && number == 0, exponent)) return;
    crew.units(units - first < units_each ? units - first : int{units_each}, [&](int u) {
      if constexpr (Loads)
        loader.load(first + u, exponent);
      else
        loader.measure(first + u);
    });
  }

 private:
  EighBatch<T> batch_;
  int teams_each_;
};

/// T and the reflectors of the first `members` members of a batch, or of its selection, of order n
/// at most, by teams of Side×Side tiles: a launch for a column while a matrix has more of them than
/// may wait for one another, then one for all other columns.
template <int Side, class ExecSpace, class T>
void enqueue_divided_reduce_columns(ExecSpace const& exec, EighBatch<T> const& batch, int members,
                                    int n, int together) {
  char const* const load = "carroll::eigh::reduce_load";
  DividedReduceLoadKernel<ExecSpace, T, false> const measures(batch, n);
  launch_teams(load, exec, measures, measures.teams(members));
  DividedReduceLoadKernel<ExecSpace, T, true> const loads(batch, n);
  launch_teams(load, exec, loads, loads.teams(members));
  using Kernel = DividedReduceColumnsKernel<ExecSpace, T, Side>;
  int past = 0;
  for (int r = 0; r < n; r = past) {
    past = Kernel::teams(n, r) <= together ? n : r + 1;
    Kernel const kernel(batch, n, r, past);
    launch_teams("carroll::eigh::reduce_columns", exec, kernel, kernel.launch(members));
  }
}

}  // namespace carroll::detail
