// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/tiled/inverse.hpp>
#include <carroll/detail/solve/tiled/sides.hpp>
#include <carroll/detail/solve/tiled/storage.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>

namespace carroll::detail {

/// What follows elimination: teams for columns of the inverse, 16 each, where that or its norm is
/// wanted, and for as many right-hand sides each; those that take longest begin first. The last of
/// a system's teams says what has become of it, and nobody waits.
template <class ExecSpace, class Value>
class SolveTileFinishKernel {
 public:
  static constexpr int most_threads = 256;
  using Real = RealOf<Value>;
  using Sides = SolveTileSides<Value, TeamMember<ExecSpace>>;
  using Inverse = SolveTileInverse<Value, TeamMember<ExecSpace>>;
  static constexpr std::size_t most_scratch =
      std::max(sizeof(typename Sides::Scratch), Inverse::most_scratch_bytes) + 48;
  using Policy = BoundedTeams<ExecSpace, most_threads, 2, most_scratch>;

  explicit SolveTileFinishKernel(SolveBatch<Value> const& batch) : batch_(batch) {
    auto const n = static_cast<int>(batch.x.extents[1]);
    int const columns = SolveTileStorage<Value>::sides_of(batch);
    if (batch.condition || batch.inverse) inverse_teams_ = (n + Inverse::C - 1) / Inverse::C;
    each_ = std::max(inverse_teams_ + (columns + Sides::C - 1) / Sides::C, 1);
    std::size_t bytes = columns > 0 ? sizeof(typename Sides::Scratch) : 0;
    if (inverse_teams_ > 0) bytes = std::max(bytes, Inverse::scratch_bytes(n));
    bytes_ = (bytes + 15) / 16 * 16;
  }

  [[nodiscard]] int teams_per_system() const { return each_; }
  [[nodiscard]] std::size_t scratch_bytes() const { return bytes_ + 32; }
  static int threads(int n) { return n <= 128 ? 128 : most_threads; }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SolveProblem<Value> const problem = batch_(team.league_rank() / each_);
    SolveTileStorage<Value> const at(problem);
    void* const room = team.team_scratch(int{0}).get_shmem_aligned(std::size_t{bytes_}, 16);
    int& last = *static_cast<int*>(team.team_scratch(int{0}).get_shmem_aligned(sizeof(int), 16));
    int const rank = team.league_rank() % each_, part = rank - inverse_teams_;
    if (part < 0) {
      Inverse(team, problem, at, room, rank * Inverse::C).find();
    } else if (part * Sides::C < at.columns) {
      auto& scratch = *static_cast<typename Sides::Scratch*>(room);
      Sides(team, problem, at, scratch, part * Sides::C).solve();
    }
    fast_team_barrier(team);
    if (is_last_team(team, &at.state->arrived, each_, 1, last)) tell(team, problem, *at.state);
  }

 private:
  KOKKOS_FUNCTION void tell(TeamMember<ExecSpace> const& team, SolveProblem<Value> const& problem,
                            SolveTileState<Real> const& state) const {
    auto const number = [](BitsOf<Real> bits) { return Kokkos::bit_cast<Real>(bits); };
    auto const is = [&](int flag) { return (state.flags & flag) != 0; };
    SolveVerdict<Real> verdict;
    Real const before = number(state.before), after = number(state.after);
    if (before > Real(0)) verdict.growth = Kokkos::max(before, after) / before;
    verdict.finite = !is(matrix_not_finite) && !is(side_not_finite);
    verdict.singular = is(pivot_is_zero);
    verdict.broken = is(side_broken) || !(verdict.growth < Kokkos::Experimental::infinity_v<Real>);
    verdict.overflow = is(side_overflow);
    verdict.rcond = inverse_teams_ > 0
                        ? reciprocal_condition(number(state.norm), number(state.inverse_norm))
                        : Real(-1);
    if (verdict.refuses()) {
      Value const nan = quiet_nan<Value>();
      for (int j = 0; j < problem.columns; ++j)
        for (int i = team.team_rank(); i < problem.n; i += team.team_size()) problem.x(i, j) = nan;
    }
    if (team.team_rank() == 0) *problem.info = verdict.info();
  }

  SolveBatch<Value> batch_;
  int inverse_teams_ = 0, each_;
  std::size_t bytes_;
};

}  // namespace carroll::detail
