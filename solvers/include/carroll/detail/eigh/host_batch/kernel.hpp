// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/host_batch/groups.hpp>
#include <carroll/detail/eigh/plan.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/host_groups.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <cstddef>

namespace carroll::detail {

/// The decomposition of symmetric or Hermitian matrices of some order, all of it in one kernel:
///
///   A = Q·T·Qᴴ,  T = S·diag(λ)·Sᵀ,  V = Q·S
///
/// by Householder reflections and implicit QL steps with Wilkinson's shift (Martin and Wilkinson,
/// Numer. Math. 11 and 12, 1968). Steps are taken in all lanes at once, each lane on a block of its
/// own, so that lanes differ in the end of their work only by the number of their steps.
///
/// 4n³/3 flops and some 1.8·n²/2 roots and divisions to find W, 4n³/3 + 5.4·n³ more for V. A is
/// read once, W and V are written once; the working set of a group is n² + 13n registers, of
/// complex matrices 2n² + 16n. Of these four times as many flops make T and Q; T and S are real, so
/// that V takes twice as many.
template <class T>
struct EighHostBatch {
  EighBatch<T> batch;
  int n;  ///< the largest order
  int max_sweeps;

  [[nodiscard]] std::size_t packs() const { return simd::eigh_room<is_complex<T>>(n); }

  template <int Bytes>
  void run(int begin, int end, void* room) const {
    using Pack = carroll::detail::Pack<RealOf<T>, Bytes>;
    simd::SymmetricGroups<T, Pack>(batch, max_sweeps).run(begin, end, static_cast<Pack*>(room));
  }
};

template <class ExecSpace, class T>
void enqueue_eigh_host_batch(ExecSpace const& exec, EighBatch<T> batch, EighPlan const& plan,
                             EighOptions const& options) {
  using Real = RealOf<T>;
  EighBounds const& bounds = plan.bounds(EighPlan::host_batch);
  if (bounds.members == 0) return;
  batch.selection = plan.members(EighPlan::host_batch);
  // Pairs of groups where there are enough.
  int const width = host_vector_bytes() / static_cast<int>(sizeof(Real));
  int const groups = (bounds.members + width - 1) / width;
  launch_host_groups<Real>("carroll::eigh::host_batch", exec,
                           EighHostBatch<T>{batch, bounds.n, options.max_sweeps}, bounds.members,
                           groups >= 2 * exec.concurrency() ? 2 : 1);
}

}  // namespace carroll::detail
