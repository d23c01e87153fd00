// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/common/load.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/eigh/team/kernel.hpp>

namespace carroll::detail {

template <class Real>
KOKKOS_FUNCTION EighStorage<Real> old_storage(EighProblem<Real> const& problem,
                                              DividedStorage<Real> const& at) {
  EighStorage<Real> old(problem);
  old.A = at.A;
  old.d = at.d;
  old.e = at.e;
  old.tau = at.tau;
  old.w = at.reals;
  old.rotation = reinterpret_cast<QlRotation<Real>*>(at.reals + (at.n + 1) / 2 * 2);
  old.message = at.integers;
  return old;
}

template <class ExecSpace, class Real>
struct StandInReduce {
  EighBatch<Real> batch;
  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    auto const problem = batch(batch.index(team.league_rank()));
    DividedStorage<Real> const at(problem);
    int exponent = 0;
    bool const finite = load_symmetric(team, problem, at.A, at.reals, exponent);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      at.message[at.is_finite] = finite ? 1 : 0;
      at.message[at.exponent] = exponent;
      at.message[at.steps] = 0;
      at.message[at.done] = 1;
    });
    if (finite) tridiagonalise(team, old_storage(problem, at));
  }
};
template <class ExecSpace, class Real>
void enqueue_divided_reduce(ExecSpace const& exec, EighBatch<Real> const& batch, int members,
                            int n) {
  launch_fitting_teams("carroll::eigh::divided_reduce", exec, StandInReduce<ExecSpace, Real>{batch},
                       {members, eigh_threads(exec, members, n)});
}
}  // namespace carroll::detail
