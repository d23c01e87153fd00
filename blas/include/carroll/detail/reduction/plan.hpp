// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/reduction/operation.hpp>
#include <cstdint>

/// How a reduction is cut: into groups of consecutive chunks, powers of two of them, which are
/// subtrees of the canonical tree. Only the time depends on it.
namespace carroll::detail {

struct ReductionPlan {
  std::int64_t chunks = 1;        ///< of a vector
  std::int64_t group_chunks = 1;  ///< of a group; a power of two
  std::int64_t groups = 1;        ///< of a vector
  int warps = 1;                  ///< of a group, on a device; a power of two
  int vectors = 1;                ///< of a team, where a chunk is all of a vector
};

/// The least power of two that is not less than x >= 1.
constexpr std::int64_t power_of_two_from(std::int64_t x) {
  std::int64_t power = 1;
  while (power < x) power *= 2;
  return power;
}
constexpr std::int64_t quotient_up(std::int64_t x, std::int64_t by) {
  return (x + by - 1) / by;
}

/// On a host: groups of 128 KiB and more, so that handing one out costs nothing, four for each
/// thread where there are so many.
constexpr ReductionPlan host_reduction_plan(std::int64_t length, std::int64_t entry_bytes,
                                            int threads) {
  ReductionPlan plan;
  plan.chunks = quotient_up(length > 0 ? length : 1, chunk_terms);
  std::int64_t const least = power_of_two_from(128 * 1024 / (chunk_terms * entry_bytes));
  std::int64_t const wanted = power_of_two_from(quotient_up(plan.chunks, 4 * threads));
  plan.group_chunks = threads == 1     ? power_of_two_from(plan.chunks)
                      : least > wanted ? least
                                       : wanted;
  plan.groups = quotient_up(plan.chunks, plan.group_chunks);
  return plan;
}

/// On a device: a team for each group, of as many warps as there are chunks, up to `most_warps` for
/// a vector that is one group and 8 else, of which each adds as many chunks one after the other as
/// it takes to have few groups: the last team adds their sums, 8 a thread at a time.
constexpr ReductionPlan device_reduction_plan(std::int64_t length) {
  constexpr std::int64_t most_warps = 32, warps = 8;
  ReductionPlan plan;
  plan.chunks = quotient_up(length > 0 ? length : 1, chunk_terms);
  if (plan.chunks == 1) {
    plan.vectors = warps;
  } else if (plan.chunks <= most_warps) {
    plan.warps = static_cast<int>(power_of_two_from(plan.chunks));
    plan.group_chunks = plan.warps;
  } else {
    std::int64_t const most_groups = plan.chunks < (1 << 17) ? 2048 : 8192;
    plan.warps = warps;
    plan.group_chunks = power_of_two_from(quotient_up(plan.chunks, most_groups));
    if (plan.group_chunks < warps) plan.group_chunks = warps;
  }
  plan.groups = quotient_up(plan.chunks, plan.group_chunks);
  return plan;
}

/// For exact sums on a device: teams of up to 8 warps, fewer of them, as each has its digits to add
/// to those of the vector.
constexpr ReductionPlan exact_reduction_plan(ReductionPlan plan) {
  constexpr std::int64_t most_warps = 8, most_groups = 1024;
  plan.vectors = 1;
  plan.warps = static_cast<int>(
      power_of_two_from(plan.chunks) < most_warps ? power_of_two_from(plan.chunks) : most_warps);
  plan.group_chunks = power_of_two_from(quotient_up(plan.chunks, most_groups));
  if (plan.group_chunks < 32) plan.group_chunks = 32;
  plan.groups = quotient_up(plan.chunks, plan.group_chunks);
  return plan;
}

}  // namespace carroll::detail
