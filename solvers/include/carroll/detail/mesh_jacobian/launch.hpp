// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/mesh_jacobian/sums/gradients.hpp>
#include <carroll/detail/mesh_jacobian/sums/moments.hpp>
#include <carroll/detail/mesh_jacobian/system/assemble.hpp>
#include <carroll/detail/mesh_jacobian/system/assemble_by_warps.hpp>
#include <carroll/detail/mesh_jacobian/system/motion_alone.hpp>
#include <carroll/detail/mesh_jacobian/system/solve.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

/// Which kernels run, in which order and with which teams. No result depends on the teams.
namespace carroll::detail {

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
  constexpr int threads = MeshMomentsKernel<ExecSpace, Real, Rows>::threads;
  auto const league = static_cast<int>((kernel.items() + threads - 1) / threads);
  launch_teams("carroll::mesh::moments", exec, kernel,
               {.count = league, .threads = threads, .lanes = lanes<ExecSpace>});
}

template <class ExecSpace, class Real>
void enqueue_mesh_totals(ExecSpace const& exec, MeshBatch<Real> const& batch) {
  using Totals = MeshTotalsKernel<ExecSpace, Real>;
  int const threads = mesh_team_threads(exec, batch.problems, team_slots, batch.triangles);
  launch_teams("carroll::mesh::totals", exec, Totals(batch),
               {.count = batch.problems, .threads = threads, .lanes = lanes<ExecSpace>});
}

template <class ExecSpace, class Real>
void enqueue_mesh_assembly(ExecSpace const& exec, MeshBatch<Real> const& batch,
                           [[maybe_unused]] bool totals_known) {
  constexpr char const* label = "carroll::mesh::assemble";
  if constexpr (has_warps<ExecSpace>) {
    using Assemble = MeshAssembleByWarpsKernel<ExecSpace, Real>;
    Assemble const assemble(batch, totals_known);
    constexpr int threads = 4;  // of a team
    auto const league = static_cast<int>((assemble.items() + threads - 1) / threads);
    if (league > 0)
      launch_teams(label, exec, assemble,
                   {.count = league, .threads = threads, .lanes = lanes<ExecSpace>});
  } else {
    using Assemble = MeshAssembleKernel<ExecSpace, Real>;
    Assemble const assemble{batch};
    if (assemble.items() > 0)
      Kokkos::parallel_for(label, typename Assemble::Policy(exec, 0, assemble.items()), assemble);
  }
}

/// Gradients and small system, and `after`, in one kernel; the assembly has left the parts of the
/// totals, unless it needed them. Or without gradients, where the step holds the depths.
template <class ExecSpace, class Real, class After>
void enqueue_mesh_solve(ExecSpace const& exec, MeshBatch<Real> const& batch, After const& after) {
  std::size_t const core = MeshReduceKernel<ExecSpace, Real>::bytes(batch.motions());
  bool const core_in_scratch = core <= MeshReduceKernel<ExecSpace, Real>::most_bytes;
  auto const launch = [&](char const* label, auto const& kernel) {
    launch_teams(label, exec, kernel,
                 {.count = kernel.league(),
                  .threads = kernel.threads,
                  .scratch = kernel.bytes + (core_in_scratch ? core : 0),
                  .lanes = lanes<ExecSpace>});
  };
  if (batch.holds_depths)
    launch("carroll::mesh::motion",
           MeshMotionKernel<ExecSpace, Real, After>(batch, core_in_scratch, after));
  else
    launch("carroll::mesh::solve", MeshSolveKernel<ExecSpace, Real, After>(
                                       batch, batch.options.relative, core_in_scratch, after));
}

/// The same in kernels of their own: on hosts, and for meshes that are too large for that one.
template <class ExecSpace, class Real>
void enqueue_mesh_gradients(ExecSpace const& exec, MeshBatch<Real> const& batch) {
  using Gradients = MeshGradientsKernel<ExecSpace, Real>;
  int threads = 1;
  if (!batch.holds_depths) {
    bool const in_scratch = lanes<ExecSpace> > 1 && Gradients::bytes(batch.padded(), true) <=
                                                        most_team_scratch<ExecSpace>();
    int const systems = batch.problems * batch.right_hand_sides();
    threads = mesh_team_threads(exec, systems, team_slots, batch.m);
    launch_teams("carroll::mesh::gradients", exec, Gradients(batch, in_scratch),
                 {.count = systems,
                  .threads = threads,
                  .scratch = Gradients::bytes(batch.padded(), in_scratch),
                  .lanes = lanes<ExecSpace>});
  }

  using Reduce = MeshReduceKernel<ExecSpace, Real>;
  std::int64_t const pairs = static_cast<std::int64_t>(batch.motions()) * batch.motions();
  threads = mesh_team_threads(exec, batch.problems, Reduce::most_threads,
                              batch.triangles + pairs * batch.m);
  std::size_t const bytes = Reduce::bytes(batch.motions());
  bool const core_in_scratch = bytes <= Reduce::most_bytes;
  launch_teams("carroll::mesh::reduce", exec, Reduce(batch, core_in_scratch),
               {.count = batch.problems,
                .threads = threads,
                .scratch = core_in_scratch ? bytes : 0,
                .lanes = lanes<ExecSpace>});
}

/// The step of all problems of a checked batch, from its moments, and `after` for each of them, see
/// system/solve.hpp; after.enqueue(exec) where it is not part of another kernel. Two kernels on
/// CUDA, three where the totals come first, one where depths are held; up to four, and what `after`
/// enqueues, for large meshes and elsewhere.
template <class ExecSpace, class Real, class After = NothingAfter>
void enqueue_mesh_step(ExecSpace const& exec, MeshBatch<Real> const& batch,
                       After const& after = {}) {
  if (batch.problems == 0) return;
  if constexpr (has_warps<ExecSpace>) {
    if (batch.padded() <= RegisterGradients<Real, double>::most_vertices) {
      if (batch.options.relative && !batch.holds_depths) enqueue_mesh_totals(exec, batch);
      if (!batch.holds_depths) enqueue_mesh_assembly(exec, batch, batch.options.relative);
      enqueue_mesh_solve(exec, batch, after);
      return;
    }
  }
  enqueue_mesh_totals(exec, batch);
  if (!batch.holds_depths) enqueue_mesh_assembly(exec, batch, true);
  enqueue_mesh_gradients(exec, batch);
  after.enqueue(exec);
}

}  // namespace carroll::detail
