// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/host_batch/groups.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <carroll/detail/team.hpp>

/// Small matrices on a host, as many at once as a vector register holds numbers.
namespace carroll::detail {

/// The decomposition of matrices with at most 32 columns, all of it in one kernel:
///
///   A·P = Q·R,  Rᵀ·P₂ = Q₂·R₂,  R₂ᵀ·J = W·Σ   so that   A = (Q·P₂·W)·Σ·(P·Q₂·J)ᵀ
///
/// `width` matrices stand side by side in the lanes of the vector registers; a group of them is the
/// work of one thread and stays in its cache. Numbers are double whatever Real is: a host computes
/// in double at half the rate, and single-precision input then needs neither double words nor
/// scaling of intermediate results, and converges to its tolerance sooner.
///
/// In double precision a matrix whose R tells that rounding in the QR would be felt waits, until
/// there are enough of these for a group, for a factorisation in double words. What is
/// rank-deficient beyond repair, not finite or not converged is left to the team kernels.
///
/// Cost for s sweeps, m >= n: 3mn² + 2n³ + 4·s·n³ flops at most to find S, 4mn·(columns of U) + 5n³
/// more for U and V. A is read once, U, S and V are written once; the working set of a group is
/// 8·width·(2mn + 3n²) bytes.
template <class ExecSpace, class Real>
class SvdHostBatchKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  /// Team k works on members [k·share, (k + 1)·share) of the selection.
  SvdHostBatchKernel(SvdBatch<Real> const& batch, SvdBounds const& bounds, int share,
                     Real tolerance, int max_sweeps)
      : batch_(batch),
        members_(bounds.members),
        share_(share),
        rows_(bounds.rows),
        cols_(bounds.cols),
        tolerance_(tolerance),
        max_sweeps_(max_sweeps) {}

  std::size_t bytes_per_team() const { return bytes() + 2 * most_alignment; }

  void operator()(Member const& team) const { choose_host_vectors(Body{*this, team}); }

 private:
  static constexpr std::size_t most_alignment = 64;

  /// Whatever the width of a pack is, a working set of as many lanes.
  std::size_t bytes() const {
    return simd::packs_of<Real>(rows_, cols_) * static_cast<std::size_t>(host_vector_bytes());
  }

  struct Body {
    SvdHostBatchKernel const& kernel;
    Member const& team;

    template <int Bytes>
    void run() const {
      using Pack = carroll::detail::Pack<double, Bytes>;
      int const begin = team.league_rank() * kernel.share_;
      auto* const room =
          static_cast<Pack*>(team.team_scratch(1).get_shmem_aligned(kernel.bytes(), Bytes));
      simd::Groups<Real, Pack>(kernel.batch_, kernel.tolerance_, kernel.max_sweeps_)
          .run(begin, std::min(kernel.members_, begin + kernel.share_), room);
    }
  };

  SvdBatch<Real> batch_;
  int members_, share_, rows_, cols_;
  Real tolerance_;
  int max_sweeps_;
};

template <class ExecSpace, class Real>
void enqueue_host_batch(ExecSpace const& exec, SvdBatch<Real> batch, SvdPlan const& plan,
                        SvdOptions const& options) {
  SvdBounds const& bounds = plan.bounds(SvdPlan::host_batch);
  if (bounds.members == 0) return;
  batch.selection = plan.members(SvdPlan::host_batch);
  using Kernel = SvdHostBatchKernel<ExecSpace, Real>;
  // Enough teams for the threads to share the work evenly, few enough for groups in double words to
  // fill up.
  int const width = host_vector_bytes() / static_cast<int>(sizeof(double));
  int const groups = (bounds.members + width - 1) / width;
  int const per_team = std::clamp(groups / (8 * exec.concurrency()), 1, 64);
  int const share = width * per_team;
  Kernel const kernel(batch, bounds, share, static_cast<Real>(options.tolerance),
                      options.max_sweeps);
  launch_teams("carroll::svd::simd", exec, kernel,
               {.count = (bounds.members + share - 1) / share,
                .scratch = static_cast<std::size_t>(kernel.bytes_per_team()),
                .level = 1});
}

}  // namespace carroll::detail
