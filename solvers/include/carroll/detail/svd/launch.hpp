// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/qr/slim/shape.hpp>
#include <carroll/detail/svd/common/shape_list.hpp>
#include <carroll/detail/svd/dispatch.hpp>
#include <carroll/detail/svd/fused/kernel.hpp>
#include <carroll/detail/svd/host_batch/kernel.hpp>
#include <carroll/detail/svd/host_block/kernel.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <carroll/detail/svd/ragged.hpp>
#include <carroll/detail/svd/slim/factor.hpp>
#include <carroll/detail/svd/slim/memory.hpp>
#include <carroll/detail/svd/study/launch.hpp>
#include <carroll/detail/svd/team/fallback.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/detail/svd/tiled/launch.hpp>
#include <carroll/detail/svd/warp/kernel.hpp>
#include <carroll/detail/svd/workspace_sizes.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/svd/workspace.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// A decomposition's kernels, and the inside of a workspace, which says what they are and where
/// they work: what AccessTo<SvdWorkspace> declares.
namespace carroll::detail {

/// The kernel of a class of shapes, of which the members are those of a bin, if there are any.
template <class Kernel, class ExecSpace, class Real>
void enqueue_class(char const* label, int bin, ExecSpace const& exec, SvdBatch<Real> const& batch,
                   SvdPlan const& plan, SvdOptions const& options) {
  int const count = plan.size(bin);
  if (count == 0) return;
  int const* const members = plan.members(bin);
  if (!members && !Kernel::is_alone(members, count)) enqueue_fallback_list(exec, batch, nullptr, 0);
  Kernel const kernel(batch, members, count, static_cast<Real>(options.tolerance),
                      options.max_sweeps);
  Kokkos::parallel_for(label, kernel.policy(exec, plan.bounds(bin).cols), kernel);
}

/// The kernels of all classes of shapes, the first of which has bin `first`.
template <template <class, class, class> class Kernel, class ExecSpace, class Real, bool by_team,
          class... Shapes>
void enqueue_classes(char const* label, ShapeList<by_team, Shapes...>, int first,
                     ExecSpace const& exec, SvdBatch<Real> const& batch, SvdPlan const& plan,
                     SvdOptions const& options) {
  int bin = first;
  (enqueue_class<Kernel<ExecSpace, Real, Shapes>>(label, bin++, exec, batch, plan, options), ...);
}

/// Of the triangles of a class.
template <class Shape>
using SlimTriangleShape =
    std::conditional_t<Shape::cols == 4, WarpOf4,
                       std::conditional_t<Shape::cols == 8, WarpOf8, WarpOf16>>;

/// Small matrices that are longer than wide: A = Q·R with rows in lanes, the decomposition of R as
/// of any small matrix, and Q times its left vectors.
template <class ExecSpace, class Real, class Shape>
void enqueue_slim_class(ExecSpace const& exec, SvdBatch<Real> batch, SvdPlan const& plan,
                        SvdOptions const& options, int bin) {
  static_assert(Shape::cols <= SlimTriangleShape<Shape>::cols);
  int const members = plan.size(bin);
  if (members == 0) return;
  batch.selection = plan.members(bin);
  SlimFactorKernel<ExecSpace, Real, Shape> const factor(batch, members);
  launch_teams("carroll::svd::slim::factor", exec, factor, factor.teams());
  using Triangles = WarpKernel<ExecSpace, Real, SlimTriangleShape<Shape>, SlimTriangle<Real>>;
  enqueue_class<Triangles>("carroll::svd::slim::triangle", bin, exec, batch, plan, options);
  if (batch.u_wanted == SvdVectors::none && batch.v_wanted == SvdVectors::none) return;
  SlimLeftKernel<ExecSpace, Real, Shape> const left(batch, members);
  launch_teams("carroll::svd::slim::left", exec, left, left.teams());
}

template <class ExecSpace, class Real, class... Shapes>
void enqueue_slim(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdPlan const& plan,
                  SvdOptions const& options, QrSlimShapeList<Shapes...>) {
  int bin = SvdPlan::slim;
  (enqueue_slim_class<ExecSpace, Real, Shapes>(exec, batch, plan, options, bin++), ...);
}

/// Enqueues a decomposition: every member on the kernels that the plan has for it, then the team
/// kernels on those that are left. Never allocates, and fences for `spectral` alone. `starts`: of
/// the members that the plan has for `eigenbasis` and `spectral`.
template <class ExecSpace, class Real>
void enqueue_svd(ExecSpace const& exec, SvdBatch<Real> const& batch, SvdPlan const& plan,
                 SvdOptions const& options, SvdStarts<ExecSpace> const& starts) {
  SvdBounds const& all = plan.all();
  if (all.members == 0) return;
  if (options.method != SvdMethod::preconditioned) return enqueue_study(exec, batch, all, options);
  if (plan.size(SvdPlan::team) == all.members) return enqueue_team(exec, batch, all, options);
  // Kernels of warps and fused ones begin a list themselves, if need be, for a uniform batch.
  if (plan.is_sorted() || !plan.any_before(SvdPlan::tiled))
    enqueue_fallback_list(exec, batch, plan.members(SvdPlan::team), plan.size(SvdPlan::team));
  if constexpr (has_warps<ExecSpace>) {
    if constexpr (has_warp_kernels<Real>) {
      enqueue_classes<WholeWarpKernel>("carroll::svd::warp", WarpClasses{}, SvdPlan::warp, exec,
                                       batch, plan, options);
      enqueue_slim(exec, batch, plan, options, QrSlimShapes{});
    }
    enqueue_classes<FusedKernel>("carroll::svd::fused", FusedClasses<Real>{}, SvdPlan::fused, exec,
                                 batch, plan, options);
    enqueue_tiles(exec, batch, plan, options, starts);
  }
  if constexpr (svd_backend<ExecSpace> == SvdBackend::host) {
    enqueue_host_batch(exec, batch, plan, options);
    enqueue_host_blocks(exec, batch, plan, options);
  }
  enqueue_fallback(exec, batch, all, options);
}

inline void require_usable(char const* function, SvdOptions const& options) {
  require(options.tolerance >= 0 && options.tolerance < 1, function, [&] {
    return "options.tolerance is " + std::to_string(options.tolerance) + ", must be in [0, 1)";
  });
  require(options.max_sweeps >= 1, function, [&] {
    return "options.max_sweeps is " + std::to_string(options.max_sweeps) + ", must be at least 1";
  });
}

template <class ExecSpace, class Real>
auto AccessTo<SvdWorkspace<ExecSpace, Real>>::uniform(ExecSpace const& exec, char const* function,
                                                      SvdExtents const& extents,
                                                      SvdOptions const& options) -> Workspace {
  require_usable(function, options);
  require_size(function, "the batch", extents.batch);
  require_size(function, "the number of rows", extents.rows);
  require_size(function, "the number of columns", extents.cols);
  auto const [cols, rows] = std::minmax(extents.rows, extents.cols);
  require_addressable(function, {extents.batch, extents.rows, extents.cols},
                      double(extents.batch) * (4 * double(rows) + 8 * double(cols) + 4000) *
                          double(cols) * sizeof(Real));
  Workspace w;
  start(w, extents, options);
  w.family_ = svd_family_on<Real>(exec, options, rows, cols);
  w.plan_ = SvdPlan::uniform<Real>(
      w.family_, {static_cast<int>(extents.batch), static_cast<int>(rows), static_cast<int>(cols)});
  w.batch_.distance = svd_workspace_sizes<Real>(w.family_, rows, cols, has_vectors(extents));
  auto const& each = w.batch_.distance;
  allocate_parts(exec, function, w, {extents.batch * each.reals, extents.batch * each.ints});
  if (w.family_ == SvdFamily::eigenbasis || w.family_ == SvdFamily::spectral)
    prepare_start(exec, w, w.family_,
                  std::vector<SvdBounds>(static_cast<std::size_t>(extents.batch),
                                         {1, static_cast<int>(rows), static_cast<int>(cols)}));
  return w;
}

template <class ExecSpace, class Real>
auto AccessTo<SvdWorkspace<ExecSpace, Real>>::ragged(ExecSpace const& exec, char const* function,
                                                     std::span<SvdMember const> members,
                                                     SvdVectors u, SvdVectors v,
                                                     SvdOptions const& options) -> Workspace {
  require_usable(function, options);
  auto const count = static_cast<std::int64_t>(members.size());
  require_size(function, "the number of members", count);
  Workspace w;
  w.ragged_ = true;
  start(w, {count, 0, 0, u, v}, options);
  PackedOutputs packed(function, u, v);
  SvdWorkspaceSizes all{0, 0};
  std::vector<SvdSlot> slots;
  std::vector<SvdKey> keys;
  for (SvdMember const& at : members) {
    packed.add(at);
    auto const [cols, rows] = std::minmax(at.rows, at.cols);
    SvdFamily const family = svd_family_on<Real>(exec, options, rows, cols);
    keys.emplace_back(w.plan_.template add<Real>(family, rows, cols), static_cast<int>(cols));
    slots.push_back({at, all.reals, all.ints});
    auto const sizes = svd_workspace_sizes<Real>(family, rows, cols, has_vectors(w.extents_));
    all.reals += sizes.reals;
    all.ints += sizes.ints;
  }
  packed.require_disjoint();
  w.packed_sizes_ = packed.sizes();
  SvdSlot* device_slots = nullptr;
  int* sorted = nullptr;
  allocate_parts(exec, function, w, all, &device_slots, &sorted);
  w.batch_.slots = device_slots;
  w.plan_.set_sorted(sorted);
  copy_from_host<SvdSlot>(exec, device_slots, slots);
  std::vector<int> const in_order = w.plan_.sort(keys);
  copy_from_host<int>(exec, sorted, in_order);
  exec.fence("carroll::svd::ragged_workspace");  // the host's copies end with this scope
  for (SvdFamily const family : {SvdFamily::eigenbasis, SvdFamily::spectral}) {
    int const bin = family == SvdFamily::spectral ? SvdPlan::spectral : SvdPlan::eigenbasis;
    std::vector<SvdBounds> those;
    for (int const b : in_order) {
      auto const at = static_cast<std::size_t>(b);
      if (keys[at].first != bin) continue;
      auto const [cols, rows] = std::minmax(members[at].rows, members[at].cols);
      those.push_back({1, static_cast<int>(rows), static_cast<int>(cols)});
    }
    prepare_start(exec, w, family, those);
  }
  return w;
}

template <class ExecSpace, class Real>
SvdBatch<Real> AccessTo<SvdWorkspace<ExecSpace, Real>>::batch(Workspace const& w,
                                                              SvdViews<Real> const& views) {
  SvdBatch<Real> batch = w.batch_;
  static_cast<SvdViews<Real>&>(batch) = views;
  return batch;
}

template <class ExecSpace, class Real>
void AccessTo<SvdWorkspace<ExecSpace, Real>>::enqueue(ExecSpace const& exec,
                                                      SvdBatch<Real> const& batch,
                                                      Workspace const& w) {
  enqueue_svd(exec, batch, w.plan_, w.options_, w.starts_);
}

template <class ExecSpace, class Real>
void AccessTo<SvdWorkspace<ExecSpace, Real>>::start(Workspace& w, SvdExtents const& extents,
                                                    SvdOptions const& options) {
  w.options_ = options;
  w.extents_ = extents;
  w.batch_.u_wanted = extents.u;
  w.batch_.v_wanted = extents.v;
  w.batch_.method = options.method;
  w.batch_.info_stride = 1;
}

template <class ExecSpace, class Real>
void AccessTo<SvdWorkspace<ExecSpace, Real>>::prepare_start([[maybe_unused]] ExecSpace const& exec,
                                                            [[maybe_unused]] Workspace& w,
                                                            [[maybe_unused]] SvdFamily family,
                                                            std::span<SvdBounds const> members) {
  if (members.empty()) return;
  if constexpr (has_backend(svd_backend<ExecSpace>, SvdBackend::tensors))
    if (family == SvdFamily::eigenbasis) {
      std::vector<BasisExtents> extents;
      for (SvdBounds const& of : members) extents.push_back(BasisExtents::of(of.rows, of.cols));
      w.starts_.basis = std::make_shared<BasisStart<ExecSpace> const>(exec, extents);
      w.start_bytes_ += w.starts_.basis->bytes();
    }
  if constexpr (has_backend(svd_backend<ExecSpace>, SvdBackend::library))
    if (family == SvdFamily::spectral) {
      std::vector<int> orders;
      for (SvdBounds const& of : members) orders.push_back(of.cols);
      w.starts_.spectral =
          std::make_shared<SvdSpectralStart<ExecSpace> const>(exec, std::move(orders));
      w.start_bytes_ += w.starts_.spectral->bytes();
    }
}

template <class ExecSpace, class Real>
void AccessTo<SvdWorkspace<ExecSpace, Real>>::allocate_parts(ExecSpace const& exec,
                                                             char const* function, Workspace& w,
                                                             SvdWorkspaceSizes const& sizes,
                                                             SvdSlot** slots, int** sorted) {
  std::int64_t const members = w.plan_.all().members;
  // Round robin makes a team of every pair of every member: their number must be an int.
  if (w.options_.method == SvdMethod::round_robin)
    require_size(function, "the number of column pairs in the batch",
                 members * RoundRobin{w.plan_.all().cols}.pairs());
  SvdBatch<Real>& batch = w.batch_;
  w.bytes_ = allocate_arena(exec, "carroll::svd::workspace", [&](Arena& arena) {
    batch.reals = arena.take<Real>(sizes.reals);
    batch.ints = arena.take<int>(sizes.ints);
    batch.states = arena.take<SvdState>(members);
    batch.fallback = {arena.take<int>(1), arena.take<int>(members)};
    w.infos_.lay_out(arena, members);
    if (slots) *slots = arena.take<SvdSlot>(members);
    if (sorted) *sorted = arena.take<int>(members);
  });
  batch.infos = w.infos_.data();
  w.infos_.allocate_host("carroll::svd::host_infos", members);
}

}  // namespace carroll::detail
