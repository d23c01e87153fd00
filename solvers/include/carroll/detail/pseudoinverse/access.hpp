// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/checks.hpp>
#include <carroll/detail/pseudoinverse/dense/launch.hpp>
#include <carroll/detail/pseudoinverse/launch.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/shares.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/pseudoinverse/workspace.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

/// What AccessTo<PseudoinverseWorkspace> declares.
namespace carroll::detail {

template <class ExecSpace, class Real>
auto AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::make(ExecSpace const& exec,
                                                             char const* function,
                                                             PseudoinverseExtents const& extents,
                                                             PseudoinverseOptions const& options)
    -> Workspace {
  require_size(function, "the number of frames", extents.frames);
  require_size(function, "the number of rows", extents.rows);
  require_size(function, "the number of motion columns", extents.motions);
  require_size(function, "the number of depth columns", extents.depths);
  require_size(function, "the number of right-hand sides", extents.right_hand_sides);
  require(extents.motions >= 1, function,
          [] { return std::string("the number of motion columns is 0, must be at least 1"); });
  check_pseudoinverse_options(function, options);

  Workspace w;
  w.options_ = options;
  w.extents_ = extents;
  double const k = static_cast<double>(extents.motions);
  double const problems =
      static_cast<double>(extents.frames) * static_cast<double>(extents.right_hand_sides);
  double const items = problems * (static_cast<double>(extents.rows) / 128 + 1);
  double const doubles = (k + 2) * (k + 2) * (items + 8 * problems) +
                         problems * (k + 2) * static_cast<double>(extents.depths);
  // Kernels count windows and motion columns squared with an int, and rows to a window's end.
  bool const countable = extents.rows <= std::numeric_limits<int>::max() - 4096;
  require(items < 2e9 && k < 1e4 && doubles < 1e18 && countable, function, [&] {
    return "extents " +
           extents_text({extents.frames, extents.rows, extents.motions, extents.depths,
                         extents.right_hand_sides}) +
           " (frames×rows×motions×depths×right-hand sides) are too large";
  });
  shape(w);
  plan(exec, function, w);
  std::int64_t const all = extents.frames * extents.right_hand_sides;
  w.bytes_ = allocate_arena(exec, "carroll::pseudoinverse::workspace",
                            [&](Arena& arena) { lay_out(w, arena); });
  // What teams tell one another is taken back by every call.
  set_to_zero(exec, w.batch_.tickets, all);
  if (has_shares(w)) {
    set_to_zero(exec, w.factors_.told, extents.frames);
    set_to_zero(exec, w.factors_.readers, extents.frames);
    set_to_zero(exec, w.factors_.taken, extents.frames);
  }
  w.infos_.allocate_host("carroll::pseudoinverse::host_infos", all);
  return w;
}

template <class ExecSpace, class Real>
void AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::enqueue_step(
    char const* function, ExecSpace const& exec, ArrowBatch<Real> const& batch) {
  auto const plan = require_step_plan(function, step_case(exec, batch));
  launch_step(exec, batch, plan);
}

template <class ExecSpace, class Real>
StepPlan AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::enqueue_windows(
    char const* function, ExecSpace const& exec, ArrowBatch<Real> batch) {
  StepPlan plan = require_step_plan(function, step_case(exec, batch));
  plan.core = CoreKernels::by_team;
  batch.ends = false;
  auto const own = planned(batch, plan);
  if (own.windows > 0)
    with_plainness(own,
                   [&](auto plain) { launch_windows(exec, own, StoredRows<plain.value>{}, plan); });
  return plan;
}

template <class ExecSpace, class Real>
void AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::enqueue_core(ExecSpace const& exec,
                                                                     ArrowBatch<Real> const& batch,
                                                                     StepPlan const& plan) {
  launch_core_by_team(exec, batch, plan);
}

template <class ExecSpace, class Real>
void AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::enqueue_inverse(
    char const* function, ExecSpace const& exec, ArrowBatch<Real> const& batch,
    Workspace const& w) {
  auto const plan = require_dense_plan(function, dense_case<ExecSpace>(batch));
  auto const step = step_of_inverse(batch);
  auto const before = require_step_plan(function, step_case(exec, step));
  if (plan.inverse == InverseKernels::after_step) launch_step(exec, step, before);
  launch_dense(exec, planned(step, before), w.factors_, plan);
}

template <class ExecSpace, class Real>
void AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::shape(Workspace& w) {
  auto const& e = w.extents_;
  auto& batch = w.batch_;
  batch.n = static_cast<int>(e.rows);
  batch.k = static_cast<int>(e.motions);
  batch.m = static_cast<int>(e.depths);
  batch.frames = static_cast<int>(e.frames);
  batch.right_hand_sides = static_cast<int>(e.right_hand_sides);
  batch.options = w.options_;
  batch.info_strides[0] = e.right_hand_sides;
  batch.info_strides[1] = 1;
}

template <class ExecSpace, class Real>
void AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::plan(ExecSpace const& exec,
                                                             char const* function, Workspace& w) {
  StepCase step = step_case(exec, w.batch_);
  w.path_ = plan_step(step).path;
  bool any = false;
  for (auto const rows :
       {ArrowRowSource::stored, ArrowRowSource::computed, ArrowRowSource::converted}) {
    step.rows = rows;
    StepPlan const plan = plan_step(step);
    if (plan.path == PseudoinversePath::automatic) continue;
    w.batch_.windows = std::max(w.batch_.windows, windows_of(plan, w.batch_.n));
    any = true;
  }
  if (!any) (void)require_step_plan(function, step);  // throws
}

template <class ExecSpace, class Real>
bool AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::has_shares(Workspace const& w) {
  return has_warps<ExecSpace> && w.extents_.dense && w.extents_.motions == 1;
}

template <class ExecSpace, class Real>
void AccessTo<PseudoinverseWorkspace<ExecSpace, Real>>::lay_out(Workspace& w, Arena& arena) {
  auto const& e = w.extents_;
  auto& batch = w.batch_;
  std::int64_t const problems = e.frames * e.right_hand_sides, windows = problems * batch.windows;
  batch.cores = arena.take<double>(problems * core_size(batch.k));
  batch.partials = arena.take<double>(windows * partial_size(batch.k));
  batch.groups = arena.take<double>(problems * group_size(batch.k) * e.depths);
  batch.edges = arena.take<WindowEdges>(windows);
  batch.pivots = arena.take<int>(problems * e.motions);
  batch.tickets = arena.take<int>(problems);
  w.infos_.lay_out(arena, problems);
  batch.infos = w.infos_.data();
  auto& factors = w.factors_;
  factors.eta = arena.take_if<Real>(e.dense, e.frames * e.motions * e.rows);
  factors.beta = arena.take_if<Real>(e.dense, e.frames * e.motions * e.depths);
  factors.own = arena.take_if<Real>(e.dense, e.frames * e.rows);
  factors.segment = arena.take_if<int>(e.dense, e.frames * e.rows);
  bool const shares = has_shares(w);
  SegmentShares const each(batch.n, batch.m);
  factors.told = arena.take_if<std::uint64_t>(shares, e.frames);
  factors.readers = arena.take_if<int>(shares, e.frames);
  factors.taken = arena.take_if<int>(shares, e.frames);
  factors.shares = arena.take_if<double>(shares, e.frames * each.teams * SegmentShares::sums);
}

}  // namespace carroll::detail
