// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace carroll::detail {

/// Threads of a device that take turns on one thread of a host: what the functions of core/device
/// ask there. device/emulated/turns.hpp has them run.
class EmulatedThreads {
 public:
  EmulatedThreads() = default;
  EmulatedThreads(EmulatedThreads const&) = delete;
  EmulatedThreads& operator=(EmulatedThreads const&) = delete;
  virtual ~EmulatedThreads() = default;

  /// Those of which one has its turn on the calling thread of the host; null where nothing is
  /// emulated, and a warp is but one lane.
  static EmulatedThreads*& running() {
    thread_local EmulatedThreads* threads = nullptr;
    return threads;
  }

  /// By all 32 threads of a warp: x of the lane with number `source` modulo 32.
  template <class T>
  T from(T x, int source) {
    auto const told = tell(of_warp_, x);
    wait_for_warp();
    told.get(first_of_warp() + (static_cast<unsigned>(source) & 31U), x);
    return x;
  }
  std::uint32_t ballot(bool yes) {
    return over_lanes(std::uint32_t{yes}, [](std::uint32_t all, std::uint32_t x, std::size_t lane) {
      return all | x << lane;
    });
  }
  int max(int x) {
    return over_lanes(
        x, [](int all, int other, std::size_t) { return std::max(all, other); }, x);
  }
  std::uint32_t any_bits(std::uint32_t x) {
    return over_lanes(
        x, [](std::uint32_t all, std::uint32_t other, std::size_t) { return all | other; });
  }
  /// By all threads of a team: x of one of them.
  template <class T>
  T from_thread(T x, int thread) {
    auto const told = tell(of_team_, x);
    wait_for_team();
    told.get(first_of_team() + static_cast<std::size_t>(thread), x);
    return x;
  }
  /// By all threads of a team: whether all say yes.
  bool all_of_team(bool yes) {
    auto const told = tell(of_team_, yes);
    wait_for_team();
    bool all = true;
    for (std::size_t t = 0; t < team_size(); ++t) {
      bool other;
      told.get(first_of_team() + t, other);
      all = all && other;
    }
    return all;
  }

  virtual void wait_for_warp() = 0;
  virtual void wait_for_team() = 0;
  /// A barrier of `threads` threads of the team, by its number; `arrive`: without waiting.
  virtual void named_barrier(int number, int threads, bool arrive) = 0;
  /// The calling thread waits for what another one has to write.
  virtual void pass() = 0;

 protected:
  void make_slots(std::size_t threads) {
    of_warp_.resize(threads);
    of_team_.resize(threads);
  }

  [[nodiscard]] virtual std::size_t current() const = 0;
  /// A multiple of 32.
  [[nodiscard]] virtual std::size_t team_size() const = 0;
  [[nodiscard]] std::size_t first_of_warp() const { return current() / 32 * 32; }
  [[nodiscard]] std::size_t first_of_team() const { return current() / team_size() * team_size(); }

 private:
  /// What a thread tells the others, in one of two places by turns: who writes to the first one
  /// again has waited for them after the second, so that all have read the first.
  struct Slot {
    std::array<std::array<std::byte, 32>, 2> bytes;
    bool second = false;
  };
  struct Told {
    std::vector<Slot> const& slots;
    bool second;

    template <class T>
    void get(std::size_t thread, T& x) const {
      std::memcpy(static_cast<void*>(&x), slots[thread].bytes[second].data(), sizeof x);
    }
  };
  template <class T>
  Told tell(std::vector<Slot>& slots, T const& x) const {
    static_assert(sizeof x <= 32);
    Slot& own = slots[current()];
    own.second = !own.second;
    std::memcpy(own.bytes[own.second].data(), static_cast<void const*>(&x), sizeof x);
    return {slots, own.second};
  }
  template <class T, class Join>
  T over_lanes(T x, Join const& join, T all = 0) {
    auto const told = tell(of_warp_, x);
    wait_for_warp();
    std::size_t const first = first_of_warp();
    for (std::size_t lane = 0; lane < 32; ++lane) {
      T other;
      told.get(first + lane, other);
      all = join(all, other, lane);
    }
    return all;
  }

  std::vector<Slot> of_warp_, of_team_;  ///< of all threads
};

}  // namespace carroll::detail
