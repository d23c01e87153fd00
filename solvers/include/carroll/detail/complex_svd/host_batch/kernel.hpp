// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/complex_svd/host_batch/groups.hpp>
#include <carroll/detail/host_groups.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <cstddef>

namespace carroll::detail {

/// The decomposition of complex matrices with at most 32 columns (or rows), all of it in one
/// kernel; `width` of them stand side by side in the lanes of the vector registers:
///
///   B·P = Q·R,  Rᴴ·J = W·Σ   so that   B = (Q·J)·Σ·(P·W)ᴴ
///
/// What does not suit it, as for the kernel of warps, goes onto the fallback list.
///
/// Cost for s sweeps: 12mn² - 4n³ + 16·s·n³ flops at most to find S, 8·s·n³ + 8mn·(columns of U)
/// more for U. A is read once, U, S and V are written once; the working set of a group is 2·width
/// times mn + 2n² + m numbers.
template <class Real>
struct ComplexSvdHostBatch {
  ComplexSvdBatch<Real> batch;
  Real tolerance;
  int max_sweeps;

  [[nodiscard]] std::size_t packs() const {
    return simd::complex_svd_room(std::max(batch.rows(), batch.cols()),
                                  std::min(batch.rows(), batch.cols()));
  }

  template <int Bytes>
  void run(int begin, int end, void* room) const {
    using Pack = carroll::detail::Pack<Real, Bytes>;
    simd::ComplexSvdGroups<Real, Pack>(batch, tolerance, max_sweeps)
        .run(begin, end, static_cast<Pack*>(room));
  }
};

template <class ExecSpace, class Real>
void enqueue_complex_svd_host_batch(ExecSpace const& exec, ComplexSvdBatch<Real> const& batch,
                                    SvdOptions const& options) {
  launch_host_groups<Real>(
      "carroll::svd::complex_host_batch", exec,
      ComplexSvdHostBatch<Real>{batch, static_cast<Real>(options.tolerance), options.max_sweeps},
      batch.members(), 1);
}

}  // namespace carroll::detail
