// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/warp.hpp>
#include <cstdint>

namespace carroll::detail {

/// The first lane with the largest x, x >= 0, as if lanes were asked one after the other.
KOKKOS_INLINE_FUNCTION int first_lane(std::uint32_t mask) {
  KOKKOS_IF_ON_DEVICE((return __ffs(static_cast<int>(mask)) - 1;))
  KOKKOS_IF_ON_HOST((return mask != 0 ? 0 : -1;))
}
KOKKOS_INLINE_FUNCTION int lane_of_largest(DeviceWarp const& warp, float x) {
  int const size = magnitude(x);
  return first_lane(warp.ballot(size == warp.max(size)));
}
KOKKOS_INLINE_FUNCTION int lane_of_largest(DeviceWarp const& warp, double x) {
  int const upper = magnitude(x);
  int const top = warp.max(upper);
  // The lower halves of those that are equal so far, shifted into the order of signed numbers.
  auto const bits = static_cast<std::uint32_t>(Kokkos::bit_cast<std::uint64_t>(x));
  int const lower = upper == top ? static_cast<int>(bits ^ 0x80000000U) : -0x7fffffff - 1;
  int const rest = warp.max(lower);
  return first_lane(warp.ballot(upper == top && lower == rest));
}

/// The team has all columns of its strip.
struct NoExchange {
  template <int R, class Threads, class Candidate>
  KOKKOS_FORCEINLINE_FUNCTION Candidate const* among_teams(int, Threads const&,
                                                           Candidate const* own) const {
    return own;
  }
};

/// Several teams share a strip's columns. Each publishes the best candidate of its own as words of
/// 32 bits that carry the number of the step, so that a word is there or not, without a flag; each
/// reads all teams' words and finds the same winner. A step costs one way through the second-level
/// cache more. Words are kept twice: nobody is ahead by more than one step. All teams of a strip
/// must run at the same time.
template <class T>
struct TeamExchange {
  std::uint64_t* words;  ///< 2·teams·words_per_team
  void* gathered;        ///< scratch: 2·teams candidates
  int team;
  int teams;
  std::uint32_t first_step;  ///< number of the strip's first step, above 0, never used before

  static constexpr int most_rows = 32;
  static constexpr int parts = sizeof(T) / 4;
  static constexpr int words_per_team = parts * (most_rows + 2) + 4;  ///< of a candidate, padded

  template <int R, class Threads, class Candidate>
  KOKKOS_FORCEINLINE_FUNCTION Candidate const* among_teams(int k, Threads const& threads,
                                                           Candidate const* own) const {
    if (teams == 1) return own;
    constexpr int used = sizeof(Candidate) / 4;
    static_assert(used <= words_per_team);
    auto const step = static_cast<std::uint64_t>(first_step + k) << 32;
    std::uint64_t* const begin =
        words + static_cast<std::ptrdiff_t>(k % 2) * teams * words_per_team;
    auto const* const mine = reinterpret_cast<std::uint32_t const*>(own);
    for (int i = threads.thread; i < used; i += threads.size())
      store_word(begin + team * words_per_team + i, step | mine[i]);
    auto* const into = static_cast<Candidate*>(gathered) + (k % 2) * teams;
    for (int i = threads.thread; i < teams * used; i += threads.size()) {
      int const from = i / used, word = i % used;
      std::uint64_t const* const at = begin + from * words_per_team + word;
      std::uint64_t held = load_word(at);
      while ((held >> 32) << 32 != step) held = load_word(at);
      reinterpret_cast<std::uint32_t*>(into + from)[word] = static_cast<std::uint32_t>(held);
    }
    threads.team.team_barrier();
    T size = 0;
    int best = 0;
    for (int t = threads.warp.lane; t < teams; t += 32) {
      if (!(Kokkos::abs(into[t].pivot) > size)) continue;
      size = Kokkos::abs(into[t].pivot);
      best = t;
    }
    return into + threads.warp.from(best, lane_of_largest(threads.warp, size));
  }
};

}  // namespace carroll::detail
