// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/distributed/detail/tall_qr/host/kernels.hpp>
#include <carroll/distributed/detail/tall_qr/problem.hpp>
#include <carroll/distributed/detail/tall_qr/triangle.hpp>
#include <cstdint>
#include <vector>

/// Which kernels run, and in which order.
namespace carroll::distributed::detail {

/// Threads that a call has at most.
template <class ExecSpace>
int tall_workers(ExecSpace const& exec, std::int64_t blocks) {
  return static_cast<int>(std::clamp<std::int64_t>(blocks, 1, exec.concurrency()));
}

template <class ExecSpace, class Kernel>
void enqueue_range(char const* label, ExecSpace const& exec, std::int64_t count,
                   Kernel const& kernel) {
  if (count > 0) Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, count), kernel);
}
/// One iteration for each worker.
template <class ExecSpace, class Kernel>
void enqueue_workers(char const* label, ExecSpace const& exec, int workers, Kernel const& kernel) {
  typename Kernel::Policy policy(exec, 0, workers);
  policy.set_chunk_size(1);
  Kokkos::parallel_for(label, policy, kernel);
}

/// f(half) for the halves of the levels above `part_blocks` that this rank has nodes on.
template <class Real, class F>
void for_levels(TallProblem<Real> const& p, bool upwards, F const& f) {
  std::vector<std::int64_t> halves;
  for (std::int64_t half = host::part_blocks; half < p.last; half *= 2) halves.push_back(half);
  if (!upwards) std::reverse(halves.begin(), halves.end());
  for (std::int64_t half : halves) f(half);
}

/// From A to this rank's triangles in `sent`.
template <class ExecSpace, class Real>
void enqueue_factorise(ExecSpace const& exec, TallProblem<Real> const& p) {
  if (p.count() == 0) return;
  enqueue_workers("carroll::tall_qr::blocks", exec, p.workers,
                  host::FactorisePartsKernel<ExecSpace, Real>{p});
  for_levels(p, true, [&](std::int64_t half) {
    host::LevelKernel<ExecSpace, Real, true> const kernel{p, half};
    if (kernel.count() > 0) enqueue_workers("carroll::tall_qr::join", exec, p.workers, kernel);
  });
  SubtreesKernel<ExecSpace, Real, false> const send{p};
  enqueue_range("carroll::tall_qr::send", exec, send.count(), send);
}

/// From the triangles of all ranks to R, a caller's or `p.R`.
template <class ExecSpace, class Real>
void enqueue_triangle(ExecSpace const& exec, TallProblem<Real> const& p,
                      StridedMatrix<Real> const& R, bool signs) {
  enqueue_workers("carroll::tall_qr::join_ranks", exec, 1,
                  host::TopKernel<ExecSpace, Real, true>{p});
  enqueue_range("carroll::tall_qr::outcome", exec, 1, OutcomeKernel<ExecSpace, Real>{p, !signs});
  enqueue_range("carroll::tall_qr::triangle", exec, std::int64_t{p.cols} * p.cols,
                TriangleKernel<ExecSpace, Real>{p, R, signs});
}

/// From `p.core` to Q·core.
template <class ExecSpace, class Real>
void enqueue_expand(ExecSpace const& exec, TallProblem<Real> const& p) {
  if (p.count() == 0) return;
  enqueue_range("carroll::tall_qr::core", exec, p.top.size(), CoreKernel<ExecSpace, Real>{p});
  enqueue_workers("carroll::tall_qr::split_ranks", exec, 1,
                  host::TopKernel<ExecSpace, Real, false>{p});
  SubtreesKernel<ExecSpace, Real, true> const receive{p};
  enqueue_range("carroll::tall_qr::receive", exec, receive.count(), receive);
  for_levels(p, false, [&](std::int64_t half) {
    host::LevelKernel<ExecSpace, Real, false> const kernel{p, half};
    if (kernel.count() > 0) enqueue_workers("carroll::tall_qr::split", exec, p.workers, kernel);
  });
  enqueue_workers("carroll::tall_qr::expand", exec, p.workers,
                  host::ExpandPartsKernel<ExecSpace, Real>{p});
}

}  // namespace carroll::distributed::detail
