// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/team/kernel.hpp>
#include <cstdint>

/// Eigenvectors of a batch, in double precision, as `eigenbasis` asks for them: by kernels of
/// `eigh`.
namespace carroll::detail {

/// Workspace of an n×n member.
constexpr std::int64_t eigenvector_doubles(std::int64_t n) {
  return (EighStorage<double>::reals(n, true) + 15) / 16 * 16;
}

/// Members of which classes may be handed over together: their bits do not depend on one another.
constexpr int eigenvector_class(int /*n*/) {
  return 0;
}

/// W ascending, V and infos of a ragged batch of members of orders up to n.
template <class ExecSpace>
void enqueue_eigenvectors(ExecSpace const& exec, EighBatch<double> const& batch, int members,
                          int n) {
  constexpr int most_sweeps = 30;
  TeamLaunch const teams{members, eigh_threads(exec, members, n)};
  launch_fitting_teams("carroll::eigh::reduce", exec,
                       EighReduceKernel<ExecSpace, double>(batch, most_sweeps, 0), teams);
  using Threads = Kokkos::RangePolicy<ExecSpace, Kokkos::LaunchBounds<32>>;
  Kokkos::parallel_for("carroll::eigh::steps", Threads(exec, 0, members),
                       EighStepsKernel<ExecSpace, double>(batch, most_sweeps, 0));
  launch_fitting_teams("carroll::eigh::vectors", exec,
                       EighVectorsKernel<ExecSpace, double>(batch, most_sweeps, 0), teams);
}

}  // namespace carroll::detail
