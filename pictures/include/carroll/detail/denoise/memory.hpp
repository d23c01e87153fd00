// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/denoise/types.hpp>
#include <carroll/detail/denoise/host/kernels.hpp>
#include <carroll/detail/denoise/problem.hpp>
#include <carroll/detail/denoise/state.hpp>
#include <carroll/detail/denoise/team/match.hpp>
#include <carroll/detail/denoise/team/stacks.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/workspace.hpp>
#include <cstdint>
#include <string>

namespace carroll::detail {

/// Members that even the smallest window has: that of a corner.
inline int members_at_most(StackProblem const& problem, int wanted) {
  auto const reach = [&](PatchGrid const& grid) {
    return std::int64_t{std::min(problem.window, grid.places - 1) + 1};
  };
  std::int64_t const all = std::max(reach(problem.down), std::int64_t{0}) *
                           std::max(reach(problem.across), std::int64_t{0});
  return static_cast<int>(std::min<std::int64_t>(wanted, all));
}

/// What stacks of one layout need, a piece of a workspace: planes and their sums, places, and a
/// host's workers' own memory.
template <class ExecSpace>
struct StackMemory {
  static constexpr bool on_host = lanes<ExecSpace> == 1;
  float *noisy = nullptr, *current = nullptr;
  double *sums = nullptr, *hits = nullptr;
  std::int32_t* places = nullptr;
  int* ticket = nullptr;
  PictureState* state = nullptr;
  float* own = nullptr;
  double* bands = nullptr;
  std::int64_t planes_numbers = 0, sums_numbers = 0, own_numbers = 0, band_numbers = 0;
  int workers = 0;

  /// `planes`: numbers of all planes; `summed`: of those that have estimates at the same time.
  void lay_out(Arena& arena, ExecSpace const& exec, StackProblem const& problem,
               std::int64_t planes, std::int64_t summed) {
    planes_numbers = planes;
    sums_numbers = summed;
    noisy = arena.take<float>(planes);
    current = arena.take<float>(planes);
    sums = arena.take<double>(summed);
    hits = arena.take<double>(summed);
    places = arena.take<std::int32_t>(problem.stacks() * problem.stride);
    ticket = arena.take<int>(1);
    state = arena.take<PictureState>(1);
    if constexpr (on_host) {
      workers = exec.concurrency();
      own_numbers = HostDenoiseNumbers(problem.patch, problem.stride, problem.window).most();
      band_numbers = HostStackKernel::band_numbers(problem, workers);
      own = arena.take<float>(workers * own_numbers);
      bands = arena.take<double>(workers * band_numbers);
    }
  }

  /// places := similar patches of problem.current.
  void match(ExecSpace const& exec, StackProblem const& problem) const {
    if constexpr (on_host) {
      set_to_zero(exec, ticket, 1);
      Kokkos::parallel_for("carroll::denoise::match", workers_of(exec),
                           HostMatchKernel(problem, places, own, own_numbers, ticket, workers));
    } else {
      TeamMatchKernel<ExecSpace> const kernel(problem, places);
      Kokkos::parallel_for("carroll::denoise::match", kernel.policy(exec), kernel);
    }
  }

  /// sums, hits := of all stacks' estimates.
  void add_up(ExecSpace const& exec, StackProblem problem) const {
    problem.places = places;
    problem.sums = sums;
    problem.hits = hits;
    set_to_zero(exec, sums, sums_numbers);
    set_to_zero(exec, hits, sums_numbers);
    if constexpr (on_host) {
      set_to_zero(exec, ticket, 1);
      Kokkos::parallel_for(
          "carroll::denoise::stacks", workers_of(exec),
          HostStackKernel(problem, own, own_numbers, bands, band_numbers, ticket, workers));
    } else {
      TeamStackKernel<ExecSpace> const kernel(problem);
      Kokkos::parallel_for("carroll::denoise::stacks", kernel.policy(exec), kernel);
    }
  }

 private:
  auto workers_of(ExecSpace const& exec) const {
    return Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec, 0, workers,
                                                                  Kokkos::ChunkSize(1));
  }
};

}  // namespace carroll::detail
