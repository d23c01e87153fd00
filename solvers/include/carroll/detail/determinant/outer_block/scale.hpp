// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/outer_block/outer_block.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// Before the first outer block: rows are scaled, and copied where A is kept. n² entries read, n²
/// written.
template <class ExecSpace, class T>
class OuterBlockScaleKernel {
 public:
  static constexpr int threads = 256;
  using Policy = BoundedTeams<ExecSpace, threads, 4, 0>;

  OuterBlockScaleKernel(DeterminantBatch<T> const& batch, RowPanelWorkspace<T> const& workspace,
                        OuterBlock<T> const& outer_block)
      : batch_(batch), workspace_(workspace), outer_block_(outer_block) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    RowPanelMemory<T> const memory = workspace_.of(0);
    if (memory.progress->status != Status::success) return;
    int const i = team.league_rank();
    StridedMatrix<T> const to = batch_.work_of(0);
    StridedMatrix<T const> const from =
        memory.progress->balanced ? StridedMatrix<T const>{to.data, to.row_stride, to.col_stride}
                                  : batch_.source_of(0);
    T const factor = memory.row_factor[i];
    if (factor != T(1) || from.data != to.data)
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, batch_.n),
                           [&](int j) { to(i, j) = from(i, j) * factor; });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      memory.row_factor[i] = T(1);
      outer_block_.row_bound[i] = T(1);
    });
  }

 private:
  DeterminantBatch<T> batch_;
  RowPanelWorkspace<T> workspace_;
  OuterBlock<T> outer_block_;
};

}  // namespace carroll::detail
