// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/lstsq/batch.hpp>
#include <carroll/detail/lstsq/team/columns.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>

namespace carroll::detail {

/// Columns of X that were made at another scale than theirs, and those of refused problems; all
/// others are left alone, and not read, or, where X was made in the workspace, copied.
template <class ExecSpace, class T>
class FinishColumnsKernel : public ColumnTiles<ExecSpace, T> {
 public:
  using Member = TeamMember<ExecSpace>;
  using ColumnTiles<ExecSpace, T>::ColumnTiles;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const& batch = this->batch_;
    this->for_columns(team, [&](int b, int j) {
      int const shift = batch.shift(b, j);
      if (shift == 0 && !batch.is_apart()) return;
      auto const x = batch.member(batch.x, b).col(j), found = batch.found()[b].col(j);
      if (shift == LstsqBatch<T>::no_number) {
        T const nan = quiet_nan<T>();
        return lane_for(team, batch.n, [&](int i) { x(i) = nan; });
      }
      lane_for(team, batch.n, [&](int i) { x(i) = scale_parts(T(found(i)), shift); });
      if (shift == 0) return;
      int const infinite =
          count_of(team, batch.n, [&](int i) { return Kokkos::isinf(largest_part(x(i))); });
      once_per_thread(team, [&] {
        // Columns of one problem say the same.
        Status& status = batch.info(b).status;
        if (infinite > 0 && Kokkos::atomic_load(&status) == Status::success)
          Kokkos::atomic_store(&status, Status::overflow);
      });
    });
  }
};

}  // namespace carroll::detail
