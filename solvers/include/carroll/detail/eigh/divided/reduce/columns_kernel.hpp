// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/crew.hpp>
#include <carroll/detail/eigh/divided/reduce/roles.hpp>
#include <carroll/detail/eigh/divided/reduce/shares.hpp>
#include <carroll/detail/eigh/divided/reduce/tiles.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// The same as DividedReduceKernel, to the bit, by many teams for a matrix: for few matrices, of
/// which each has the tiles of one multiprocessor and more. One launch does the columns from
/// `first` to `past` - 1. A team has the tiles of a ReduceShare, in registers of a warp each. It
/// finds for itself what it needs of a column, in the rows and the columns of these tiles, and
/// keeps there V and W of the panel in its scratch; teams on the diagonal leave for all what others
/// ask of these rows. Teams meet once a column: behind the products with their tiles, of which
/// everybody's next column takes the sums.
///
/// A launch of more than one column has teams that wait for one another: not more of them for a
/// matrix than the device has multiprocessors, by ticket; see device/signals.hpp. Teams that have
/// no tile left leave.
///
/// A team reads n/32 numbers for each of its 64·Side rows a column, and once as many for 32 sums
/// that all need, and n²/2048 for another.
template <class ExecSpace, class T, int Side>
class DividedReduceColumnsKernel {
  using Roles = ReduceRoles<TeamMember<ExecSpace>, T, Side>;
  using Crew = typename Roles::Crew;
  using Share = typename Roles::Share;
  using Scratch = typename Roles::Scratch;
  static constexpr int order = SymmetricTiles<T>::order;

 public:
  static constexpr int threads = 32 * Roles::warps;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads>>;

  int first, past, teams_each;

  /// Teams of a matrix of order n from column `first` on.
  static constexpr int teams(int n, int first) {
    return Share::teams(SymmetricTiles<T>::across(n) - first / order);
  }

  /// `n`: order of the largest matrix.
  DividedReduceColumnsKernel(EighBatch<T> const& batch, int n, int first_column, int past_column)
      : first(first_column), past(past_column), teams_each(teams(n, first_column)), batch_(batch) {}

  [[nodiscard]] TeamLaunch launch(int members) const {
    return {.count = members * teams_each, .threads = threads, .scratch = Scratch::bytes + 16};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& member) const {
    int number = member.league_rank();
    if (past - first > 1) {
      DividedStorage<T> const at(batch_(batch_.index(0)));
      if (member.team_rank() == 0) number = draw_ticket(at.signals + at.begun);
      member.team_broadcast(number, 0);
    }
    EighProblem<T> const problem = batch_(batch_.index(number / teams_each));
    DividedStorage<T> const at(problem);
    if (first >= at.n || at.message[DividedStorage<T>::is_finite] == 0) return;
    ReduceWork<T> work(at.n, at.scratch());
    Share const share(number % teams_each, first / order, work.tiles);
    if (!share.has_columns(first / order)) return;
    Crew const crew(member);
    Scratch const scratch(member);
    work.dots = scratch.dots;
    typename Roles::Team const team{crew, at, work, share, scratch, first};
    int const worker = crew.worker();
    if (worker < Share::slots)
      run(team, typename Roles::Rows(team, worker));
    else if (worker == Roles::of_dots)
      run(team, typename Roles::Dots{team});
    else if (worker == Roles::of_sums)
      run(team, typename Roles::Totals{team});
    else
      run(team, typename Roles::Tile(team, worker - Roles::of_tiles));
  }

 private:
  template <class Role>
  KOKKOS_FORCEINLINE_FUNCTION void run(typename Roles::Team const& team, Role role) const {
    int const end = past < team.at.n ? past : team.at.n;
    int met = 0;
    CARROLL_NO_UNROLL
    for (int r = first;; ++r) {
      ReduceTurn const turn(r);
      role.find(turn);
      bool const stays = team.share.has_columns(turn.begin);
      team.crew.barrier();
      if (stays) role.multiply(turn);
      if (r + 1 == end) return;
      if (stays) team.crew.barrier();
      // Who leaves comes, too: until then it reads what the others' next column overwrites.
      met += Share::teams(team.work.tiles - r / order);
      if (team.crew.leads())
        team.crew.once([&] {
          publish(team.at.signals + team.at.met);
          if (stays) wait_for(team.at.signals + team.at.met, met);
        });
      if (!stays) return;
      team.crew.barrier();
    }
  }

  EighBatch<T> batch_;
};

}  // namespace carroll::detail
