// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/reduction/operation.hpp>
#include <cstdint>

/// How a reduction is cut: into groups of consecutive chunks, powers of two of them, which are
/// subtrees of the canonical tree. Only the time depends on it.
namespace carroll::detail {

/// A problem and a group of it.
struct ReductionTask {
  std::int64_t member;
  int group;
};

struct ReductionPlan {
  std::int64_t chunks = 1;        ///< of a vector
  std::int64_t group_chunks = 1;  ///< of a group; a power of two
  std::int64_t groups = 1;        ///< of a vector
  int warps = 1;                  ///< of a group, on a device; a power of two
  int each = 1;                   ///< chunks of a warp; a power of two
  int vectors = 1;                ///< of a team, where a chunk is all of a vector

  /// Of a team. A division takes as long as a team's loads.
  KOKKOS_FUNCTION ReductionTask task(int team, std::int64_t members) const {
    if (members == 1) return {0, team};
    int const of_member = static_cast<int>(groups);
    return {team / of_member, team % of_member};
  }
};

/// The least power of two that is not less than x >= 1.
constexpr std::int64_t power_of_two_from(std::int64_t x) {
  std::int64_t power = 1;
  while (power < x) power *= 2;
  return power;
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

/// Of a team and of a warp at most, on a device; each lane of a warp can hold a chunk's sum.
inline constexpr int most_reduction_warps = 8, most_chunks_each = 32;

/// On a device: a team for each group, of as many warps as there are chunks, up to 8. Each warp
/// adds one chunk, or some, where there are more than 2^13: so many keep a device's memory busy,
/// while each team has to begin and to end. (H200, 2026-11-26, sums of 2^28, single precision: 2^18
/// chunks at a time 302 µs, 2^13 248.) The last team adds the sums of the others.
constexpr ReductionPlan device_reduction_plan(std::int64_t length) {
  constexpr std::int64_t most_chunks = 1 << 13;
  ReductionPlan plan;
  plan.chunks = quotient_up(length > 0 ? length : 1, chunk_terms);
  if (plan.chunks == 1) {
    plan.vectors = 8;
  } else {
    std::int64_t const chunks = power_of_two_from(plan.chunks);
    std::int64_t const each = power_of_two_from(quotient_up(plan.chunks, most_chunks));
    plan.each = static_cast<int>(each < most_chunks_each ? each : most_chunks_each);
    plan.warps = static_cast<int>(chunks < most_reduction_warps ? chunks : most_reduction_warps);
    plan.group_chunks = std::int64_t{plan.warps} * plan.each;
  }
  plan.groups = quotient_up(plan.chunks, plan.group_chunks);
  return plan;
}

/// For exact sums on a device: fewer teams, as each has its digits to add to those of the vector.
constexpr ReductionPlan exact_reduction_plan(ReductionPlan plan) {
  constexpr std::int64_t most_groups = 1024;
  plan.vectors = 1;
  plan.group_chunks = power_of_two_from(quotient_up(plan.chunks, most_groups));
  if (plan.group_chunks < 32) plan.group_chunks = 32;
  plan.groups = quotient_up(plan.chunks, plan.group_chunks);
  return plan;
}

}  // namespace carroll::detail
