// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/emulated/turns.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

/// A device with warps that a host emulates: the kernels of warps and blocks, and what enqueues
/// them, take it in the place of an execution space. For tests, which include it before any kernel,
/// since it adds to what Kokkos::parallel_for and Kokkos::single take. Kernels run as they are
/// enqueued, on memory of the host; those that leave inner loops to Kokkos' lanes it has not.
namespace carroll::detail {

struct EmulatedSpace {
  int processors = 2;
  int resident = 2;  ///< teams that run side by side

  /// Threads that a device has room for, as Kokkos' spaces say it.
  [[nodiscard]] int concurrency() const { return 2048 * processors; }
};

template <>
inline constexpr bool has_warps<EmulatedSpace> = true;

struct EmulatedProperties {
  int multiProcessorCount = 2, major = 9, minor = 0;
  std::size_t sharedMemPerMultiprocessor = 228 * std::size_t{1024};
  std::size_t l2CacheSize = std::size_t{1} << 20;
};
inline EmulatedProperties properties_of(EmulatedSpace const& exec) {
  return {.multiProcessorCount = exec.processors};
}

template <class Bounds>
struct BoundsOf<EmulatedSpace, Bounds> {
  using type = Bounds;
};
/// Are teams as large as their kernel says at most? A device refuses them, or not, by that.
template <class Property>
void check_bounds(char const* /*label*/, int /*threads*/, std::size_t /*scratch*/,
                  Property const* /*other*/) {}
template <int Threads, int Teams, std::size_t Scratch>
void check_bounds(char const* label, int threads, std::size_t scratch,
                  TeamBounds<Threads, Teams, Scratch> const* /*bounds*/) {
  if (threads <= Threads && scratch <= Scratch) return;
  throw std::logic_error(std::string(label) + " is launched with " + std::to_string(threads) +
                         " threads and " + std::to_string(scratch) + " bytes of scratch, bounds " +
                         std::to_string(Threads) + " and " + std::to_string(Scratch));
}

/// A team's scratch, handed out piece by piece, to each of its threads in the same order.
class EmulatedScratch {
 public:
  EmulatedScratch(std::byte* begin, std::size_t bytes) : next_(begin), end_(begin + bytes) {}

  void* get_shmem_aligned(std::size_t bytes, std::size_t alignment) const {
    auto const past = reinterpret_cast<std::uintptr_t>(next_) % alignment;
    std::byte* const begin = next_ + (past == 0 ? 0 : alignment - past);
    if (begin + bytes > end_) return nullptr;
    next_ = begin + bytes;
    return begin;
  }
  void* get_shmem(std::size_t bytes) const { return get_shmem_aligned(bytes, 8); }

 private:
  mutable std::byte* next_;
  std::byte* end_;
};

class EmulatedMember {
 public:
  using execution_space = EmulatedSpace;

  EmulatedMember(int team, int teams, int thread, int threads, EmulatedScratch const& scratch)
      : team_(team), teams_(teams), thread_(thread), threads_(threads), scratch_(scratch) {}

  [[nodiscard]] int league_rank() const { return team_; }
  [[nodiscard]] int league_size() const { return teams_; }
  [[nodiscard]] int team_rank() const { return thread_; }
  [[nodiscard]] int team_size() const { return threads_; }
  void team_barrier() const { EmulatedThreads::running()->wait_for_team(); }
  template <class T>
  void team_broadcast(T& x, int from) const {
    x = EmulatedThreads::running()->from_thread(x, from);
  }
  [[nodiscard]] EmulatedScratch const& team_scratch(int /*level*/) const { return scratch_; }

 private:
  int team_, teams_, thread_, threads_;
  EmulatedScratch scratch_;
};

/// Indices 0 to count - 1 of which the calling thread has first, first + step, …
struct EmulatedRange {
  int first, count, step;
};
struct EmulatedSingle {
  bool is_mine;
};

}  // namespace carroll::detail

namespace Kokkos {

template <class... Properties>
class TeamPolicy<carroll::detail::EmulatedSpace, Properties...> {
 public:
  using execution_space = carroll::detail::EmulatedSpace;
  using member_type = carroll::detail::EmulatedMember;

  TeamPolicy(execution_space const& space, int league, int team_size, int /*lanes*/ = 1)
      : exec(space), teams(league), threads(team_size) {}
  TeamPolicy& set_scratch_size(int level, Impl::PerTeamValue const& per_team,
                               Impl::PerThreadValue const& per_thread) {
    scratch = per_team.value + per_thread.value * static_cast<std::size_t>(threads);
    is_near = level == 0;
    return *this;
  }
  static int scratch_size_max(int /*level*/) { return 227 * 1024; }
  template <class Kernel, class Pattern>
  [[nodiscard]] int team_size_max(Kernel const& /*kernel*/, Pattern /*pattern*/) const {
    return threads;
  }

  execution_space exec;
  int teams, threads;
  std::size_t scratch = 0;
  bool is_near = true;  ///< counts for a device's multiprocessors
};

template <class Kernel, class... Properties>
void parallel_for([[maybe_unused]] char const* label,
                  TeamPolicy<carroll::detail::EmulatedSpace, Properties...> const& policy,
                  Kernel const& kernel) {
  (carroll::detail::check_bounds(label, policy.threads, policy.is_near ? policy.scratch : 0,
                                 static_cast<Properties const*>(nullptr)),
   ...);
  int const resident = std::min(policy.exec.resident, policy.teams);
  // A team finds its scratch as the one before has left it, or full of NaN.
  std::vector<std::byte> scratch(static_cast<std::size_t>(resident) * policy.scratch,
                                 std::byte{0xff});
  carroll::detail::EmulatedTurns turns(policy.threads, resident);
  turns.run(policy.teams, [&](int team, int thread, int place) {
    carroll::detail::EmulatedScratch const own(
        scratch.data() + static_cast<std::size_t>(place) * policy.scratch, policy.scratch);
    kernel(carroll::detail::EmulatedMember(team, policy.teams, thread, policy.threads, own));
  });
}

/// Items without teams, one after the other.
template <class... Properties>
class RangePolicy<carroll::detail::EmulatedSpace, Properties...> {
 public:
  using execution_space = carroll::detail::EmulatedSpace;

  RangePolicy(execution_space const&, std::int64_t first, std::int64_t last)
      : begin(first), end(last) {}

  std::int64_t begin, end;
};

template <class Kernel, class... Properties>
void parallel_for(char const* /*label*/,
                  RangePolicy<carroll::detail::EmulatedSpace, Properties...> const& policy,
                  Kernel const& kernel) {
  for (std::int64_t i = policy.begin; i < policy.end; ++i) kernel(i);
}

inline carroll::detail::EmulatedRange TeamThreadRange(carroll::detail::EmulatedMember const& team,
                                                      int count) {
  return {team.team_rank(), count, team.team_size()};
}
inline carroll::detail::EmulatedRange TeamVectorRange(carroll::detail::EmulatedMember const& team,
                                                      int count) {
  return TeamThreadRange(team, count);
}
inline carroll::detail::EmulatedRange ThreadVectorRange(carroll::detail::EmulatedMember const&,
                                                        int count) {
  return {0, count, 1};
}
template <class F>
void parallel_for(carroll::detail::EmulatedRange const& range, F const& f) {
  for (int i = range.first; i < range.count; i += range.step) f(i);
}
/// Over a whole team, or one thread's own indices.
template <class F, class Reducer>
requires Kokkos::is_reducer_v<Reducer>
void parallel_reduce(carroll::detail::EmulatedRange const& range, F const& f,
                     Reducer const& reducer) {
  typename Reducer::value_type own;
  reducer.init(own);
  for (int i = range.first; i < range.count; i += range.step) f(i, own);
  if (range.step > 1) {
    typename Reducer::value_type all;
    reducer.init(all);
    for (int t = 0; t < range.step; ++t)
      reducer.join(all, carroll::detail::EmulatedThreads::running()->from_thread(own, t));
    own = all;
  }
  reducer.reference() = own;
}
template <class F, class T>
requires(!Kokkos::is_reducer_v<T>) void parallel_reduce(carroll::detail::EmulatedRange const& range,
                                                        F const& f, T& sum) {
  parallel_reduce(range, f, Kokkos::Sum<T>(sum));
}
inline carroll::detail::EmulatedSingle PerTeam(carroll::detail::EmulatedMember const& team) {
  return {team.team_rank() == 0};
}
inline carroll::detail::EmulatedSingle PerThread(carroll::detail::EmulatedMember const&) {
  return {true};
}
template <class F>
void single(carroll::detail::EmulatedSingle const& one, F const& f) {
  if (one.is_mine) f();
}

}  // namespace Kokkos

#include <carroll/detail/team.hpp>  // calls what is above

namespace carroll::detail {

template <>
inline constexpr int lanes<EmulatedSpace> = 32;

}  // namespace carroll::detail
