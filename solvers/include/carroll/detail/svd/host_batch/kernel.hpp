// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/host_groups.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/host_batch/groups.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <cstddef>

namespace carroll::detail {

/// The decomposition of matrices with at most 32 columns, all of it in one kernel:
///
///   A·P = Q·R,  Rᵀ·P₂ = Q₂·R₂,  R₂ᵀ·J = W·Σ   so that   A = (Q·P₂·W)·Σ·(P·Q₂·J)ᵀ
///
/// Numbers are double whatever Real is: a host computes in double at half the rate, and
/// single-precision input then needs neither double words nor scaling of intermediate results, and
/// converges to its tolerance sooner.
///
/// In double precision a matrix whose R tells that rounding in the QR would be felt waits, until
/// there are enough of these for a group, for a factorisation in double words. What is
/// rank-deficient beyond repair, not finite or not converged is left to the team kernels.
///
/// Cost for s sweeps, m >= n: 3mn² + 2n³ + 4·s·n³ flops at most to find S, 4mn·(columns of U) + 5n³
/// more for U and V. A is read once, U, S and V are written once; the working set of a group is
/// 8·width·(2mn + 3n²) bytes.
template <class Real>
struct SvdHostBatch {
  SvdBatch<Real> batch;
  int rows, cols;  ///< the largest
  Real tolerance;
  int max_sweeps;

  [[nodiscard]] std::size_t packs() const { return simd::packs_of<Real>(rows, cols); }

  template <int Bytes>
  void run(int begin, int end, void* room) const {
    using Pack = carroll::detail::Pack<double, Bytes>;
    simd::Groups<Real, Pack>(batch, tolerance, max_sweeps)
        .run(begin, end, static_cast<Pack*>(room));
  }
};

template <class ExecSpace, class Real>
void enqueue_host_batch(ExecSpace const& exec, SvdBatch<Real> batch, SvdPlan const& plan,
                        SvdOptions const& options) {
  SvdBounds const& bounds = plan.bounds(SvdPlan::host_batch);
  if (bounds.members == 0) return;
  batch.selection = plan.members(SvdPlan::host_batch);
  // Few enough teams for groups in double words to fill up.
  launch_host_groups<double>(
      "carroll::svd::simd", exec,
      SvdHostBatch<Real>{batch, bounds.rows, bounds.cols, static_cast<Real>(options.tolerance),
                         options.max_sweeps},
      bounds.members, 1);
}

}  // namespace carroll::detail
