// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/divided/deflation.hpp>
#include <carroll/detail/eigh/divided/merge.hpp>
#include <carroll/detail/eigh/divided/secular.hpp>
#include <carroll/detail/eigh/divided/weights.hpp>
#include <carroll/detail/team.hpp>

/// The steps of a merge up to its product, as kernels: one for each, or one for all of a small
/// merge. Results do not depend on that.
namespace carroll::detail {

/// The first step, a team for each merge.
template <class ExecSpace, class Real>
class DividedDeflationKernel {
 public:
  explicit DividedDeflationKernel(DividedLevel<Real> const& level) : level_(level) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DividedMerge<Real> const merge = level_(team.league_rank());
    if (merge.rows == 0) return;
    DividedDeflation<Real, TeamMember<ExecSpace>>::run(team, merge, level_.tolerance(team));
  }

 private:
  DividedLevel<Real> level_;
};

/// Lanes of a thread that works on a pole, root or column: so few that the work of roots of small
/// merges, which take many steps of a few poles, is not done by whole warps. Sums over them have
/// an order that depends on this number, and on nothing else.
template <class ExecSpace>
inline constexpr int divided_lanes = lanes<ExecSpace> == 1 ? 1 : 8;

/// One of the steps that follow, threads with poles, roots or columns, `entries` of them to a team.
template <class ExecSpace, class Real, class Step>
class DividedStepKernel {
 public:
  static constexpr int entries = 16;
  static constexpr int threads = lanes<ExecSpace> == 1 ? 1 : entries;
  using Policy =
      Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads * divided_lanes<ExecSpace>>>;

  explicit DividedStepKernel(DividedLevel<Real> const& level) : level_(level) {}

  static constexpr int chunks(int rows) { return (rows + entries - 1) / entries; }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DividedMerge<Real> const merge = level_(team.league_rank());
    if (merge.rows == 0) return;
    int const begin = entries * level_.chunk_of(team.league_rank());
    int const left = (Step::of_poles ? merge.poles() : merge.rows) - begin;
    thread_for(team, left < entries ? left : int(entries),
               [&](int k) { Step::find(team, merge, begin + k); });
  }

 private:
  DividedLevel<Real> level_;
};

/// All of these steps, a team for each merge.
template <class ExecSpace, class Real, int Threads>
class DividedSmallKernel {
 public:
  static constexpr int threads = lanes<ExecSpace> == 1 ? 1 : Threads;
  using Policy =
      Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads * divided_lanes<ExecSpace>>>;

  explicit DividedSmallKernel(DividedLevel<Real> const& level) : level_(level) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DividedMerge<Real> const merge = level_(team.league_rank());
    if (merge.rows == 0) return;
    DividedDeflation<Real, TeamMember<ExecSpace>>::run(team, merge, level_.tolerance(team));
    team.team_barrier();
    take<DividedRoot>(team, merge);
    take<DividedWeight>(team, merge);
    take<DividedPlace>(team, merge);
  }

 private:
  template <class Step>
  KOKKOS_FUNCTION static void take(TeamMember<ExecSpace> const& team,
                                   DividedMerge<Real> const& merge) {
    thread_for(team, Step::of_poles ? merge.poles() : merge.rows,
               [&](int j) { Step::find(team, merge, j); });
    team.team_barrier();
  }

  DividedLevel<Real> level_;
};

}  // namespace carroll::detail
