// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/pseudoinverse/checks.hpp>
#include <carroll/detail/pseudoinverse/launch_items.hpp>
#include <carroll/detail/pseudoinverse/views.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/distributed/arrow_step/workspace.hpp>
#include <carroll/distributed/detail/arrow_step/depths.hpp>
#include <carroll/distributed/detail/arrow_step/leaf.hpp>
#include <carroll/distributed/detail/arrow_step/setup.hpp>
#include <carroll/distributed/detail/signature.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace carroll::distributed {

/// The inside of a workspace, for the entry points: a step's leaves, their systems from all ranks,
/// the core of these, and the depths.
template <class ExecSpace, class Real>
struct ArrowStepAccess {
  using Workspace = ArrowStepWorkspace<ExecSpace, Real>;
  using Batch = carroll::detail::ArrowBatch<Real>;
  using Local = carroll::detail::AccessTo<carroll::PseudoinverseWorkspace<ExecSpace, Real>>;
  using Info = PseudoinverseInfo<Real>;

  template <class Arrow, class RhsView, class Solution>
  static Info call(char const* function, Communicator<ExecSpace> const& comm, Arrow const& A,
                   RhsView const& d, Solution const& x, Workspace& w) {
    auto const& exec = comm.exec();
    Batch batch;
    comm.agree(function, detail::Signature().with(w.signature_).with(1).value(), [&] {
      batch = bind(function, comm, A, d, x, w);
      if (w.own_leaves_ > 0)  // while ranks agree
        detail::cut_offsets(exec, batch, static_cast<int>(w.unit_), w.own_leaves_, w.offsets_,
                            w.bounds_.data());
    });
    Batch core = w.core_;
    core.damping = batch.damping;
    core.y = batch.y;
    core.covariance = batch.covariance;
    core.variances = batch.variances;

    *w.overflow_.data() = 0;
    reduce_leaves(function, exec, batch, w);
    gather_systems(comm, core, w);
    Local::enqueue_core(exec, core, w.plan_);
    exec.fence("carroll::distributed::arrow_step::core");
    Info& found = *w.info_.data();
    if (found.status != Status::breakdown && found.status != Status::non_finite) {
      if (found.rank < batch.k && w.layout_.segments.length() > 0) {
        solve_dependent(function, comm, batch, core, w);
        return found;
      }
      for (int leaf = 0; leaf < core.windows; ++leaf) found.rank += w.found_(leaf).depths;
    }
    write_depths(exec, batch, core, w);
    exec.fence(function);
    Info info = found;
    bool overflow = false;
    for (int const any : comm.all_gather_value(*w.overflow_.data())) overflow |= any != 0;
    if (overflow && info.status == Status::success) info.status = Status::overflow;
    return info;
  }

 private:
  template <class Arrow, class RhsView, class Solution>
  static Batch bind(char const* function, Communicator<ExecSpace> const& comm, Arrow const& A,
                    RhsView const& d, Solution const& x, Workspace const& w) {
    carroll::detail::require(w.layout_.rows.ranks() == comm.size(), function,
                             [] { return std::string("the workspace is of other ranks"); });
    Batch batch = w.batch_;
    std::int64_t const n = batch.n, k = batch.k, m = batch.m;
    carroll::detail::Binder bind(function);
    bind.input(batch.motion, "A.motion", A.motion, {1, n, k});
    bind.input(batch.depth, "A.depth", A.depth, {1, n});
    bind.input(batch.offsets, "A.segment_offsets", A.segment_offsets, {1, m + 1});
    bind.input(batch.damping, "A.damping", A.damping, {1, k + m});
    bind.input(batch.rhs, "d", d, {1, n});
    carroll::detail::bind_arrow_solution<false>(bind, batch, x);
    return batch;
  }

  /// Systems and groups of this rank's leaves.
  static void reduce_leaves(char const* function, ExecSpace const& exec, Batch const& batch,
                            Workspace const& w) {
    int const leaves = w.own_leaves_, k = batch.k, unit = static_cast<int>(w.unit_);
    if (leaves == 0) return;
    exec.fence("carroll::distributed::arrow_step::offsets");
    int const* const bounds = w.bounds_.data();
    bool const valid =
        bounds[0] == 0 && bounds[leaves] == batch.n && std::is_sorted(bounds, bounds + leaves + 1);
    if (!valid) return detail::refuse_leaves(exec, w.systems_, k, leaves);
    std::int64_t windows = 0;
    for (int leaf = 0; leaf < leaves; ++leaf) {
      Batch own = leaf_of(batch, leaf, unit, bounds, w);
      own.partials += windows * carroll::detail::partial_size(k);
      own.edges += windows;
      auto const plan = Local::enqueue_windows(function, exec, own);
      own.window_rows = plan.window_rows;
      own.windows = carroll::detail::windows_of(plan, own.n);
      windows += own.windows;
      w.batches_(leaf) = own;
    }
    detail::with_known<ExecSpace>(w.plan_, k, [&]<int Known>() {
      using Kernel = detail::ArrowLeafKernel<ExecSpace, Real, Known>;
      int const tile_rows = w.plan_.windows == carroll::detail::WindowKernels::row_tiles && !w.sums_
                                ? w.core_.window_rows
                                : 0;
      std::size_t const bytes = Kernel::thread_bytes(tile_rows, k);
      carroll::detail::ArrowTeam<ExecSpace> const team(
          carroll::detail::lanes<ExecSpace> == 1 ? 1 : 8, bytes);
      carroll::detail::launch_fitting_teams(
          "carroll::distributed::arrow_step::leaves", exec,
          Kernel(w.batches_.data(), tile_rows, team.level, w.systems_, w.zero_),
          {.count = leaves,
           .threads = team.threads,
           .scratch = Kernel::team_bytes(),
           .level = team.level,
           .thread_scratch = bytes});
    });
  }

  static Batch leaf_of(Batch const& batch, int leaf, int unit, int const* bounds,
                       Workspace const& w) {
    Batch own = batch;
    int const begin = bounds[leaf], first = leaf * unit;
    own.n = bounds[leaf + 1] - begin;
    own.m = std::min(unit, batch.m - first);
    own.motion.data += begin * own.motion.strides[1];
    own.depth.data += begin * own.depth.strides[1];
    own.rhs.data += begin * own.rhs.strides[1];
    if (own.damping.data) own.damping.data += first * own.damping.strides[1];
    own.offsets = {};
    own.offsets.data = w.offsets_ + std::int64_t{leaf} * (unit + 1);
    own.offsets.strides = {0, 1, 0};
    own.groups += first * carroll::detail::group_size(batch.k);
    own.cores += leaf * carroll::detail::core_size(batch.k);
    own.pivots += std::int64_t{leaf} * batch.k;
    own.y = own.xi = own.covariance = own.variances = {};
    return own;
  }

  /// The systems of all leaves, and what they have told.
  static void gather_systems(Communicator<ExecSpace> const& comm, Batch const& core,
                             Workspace const& w) {
    comm.all_gather_v(w.systems_, core.partials, w.leaf_counts_);
    detail::tell_found(comm.exec(), core, w.found_.data());
  }

  static detail::LeafGroups groups_of(Batch const& batch, Workspace const& w) {
    return {w.batch_.groups, batch.k, batch.m, static_cast<int>(w.unit_)};
  }

  static void write_depths(ExecSpace const& exec, Batch const& batch, Batch const& core,
                           Workspace const& w) {
    Status const status = w.info_.data()->status;
    bool const wrong = status == Status::breakdown || status == Status::non_finite;
    using Kernel = detail::ArrowDepthsKernel<ExecSpace, Real>;
    Kokkos::parallel_for(
        "carroll::distributed::arrow_step::depths", typename Kernel::Policy(exec, 0, batch.m),
        Kernel(groups_of(batch, w), core, batch.xi, batch.variances, w.overflow_.data(), wrong));
  }

  /// Where motion columns depend on others the shortest solution is a matter of all depths: every
  /// rank gets them all, and does what one does.
  static void solve_dependent(char const* function, Communicator<ExecSpace> const& comm,
                              Batch const& batch, Batch core, Workspace const& w) {
    auto const& exec = comm.exec();
    auto const m = static_cast<int>(w.layout_.segments.length());
    std::int64_t const size = carroll::detail::group_size(batch.k);
    double *mine = nullptr, *all = nullptr;
    int* offsets = nullptr;
    Kokkos::View<std::byte*, typename ExecSpace::memory_space> bytes;
    comm.agree(function, 0, [&] {
      bytes = carroll::detail::allocate_arena(
          exec, "carroll::distributed::arrow_step::dependent", [&](carroll::detail::Arena& arena) {
            mine = arena.take<double>(batch.m * size);
            all = arena.take<double>(m * size);
            core.groups = arena.take<double>(m * size);
            offsets = arena.take<int>(m + 1);
            core.xi.data = arena.take<Real>(m);
            core.variances.data = arena.take_if<Real>(batch.variances.data != nullptr, m);
          });
    });
    auto counts = w.layout_.segments.counts();
    for (auto& count : counts) count *= size;
    detail::pack_groups(exec, groups_of(batch, w), mine);
    comm.all_gather_v(mine, all, counts);
    detail::unpack_groups(exec, all, batch.k, m, core.groups, offsets);
    gather_systems(comm, core, w);
    core.n = core.m = m;
    core.offsets.data = offsets;
    core.offsets.strides = core.xi.strides = core.variances.strides = {0, 1, 0};
    Local::enqueue_core(exec, core, w.plan_);
    auto const first = w.layout_.segments.begin(comm.rank());
    detail::copy_depths(exec, core.xi, batch.xi, first, batch.m);
    detail::copy_depths(exec, core.variances, batch.variances, first, batch.m);
    exec.fence(function);
  }
};

template <class Real, ExecutionSpace ExecSpace>
ArrowStepWorkspace<ExecSpace, Real> arrow_step_workspace(Communicator<ExecSpace> const& comm,
                                                         ArrowLayout const& layout,
                                                         std::int64_t motions,
                                                         ArrowStepOptions const& options) {
  static_assert(RealScalar<Real>,
                "carroll::distributed::arrow_step_workspace: Real must be float or double");
  return ArrowStepSetup<ExecSpace, Real>::make("carroll::distributed::arrow_step_workspace", comm,
                                               layout, motions, options);
}

}  // namespace carroll::distributed
