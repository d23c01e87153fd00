// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/team.hpp>
#include <type_traits>

/// Those who share the work on a matrix, a team, in one of two shapes. What is there to do comes in
/// units, one for a worker at a time, and the lanes of a worker do a unit together. Which worker
/// has which unit depends on the team's size; the order of sums does not.
///
///   units(count, f)        f(u), spread over the workers
///   rows(first, past, …)   see below
///   lanes(count, f)        f(i), spread over a worker's lanes
///   sums<Real, K>(count, f), sum   of f(i); all lanes get them
///   once(f)                one lane does f
///   barrier()
///
/// `rows`: for the groups of 32 rows from first to past - 1, store(group, Σ finish(i, gather(i),
/// known())). What is gathered is on its way while `known`, the same for all rows, is found; only
/// workers that have a group ask for it.
namespace carroll::detail {

/// A team of warps, with registers of each lane's own: TeamLaunch with 1 lane.
template <class Member>
class WarpCrew {
 public:
  KOKKOS_FUNCTION explicit WarpCrew(Member const& team)
      : warp(warp_of_threads(team)),
        team_(team),
        first_(team.team_rank() / 32),
        workers_(team.team_size() / 32) {}

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void units(int count, F const& f) const {
    for (int u = first_; u < count; u += workers_) f(u);
  }
  template <class Gather, class Known, class Finish, class Store>
  KOKKOS_FORCEINLINE_FUNCTION void rows(int first, int past, Gather const& gather,
                                        Known const& known, Finish const& finish,
                                        Store const& store) const {
    int group = first + first_;
    if (group >= past) return;
    auto row = gather(32 * group + warp.lane);
    auto const common = known();
    while (true) {
      auto const sum = lanes_sum_up(warp, finish(32 * group + warp.lane, row, common));
      once([&] { store(group, sum); });
      group += workers_;
      if (group >= past) return;
      row = gather(32 * group + warp.lane);
    }
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void lanes(int count, F const& f) const {
    for (int i = warp.lane; i < count; i += 32) f(i);
  }
  template <class Real, int K, class F>
  KOKKOS_FORCEINLINE_FUNCTION Sums<Real, K> sums(int count, F const& f) const {
    Sums<Real, K> total;
    for (int i = warp.lane; i < count; i += 32) total += f(i);
    for (int step = 1; step < 32; step *= 2)
      for (int k = 0; k < K; ++k) total.value[k] += warp.across(total.value[k], step);
    return total;
  }
  template <class Real, class F>
  KOKKOS_FORCEINLINE_FUNCTION Real max(int count, F const& f) const {
    Real largest = 0;
    for (int i = warp.lane; i < count; i += 32) largest = Kokkos::max(largest, f(i));
    return lanes_max(warp, largest);
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void once(F const& f) const {
    if (warp.lane == 0) f();
  }
  KOKKOS_FORCEINLINE_FUNCTION bool leads() const { return first_ == 0; }
  KOKKOS_FORCEINLINE_FUNCTION int worker() const { return first_; }
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { fast_team_barrier(team_); }

  DeviceWarp warp;

 private:
  Member const& team_;
  int first_, workers_;
};

/// A team whose lanes, if there are any, are Kokkos'.
template <class Member>
class LaneCrew {
 public:
  KOKKOS_FUNCTION explicit LaneCrew(Member const& team) : team_(team) {}

  template <class F>
  KOKKOS_FUNCTION void units(int count, F const& f) const {
    thread_for(team_, count, f);
  }
  template <class Gather, class Known, class Finish, class Store>
  KOKKOS_FUNCTION void rows(int first, int past, Gather const& gather, Known const& known,
                            Finish const& finish, Store const& store) const {
    auto const common = known();
    using Real = decltype(finish(0, gather(0), common));
    units(past - first, [&](int u) {
      int const group = first + u;
      Real const sum = lane_sum<Real>(team_, 32, [&](int lane) {
        int const i = 32 * group + lane;
        return finish(i, gather(i), common);
      });
      once([&] { store(group, sum); });
    });
  }
  template <class F>
  KOKKOS_FUNCTION void lanes(int count, F const& f) const {
    lane_for(team_, count, f);
  }
  template <class Real, int K, class F>
  KOKKOS_FUNCTION Sums<Real, K> sums(int count, F const& f) const {
    return lane_sums<Real, K>(team_, count, f);
  }
  template <class Real, class F>
  KOKKOS_FUNCTION Real max(int count, F const& f) const {
    return lane_max<Real>(team_, count, f);
  }
  template <class F>
  KOKKOS_FUNCTION void once(F const& f) const {
    once_per_thread(team_, f);
  }
  KOKKOS_FUNCTION bool leads() const { return team_.team_rank() == 0; }
  KOKKOS_FUNCTION void barrier() const { team_.team_barrier(); }

 private:
  Member const& team_;
};

template <class ExecSpace>
using CrewOf = std::conditional_t<has_warps<ExecSpace>, WarpCrew<TeamMember<ExecSpace>>,
                                  LaneCrew<TeamMember<ExecSpace>>>;

}  // namespace carroll::detail
