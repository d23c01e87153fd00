// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/allocate.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/solve/launch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/solve/workspace.hpp>

/// What AccessTo<SolveWorkspace> declares.
namespace carroll::detail {

template <class ExecSpace, class Value>
auto AccessTo<SolveWorkspace<ExecSpace, Value>>::uniform(ExecSpace const& exec,
                                                         char const* function,
                                                         SolveExtents const& extents,
                                                         SolveOptions const& options) -> Workspace {
  auto const& [members, n, columns, inverse] = extents;
  require_size(function, "the batch", members);
  require_size(function, "the order", n);
  require_size(function, "the number of right-hand sides", columns);
  require_addressable(
      function, {members, n, columns},
      double(members) * (double(n) + 48) * (2 * double(n) + double(columns) + 80) * sizeof(Value));
  Workspace w;
  w.options_ = options;
  w.extents_ = extents;
  w.path_ = solve_path(solve_backend<ExecSpace>, options, n);
  w.batch_.condition = options.condition;
  w.batch_.inverse = inverse;
  w.batch_.info_stride = 1;
  w.batch_.distance = solve_reals<Value>(w.path_, extents, options.condition);
  w.bytes_ = allocate_arena(exec, "carroll::solve::workspace", [&](Arena& arena) {
    w.batch_.reals = arena.take<RealOf<Value>>(members * w.batch_.distance);
    w.infos_.lay_out(arena, members);
  });
  w.batch_.infos = w.infos_.data();
  w.infos_.allocate_host("carroll::solve::host_infos", members);
  return w;
}

template <class ExecSpace, class Value>
SolveBatch<Value> AccessTo<SolveWorkspace<ExecSpace, Value>>::batch(
    Workspace const& w, SolveViews<Value> const& views) {
  SolveBatch<Value> batch = w.batch_;
  static_cast<SolveViews<Value>&>(batch) = views;
  return batch;
}

template <class ExecSpace, class Value>
void AccessTo<SolveWorkspace<ExecSpace, Value>>::enqueue(ExecSpace const& exec,
                                                         SolveBatch<Value> const& batch,
                                                         Workspace const& w) {
  if (w.extents_.batch > 0) enqueue_solve(exec, batch, w.path_);
}

}  // namespace carroll::detail
