// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "svd/contender.hpp"

namespace carroll::perf {

/// Uniform random entries in (0,1), the matrices of the study that Carroll grew from. Every entry
/// has 24 significant bits, so that both precisions solve exactly the same matrix; member b depends
/// on the extents and b only, not on the size of the batch.
template <class Real>
std::vector<Real> uniform_matrices(SvdShape const& shape);
/// Entries of one member of these.
template <class Real>
void fill_uniform(SvdShape const& shape, int member, Real* A);

/// Members that are checked and whose singular values are compared: first, middle and last.
std::vector<int> sampled_members(SvdShape const& shape);

/// Singular values in long double, descending, of the sampled members of `uniform_matrices`, one
/// after the other: Householder QR, then one-sided Jacobi on the transposed triangle. Empty when
/// min(m, n) is above `reference_limit`, where it would cost seconds.
inline constexpr int reference_limit = 300;
std::vector<long double> reference_values(SvdShape const& shape);

/// Singular values in long double, descending, of an m×n matrix, m ≥ n, to high relative accuracy
/// where its columns scaled to unit norm are well conditioned: one-sided Jacobi on A itself.
template <class Real>
std::vector<long double> precise_values(int rows, int cols, std::span<Real const> A);

/// Puts the larger of two in place of the first, or NaN if either is: std::max would drop a NaN.
inline void keep_larger(double& kept, double value) {
  if (std::isnan(value) || value > kept) kept = value;
}

/// Outcome of the one check that goes before timing. The ratios are LAPACK's, the worst of the
/// sampled members: residual ‖A−USVᵀ‖₁/(max(m,n)‖A‖₁ε) and orthogonality max(‖I−UᵀU‖₁/(mε),
/// ‖I−VᵀV‖₁/(nε)); above `reference_limit` with Frobenius norms in place of ‖·‖₁, which products
/// with a few random vectors of ±1 estimate (‖R‖²_F is the mean of ‖Rx‖²: Hutchinson, 1990). For
/// values only, residual is max|σ−σ_ref|/(max(m,n)σ₁ε), without a reference
/// |Σσ²−‖A‖²_F|/(max(m,n)‖A‖²_F ε), and orthogonality 0.
struct SvdCheck {
  double residual = 0;
  double orthogonality = 0;
  double mean_square_error = -1;  // of the singular values; negative when there is no reference
  std::string fault;              // empty when the solution is good
};

/// `tolerance` is the solver's own stopping tolerance on cosines, 0 for its default: the default
/// must stay within LAPACK's threshold of 50, a loose tolerance within 2·tolerance/ε. `solution`
/// has U and V of the sampled members.
template <class Real>
SvdCheck check_solution(SvdShape const& shape, std::span<Real const> A,
                        SvdSolution<Real> const& solution, std::span<long double const> reference,
                        double tolerance);

}  // namespace carroll::perf
