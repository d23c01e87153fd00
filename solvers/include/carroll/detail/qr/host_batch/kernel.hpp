// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/host_batch/groups.hpp>
#include <carroll/detail/qr/plan.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <cstddef>

/// Small matrices on a host, as many at once as a vector register holds numbers.
namespace carroll::detail {

/// The factorisation of small matrices, all of it in one kernel: Householder reflectors (Golub and
/// Van Loan, 5.2). `width` matrices stand side by side in the lanes of the vector registers; a
/// group of them is the work of one thread and stays in its cache. Reflectors are applied two by
/// two to four columns at a time, which are read and written once for both.
///
/// 2mn² - 2n³/3 flops to find R, as many for thin Q, n roots and 2n divisions; half as many again
/// for R with pivoting. A is read once, Q and R are written once; the working set of a group is
/// mn + 4m + 8n registers.
template <class ExecSpace, class Real>
class QrHostBatchKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  /// Team k works on members [k·share, (k + 1)·share) of the selection.
  QrHostBatchKernel(QrBatch<Real> const& batch, QrBounds const& bounds, int share)
      : batch_(batch),
        members_(bounds.members),
        share_(share),
        packs_(simd::qr_room(bounds.entries, bounds.rows, bounds.cols)) {}

  std::size_t bytes_per_team() const { return bytes() + 2 * most_alignment; }

  void operator()(Member const& team) const { choose_host_vectors(Body{*this, team}); }

 private:
  static constexpr std::size_t most_alignment = 64;

  /// Whatever the width of a pack is, a working set of as many lanes.
  std::size_t bytes() const { return packs_ * static_cast<std::size_t>(host_vector_bytes()); }

  struct Body {
    QrHostBatchKernel const& kernel;
    Member const& team;

    template <int Bytes>
    void run() const {
      using Pack = carroll::detail::Pack<Real, Bytes>;
      int const begin = team.league_rank() * kernel.share_;
      auto* const room =
          static_cast<Pack*>(team.team_scratch(1).get_shmem_aligned(kernel.bytes(), Bytes));
      simd::QrGroups<Real, Pack>(kernel.batch_)
          .run(begin, std::min(kernel.members_, begin + kernel.share_), room);
    }
  };

  QrBatch<Real> batch_;
  int members_, share_;
  std::size_t packs_;
};

template <class ExecSpace, class Real>
void enqueue_qr_host_batch(ExecSpace const& exec, QrBatch<Real> batch, QrPlan const& plan) {
  QrBounds const& bounds = plan.bounds(QrFamily::host_batch);
  if (bounds.members == 0) return;
  batch.selection = plan.members(QrFamily::host_batch);
  using Kernel = QrHostBatchKernel<ExecSpace, Real>;
  int const width = host_vector_bytes() / static_cast<int>(sizeof(Real));
  int const groups = (bounds.members + width - 1) / width;
  // Enough teams for the threads to share the work evenly.
  int const share = width * std::clamp(groups / (8 * exec.concurrency()), 1, 64);
  Kernel const kernel(batch, bounds, share);
  launch_teams("carroll::qr::host_batch", exec, kernel,
               {.count = (bounds.members + share - 1) / share,
                .scratch = kernel.bytes_per_team(),
                .level = 1});
}

}  // namespace carroll::detail
