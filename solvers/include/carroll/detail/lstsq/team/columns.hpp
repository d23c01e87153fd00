// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/lstsq/batch.hpp>
#include <carroll/detail/quotient.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// The columns of right-hand sides and solutions as work for teams: a team for so many of a member,
/// a thread for one at a time.
template <class ExecSpace, class T>
class ColumnTiles {
 public:
  explicit ColumnTiles(LstsqBatch<T> const& batch)
      : batch_(batch), tiles_(std::max(quotient_up(batch.p, tile), 1)) {}

  /// There is one for a member without columns, too.
  [[nodiscard]] TeamLaunch teams() const {
    int const most = lanes<ExecSpace> == 1 ? 1 : 8;
    return {batch_.members * tiles_, std::clamp(batch_.p, 1, most)};
  }

 protected:
  KOKKOS_FUNCTION int member(TeamMember<ExecSpace> const& team) const {
    return team.league_rank() / tiles_;
  }
  KOKKOS_FUNCTION bool is_first(TeamMember<ExecSpace> const& team) const {
    return team.league_rank() % tiles_ == 0;
  }
  /// The team's columns: the first, and how many.
  KOKKOS_FUNCTION int begin(TeamMember<ExecSpace> const& team) const {
    return team.league_rank() % tiles_ * tile;
  }
  KOKKOS_FUNCTION int count(TeamMember<ExecSpace> const& team) const {
    return Kokkos::min(int{tile}, batch_.p - begin(team));
  }
  /// f(b, j) for each of them, j of member b.
  template <class F>
  KOKKOS_FUNCTION void for_columns(TeamMember<ExecSpace> const& team, F const& f) const {
    int const b = member(team), first = begin(team);
    thread_for(team, count(team), [&](int j) { f(b, first + j); });
  }

  LstsqBatch<T> batch_;

 private:
  /// Neighbouring columns of matrices that lie row by row share cache lines.
  static constexpr int tile = 32;
  int tiles_;
};

}  // namespace carroll::detail
