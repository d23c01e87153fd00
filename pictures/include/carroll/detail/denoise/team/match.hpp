// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/denoise/problem.hpp>
#include <carroll/detail/denoise/team/symmetric.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// A team for each reference, wherever Kokkos runs: what HostMatches does, a candidate to a lane.
/// 3·patch² operations for each of them.
template <class ExecSpace>
class TeamMatchKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;

  TeamMatchKernel(StackProblem const& problem, std::int32_t* places)
      : problem_(problem), places_(places) {
    int const side = 2 * problem.window + 1;
    bytes_ = side * side * static_cast<int>(sizeof(std::int32_t)) + 64;
    level_ = bytes_ <= Policy::scratch_size_max(0) ? 0 : 1;
  }

  Policy policy(ExecSpace const& exec) const {
    constexpr int threads = lanes<ExecSpace> == 1 ? 1 : 4;
    Policy teams(exec, static_cast<int>(problem_.stacks()), threads, lanes<ExecSpace>);
    teams.set_scratch_size(level_, Kokkos::PerTeam(bytes_));
    return teams;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (problem_.idle()) return;
    std::int64_t const stack = team.league_rank();
    int const columns = problem_.across.count();
    int const y = problem_.down.at(static_cast<int>(stack) / columns);
    int const x = problem_.across.at(static_cast<int>(stack) % columns);
    Window window;
    window.top = y > problem_.window ? y - problem_.window : 0;
    window.left = x > problem_.window ? x - problem_.window : 0;
    window.height = least(y + problem_.window, problem_.down.places - 1) - window.top + 1;
    window.width = least(x + problem_.window, problem_.across.places - 1) - window.left + 1;
    int const count = window.height * window.width;
    auto* const keys =
        static_cast<std::int32_t*>(team.team_scratch(level_).get_shmem_aligned(bytes_ - 64, 16));
    float const* const reference = problem_.current + problem_.layout.at(y, x);
    team_for(team, count, [&](int i) { keys[i] = key(reference, place(window, i)); });
    team.team_barrier();  // keys are there
    std::int32_t const last = nearest_bound(team, keys, count);
    write(team, window, keys, count, last, places_ + stack * problem_.stride);
  }

 private:
  struct Window {
    int top, left, height, width;
  };
  static KOKKOS_INLINE_FUNCTION int least(int a, int b) { return a < b ? a : b; }
  KOKKOS_INLINE_FUNCTION std::int32_t place(Window const& window, int i) const {
    return static_cast<std::int32_t>(
        problem_.layout.at(window.top + i / window.width, window.left + i % window.width));
  }

  /// The squared distance's bits, which are ordered as it is.
  KOKKOS_FUNCTION std::int32_t key(float const* reference, std::int32_t place) const {
    float const* const other = problem_.current + place;
    float sum = 0;
    for (int row = 0; row < problem_.patch; ++row)
      for (int c = 0; c < problem_.patch; ++c) {
        std::int64_t const at = row * problem_.layout.pitch + c;
        float const difference = reference[at] - other[at];
        sum += difference * difference;
      }
    return Kokkos::bit_cast<std::int32_t>(sum);
  }

  KOKKOS_FUNCTION int count_up_to(TeamMember<ExecSpace> const& team, std::int32_t const* keys,
                                  int count, std::int32_t most) const {
    int all = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, count),
        [&](int i, int& some) { some += keys[i] <= most ? 1 : 0; }, all);
    team.team_barrier();  // Kokkos uses the same memory for the next
    return all;
  }

  /// The key of the last of the nearest.
  KOKKOS_FUNCTION std::int32_t nearest_bound(TeamMember<ExecSpace> const& team,
                                             std::int32_t const* keys, int count) const {
    std::int32_t low = -1, high = 0x7f7fffff;
    while (high - low > 1) {
      std::int32_t const middle = low + (high - low) / 2;
      if (count_up_to(team, keys, count, middle) >= problem_.members)
        high = middle;
      else
        low = middle;
    }
    return high;
  }

  /// Those nearer than `last`, and the first of those that are as near; in ascending order.
  KOKKOS_FUNCTION void write(TeamMember<ExecSpace> const& team, Window const& window,
                             std::int32_t const* keys, int count, std::int32_t last,
                             std::int32_t* places) const {
    int const equal = problem_.members - count_up_to(team, keys, count, last - 1);
    if (team.team_rank() != 0) return;
    // Two counts in one number: nearer ones, and 2^32 for each that is as near.
    constexpr std::int64_t one_equal = std::int64_t{1} << 32;
    Kokkos::parallel_scan(
        Kokkos::ThreadVectorRange(team, count), [&](int i, std::int64_t& before, bool final) {
          auto const equals_before = static_cast<int>(before >> 32);
          bool const nearer = keys[i] < last, same = keys[i] == last;
          if (final && (nearer || (same && equals_before < equal))) {
            auto const nearer_before = static_cast<int>(before & (one_equal - 1));
            places[nearer_before + least(equals_before, equal)] = place(window, i);
          }
          before += nearer ? 1 : (same ? one_equal : 0);
        });
  }

  StackProblem problem_;
  std::int32_t* places_;
  int bytes_ = 0, level_ = 0;
};

}  // namespace carroll::detail
