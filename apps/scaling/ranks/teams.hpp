// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/distributed/communicator.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "device/matrix.hpp"
#include "ranks/ranks.hpp"
#include "scaling/operations.hpp"

/// The first p of all ranks, for each p.
namespace carroll::tool {

using Team = distributed::Communicator<ExecSpace>;
using Teams = std::shared_ptr<std::vector<Team> const>;

/// Collective.
inline Teams make_teams(int ranks) {
  auto const world = Team::duplicate_from_raw(MPI_COMM_WORLD);
  std::vector<Team> teams;
  for (int p = 1; p <= ranks; ++p)
    teams.push_back(world.split(world.rank() < p ? 0 : 1, world.rank()));
  return std::make_shared<std::vector<Team> const>(std::move(teams));
}

/// The first p ranks; on the others, the others.
inline Team const& team(Teams const& teams, int p) {
  return (*teams)[static_cast<std::size_t>(p - 1)];
}
/// Is this rank one of the first p? The last team has all ranks.
inline bool is_in(Teams const& teams, int p) {
  return teams->back().rank() < p;
}

/// An operation without its run: times begin when the first p ranks have met, and are the first
/// rank's; the loop is its alone.
inline PreparedOperation meeting(Ranks const& ranks, Teams const& teams,
                                 std::function<void()> loop) {
  PreparedOperation prepared;
  prepared.loop = ranks.first() ? std::move(loop) : [] {};
  prepared.start = [teams](int p) {
    if (is_in(teams, p)) MPI_Barrier(team(teams, p).raw());
  };
  prepared.same = [&ranks](double seconds) {
    ranks.together([] {});
    return ranks.of_first(seconds);
  };
  return prepared;
}

}  // namespace carroll::tool
