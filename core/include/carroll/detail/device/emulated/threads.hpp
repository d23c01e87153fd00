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
    put(x);
    wait_for_warp();
    get(first_of_warp() + (static_cast<unsigned>(source) & 31U), x);
    wait_for_warp();
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
    put(x);
    wait_for_team();
    get(first_of_team() + static_cast<std::size_t>(thread), x);
    wait_for_team();
    return x;
  }
  /// By all threads of a team: whether all say yes.
  bool all_of_team(bool yes) {
    put(yes);
    wait_for_team();
    bool all = true;
    for (std::size_t t = first_of_team(); t < first_of_team() + team_size(); ++t) {
      bool other;
      get(t, other);
      all = all && other;
    }
    wait_for_team();
    return all;
  }

  virtual void wait_for_warp() = 0;
  virtual void wait_for_team() = 0;
  /// A barrier of `threads` threads of the team, by its number; `arrive`: without waiting.
  virtual void named_barrier(int number, int threads, bool arrive) = 0;
  /// The calling thread waits for what another one has to write.
  virtual void pass() = 0;

 protected:
  struct Slot {
    std::array<std::byte, 32> bytes;
  };
  std::vector<Slot> slots_;  ///< of all threads

  [[nodiscard]] virtual std::size_t current() const = 0;
  [[nodiscard]] virtual std::size_t team_size() const = 0;
  [[nodiscard]] std::size_t first_of_warp() const {
    return first_of_team() + (current() - first_of_team()) / 32 * 32;
  }
  [[nodiscard]] std::size_t first_of_team() const { return current() / team_size() * team_size(); }

 private:
  template <class T>
  void put(T const& x) {
    static_assert(sizeof x <= sizeof(Slot));
    std::memcpy(slots_[current()].bytes.data(), static_cast<void const*>(&x), sizeof x);
  }
  template <class T>
  void get(std::size_t thread, T& x) const {
    std::memcpy(static_cast<void*>(&x), slots_[thread].bytes.data(), sizeof x);
  }
  template <class T, class Join>
  T over_lanes(T x, Join const& join, T all = 0) {
    put(x);
    wait_for_warp();
    for (std::size_t lane = 0; lane < 32; ++lane) {
      T other;
      get(first_of_warp() + lane, other);
      all = join(all, other, lane);
    }
    wait_for_warp();
    return all;
  }
};

}  // namespace carroll::detail
