// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/host_batch/groups.hpp>
#include <carroll/detail/eigh/plan.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <cstddef>

/// Small matrices on a host, as many at once as a vector register holds numbers.
namespace carroll::detail {

/// The decomposition of symmetric matrices of some order, all of it in one kernel:
///
///   A = Q·T·Qᵀ,  T = S·diag(λ)·Sᵀ,  V = Q·S
///
/// by Householder reflections and implicit QL steps with Wilkinson's shift (Martin and Wilkinson,
/// Numer. Math. 11 and 12, 1968). `width` matrices stand side by side in the lanes of the vector
/// registers; a group of them is the work of one thread and stays in its cache. Steps are taken in
/// all lanes at once, each lane on a block of its own, so that lanes differ in the end of their
/// work only by the number of their steps.
///
/// 4n³/3 flops and some 1.8·n²/2 roots and divisions to find W, 4n³/3 + 5.4·n³ more for V. A is
/// read once, W and V are written once; the working set of a group is n² + 7n registers.
template <class ExecSpace, class Real>
class EighHostBatchKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  /// Team k works on members [k·share, (k + 1)·share) of the selection.
  EighHostBatchKernel(EighBatch<Real> const& batch, EighBounds const& bounds, int share,
                      int max_sweeps)
      : batch_(batch),
        members_(bounds.members),
        share_(share),
        n_(bounds.n),
        max_sweeps_(max_sweeps) {}

  std::size_t bytes_per_team() const { return bytes() + 2 * most_alignment; }

  void operator()(Member const& team) const { choose_host_vectors(Body{*this, team}); }

 private:
  static constexpr std::size_t most_alignment = 64;

  /// Whatever the width of a pack is, a working set of as many lanes.
  std::size_t bytes() const {
    return simd::eigh_room(n_) * static_cast<std::size_t>(host_vector_bytes());
  }

  struct Body {
    EighHostBatchKernel const& kernel;
    Member const& team;

    template <int Bytes>
    void run() const {
      using Pack = carroll::detail::Pack<Real, Bytes>;
      int const begin = team.league_rank() * kernel.share_;
      auto* const room =
          static_cast<Pack*>(team.team_scratch(1).get_shmem_aligned(kernel.bytes(), Bytes));
      simd::SymmetricGroups<Real, Pack>(kernel.batch_, kernel.max_sweeps_)
          .run(begin, std::min(kernel.members_, begin + kernel.share_), room);
    }
  };

  EighBatch<Real> batch_;
  int members_, share_, n_, max_sweeps_;
};

template <class ExecSpace, class Real>
void enqueue_eigh_host_batch(ExecSpace const& exec, EighBatch<Real> batch, EighPlan const& plan,
                             EighOptions const& options) {
  EighBounds const& bounds = plan.bounds(EighPlan::host_batch);
  if (bounds.members == 0) return;
  batch.selection = plan.members(EighPlan::host_batch);
  using Kernel = EighHostBatchKernel<ExecSpace, Real>;
  int const width = host_vector_bytes() / static_cast<int>(sizeof(Real));
  int const groups = (bounds.members + width - 1) / width;
  // Enough teams for the threads to share the work evenly, of pairs of groups where there are.
  int const threads = exec.concurrency();
  int const least = groups >= 2 * threads ? 2 : 1;
  int const share = width * std::clamp(groups / (8 * threads), least, 64);
  Kernel const kernel(batch, bounds, share, options.max_sweeps);
  launch_teams("carroll::eigh::host_batch", exec, kernel,
               {.count = (bounds.members + share - 1) / share,
                .scratch = kernel.bytes_per_team(),
                .level = 1});
}

}  // namespace carroll::detail
