// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/lstsq/batch.hpp>
#include <carroll/detail/lstsq/team/columns.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>

namespace carroll::detail {

/// Columns of X that were made at another scale than theirs, and those of refused problems; all
/// others are left alone, and not read.
template <class ExecSpace, class Real>
class FinishColumnsKernel : public ColumnTiles<ExecSpace, Real> {
 public:
  using Member = typename ColumnTiles<ExecSpace, Real>::Member;
  using ColumnTiles<ExecSpace, Real>::ColumnTiles;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const& batch = this->batch_;
    this->for_columns(team, [&](int b, int j) {
      int const shift = batch.shift(b, j);
      if (shift == 0) return;
      auto const x = batch.member(batch.x, b).col(j);
      if (shift == LstsqBatch<Real>::no_number) {
        Real const nan = Kokkos::Experimental::quiet_NaN_v<Real>;
        return lane_for(team, batch.n, [&](int i) { x(i) = nan; });
      }
      lane_for(team, batch.n, [&](int i) { x(i) = scale(x(i), shift); });
      int const infinite = count_of(team, batch.n, [&](int i) { return Kokkos::isinf(x(i)); });
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
