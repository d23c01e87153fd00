// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/portable/launch.hpp>
#include <carroll/detail/determinant/study/condensation_steps.hpp>
#include <carroll/detail/device/launch.hpp>

namespace carroll::detail {

/// The historical forms of `condensation` for one matrix; see study/condensation_steps.hpp.
template <class ExecSpace, class T>
void enqueue_steps(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                   DeterminantMethod method) {
  launch_fitting_teams("carroll::determinant::start", exec,
                       DeterminantStartKernel<ExecSpace, T>{batch},
                       {1, determinant_team(exec, 1, batch.n)});
  CondensationArrays<T> arrays(batch, method == DeterminantMethod::condensation_in_place);
  for (int k = 0; k < batch.n; ++k) {
    int const left = batch.n - k - 1;
    int const team = determinant_team(exec, 1, left);
    if (k % safe_steps<T> == safe_steps<T> - 1)
      launch_fitting_teams("carroll::determinant::rescale", exec,
                           DeterminantRescaleKernel<ExecSpace, T>{arrays.in(batch), k}, {1, team});
    launch_fitting_teams("carroll::determinant::pivot", exec,
                         CondensationPivotKernel<ExecSpace, T>(batch, arrays, k), {1, team});
    if (left == 0) break;
    auto const condense = [&]<class Reads>(Reads) {
      using Kernel = CondensationStepKernel<ExecSpace, T, Reads>;
      launch_fitting_teams("carroll::determinant::condense", exec, Kernel(batch, arrays, k),
                           {left, Kernel::team_threads});
    };
    if (method == DeterminantMethod::condensation_read_only)
      condense(ReadOnlyMatrix{});
    else if (method == DeterminantMethod::condensation_read_only_column)
      condense(ReadOnlyColumn{});
    else
      condense(PlainReads{});
    arrays.advance();
  }
  using Finish = DeterminantFinishKernel<ExecSpace, T>;
  Kokkos::parallel_for("carroll::determinant::finish", typename Finish::Policy(exec, 0, 1),
                       Finish{batch});
}

}  // namespace carroll::detail
