// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/pseudoinverse/common/arrow_rows.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// What launches of the step and of a dense A⁺ have in common.
namespace carroll::detail {

/// Threads of a team, and the level of scratch, for a kernel of which each thread needs
/// `bytes`. No result depends on them.
template <class ExecSpace>
struct ArrowTeam {
  int threads;
  int level = 0;

  ArrowTeam(int most, std::size_t bytes) : threads(most) {
    std::size_t const available = most_team_scratch<ExecSpace>();
    while (threads > 1 && bytes * threads > available) threads /= 2;
    if (bytes * threads > available) level = 1;
  }
};

/// Launches a kernel of which each thread of a team takes an item of its own.
template <class ExecSpace, class Kernel>
void launch_items(char const* label, ExecSpace const& exec, Kernel const& kernel,
                  std::int64_t items, ArrowTeam<ExecSpace> const& team, std::size_t bytes = 0) {
  launch_teams(label, exec, kernel,
               {.count = static_cast<int>((items + team.threads - 1) / team.threads),
                .threads = team.threads,
                .level = team.level,
                .thread_scratch = bytes,
                .lanes = lanes<ExecSpace>});
}

/// Calls f with std::true_type where the rows of the batch are plain, else with std::false_type.
template <class Real, class F>
void with_plainness(ArrowBatch<Real> const& batch, F const& f) {
  if (has_plain_rows(batch))
    f(std::true_type{});
  else
    f(std::false_type{});
}

}  // namespace carroll::detail
