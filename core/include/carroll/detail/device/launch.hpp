// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/team.hpp>
#include <cstddef>
#include <cstdint>

/// The launcher of kernels. Those of teams that have launch bounds say so by `Policy`, a public
/// Kokkos::TeamPolicy; the others say nothing.
namespace carroll::detail {

template <class Kernel, class ExecSpace>
struct TeamPolicyOf {
  using type = Kokkos::TeamPolicy<ExecSpace>;
};
template <class Kernel, class ExecSpace>
requires requires {
  typename Kernel::Policy;
}
struct TeamPolicyOf<Kernel, ExecSpace> {
  using type = typename Kernel::Policy;
};

/// Bytes of scratch that a team can have at most.
template <class ExecSpace>
std::size_t most_team_scratch(int level = 0) {
  return static_cast<std::size_t>(Kokkos::TeamPolicy<ExecSpace>::scratch_size_max(level));
}

/// Teams of a launch. A kernel of warps, with registers of each thread's own, has 32 threads a warp
/// and 1 lane; one that leaves its inner loops to Kokkos has threads of `lanes<ExecSpace>` lanes, a
/// warp each on a GPU.
struct TeamLaunch {
  int count = 1;
  int threads = 1;          ///< of a team
  std::size_t scratch = 0;  ///< of a team, in bytes
  int level = 0;            ///< of scratch, Kokkos': 0 is near, 1 is memory
  std::size_t thread_scratch = 0;
  int lanes = 1;  ///< of a thread
};

template <class Policy>
Policy team_policy(typename Policy::execution_space const& exec, TeamLaunch const& teams) {
  Policy policy(exec, teams.count, teams.threads, teams.lanes);
  policy.set_scratch_size(teams.level, Kokkos::PerTeam(static_cast<int>(teams.scratch)),
                          Kokkos::PerThread(static_cast<int>(teams.thread_scratch)));
  return policy;
}

/// Launches a kernel on the caller's instance with these teams: its launch bounds say that they
/// fit.
template <class ExecSpace, class Kernel>
void launch_teams(char const* label, ExecSpace const& exec, Kernel const& kernel,
                  TeamLaunch const& teams) {
  if (teams.count == 0) return;
  using Policy = typename TeamPolicyOf<Kernel, ExecSpace>::type;
  Kokkos::parallel_for(label, team_policy<Policy>(exec, teams), kernel);
}

/// The same for a kernel that takes any number of threads, each with the lanes of its execution
/// space: fewer of them where its registers and scratch allow no more.
template <class ExecSpace, class Kernel>
void launch_fitting_teams(char const* label, ExecSpace const& exec, Kernel const& kernel,
                          TeamLaunch teams) {
  teams.lanes = lanes<ExecSpace>;
  if (int const wanted = teams.threads; wanted > 1) {
    teams.threads = 1;
    auto const probe = team_policy<typename TeamPolicyOf<Kernel, ExecSpace>::type>(exec, teams);
    teams.threads = std::min(wanted, probe.team_size_max(kernel, Kokkos::ParallelForTag{}));
  }
  launch_teams(label, exec, kernel, teams);
}

/// kernel(i) for 0 <= i < count, without teams.
template <class ExecSpace, class Kernel>
void launch_each(char const* label, ExecSpace const& exec, std::int64_t count,
                 Kernel const& kernel) {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(label, Policy(exec, 0, count), kernel);
}

}  // namespace carroll::detail
