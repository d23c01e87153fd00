// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/allocate.hpp>
#include <carroll/detail/solve/launch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/solve/workspace.hpp>

/// What AccessTo<SolveWorkspace> declares.
namespace carroll::detail {

template <class ExecSpace, class Real>
auto AccessTo<SolveWorkspace<ExecSpace, Real>>::uniform(ExecSpace const& exec, char const* function,
                                                        SolveExtents const& extents,
                                                        SolveOptions const& options) -> Workspace {
  auto const& [members, n, columns, inverse] = extents;
  require_size(function, "the batch", members);
  require_size(function, "the order", n);
  require_size(function, "the number of right-hand sides", columns);
  require_addressable(
      function, {members, n, columns},
      double(members) * (double(n) + 48) * (2 * double(n) + double(columns) + 80) * sizeof(Real));
  Workspace w;
  w.options_ = options;
  w.extents_ = extents;
  w.path_ = solve_path(solve_backend<ExecSpace>, options, n);
  w.batch_.condition = options.condition;
  w.batch_.inverse = inverse;
  w.batch_.info_stride = 1;
  w.batch_.distance = solve_reals<Real>(w.path_, extents, options.condition);
  w.bytes_ = allocate_arena(exec, "carroll::solve::workspace", [&](Arena& arena) {
    w.batch_.reals = arena.take<Real>(members * w.batch_.distance);
    w.infos_.lay_out(arena, members);
  });
  w.batch_.infos = w.infos_.data();
  w.infos_.allocate_host("carroll::solve::host_infos", members);
  return w;
}

template <class ExecSpace, class Real>
SolveBatch<Real> AccessTo<SolveWorkspace<ExecSpace, Real>>::batch(Workspace const& w,
                                                                  SolveViews<Real> const& views) {
  SolveBatch<Real> batch = w.batch_;
  static_cast<SolveViews<Real>&>(batch) = views;
  return batch;
}

template <class ExecSpace, class Real>
void AccessTo<SolveWorkspace<ExecSpace, Real>>::enqueue(ExecSpace const& exec,
                                                        SolveBatch<Real> const& batch,
                                                        Workspace const& w) {
  if (w.extents_.batch > 0) enqueue_solve(exec, batch, w.path_);
}

}  // namespace carroll::detail
