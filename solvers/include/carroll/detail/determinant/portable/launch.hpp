// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <carroll/detail/determinant/portable/in_place.hpp>
#include <carroll/detail/determinant/portable/panels.hpp>
#include <carroll/detail/determinant/portable/scratch.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/gemm/gemm.hpp>

namespace carroll::detail {

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

/// `blocked` for matrices that fit scratch; see portable/scratch.hpp.
template <class ExecSpace, class T>
void enqueue_scratch(ExecSpace const& exec, DeterminantBatch<T> const& batch) {
  using Kernel = DeterminantScratchKernel<ExecSpace, T>;
  int const team = lanes<ExecSpace> == 1 ? 1 : determinant_team(exec, batch.members, batch.n);
  launch_fitting_teams(
      "carroll::determinant::scratch", exec, Kernel(batch),
      {batch.members, team, determinant_scratch_bytes<T>(batch.n), scratch_level_of<ExecSpace>});
}

/// `blocked` for one matrix beyond scratch; see portable/panels.hpp.
template <class ExecSpace, class T>
void enqueue_panels(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                    DeterminantPanels<T> const& panels) {
  int const n = batch.n;
  int const team = determinant_team(exec, 1, n);
  launch_fitting_teams("carroll::determinant::start", exec,
                       DeterminantStartKernel<ExecSpace, T>{batch}, {1, team});
  int steps = 0;  // since rows were last brought into range
  for (int first = 0; first < n; first += panel_rows<T>) {
    int const rows = std::min(panel_rows<T>, n - first);
    if (steps + rows > safe_steps<T>) {
      launch_fitting_teams("carroll::determinant::rescale", exec,
                           DeterminantRescaleKernel<ExecSpace, T>{batch, first}, {1, team});
      steps = 0;
    }
    steps += rows;
    launch_fitting_teams("carroll::determinant::panel", exec,
                         DeterminantPanelKernel<ExecSpace, T>{batch, panels, first, rows},
                         {1, determinant_team(exec, 1, n - first)});
    int const left = n - first - rows;
    if (left == 0) break;
    DeterminantFactorsKernel<ExecSpace, T> const factors{batch, panels, first, rows};
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
                       Finish{batch});
}

template <class ExecSpace, class T>
void enqueue_in_place(ExecSpace const& exec, DeterminantBatch<T> const& batch,
                      DeterminantMethod method) {
  int const team = determinant_team(exec, batch.members, batch.n);
  auto const enqueue = [&]<class Method>(char const* label, Method) {
    launch_fitting_teams(label, exec, DeterminantInPlaceKernel<ExecSpace, T, Method>{batch},
                         {batch.members, team});
  };
  if (method == DeterminantMethod::dodgson)
    enqueue("carroll::determinant::dodgson", Dodgson{});
  else if (method == DeterminantMethod::salem_said)
    enqueue("carroll::determinant::salem_said", SalemSaid{});
  else
    enqueue("carroll::determinant::condensation", Condensation{});
}

}  // namespace carroll::detail
