// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/lstsq/batch.hpp>
#include <carroll/detail/lstsq/team/columns.hpp>
#include <carroll/detail/lstsq/team/power_factors.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// B into the workspace, column j as that of B·2^shift(j): up to where Uᴴ·B just stays in the
/// range. Columns of one problem may be of any scales, each is treated as if it were alone. A
/// thread per column; B is read twice and written once.
template <class ExecSpace, class T>
class ScaleColumnsKernel : public ColumnTiles<ExecSpace, T> {
  using Real = RealOf<T>;

 public:
  using Member = TeamMember<ExecSpace>;
  using ColumnTiles<ExecSpace, T>::ColumnTiles;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const& batch = this->batch_;
    this->for_columns(team, [&](int b, int j) {
      auto const from = batch.member(batch.b, b).col(j);
      Real const largest = largest_entry<T>(team, batch.m, from);
      int const shift = shift_to(largest, batch.scales.b);
      PowerFactors<Real> const raised(shift);
      T* const to = batch.B(b) + static_cast<std::ptrdiff_t>(j) * batch.m;
      lane_for(team, batch.m, [&](int i) { to[i] = raised(from(i)); });
      once_per_thread(team, [&] {
        batch.shift(b, j) = shift;
        if (!Kokkos::isfinite(largest)) Kokkos::atomic_store(&batch.refused(b), 1);
      });
    });
  }
};

}  // namespace carroll::detail
