// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/matrix_vector/dispatch.hpp>
#include <carroll/detail/matrix_vector/launch.hpp>
#include <carroll/detail/matrix_vector/views.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/gemv/workspace.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

/// What AccessTo<GemvWorkspace> declares.
namespace carroll::detail {

template <class T>
inline constexpr MatrixVectorScalar matrix_vector_scalar{int(sizeof(T)), is_complex<T>};

/// Of a problem with terms and rows, of which there are some.
template <class ExecSpace, class T>
MatrixVectorPlan matrix_vector_plan(ExecSpace const& exec, MatrixVectorOrder const& order,
                                    GemvExtents const& extents) {
  auto const rows = static_cast<int>(extents.rows), terms = static_cast<int>(extents.terms);
  auto const members = static_cast<int>(extents.batch);
  if constexpr (has_warps<ExecSpace>) {
    return device_plan(matrix_vector_scalar<T>, order, rows, terms, members, processors(exec));
  } else if constexpr (lanes<ExecSpace> == 1) {
    return host_plan(matrix_vector_scalar<T>, order, rows, terms, members, exec.concurrency());
  } else {
    MatrixVectorPlan plan;
    plan.kernel = GemvKernel::threads;
    return plan;
  }
}

template <class ExecSpace, class T>
MatrixVectorPlan plan_of(ExecSpace const& exec, MatrixVector<T> const& problem) {
  if (problem.rows == 0 || problem.members == 0 || problem.terms == 0 || problem.alpha == T(0))
    return {};
  return matrix_vector_plan<ExecSpace, T>(exec, matrix_vector_order(problem),
                                          {problem.rows, problem.terms, problem.members});
}

template <class ExecSpace, class T>
auto AccessTo<GemvWorkspace<ExecSpace, T>>::make(ExecSpace const& exec, char const* function,
                                                 GemvExtents const& extents,
                                                 GemvOptions const& options) -> Workspace {
  require_usable(function, extents, options);
  Workspace w;
  w.options_ = options;
  w.extents_ = extents;
  // For whichever way A will lie.
  std::int64_t partials = 0, arrived = 0;
  if (extents.rows > 0 && extents.terms > 0 && extents.batch > 0)
    for (MatrixVectorOrder const order :
         {MatrixVectorOrder{}, MatrixVectorOrder{true, false}, MatrixVectorOrder{true, true}}) {
      auto const plan = matrix_vector_plan<ExecSpace, T>(exec, order, extents);
      double const teams = double(plan.blocks) * plan.groups * double(extents.batch);
      require(teams <= std::numeric_limits<int>::max(), function, [&] {
        return "a batch of " + std::to_string(extents.batch) + " products with " +
               std::to_string(extents.rows) + "×" + std::to_string(extents.terms) +
               " matrices has more pieces than a launch can count";
      });
      if (plan.groups == 1) continue;
      partials = std::max(partials, extents.batch * plan.groups * extents.rows);
      arrived = std::max(arrived, extents.batch * plan.blocks);
    }
  w.bytes_ = allocate_arena(exec, "carroll::gemv::workspace", [&](Arena& arena) {
    w.memory_.partials = arena.take_if<typename MatrixVector<T>::Sum>(partials > 0, partials);
    w.memory_.arrived = arena.take_if<int>(arrived > 0, arrived);
  });
  if (w.memory_.arrived) set_to_zero(exec, w.memory_.arrived, arrived);
  return w;
}

template <class ExecSpace, class T>
GemvInfo AccessTo<GemvWorkspace<ExecSpace, T>>::enqueue(ExecSpace const& exec,
                                                        MatrixVector<T> const& problem,
                                                        Workspace const& w) {
  auto const plan = plan_of(exec, problem);
  enqueue_matrix_vector(exec, problem, plan, w.memory_);
  return {.kernel = plan.kernel, .groups = plan.groups};
}

template <class ExecSpace, class T>
bool AccessTo<GemvWorkspace<ExecSpace, T>>::needs_memory(ExecSpace const& exec,
                                                         MatrixVector<T> const& problem) {
  return plan_of(exec, problem).groups > 1;
}

}  // namespace carroll::detail
