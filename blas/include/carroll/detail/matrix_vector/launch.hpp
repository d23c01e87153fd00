// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/matrix_vector/device/columns.hpp>
#include <carroll/detail/matrix_vector/device/rows.hpp>
#include <carroll/detail/matrix_vector/device/short_columns.hpp>
#include <carroll/detail/matrix_vector/device/short_rows.hpp>
#include <carroll/detail/matrix_vector/device/threads.hpp>
#include <carroll/detail/matrix_vector/dispatch.hpp>
#include <carroll/detail/matrix_vector/host/kernel.hpp>
#include <carroll/detail/matrix_vector/problem.hpp>
#include <carroll/detail/matrix_vector/scale.hpp>
#include <carroll/detail/reduction/label.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// Enqueues what a plan says, without fences or allocations.
namespace carroll::detail {

inline constexpr char const* matrix_vector_label = "carroll::gemv";

/// A kernel without shared memory.
template <class ExecSpace, class Kernel>
void launch_short(ExecSpace const& exec, Kernel const& kernel) {
  launch_teams(matrix_vector_label, exec, kernel,
               {.count = static_cast<int>(kernel.teams()), .threads = kernel.team_threads()});
}
template <class Kernel, class ExecSpace, class Problem, class Memory>
void launch_blocks(ExecSpace const& exec, Problem const& problem, MatrixVectorPlan const& plan,
                   Memory const& memory) {
  launch_teams(matrix_vector_label, exec, Kernel(problem, plan, memory),
               {.count = plan.blocks * plan.groups * problem.members,
                .threads = plan.threads,
                .scratch = Kernel::scratch_bytes(plan)});
}

template <int Width, class ExecSpace, class T>
void launch_short_columns(ExecSpace const& exec, MatrixVector<T> const& problem) {
  if (problem.members == 1)
    launch_short(exec, ShortColumnsKernel<ExecSpace, T, Width, true>(problem));
  else
    launch_short(exec, ShortColumnsKernel<ExecSpace, T, Width, false>(problem));
}
template <int Threads, int Entries, int Rows, class ExecSpace, class T>
void launch_short_rows(ExecSpace const& exec, MatrixVector<T> const& problem) {
  if (problem.members == 1)
    launch_short(exec, ShortRowsKernel<ExecSpace, T, Threads, Entries, Rows, true>(problem));
  else
    launch_short(exec, ShortRowsKernel<ExecSpace, T, Threads, Entries, Rows, false>(problem));
}

template <class ExecSpace, class T>
void launch_short_columns(ExecSpace const& exec, MatrixVector<T> const& problem,
                          MatrixVectorPlan const& plan) {
  if (plan.width == 8) return launch_short_columns<8>(exec, problem);
  if constexpr (sizeof(T) < 16)
    if (plan.width == 16) return launch_short_columns<16>(exec, problem);
  if constexpr (!is_complex<T>)
    if (plan.width == 32) return launch_short_columns<32>(exec, problem);
  if constexpr (sizeof(T) == 4)
    if (plan.width == 64) return launch_short_columns<64>(exec, problem);
}

template <class ExecSpace, class T>
void launch_short_rows(ExecSpace const& exec, MatrixVector<T> const& problem,
                       MatrixVectorPlan const& plan) {
  constexpr int wide = 16 / int(sizeof(T));
  if (plan.wide && wide > 1) {
    switch (plan.width / wide) {
      case 2: return launch_short_rows<2, wide, 1>(exec, problem);
      case 4: return launch_short_rows<4, wide, 1>(exec, problem);
      case 8: return launch_short_rows<8, wide, 1>(exec, problem);
      case 16: return launch_short_rows<16, wide, 1>(exec, problem);
      default: return launch_short_rows<16, wide, 2>(exec, problem);
    }
  }
  if (plan.width <= 8) return launch_short_rows<8, 1, 1>(exec, problem);
  launch_short_rows<32, 1, 1>(exec, problem);
}

template <class ExecSpace, class T>
void enqueue_on_warps(ExecSpace const& exec, MatrixVector<T> const& problem,
                      MatrixVectorPlan const& plan,
                      MatrixVectorMemory<typename MatrixVector<T>::Sum> const& memory) {
  constexpr int wide = 16 / int(sizeof(T));
  switch (plan.kernel) {
    case GemvKernel::short_columns: return launch_short_columns(exec, problem, plan);
    case GemvKernel::short_rows: return launch_short_rows(exec, problem, plan);
    case GemvKernel::columns:
      if (plan.each == 2) {
        if (plan.width == 32)
          return launch_blocks<ColumnsKernel<ExecSpace, T, 32, 32>>(exec, problem, plan, memory);
        return launch_blocks<ColumnsKernel<ExecSpace, T, 16, 32>>(exec, problem, plan, memory);
      }
      if (plan.width == 32)
        return launch_blocks<ColumnsKernel<ExecSpace, T, 32, 64>>(exec, problem, plan, memory);
      return launch_blocks<ColumnsKernel<ExecSpace, T, 16, 64>>(exec, problem, plan, memory);
    default: break;
  }
  if (!plan.wide)
    return launch_blocks<RowsKernel<ExecSpace, T, 32, 1, 128>>(exec, problem, plan, memory);
  if (plan.each == 2)
    return launch_blocks<RowsKernel<ExecSpace, T, 16, wide, 64>>(exec, problem, plan, memory);
  launch_blocks<RowsKernel<ExecSpace, T, 16, wide, 128>>(exec, problem, plan, memory);
}

/// A kernel with a thread for each of `items`, the calling one where it is done before others have
/// woken up.
template <class ExecSpace, class Kernel>
void launch_items(char const* label, ExecSpace const& exec, Kernel const& kernel,
                  std::int64_t items, std::int64_t entries) {
  if (lanes<ExecSpace> == 1 && entries <= entries_of_caller)
    for (std::int64_t item = 0; item < items; ++item) kernel(item);
  else
    Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, items), kernel);
}

/// Enqueues a call.
template <class ExecSpace, class T>
void enqueue_matrix_vector(ExecSpace const& exec, MatrixVector<T> const& problem,
                           MatrixVectorPlan const& plan,
                           MatrixVectorMemory<typename MatrixVector<T>::Sum> const& memory) {
  std::int64_t const rows = std::int64_t{problem.rows} * problem.members;
  if (rows == 0) return;
  if constexpr (has_warps<ExecSpace>) {
    if (plan.kernel != GemvKernel::scale) return enqueue_on_warps(exec, problem, plan, memory);
  }
  if (plan.kernel == GemvKernel::scale) {
    if (problem.beta == T(1)) return;
    launch_scale(exec, problem);
  } else if constexpr (lanes<ExecSpace> == 1) {
    launch_items(matrix_vector_label, exec,
                 HostMatrixVectorKernel<ExecSpace, T>(problem, plan, memory),
                 std::int64_t{plan.blocks} * plan.groups * problem.members, rows * problem.terms);
  } else if constexpr (!has_warps<ExecSpace>) {
    launch_items(matrix_vector_label, exec, ThreadMatrixVectorKernel<ExecSpace, T>(problem), rows,
                 rows * problem.terms);
  }
}

}  // namespace carroll::detail
