// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/common/round_robin.hpp>
#include <carroll/detail/svd/problem.hpp>

/// A matrix in its sweeps by Gram matrices: where things lie in its workspace, and when it is done.
namespace carroll::detail {

/// Where in the sweeps a launch is.
struct GramStep {
  int sweep, set;

  /// Sets done before it.
  KOKKOS_FUNCTION int sets_before(RoundRobin const& schedule) const {
    return sweep * schedule.sets() + set;
  }
};

/// What a team multiplies in a step: a pair's columns of X or of J, in one part of the rows.
struct GramPiece {
  int slot, part;
  bool of_j;
};

/// What a member's teams find in its workspace.
template <class Real>
class GramMember {
 public:
  KOKKOS_FUNCTION explicit GramMember(SvdProblem<Real> const& problem)
      : schedule(gram_schedule(problem.cols)), problem_(problem) {}

  KOKKOS_FUNCTION SvdProblem<Real> const& problem() const { return problem_; }

  /// X before and after the given number of sets: two places in turn.
  KOKKOS_FUNCTION Columns<Real> columns(int sets_done) const {
    return {sets_done % 2 == 0 ? problem_.working().data : problem_.spare(0), problem_.cols};
  }
  /// The product of all rotations, likewise.
  KOKKOS_FUNCTION Columns<Real> rotations(int sets_done) const {
    return {sets_done % 2 == 0 ? problem_.rotations().data : problem_.spare(1), problem_.cols};
  }
  /// Sets done when the sweeps have ended.
  KOKKOS_FUNCTION int sets_done() const { return problem_.info->sweeps * schedule.sets(); }

  /// The product of its rotations that a pair of blocks leaves for the next set, row by row: in
  /// terms of the columns of X as they are stored; in terms of what they stand for.
  KOKKOS_FUNCTION Real* turn(int slot) const { return matrix(slot); }
  KOKKOS_FUNCTION Real* true_turn(int slot) const { return matrix(schedule.pairs() + slot); }
  /// Did the pair in a slot rotate at all? If not, its product is not written.
  KOKKOS_FUNCTION int* turned(int slot) const { return problem_.slot_flags() + slot; }
  /// The Gram matrix of a slot's columns from one part of the rows.
  KOKKOS_FUNCTION Real* gram(int slot, int part) const {
    return matrix((2 + part) * schedule.pairs() + slot);
  }

  /// Is there nothing left to do at this step? Teams of one launch all come to the same answer:
  /// from the largest cosines of the sweep before, by slot, or the flag that a later set of this
  /// sweep has raised. The whole team calls it.
  template <class Member>
  KOKKOS_FUNCTION bool done(Member const& team, GramStep const& at, Real tolerance) const {
    // All loads are on their way before one is waited for.
    int const lane = team.team_rank() % 32, pairs = schedule.pairs();
    Real const* const before = problem_.slot_cosines() + (at.sweep + 1) % 2 * pairs;
    bool moved = lane < pairs && !(before[lane] <= tolerance);
    SvdState const state = *problem_.state;
    for (int k = lane + 32; k < pairs; k += 32) moved = moved || !(before[k] <= tolerance);
    bool const still = DeviceWarp{lane}.ballot(moved) == 0;
    return state.columns == 0 || state.converged != 0 || (at.sweep > 0 && still);
  }

  RoundRobin schedule;

 private:
  KOKKOS_FUNCTION Real* matrix(int k) const {
    return problem_.gram_work() + static_cast<std::ptrdiff_t>(k) * gram_entries;
  }

  SvdProblem<Real> const& problem_;
};

}  // namespace carroll::detail
