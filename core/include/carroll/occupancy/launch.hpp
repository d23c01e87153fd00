// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/cuda/kernel_attributes.hpp>
#include <carroll/error.hpp>
#include <carroll/occupancy.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

/// The launch of a functor over teams as Kokkos carries it out, and the team size with which it is
/// fastest.
///
///   Kokkos::TeamPolicy<> const policy(exec, leagues, Kokkos::AUTO);
///   auto const shape = carroll::launch_shape(functor, policy);
///   auto const times = carroll::measure_team_sizes(functor, policy);
///   times.front().team_size;  // the fastest
///
/// Occupancy is a notion of GPUs with a known compute capability: on CUDA the registers and the
/// static scratch are those of the compiled kernel; elsewhere LaunchShape::occupancy is empty.
namespace carroll {

struct LaunchShape {
  std::string space;  ///< where it runs
  int league_size = 0;
  int team_size = 0;  ///< with Kokkos::AUTO the recommended one
  int vector_length = 0;
  int team_size_recommended = 0;
  int team_size_max = 0;
  std::int64_t scratch_bytes = 0;           ///< of a team, level 0, static and Kokkos' own included
  std::optional<int> registers_per_thread;  ///< of the compiled kernel, where it can be asked
  std::optional<std::int64_t> local_bytes;  ///< of a thread, in memory: spilled registers, arrays
  std::optional<ComputeCapability> capability;
  std::optional<Occupancy> occupancy;
};

struct TeamSizeTime {
  int team_size = 0;
  double seconds = 0;  ///< median, launch and fence included
  std::optional<Occupancy> occupancy;
};

struct TeamSizeOptions {
  std::vector<int> team_sizes;  ///< empty: all that make sense, see measure_team_sizes
  int repetitions = 11;         ///< from 1, after two that do not count
};

namespace detail {

/// The policy with another team size.
template <class... Properties>
Kokkos::TeamPolicy<Properties...> with_team_size(Kokkos::TeamPolicy<Properties...> const& policy,
                                                 int team_size) {
  Kokkos::TeamPolicy<Properties...> changed(policy.space(), policy.league_size(), team_size,
                                            policy.impl_vector_length());
  for (int const level : {0, 1}) {
    auto const one = policy.scratch_size(level, 1);
    auto const thread = policy.scratch_size(level, 2) - one;
    changed.set_scratch_size(level, Kokkos::PerTeam(one - thread), Kokkos::PerThread(thread));
  }
  return changed;
}

/// Powers of two on hosts, where a thread is a core; whole warps elsewhere.
template <class Policy>
std::vector<int> team_sizes_to_try(Policy const& policy, int most) {
  using Space = typename Policy::execution_space;
  std::vector<int> sizes;
  if constexpr (Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible) {
    for (int size = 1; size <= most; size *= 2) sizes.push_back(size);
  } else {
    int const warp = MultiprocessorLimits::threads_per_warp;
    int const step = std::max(1, warp / std::max(1, policy.impl_vector_length()));
    for (int size = step; size <= most; size += step) sizes.push_back(size);
    if (sizes.empty()) sizes.push_back(most);
  }
  return sizes;
}

}  // namespace detail

/// What a parallel_for of `functor` over `policy` asks of the device. Launches nothing.
template <class Functor, class... Properties>
[[nodiscard]] LaunchShape launch_shape(Functor const& functor,
                                       Kokkos::TeamPolicy<Properties...> const& policy) {
  using Space = typename Kokkos::TeamPolicy<Properties...>::execution_space;
  LaunchShape shape;
  shape.space = Space::name();
  shape.league_size = policy.league_size();
  shape.vector_length = policy.impl_vector_length();
  shape.team_size_recommended = policy.team_size_recommended(functor, Kokkos::ParallelForTag{});
  shape.team_size_max = policy.team_size_max(functor, Kokkos::ParallelForTag{});
  bool const chosen = !policy.impl_auto_team_size() && policy.team_size() >= 1;
  shape.team_size = chosen ? policy.team_size() : shape.team_size_recommended;
  shape.scratch_bytes = static_cast<std::int64_t>(policy.scratch_size(0, shape.team_size));
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Space, Kokkos::Cuda>) {
    auto const kernel = detail::cuda::kernel_attributes(functor, policy);
    shape.registers_per_thread = kernel.registers_per_thread;
    shape.local_bytes = kernel.local_bytes;
    shape.capability = kernel.capability;
    shape.scratch_bytes += kernel.static_scratch + detail::cuda::scratch_of_teams(shape.team_size);
    auto const known = known_capabilities();
    if (std::ranges::find(known, kernel.capability, &MultiprocessorLimits::capability) !=
        known.end()) {
      shape.occupancy =
          occupancy(kernel.capability, {.threads = shape.team_size * shape.vector_length,
                                        .registers_per_thread = kernel.registers_per_thread,
                                        .scratch_bytes = shape.scratch_bytes});
    }
  }
#endif
  return shape;
}

/// The time of a parallel_for of `functor` over `policy` by team sizes, the fastest first; of two
/// that are as fast the smaller one. Without TeamSizeOptions::team_sizes these are the powers of
/// two on hosts and multiples of a warp elsewhere, up to the largest that Kokkos takes. The functor
/// is run over and over: it must be right to run it again on what it has left. Fences once a run.
template <class Functor, class... Properties>
[[nodiscard]] std::vector<TeamSizeTime> measure_team_sizes(
    Functor const& functor, Kokkos::TeamPolicy<Properties...> const& policy,
    TeamSizeOptions const& options = {}) {
  char const* const function = "carroll::measure_team_sizes";
  detail::require(options.repetitions >= 1, function, [&] {
    return "repetitions is " + std::to_string(options.repetitions) + ", must be at least 1";
  });
  int const most = policy.team_size_max(functor, Kokkos::ParallelForTag{});
  for (int const size : options.team_sizes) {
    detail::require(size >= 1 && size <= most, function, [&] {
      return "team size " + std::to_string(size) + " is not from 1 to " + std::to_string(most);
    });
  }
  auto const sizes =
      options.team_sizes.empty() ? detail::team_sizes_to_try(policy, most) : options.team_sizes;
  std::vector<TeamSizeTime> times;
  for (int const size : sizes) {
    auto const changed = detail::with_team_size(policy, size);
    // Of scratch that grows with the team there may be too little for the larger ones.
    if (size > changed.team_size_max(functor, Kokkos::ParallelForTag{})) continue;
    std::vector<double> seconds;
    constexpr int warm_up = 2;
    for (int run = 0; run < warm_up + options.repetitions; ++run) {
      changed.space().fence("carroll::measure_team_sizes: start of the clock");
      Kokkos::Timer const timer;
      Kokkos::parallel_for("carroll::measure_team_sizes", changed, functor);
      changed.space().fence("carroll::measure_team_sizes: end of the clock");
      if (run >= warm_up) seconds.push_back(timer.seconds());
    }
    auto const middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin(), middle, seconds.end());
    times.push_back({size, *middle, launch_shape(functor, changed).occupancy});
  }
  std::ranges::stable_sort(times, {}, &TeamSizeTime::seconds);
  return times;
}

}  // namespace carroll
