// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/als/types.hpp>
#include <carroll/detail/als/memory.hpp>
#include <carroll/detail/row_equations/launch.hpp>
#include <carroll/detail/row_equations/team/launch.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A factor matrix and its biases, where kernels reach them.
template <class Real>
struct FactorSide {
  Real* x = nullptr;
  std::ptrdiff_t pitch = 0;
  Real* bias = nullptr;  ///< null where the model has none

  /// Without the first rows.
  [[nodiscard]] FactorSide from(std::int64_t row) const {
    return {x + row * pitch, pitch, bias ? bias + row : nullptr};
  }
};

/// The equations of the rows of `own`, the factors of `other` being known. `gram`: of implicit
/// feedback, the Gram matrix of all rows of `other`, `others` of them.
template <class Real, class Rows>
RowEquations<Real> row_equations(Rows const& ratings, FactorSide<Real> const& own,
                                 FactorSide<Real> const& other, int factors, Real mean,
                                 AlsOptions const& options, Real const* gram) {
  RowEquations<Real> p;
  p.offsets = ratings.offsets.data();
  p.columns = ratings.columns.data();
  p.values = ratings.values.data();
  p.rows = ratings.row_count;
  p.y = other.x;
  p.y_pitch = other.pitch;
  p.x = own.x;
  p.x_pitch = own.pitch;
  p.factors = factors;
  p.mean = mean;
  p.regularization = options.regularization;
  p.count_exponent = options.count_exponent;
  if (options.feedback == Feedback::implicit) {
    p.is_implicit = true;
    p.counts_all_pairs = options.counts_all_pairs;
    p.confidence = static_cast<Real>(options.confidence);
    p.unobserved = static_cast<Real>(options.unobserved_weight);
    p.common = gram;
    p.common_pitch = factors;
    p.common_scale = p.unobserved;
    p.count_shift = options.unobserved_weight * static_cast<double>(ratings.column_count);
  }
  if (options.biases >= AlsBiases::fixed) p.y_bias = other.bias;
  if (options.biases == AlsBiases::fixed) p.fixed_bias = own.bias;
  if (options.biases == AlsBiases::fitted) {
    p.fits_bias = true;
    p.x_bias = own.bias;
  }
  return p;
}

/// Enqueues gram := XᵀX, and sum := the sum of the rows unless it is null.
template <class ExecSpace, class Real>
void enqueue_gram(ExecSpace const& exec, DenseRows const& all, Real const* x, std::ptrdiff_t pitch,
                  int factors, Real* gram, Real* sum, RowMemory<ExecSpace, Real> const& memory) {
  RowEquations<Real> p;
  p.offsets = all.offsets;
  p.rows = 1;
  p.y = x;
  p.y_pitch = pitch;
  p.factors = factors;
  p.gram = gram;
  p.sum = sum;
  enqueue_rows(exec, p, all.schedule, memory);
}

/// One block of factors after the other: what the model says so far, then the block's equations.
template <class ExecSpace, class Real>
void enqueue_blocks(ExecSpace const& exec, RowEquations<Real> const& all, int block,
                    RowSchedule const& schedule, AlsMemory<ExecSpace, Real> const& memory) {
  for (int first = 0; first < all.factors; first += block) {
    launch_row_teams<Real>("carroll::row_equations::scores", exec,
                           ScoreRow<Real>{all, memory.scores});
    RowEquations<Real> p = all;
    p.adds = true;
    p.x_all = all.x;
    p.x_offset = first;
    p.factors_all = all.factors;
    p.factors = std::min(block, all.factors - first);
    p.x += first;
    p.y += first;
    p.scores = memory.scores;
    if (p.common) {
      p.common_rows = all.common + first * all.common_pitch;
      p.common = p.common_rows + first;
    }
    enqueue_rows(exec, p, schedule, memory.rows);
  }
}

/// Enqueues one side's step.
template <class ExecSpace, class Real>
void enqueue_side(ExecSpace const& exec, RowEquations<Real> problem, AlsOptions const& options,
                  RowSchedule const& schedule, AlsMemory<ExecSpace, Real> const& memory) {
  problem.findings = memory.rows.findings;
  switch (options.solver) {
    case AlsSolver::cholesky: return enqueue_rows(exec, problem, schedule, memory.rows);
    case AlsSolver::conjugate_gradients:
      return launch_row_teams<Real>("carroll::row_equations::conjugate_gradients", exec,
                                    ConjugateGradientRow<Real>{problem, options.steps});
    case AlsSolver::block_coordinates:
      return enqueue_blocks(exec, problem, options.block, schedule, memory);
  }
}

}  // namespace carroll::detail
