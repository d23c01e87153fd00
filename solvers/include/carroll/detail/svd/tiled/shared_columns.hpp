// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace carroll::detail {

/// Of kernels whose teams share a matrix: `each` columns, or rows, to a team.
template <int each>
class SharedColumns {
 public:
  static constexpr int columns_per_team = each;

  explicit SharedColumns(int cols) : teams_((cols + each - 1) / each) {}

  int teams_per_matrix() const { return teams_; }

 protected:
  /// The team's matrix, by its place, and the first of its columns.
  template <class Member>
  KOKKOS_FUNCTION int place_of(Member const& team) const {
    return team.league_rank() / teams_;
  }
  template <class Member>
  KOKKOS_FUNCTION int first_of(Member const& team) const {
    return team.league_rank() % teams_ * each;
  }

  int teams_;
};

}  // namespace carroll::detail
