// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <carroll/detail/determinant/closed_form/host.hpp>
#include <carroll/detail/determinant/closed_form/kernel.hpp>
#include <carroll/detail/determinant/host/batch.hpp>
#include <carroll/detail/determinant/host/kernels.hpp>
#include <carroll/detail/determinant/host/scratch.hpp>
#include <carroll/detail/determinant/outer_block/launch.hpp>
#include <carroll/detail/determinant/portable/in_place.hpp>
#include <carroll/detail/determinant/portable/panels.hpp>
#include <carroll/detail/determinant/portable/scratch.hpp>
#include <carroll/detail/determinant/row_panel/launch.hpp>
#include <carroll/detail/determinant/study/condensation_steps.hpp>
#include <carroll/detail/determinant/warp/kernels.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <cstddef>
#include <type_traits>
#include <utility>

/// Which kernels run, in which order and with which teams. No result depends on how many matrices
/// there are: the path does so for row panels only, where both ways do the same arithmetic.
namespace carroll::detail {

/// How `blocked` is carried out; the other methods are `in_place` or, launch by launch, `steps`.
enum class DeterminantPath {
  nothing,
  closed,
  registers,
  simd,
  row_panels,
  shared_row_panels,
  outer_blocks,
  scratch,
  panels,
  in_place,
  steps
};

/// Real numbers on a host have kernels of their own for `scratch` and `panels`.
template <class ExecSpace, class T>
inline constexpr bool has_host_kernels = lanes<ExecSpace> == 1 && !is_complex<T>;

template <class ExecSpace, class T>
int determinant_scratch_order() {
  if constexpr (has_host_kernels<ExecSpace, T>)
    return HostScratchKernel<ExecSpace, T>::max_order;
  else
    return DeterminantScratchKernel<ExecSpace, T>::max_order();
}

template <class ExecSpace, class T>
DeterminantPath determinant_path(DeterminantOptions const& options, std::int64_t n,
                                 std::int64_t members,
                                 int teams_at_once = row_panel_teams_at_once(ExecSpace())) {
  if (n == 0) return DeterminantPath::nothing;
  if (options.method >= DeterminantMethod::condensation_in_place) return DeterminantPath::steps;
  if (options.method != DeterminantMethod::blocked) return DeterminantPath::in_place;
  if (n == 1 || (n <= 3 && most_in_registers<ExecSpace, T> == 0)) return DeterminantPath::closed;
  if (n <= most_in_registers<ExecSpace, T>) return DeterminantPath::registers;
  if (takes_row_panels<ExecSpace, T>(n, teams_at_once))
    return one_team_row_panels(n, members) ? DeterminantPath::row_panels
           : outer_blocks_of<T>(n) == 0    ? DeterminantPath::shared_row_panels
                                           : DeterminantPath::outer_blocks;
  if constexpr (has_host_kernels<ExecSpace, T>)
    if (n <= HostBatchKernel<ExecSpace, T>::max_order) return DeterminantPath::simd;
  if (n <= determinant_scratch_order<ExecSpace, T>()) return DeterminantPath::scratch;
  // Tiles of the product do not fit every device's scratch in this precision.
  if (lanes<ExecSpace> != 1 && is_complex<T>) return DeterminantPath::in_place;
  return DeterminantPath::panels;
}

/// Threads of a team that has one of `league` matrices of order n. No result depends on it.
template <class ExecSpace>
int determinant_team(ExecSpace const& exec, int league, int n) {
  if constexpr (lanes<ExecSpace> == 1) {
    // Below some 200 rows the barriers of every step cost more than a team saves.
    int const threads = exec.concurrency();
    return league >= threads || n < 200 ? 1 : threads;
  } else {
    return static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::clamp(n / 8, 1, 32))));
  }
}

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
                       Rows(problem));
  HostBlock<T> block = block_at(0);
  launch_fitting_teams("carroll::determinant::start", exec,
                       HostStartKernel<ExecSpace, T>(problem, block), {1, 1});
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
                       Finish(batch));
}

/// `blocked` for one matrix beyond scratch; see portable/panels.hpp.
template <class ExecSpace, class T>
void enqueue_panels(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                    DeterminantPanels<T> const& panels) {
  int const n = batch.n;
  int const team = determinant_team(exec, 1, n);
  launch_fitting_teams("carroll::determinant::start", exec,
                       DeterminantStartKernel<ExecSpace, T>(batch), {1, team});
  int steps = 0;  // since rows were last brought into range
  for (int first = 0; first < n; first += panel_rows<T>) {
    int const rows = std::min(panel_rows<T>, n - first);
    if (steps + rows > safe_steps<T>) {
      launch_fitting_teams("carroll::determinant::rescale", exec,
                           DeterminantRescaleKernel<ExecSpace, T>(batch, first), {1, team});
      steps = 0;
    }
    steps += rows;
    launch_fitting_teams("carroll::determinant::panel", exec,
                         DeterminantPanelKernel<ExecSpace, T>(batch, panels, first, rows),
                         {1, determinant_team(exec, 1, n - first)});
    int const left = n - first - rows;
    if (left == 0) break;
    DeterminantFactorsKernel<ExecSpace, T> const factors(batch, panels, first, rows);
    using Policy = typename DeterminantFactorsKernel<ExecSpace, T>::Policy;
    Kokkos::parallel_for("carroll::determinant::factors", Policy(exec, 0, factors.items()),
                         factors);
    StridedMatrix<T> const A = batch.work_of(0);
    StridedMatrix<T> const rest{&A(first + rows, first + rows), A.row_stride, A.col_stride};
    enqueue_gemm("carroll::determinant::update", exec,
                 Gemm<T>{left,
                         left,
                         rows,
                         T(-1),
                         {panels.factors, panel_rows<T>, 1},
                         {panels.panel + rows, padded_row<T>(n - first), 1},
                         T(1),
                         rest,
                         &batch.states[0].done});
  }
  using Finish = DeterminantFinishKernel<ExecSpace, T>;
  Kokkos::parallel_for("carroll::determinant::finish", typename Finish::Policy(exec, 0, 1),
                       Finish(batch));
}

template <class ExecSpace, class T>
void enqueue_in_place(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                      DeterminantMethod method) {
  int const team = determinant_team(exec, batch.members, batch.n);
  auto const enqueue = [&]<class Method>(char const* label, Method) {
    launch_fitting_teams(label, exec, DeterminantInPlaceKernel<ExecSpace, T, Method>(batch),
                         {batch.members, team});
  };
  if (method == DeterminantMethod::dodgson)
    enqueue("carroll::determinant::dodgson", Dodgson{});
  else if (method == DeterminantMethod::salem_said)
    enqueue("carroll::determinant::salem_said", SalemSaid{});
  else
    enqueue("carroll::determinant::condensation", Condensation{});
}

/// The historical forms of `condensation` for one matrix; see study/condensation_steps.hpp.
template <class ExecSpace, class T>
void enqueue_steps(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                   DeterminantMethod method) {
  launch_fitting_teams("carroll::determinant::start", exec,
                       DeterminantStartKernel<ExecSpace, T>(batch),
                       {1, determinant_team(exec, 1, batch.n)});
  CondensationArrays<T> arrays(batch, method == DeterminantMethod::condensation_in_place);
  for (int k = 0; k < batch.n; ++k) {
    int const left = batch.n - k - 1;
    int const team = determinant_team(exec, 1, left);
    if (k % safe_steps<T> == safe_steps<T> - 1)
      launch_fitting_teams("carroll::determinant::rescale", exec,
                           DeterminantRescaleKernel<ExecSpace, T>(arrays.in(batch), k), {1, team});
    launch_fitting_teams("carroll::determinant::pivot", exec,
                         CondensationPivotKernel<ExecSpace, T>(batch, arrays, k), {1, team});
    if (left == 0) break;
    auto const condense = [&]<class Reads>(Reads) {
      using Kernel = CondensationStepKernel<ExecSpace, T, Reads>;
      launch_fitting_teams("carroll::determinant::condense", exec, Kernel(batch, arrays, k),
                           {left, Kernel::team_threads});
    };
    if (method == DeterminantMethod::condensation_read_only)
      condense(ReadOnlyMatrix{});
    else if (method == DeterminantMethod::condensation_read_only_column)
      condense(ReadOnlyColumn{});
    else
      condense(PlainReads{});
    arrays.advance();
  }
  using Finish = DeterminantFinishKernel<ExecSpace, T>;
  Kokkos::parallel_for("carroll::determinant::finish", typename Finish::Policy(exec, 0, 1),
                       Finish(batch));
}

/// Enqueues the determinants of a checked batch.
template <class ExecSpace, class T>
void enqueue_determinant(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                         DeterminantPanels<T> const& panels,
                         RowPanelWorkspace<RealOf<T>> const& row_panels,
                         DeterminantOuterBlocks<ExecSpace, RealOf<T>> const& outer_blocks,
                         DeterminantMethod method, DeterminantPath path) {
  if (batch.members == 0) return;
  switch (path) {
    case DeterminantPath::nothing:
    case DeterminantPath::closed: {
      if constexpr (has_host_kernels<ExecSpace, T>) {
        if (path == DeterminantPath::closed) {
          HostClosedKernel<ExecSpace, T> const kernel(batch);
          Kokkos::parallel_for(
              "carroll::determinant::closed_form",
              typename HostClosedKernel<ExecSpace, T>::Policy(exec, 0, kernel.items()), kernel);
          break;
        }
      }
      using Kernel = DeterminantClosedKernel<ExecSpace, T>;
      Kokkos::parallel_for("carroll::determinant::closed_form",
                           typename Kernel::Policy(exec, 0, batch.members), Kernel(batch));
      break;
    }
    case DeterminantPath::registers:
      if constexpr (most_in_registers<ExecSpace, T> != 0) enqueue_registers(exec, batch);
      break;
    case DeterminantPath::row_panels:
      if constexpr (has_row_panels<ExecSpace, T>) enqueue_row_panels(exec, batch);
      break;
    case DeterminantPath::shared_row_panels:
      if constexpr (has_row_panels<ExecSpace, T>)
        enqueue_shared_row_panels(exec, batch, row_panels);
      break;
    case DeterminantPath::outer_blocks:
      if constexpr (has_row_panels<ExecSpace, T>)
        for (int member = 0; member < batch.members; ++member)
          OuterBlockLaunch(exec, batch.from(member), row_panels, outer_blocks).enqueue();
      break;
    case DeterminantPath::simd: {
      if constexpr (has_host_kernels<ExecSpace, T>) {
        using Kernel = HostBatchKernel<ExecSpace, T>;
        Kernel const kernel(batch, exec.concurrency());
        launch_fitting_teams("carroll::determinant::simd", exec, kernel, {kernel.teams(), 1});
      }
      break;
    }
    case DeterminantPath::scratch: {
      constexpr bool on_host = has_host_kernels<ExecSpace, T>;
      using Kernel = std::conditional_t<on_host, HostScratchKernel<ExecSpace, T>,
                                        DeterminantScratchKernel<ExecSpace, T>>;
      int const team = lanes<ExecSpace> == 1 ? 1 : determinant_team(exec, batch.members, batch.n);
      launch_fitting_teams(
          "carroll::determinant::scratch", exec, Kernel(batch),
          {batch.members, team, Kernel::bytes_per_team(batch.n), Kernel::scratch_level});
      break;
    }
    case DeterminantPath::panels:
      for (int member = 0; member < batch.members; ++member) {
        if constexpr (has_host_kernels<ExecSpace, T>)
          enqueue_host_panels(exec, batch.from(member), panels);
        else
          enqueue_panels(exec, batch.from(member), panels);
      }
      break;
    case DeterminantPath::in_place: enqueue_in_place(exec, batch, method); break;
    case DeterminantPath::steps:
      for (int member = 0; member < batch.members; ++member)
        enqueue_steps(exec, batch.from(member), method);
      break;
  }
}

}  // namespace carroll::detail
