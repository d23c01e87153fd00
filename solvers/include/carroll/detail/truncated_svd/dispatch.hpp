// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/truncated_svd/problem.hpp>
#include <carroll/truncated_svd/types.hpp>
#include <cmath>
#include <cstdint>

/// How the leading triplets are found, with n the smaller extent and l the width of the subspace.
/// Where the options do not ask for one path:
///
/// | path       | when                                                               |
/// | ---------- | ------------------------------------------------------------------ |
/// | full       | n <= 64: one short kernel; 2·l >= n: a subspace costs as much; the |
/// |            | residual after options.power_steps says that it will (without a    |
/// |            | workspace)                                                         |
/// | randomized | else                                                               |
///
/// First choices, not tuned. Which kernels the decomposition inside takes says detail/svd/dispatch.
namespace carroll::detail {

/// Columns of the random subspace: a multiple of 8, unless A is too small for that.
inline int subspace_width(TruncatedSvdExtents const& extents, TruncatedSvdOptions const& options) {
  std::int64_t const more =
      options.oversampling > 0 ? options.oversampling : std::max<std::int64_t>(extents.rank / 2, 8);
  std::int64_t const width = (extents.rank + more + 7) / 8 * 8;
  return static_cast<int>(std::min({width, extents.rows, extents.cols}));
}

/// The path as a call begins.
inline TruncatedSvdPath chosen_path(TruncatedSvdExtents const& extents,
                                    TruncatedSvdOptions const& options) {
  if (options.path != TruncatedSvdPath::automatic) return options.path;
  std::int64_t const least = std::min(extents.rows, extents.cols);
  bool const small = least <= 64 || 2 * subspace_width(extents, options) >= least;
  return small ? TruncatedSvdPath::full : TruncatedSvdPath::randomized;
}

/// Power steps until the residual is expected to meet the tolerance: each multiplies it by the
/// square of σ_width/σ_rank. 0 if they are more than `most`.
template <class Real>
int wanted_power_steps(TruncatedOutcome<Real> const& outcome, Real tolerance, int most) {
  double const gain = -2 * std::log2(std::max(double(outcome.contraction), 1e-30));
  double const lacking = std::log2(double(outcome.info.residual) / double(tolerance)) + 1;
  if (!(gain * most >= lacking)) return 0;
  return std::clamp(static_cast<int>(std::ceil(lacking / gain)), 1, most);
}

/// Are these power steps cheaper than all triplets? Flops of both, those of Jacobi's sweeps, 7
/// times 7n³, being about as fast as those of products. A first choice, not tuned.
template <class Real>
bool power_steps_pay(TruncatedProblem<Real> const& p, int steps) {
  double const m = p.rows, n = p.cols, l = p.width;
  double const step = 4 * m * n * l + 8 * (m + n) * l * l;
  double const core = 50 * l * l * l + 2 * m * n * (p.rank + 30);
  return steps * step + core < 3 * m * n * n + 50 * n * n * n;
}

}  // namespace carroll::detail
