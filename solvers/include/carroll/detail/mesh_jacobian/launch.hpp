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

/// The policy of a kernel with a team per problem or system. Its launch bounds say how many threads
/// fit.
template <class ExecSpace, class Kernel>
auto mesh_team_policy(ExecSpace const& exec, int league, int threads, std::size_t bytes) {
  typename Kernel::Policy policy(exec, league, threads, lanes<ExecSpace>);
  if (bytes > 0) policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
  return policy;
}

/// Threads of a team. On a device as many as are useful to one team, less where many of them share
/// it. On a host a second one pays where there are fewer teams than threads, and more work between
/// barriers than these cost.
template <class ExecSpace>
int mesh_team_threads(ExecSpace const& exec, int teams, int most, std::int64_t work) {
  if constexpr (lanes < ExecSpace >> 1) return teams > 128 ? std::min(most, 8) : most;
  return work > 50'000 ? std::clamp(exec.concurrency() / std::max(teams, 1), 1, most) : 1;
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
  using Totals = MeshTotalsKernel<ExecSpace, Real>;
  int threads = mesh_team_threads(exec, batch.problems, Totals::slots, batch.triangles);
  Kokkos::parallel_for("carroll::mesh::totals",
                       mesh_team_policy<ExecSpace, Totals>(exec, batch.problems, threads, 0),
                       Totals(batch));

  using Assemble = MeshAssembleKernel<ExecSpace, Real>;
  Assemble const assemble(batch);
  if (assemble.items() > 0)
    Kokkos::parallel_for("carroll::mesh::assemble",
                         typename Assemble::Policy(exec, 0, assemble.items()), assemble);

  using Gradients = MeshGradientsKernel<ExecSpace, Real>;
  auto const available = static_cast<std::size_t>(Gradients::Policy::scratch_size_max(0));
  bool const in_scratch =
      lanes<ExecSpace> > 1 && Gradients::bytes(batch.padded(), true) <= available;
  int const systems = batch.problems * batch.right_hand_sides();
  threads = mesh_team_threads(exec, systems, Gradients::slots, batch.m);
  Kokkos::parallel_for("carroll::mesh::gradients",
                       mesh_team_policy<ExecSpace, Gradients>(
                           exec, systems, threads, Gradients::bytes(batch.padded(), in_scratch)),
                       Gradients(batch, in_scratch));

  using Reduce = MeshReduceKernel<ExecSpace, Real>;
  std::int64_t const pairs = static_cast<std::int64_t>(batch.motions()) * batch.motions();
  threads = mesh_team_threads(exec, batch.problems, Reduce::most_threads,
                              batch.triangles + pairs * batch.m);
  std::size_t const bytes = Reduce::bytes(batch.motions());
  bool const core_in_scratch = bytes <= Reduce::most_bytes;
  Kokkos::parallel_for("carroll::mesh::reduce",
                       mesh_team_policy<ExecSpace, Reduce>(exec, batch.problems, threads,
                                                           core_in_scratch ? bytes : 0),
                       Reduce(batch, core_in_scratch));
}

}  // namespace carroll::detail
