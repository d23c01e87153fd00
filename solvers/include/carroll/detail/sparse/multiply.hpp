// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

namespace carroll::detail {

/// y := A·x for rows of a sparse matrix and a block of columns: a row's entries one after the
/// other, for all columns of the block, a team per row, a lane per column. 2·width flops for each
/// entry.
template <class ExecSpace, class Real, class Offset, class Column>
struct SparseMultiplyKernel {
  Offset const* offsets;
  Column const* columns;
  Real const* values;
  int width;
  StridedMatrix<Real> x, y;  ///< rows without gaps

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const i = team.league_rank();
    Real* const to = &y(i, 0);
    lane_for(team, width, [&](int j) { to[j] = 0; });
    for (Offset e = offsets[i]; e < offsets[i + 1]; ++e) {
      Real const value = values[e];
      Real const* const from = x.data + static_cast<std::ptrdiff_t>(columns[e]) * x.row_stride;
      lane_for(team, width, [&](int j) { to[j] += value * from[j]; });
    }
  }
};

}  // namespace carroll::detail
