// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/pseudoinverse/dense/entries.hpp>
#include <carroll/detail/pseudoinverse/dense/factors.hpp>
#include <carroll/detail/pseudoinverse/dense/products.hpp>
#include <carroll/detail/pseudoinverse/dense/stretches.hpp>
#include <carroll/detail/pseudoinverse/launch.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/inverse.hpp>

/// Launches what dispatch.hpp has planned for a dense A⁺.
namespace carroll::detail {

/// What the step before a dense A⁺ solves. Its kernels read a right-hand side, and A⁺ has none: u
/// does for one, of which nothing is left beside U. So its numbers are finite if those of A are.
template <class Real>
ArrowBatch<Real> step_of_inverse(ArrowBatch<Real> batch) {
  batch.rhs = batch.depth;
  return batch;
}

/// A⁺ of one motion column, or its factors, in one kernel of a GPU with warps.
template <class Writer, class ExecSpace, class Real>
void launch_one_motion_inverse(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                               DenseFactors<Real> const& factors) {
  if constexpr (has_warps<ExecSpace>) {
    OneMotionInverseKernel<ExecSpace, Real, Writer> const kernel(exec, batch, factors);
    launch_teams("carroll::pseudoinverse::inverse", exec, kernel, kernel.teams(exec));
  }
}

/// Factors of A⁺ from what the step has left.
template <class ExecSpace, class Real>
void launch_factors(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                    DenseFactors<Real> const& factors) {
  constexpr int most = lanes<ExecSpace> == 1 ? 1 : 4;
  with_plainness(batch, [&](auto plain) {
    auto const launch = [&](auto const& kernel) {
      launch_items("carroll::pseudoinverse::factors", exec, kernel, kernel.items(),
                   ArrowTeam<ExecSpace>(most, 0));
    };
    if (batch.k == 1)
      launch(DenseFactorsKernel<ExecSpace, Real, plain.value, true>(batch, factors));
    else
      launch(DenseFactorsKernel<ExecSpace, Real, plain.value, false>(batch, factors));
  });
}

template <bool ByRows, class ExecSpace, class Real>
void launch_products(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                     DenseFactors<Real> const& factors) {
  if constexpr (has_warps<ExecSpace>) {
    auto const with = [&](auto motions) {
      if (batch.k != motions.value) return;
      DenseProductsKernel<ExecSpace, Real, motions.value, ByRows> const kernel(batch, factors);
      launch_teams("carroll::pseudoinverse::write", exec, kernel, kernel.teams(exec));
    };
    if constexpr (!ByRows) with(std::integral_constant<int, 1>{});
    with(std::integral_constant<int, 3>{});
    with(std::integral_constant<int, 6>{});
  }
}

/// The entries of A⁺ from its factors.
template <class ExecSpace, class Real>
void launch_write(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                  DenseFactors<Real> const& factors, WriteKernels write) {
  constexpr char const* label = "carroll::pseudoinverse::write";
  switch (write) {
    case WriteKernels::none: break;
    case WriteKernels::products_by_rows: launch_products<true>(exec, batch, factors); break;
    case WriteKernels::products_by_columns: launch_products<false>(exec, batch, factors); break;
    case WriteKernels::entries:
      if constexpr (lanes < ExecSpace >> 1) {
        DenseEntriesKernel<ExecSpace, Real> const kernel(batch, factors);
        launch_teams(label, exec, kernel, kernel.teams(exec));
      }
      break;
    case WriteKernels::stretches:
      if constexpr (lanes<ExecSpace> == 1) {
        using Kernel = DenseStretchesKernel<ExecSpace, Real>;
        Kernel const kernel(batch, factors);
        Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, kernel.items()), kernel);
      }
      break;
  }
}

/// Launches the dense A⁺ of all frames, after their step where the plan has one; `batch`: with the
/// windows of that.
template <class ExecSpace, class Real>
void launch_dense(ExecSpace const& exec, ArrowBatch<Real> const& batch,
                  DenseFactors<Real> const& factors, DensePlan const& plan) {
  if (batch.frames == 0 || batch.n == 0) return;
  switch (plan.inverse) {
    case InverseKernels::after_step: launch_factors(exec, batch, factors); break;
    case InverseKernels::one_motion_rows:
      launch_one_motion_inverse<OneMotionRowWriter<Real>>(exec, batch, factors);
      break;
    case InverseKernels::one_motion_columns:
      launch_one_motion_inverse<OneMotionColumnWriter<Real>>(exec, batch, factors);
      break;
    case InverseKernels::one_motion_factors:
      launch_one_motion_inverse<OneMotionFactorWriter<Real>>(exec, batch, factors);
      break;
  }
  launch_write(exec, batch, factors, plan.write);
}

}  // namespace carroll::detail
