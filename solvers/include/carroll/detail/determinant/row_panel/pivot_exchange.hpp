// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

namespace carroll::detail {

/// The team has all columns of its row panel.
struct NoExchange {
  [[nodiscard]] KOKKOS_FUNCTION static constexpr bool leads() { return false; }

  template <int R, class Threads, class Candidate>
  KOKKOS_FORCEINLINE_FUNCTION Candidate const* among_teams(int, Threads const&,
                                                           Candidate const* own) const {
    return own;
  }
};

/// Several teams share a row panel's columns, and one of them chooses all pivots among its own. It
/// tells them to the others step by step, ahead of them, and waits for nobody; the others say in
/// the end whether a pivot was less than 1/row_panel_threshold of one of their entries. Words carry
/// the number of the step, as below; there is room for each step of a row panel.
template <class T>
struct TeamLead {
  std::uint64_t* words;      ///< rows·words_per_step, or nullptr if nobody follows
  std::uint32_t first_step;  ///< number of the row panel's first step, above 0, never used before

  static constexpr int parts = sizeof(T) / 4;
  static constexpr int most_rows = 32;
  static constexpr int words_per_step = parts * (most_rows + 2) + 4;  ///< of a candidate, padded

  [[nodiscard]] KOKKOS_FUNCTION bool leads() const { return words != nullptr; }

  /// By the team that leads.
  template <int R, class Threads, class Candidate>
  KOKKOS_FORCEINLINE_FUNCTION Candidate const* among_teams(int k, Threads const& threads,
                                                           Candidate const* own) const {
    constexpr int used = sizeof(Candidate) / 4;
    static_assert(used <= words_per_step);
    if (leads() && threads.thread < used)
      post_stamped(words + k * words_per_step + threads.thread, stamp(k),
                   reinterpret_cast<std::uint32_t const*>(own)[threads.thread]);
    return own;
  }

  /// The first read of the calling thread's word of step k, by the teams that follow.
  template <class Candidate>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t ask(int k, int thread) const {
    constexpr int used = sizeof(Candidate) / 4;
    return thread < used ? look_at_stamped(words + k * words_per_step + thread) : 0;
  }
  /// Waits for it.
  template <class Candidate>
  KOKKOS_FORCEINLINE_FUNCTION void receive(int k, int thread, std::uint64_t word,
                                           Candidate* into) const {
    constexpr int used = sizeof(Candidate) / 4;
    if (thread >= used) return;
    reinterpret_cast<std::uint32_t*>(into)[thread] =
        wait_for_stamped(words + k * words_per_step + thread, stamp(k), word);
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t stamp(int k) const { return first_step + k; }
};

/// How much larger than a pivot another entry of its row may be. Below 2, so that a pivot gives way
/// to an entry of twice its size, as there are many where entries are powers of two.
inline constexpr double row_panel_threshold = 1.99;

/// Several teams share a row panel's columns. Each publishes the best candidate of its own as words
/// of 32 bits that carry the number of the step, so that a word is there or not, without a flag;
/// each reads all teams' words and finds the same winner. A step costs one way through the
/// second-level cache more, or two. Words are kept twice: nobody is ahead by more than one step.
/// All teams of a row panel must run at the same time.
template <class T>
struct PivotExchange {
  std::uint64_t* words;  ///< 2·teams·words_per_team
  void* gathered;        ///< scratch, of `bytes`
  int team;
  int teams;
  std::uint32_t first_step;  ///< number of the row panel's first step, above 0, never used before

  static constexpr int most_rows = 32;
  static constexpr int parts = sizeof(T) / 4;
  static constexpr int words_per_team = parts * (most_rows + 2) + 4;  ///< of a candidate, padded

  [[nodiscard]] KOKKOS_FUNCTION static constexpr bool leads() { return false; }

  template <int R, class Threads, class Candidate>
  KOKKOS_FORCEINLINE_FUNCTION Candidate const* among_teams(int k, Threads const& threads,
                                                           Candidate const* own) const {
    constexpr int used = sizeof(Candidate) / 4;
    static_assert(used <= words_per_team);
    auto const step = static_cast<std::uint32_t>(first_step + k);
    int const half = k % 2;
    std::uint64_t* const begin = words + static_cast<std::ptrdiff_t>(half) * teams * words_per_team;
    auto const* const mine = reinterpret_cast<std::uint32_t const*>(own);
    for (int i = threads.thread; i < used; i += threads.size())
      post_stamped(begin + team * words_per_team + i, step, mine[i]);
    // All teams' pivots, with which candidates begin.
    auto* const winner = static_cast<Candidate*>(gathered) + half;
    auto* const pivots = reinterpret_cast<std::uint32_t*>(static_cast<Candidate*>(gathered) + 2);
    for (int i = threads.thread; i < teams * parts; i += threads.size())
      pivots[i] = read(begin + i / parts * words_per_team + i % parts, step);
    threads.team.team_barrier();
    T size = 0;
    int best = 0;
    for (int t = threads.warp.lane; t < teams; t += 32) {
      T const x = Kokkos::abs(reinterpret_cast<T const*>(pivots)[t]);
      if (!(x > size)) continue;
      size = x;
      best = t;
    }
    best = threads.warp.from(best, lane_of_largest(threads.warp, size));
    for (int i = threads.thread; i < used; i += threads.size())
      reinterpret_cast<std::uint32_t*>(winner)[i] = read(begin + best * words_per_team + i, step);
    threads.team.team_barrier();
    return winner;
  }

  /// Bytes of scratch.
  template <class Candidate>
  [[nodiscard]] KOKKOS_FUNCTION static std::size_t bytes(int teams) {
    return 2 * sizeof(Candidate) + teams * sizeof(T);
  }

 private:
  /// Waits for a word of the step.
  [[nodiscard]] KOKKOS_FUNCTION static std::uint32_t read(std::uint64_t const* at,
                                                          std::uint32_t step) {
    return wait_for_stamped(at, step, look_at_stamped(at));
  }
};

}  // namespace carroll::detail
