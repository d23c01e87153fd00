// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/mesh_jacobian/assemble.hpp>
#include <carroll/detail/mesh_jacobian/gradients.hpp>
#include <carroll/detail/mesh_jacobian/moments.hpp>
#include <carroll/detail/mesh_jacobian/reduce.hpp>
#include <carroll/detail/mesh_jacobian/totals.hpp>
#include <cstddef>

/// Which kernels run, in which order and with which teams. No result depends on the teams.
namespace carroll::detail {

/// The policy of a kernel with a team per problem or system: as many threads as are useful and fit.
template <class ExecSpace, class Kernel>
auto mesh_team_policy(ExecSpace const& exec, Kernel const& kernel, int league, int wanted,
                      std::size_t bytes) {
  using Policy = typename Kernel::Policy;
  auto const sized = [&](int threads) {
    Policy policy(exec, league, threads, lanes<ExecSpace>);
    if (bytes > 0) policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
    return policy;
  };
  if (wanted <= 1) return sized(1);
  return sized(std::min(wanted, sized(1).team_size_max(kernel, Kokkos::ParallelForTag{})));
}

/// Threads of a team. On a host a second one pays where there are fewer teams than threads, and
/// more work between barriers than these cost.
template <class ExecSpace>
int mesh_team_threads(ExecSpace const& exec, int teams, int most, std::int64_t work) {
  if constexpr (lanes < ExecSpace >> 1) return most;
  return work > 50'000 ? std::max(1, exec.concurrency() / std::max(teams, 1)) : 1;
}

template <class ExecSpace, class Real, class Rows>
void enqueue_mesh_moments(ExecSpace const& exec, MeshBatch<Real> const& batch, Rows const& rows) {
  MeshMomentsKernel<ExecSpace, Real, Rows> const kernel(batch, rows);
  if (kernel.items() == 0) return;
  constexpr int threads = lanes<ExecSpace> == 1 ? 1 : 4;
  auto const league = static_cast<int>((kernel.items() + threads - 1) / threads);
  typename MeshMomentsKernel<ExecSpace, Real, Rows>::Policy const policy(exec, league, threads,
                                                                         lanes<ExecSpace>);
  Kokkos::parallel_for("carroll::mesh::moments", policy, kernel);
}

/// The step of all problems of a checked batch, from its moments: four kernels.
template <class ExecSpace, class Real>
void enqueue_mesh_step(ExecSpace const& exec, MeshBatch<Real> const& batch) {
  if (batch.problems == 0) return;
  MeshTotalsKernel<ExecSpace, Real> const totals(batch);
  Kokkos::parallel_for(
      "carroll::mesh::totals",
      mesh_team_policy(exec, totals, batch.problems,
                       mesh_team_threads(exec, batch.problems, totals.slots, batch.triangles), 0),
      totals);

  MeshAssembleKernel<ExecSpace, Real> const assemble(batch);
  if (assemble.items() > 0)
    Kokkos::parallel_for(
        "carroll::mesh::assemble",
        typename MeshAssembleKernel<ExecSpace, Real>::Policy(exec, 0, assemble.items()), assemble);

  using Gradients = MeshGradientsKernel<ExecSpace, Real>;
  auto const available = static_cast<std::size_t>(Gradients::Policy::scratch_size_max(0));
  bool const in_scratch =
      lanes<ExecSpace> > 1 && Gradients::bytes(batch.padded(), true) <= available;
  Gradients const gradients(batch, in_scratch);
  int const systems = batch.problems * batch.right_hand_sides();
  Kokkos::parallel_for("carroll::mesh::gradients",
                       mesh_team_policy(exec, gradients, systems,
                                        mesh_team_threads(exec, systems, Gradients::slots, batch.m),
                                        Gradients::bytes(batch.padded(), in_scratch)),
                       gradients);

  MeshReduceKernel<ExecSpace, Real> const reduce(batch);
  std::int64_t const pairs = static_cast<std::int64_t>(batch.motions()) * batch.motions();
  Kokkos::parallel_for(
      "carroll::mesh::reduce",
      mesh_team_policy(
          exec, reduce, batch.problems,
          mesh_team_threads(exec, batch.problems, 32, batch.triangles + pairs * batch.m), 0),
      reduce);
}

}  // namespace carroll::detail
