// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/host/kernels.hpp>
#include <carroll/detail/determinant/portable/panels.hpp>
#include <carroll/detail/device/launch.hpp>
#include <utility>

namespace carroll::detail {

/// `blocked` for one matrix beyond scratch on a host; see host/kernels.hpp.
template <class ExecSpace, class T>
void enqueue_host_panels(ExecSpace const& exec, DeterminantBatch<T> batch,
                         DeterminantPanels<T> const& panels) {
  int const n = batch.n;
  auto& work = batch.work;
  if (work.data == batch.source.data && work.strides[2] != 1 && work.strides[1] == 1) {
    // Rows of a column-major matrix become contiguous.
    using Kernel = HostTransposeKernel<ExecSpace, T>;
    Kernel const transpose({work.data, work.strides[1], work.strides[2]}, n);
    Kokkos::parallel_for("carroll::determinant::transpose",
                         typename Kernel::Policy(exec, 0, transpose.items(), Kokkos::ChunkSize(1)),
                         transpose);
    std::swap(work.strides[1], work.strides[2]);
    std::swap(batch.source.strides[1], batch.source.strides[2]);
  }
  HostProblem<T> problem;
  problem.batch = batch;
  int const most = panels.most;  // for as many threads as the workspace was made for
  int* const ints = panels.exchanges;
  problem.flags = ints + 2 * most * HostPanel<T>::ints;
  problem.row_bounds = batch.row_tops + n;
  int turn = 0;
  auto const block_at = [&](int first) {
    HostBlock<T> block;
    block.first = first;
    block.count = std::min(most, HostBlock<T>::panels_for(n - first, exec.concurrency()));
    for (int p = 0; p < block.count; ++p) {
      int const place = turn * most + p;
      block.panels[p] = HostPanel<T>(panels.panel + place * HostPanel<T>::scalars(n, most),
                                     ints + place * HostPanel<T>::ints, most);
      block.panels[p].ahead = block.end() - block.first_of(p);
    }
    turn ^= 1;
    return block;
  };

  using Rows = HostRowsKernel<ExecSpace, T>;
  Kokkos::parallel_for("carroll::determinant::rows", typename Rows::Policy(exec, 0, Rows::items(n)),
                       Rows{problem});
  HostBlock<T> block = block_at(0);
  launch_fitting_teams("carroll::determinant::start", exec,
                       HostStartKernel<ExecSpace, T>{problem, block}, {1, 1});
  while (block.end() < n) {
    using Update = HostUpdateKernel<ExecSpace, T>;
    HostBlock<T> const next = block_at(block.end());
    Update const update(problem, block, next, exec.concurrency());
    Kokkos::parallel_for("carroll::determinant::update",
                         typename Update::Policy(exec, 0, update.items(), Kokkos::ChunkSize(1)),
                         update);
    block = next;
  }
  using Finish = DeterminantFinishKernel<ExecSpace, T>;
  Kokkos::parallel_for("carroll::determinant::finish", typename Finish::Policy(exec, 0, 1),
                       Finish{batch});
}

}  // namespace carroll::detail
