// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/pseudoinverse/checks.hpp>
#include <carroll/detail/pseudoinverse/common/rank_cutoff.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/distributed/arrow_step/workspace.hpp>
#include <carroll/distributed/detail/arrow_step/checks.hpp>
#include <carroll/distributed/detail/arrow_step/leaf.hpp>
#include <carroll/distributed/detail/signature.hpp>
#include <cstdint>
#include <vector>

namespace carroll::distributed {

/// Makes workspaces of steps over ranks.
template <class ExecSpace, class Real>
struct ArrowStepSetup {
  using Workspace = ArrowStepWorkspace<ExecSpace, Real>;
  using Batch = carroll::detail::ArrowBatch<Real>;

  static Workspace make(char const* function, Communicator<ExecSpace> const& comm,
                        ArrowLayout const& layout, std::int64_t motions,
                        ArrowStepOptions const& options) {
    Workspace w;
    w.layout_ = layout;
    w.options_ = options;
    w.signature_ = detail::Signature()
                       .with(layout.rows)
                       .with(layout.segments)
                       .with(motions)
                       .with(options.leaf_segments)
                       .with(options.step.method)
                       .with(options.step.path)
                       .with(options.step.weight)
                       .with(options.step.weight_scale)
                       .with(options.step.damping)
                       .with(options.step.cutoff)
                       .with(int{sizeof(Real)})
                       .value();
    auto const& exec = comm.exec();
    comm.agree(function, w.signature_, [&] {
      detail::require_usable(function, comm.size(), layout, motions, options);
      w.unit_ = leaf_segments(options, layout.rows.length(), layout.segments.length());
      w.leaves_ = quotient_up(layout.segments.length(), w.unit_);
      detail::require_whole_leaves(function, layout.segments, w.unit_);
      auto const k = static_cast<int>(motions);
      for (int rank = 0; rank < comm.size(); ++rank)
        w.leaf_counts_.push_back(quotient_up(layout.segments.count(rank), w.unit_) *
                                 carroll::detail::partial_size(k));
      w.own_leaves_ = static_cast<int>(quotient_up(layout.segments.count(comm.rank()), w.unit_));
      shape(function, comm, k, w);
      w.bytes_ = carroll::detail::allocate_arena(
          exec, "carroll::distributed::arrow_step::workspace",
          [&](carroll::detail::Arena& arena) { lay_out(arena, w); });
      auto const pinned = [&]<class View>(View& view, std::int64_t count) {
        view = carroll::detail::allocate<View>(Kokkos::DefaultHostExecutionSpace(),
                                               "carroll::distributed::arrow_step::host", count);
      };
      pinned(w.bounds_, w.own_leaves_ + 1);
      pinned(w.batches_, w.own_leaves_);
      pinned(w.found_, w.leaves_);
      pinned(w.info_, 1);
      pinned(w.overflow_, 1);
      w.core_.infos = w.info_.data();
      // Systems of leaves are windows in which no segment begins or ends.
      std::vector<carroll::detail::WindowEdges> const edges(static_cast<std::size_t>(w.leaves_));
      carroll::detail::copy_from_host<carroll::detail::WindowEdges>(exec, w.core_.edges, edges);
      carroll::detail::set_to_zero(exec, w.zero_, 1);
      carroll::detail::set_to_zero(exec, const_cast<int*>(w.core_.offsets.data), 1);
      exec.fence(function);
    });
    return w;
  }

 private:
  static std::int64_t quotient_up(std::int64_t x, std::int64_t y) { return x / y + (x % y != 0); }
  /// No kernel has windows of fewer rows.
  static constexpr std::int64_t least_window_rows = 128;

  /// The batches without memory.
  static void shape(char const* function, Communicator<ExecSpace> const& comm, int k,
                    Workspace& w) {
    Batch batch;
    batch.n = 1;
    batch.k = k;
    batch.m = 1;
    batch.frames = batch.right_hand_sides = 1;
    batch.options = w.options_.step;
    w.plan_ = carroll::detail::require_step_plan(function,
                                                 carroll::detail::step_case(comm.exec(), batch));
    double least_cutoff = 0;
    detail::with_known<ExecSpace>(w.plan_, k, [&]<int Known>() {
      w.sums_ = detail::ArrowLeafKernel<ExecSpace, Real, Known>::leaves_sums(batch.options,
                                                                             w.plan_.leaves_sums);
      // As of one rank: what sums do not tell.
      if (Known > 1) least_cutoff = carroll::detail::has_wide_sums<Real, Known> ? 0x1p-46 : 0x1p-22;
    });
    w.plan_.leaves_sums = w.sums_;
    w.plan_.core = carroll::detail::CoreKernels::by_team;
    w.core_ = batch;
    w.core_.n = w.core_.m = 0;
    w.core_.window_rows =
        carroll::detail::tile_window_rows(carroll::detail::arrow_backend<ExecSpace>, k);
    w.core_.windows = static_cast<int>(w.leaves_);
    w.core_.options.cutoff = std::max(carroll::detail::rank_cutoff(batch), least_cutoff);
    w.batch_ = batch;
    w.batch_.n = static_cast<int>(w.layout_.rows.count(comm.rank()));
    w.batch_.m = static_cast<int>(w.layout_.segments.count(comm.rank()));
  }

  static void lay_out(carroll::detail::Arena& arena, Workspace& w) {
    int const k = w.batch_.k;
    std::int64_t const own = w.own_leaves_;
    std::int64_t const windows = w.batch_.n / least_window_rows + own;
    auto const partial = carroll::detail::partial_size(k);
    w.batch_.partials = arena.take<double>(windows * partial);
    w.batch_.edges = arena.take<carroll::detail::WindowEdges>(windows);
    w.batch_.groups = arena.take<double>(w.batch_.m * carroll::detail::group_size(k));
    w.batch_.cores = arena.take<double>(own * carroll::detail::core_size(k));
    w.batch_.pivots = arena.take<int>(own * k);
    w.systems_ = arena.take<double>(own * partial);
    w.offsets_ = arena.take<int>(own * (w.unit_ + 1));
    w.zero_ = arena.take<Real>(1);
    w.core_.partials = arena.take<double>(w.leaves_ * partial);
    w.core_.edges = arena.take<carroll::detail::WindowEdges>(w.leaves_);
    w.core_.cores = arena.take<double>(carroll::detail::core_size(k));
    w.core_.pivots = arena.take<int>(k);
    w.core_.offsets.data = arena.take<int>(1);
  }
};

}  // namespace carroll::distributed
