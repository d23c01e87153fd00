// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/lstsq/batch.hpp>
#include <carroll/detail/lstsq/team/divide.hpp>
#include <carroll/detail/lstsq/team/finish.hpp>
#include <carroll/detail/lstsq/team/scale_columns.hpp>
#include <carroll/detail/lstsq/team/scale_matrix.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/lstsq/workspace.hpp>

namespace carroll::detail {

/// X = V·Σ⁺·(Uᴴ·B). Never fences, never allocates.
template <class ExecSpace, class T>
void enqueue_lstsq(ExecSpace const& exec, LstsqBatch<T> batch,
                   LstsqSteps<ExecSpace, T> const& steps) {
  if (batch.members == 0) return;
  using Product = AccessTo<GemmWorkspace<ExecSpace, T>>;
  int const lines = batch.by_rows() ? batch.m : batch.n;
  launch_fitting_teams("carroll::lstsq::scale_matrix", exec, ScaleMatrixKernel<ExecSpace, T>(batch),
                       {batch.members, team_threads(exec, batch.members, lines)});
  using Svd = AccessTo<SvdWorkspace<ExecSpace, T>>;
  auto const factors = Svd::batch(steps.factors, lstsq_factors(batch));
  Svd::enqueue(exec, factors, steps.factors);
  batch.factors = factors.infos;
  auto const over_columns = [&](char const* label, auto const& kernel) {
    launch_fitting_teams(label, exec, kernel, kernel.teams());
  };
  if (!batch.inverse) {
    over_columns("carroll::lstsq::scale_columns", ScaleColumnsKernel<ExecSpace, T>(batch));
    Product::enqueue(exec, "carroll::lstsq", lstsq_coefficients(batch), steps.coefficients);
  }
  over_columns("carroll::lstsq::divide", DivideKernel<ExecSpace, T>(batch));
  Product::enqueue(exec, "carroll::lstsq", lstsq_solution(batch), steps.solution);
  over_columns("carroll::lstsq::finish", FinishColumnsKernel<ExecSpace, T>(batch));
}

}  // namespace carroll::detail
