// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/occupancy/limits.hpp>
#include <cstddef>

/// Launch bounds that a device can keep.
///
/// The second of Kokkos' launch bounds leaves a kernel as many registers as let so many teams share
/// a multiprocessor. It is a promise, too: Kokkos refuses a launch, with an exception, where the
/// device's multiprocessors have not threads, places or scratch for as many teams
/// (cuda_deduce_block_size). The numbers of kernels here are those of data-centre devices, with 64
/// warps, 32 places and 164 to 228 KiB; others have 32 or 48 warps, 16 or 24 places, 64 to 100 KiB.
/// So kernels say what they want by BoundedTeams, and get of it what the compute capability that
/// Kokkos is built for holds.
namespace carroll::detail {

/// Bytes that Kokkos takes of a team's without being asked: a double a thread and two more, and a
/// word or two.
constexpr std::size_t scratch_of_kokkos(int threads) {
  return sizeof(double) * (static_cast<std::size_t>(threads) + 4);
}

/// Teams of so many threads and bytes of scratch, as launches ask for them, that a multiprocessor
/// holds, but for their registers.
constexpr int resident_teams(MultiprocessorLimits const& limits, int threads, std::size_t scratch) {
  int const unit = limits.scratch_unit;
  int const bytes =
      static_cast<int>(scratch + scratch_of_kokkos(threads)) + limits.scratch_reserved;
  return std::min({limits.threads() / threads, limits.blocks,
                   limits.scratch / ((bytes + unit - 1) / unit * unit)});
}

/// The second launch bound of a kernel that wants `teams`: as many as there is room for, one where
/// there is none.
constexpr int teams_to_promise(MultiprocessorLimits const& limits, int teams, int threads,
                               std::size_t scratch) {
  return std::clamp(resident_teams(limits, threads, scratch), 1, teams);
}

/// What a multiprocessor has of a compute capability, `number` / 10 . `number` % 10; of one that is
/// not known, the least that any has.
constexpr MultiprocessorLimits limits_to_keep(int number) {
  MultiprocessorLimits least = multiprocessor_limits.front();
  bool first = true;
  for (auto const& limits : multiprocessor_limits) {
    if (limits.capability == ComputeCapability{number / 10, number % 10}) return limits;
    if (limits.capability.major < 5) continue;  // Kokkos does without
    if (first) least = limits;
    first = false;
    least.warps = std::min(least.warps, limits.warps);
    least.blocks = std::min(least.blocks, limits.blocks);
    least.scratch = std::min(least.scratch, limits.scratch);
    least.scratch_reserved = std::max(least.scratch_reserved, limits.scratch_reserved);
    least.scratch_unit = std::max(least.scratch_unit, limits.scratch_unit);
  }
  return least;
}

/// Launch bounds for teams of up to so many threads and bytes of scratch.
template <int Threads, int Teams, std::size_t Scratch>
struct TeamBounds {
  static constexpr int threads = Threads, teams = Teams;
  static constexpr std::size_t scratch = Scratch;
  static_assert(teams_to_promise(limits_to_keep(90), Teams, Threads, Scratch) == Teams,
                "not even the largest devices hold as many teams");
  static_assert(Scratch + scratch_of_kokkos(Threads) <=
                    std::size_t{MultiprocessorLimits::scratch_per_block_at_first},
                "more scratch than Kokkos lends a team, before 5.2");
#ifdef KOKKOS_IMPL_ARCH_NVIDIA_GPU
  static constexpr int promised =
      teams_to_promise(limits_to_keep(KOKKOS_IMPL_ARCH_NVIDIA_GPU), Teams, Threads, Scratch);
#else
  static constexpr int promised = Teams;
#endif
};

/// What an execution space takes of launch bounds; the emulated one all, to see whether launches
/// keep to them.
template <class ExecSpace, class Bounds>
struct BoundsOf {
  using type = Kokkos::LaunchBounds<Bounds::threads, Bounds::promised>;
};

template <class ExecSpace, class Bounds, class... Others>
using BoundedPolicy =
    Kokkos::TeamPolicy<ExecSpace, Others..., typename BoundsOf<ExecSpace, Bounds>::type>;

/// The policy of a kernel that is launched with teams of up to `threads` threads and `scratch`
/// bytes, and wants `teams` of them to share a multiprocessor where they can.
template <class ExecSpace, int threads, int teams, std::size_t scratch, class... Others>
using BoundedTeams = BoundedPolicy<ExecSpace, TeamBounds<threads, teams, scratch>, Others...>;

/// What a kernel says of its scratch whose size is known no sooner than it is launched: no more
/// than Kokkos lends a team on any device (48 KiB, before 5.2).
inline constexpr std::size_t most_lent_scratch = 43 * 1024;

}  // namespace carroll::detail
