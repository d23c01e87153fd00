// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/workspace.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/tall_qr/checks.hpp>
#include <carroll/distributed/detail/tall_qr/launch.hpp>
#include <carroll/distributed/detail/tall_qr/tree.hpp>
#include <carroll/distributed/tall_qr/workspace.hpp>
#include <carroll/svd.hpp>
#include <cstdint>
#include <span>
#include <vector>

/// The inside of a TallWorkspace, for the entry points.
namespace carroll::distributed::detail {

/// The info of a call, and for SVDs the values as they are without the power of two that R was
/// decomposed without. A thread for each value; the first one writes the info.
template <class ExecSpace, class Real>
struct TallInfoKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  TallOutcome const* outcome;
  SvdInfo<Real> const* svd_info;  ///< null without
  carroll::detail::StridedVector<Real> s;
  int count;
  TallSvdInfo<Real>* info;

  KOKKOS_FUNCTION void operator()(int j) const {
    if (svd_info && j < count)
      s(j) = carroll::detail::scale(s(j), outcome->template exponent<Real>());
    if (j > 0) return;
    TallSvdInfo<Real> result;
    if (svd_info) {
      result.triangle = *svd_info;
      result.status = svd_info->status;
      bool const infinite = count > 0 && s(0) > Kokkos::Experimental::finite_max_v<Real>;
      if (result.status == Status::success && infinite) result.status = Status::overflow;
    } else if (outcome->overflow != 0) {
      result.status = Status::overflow;
    }
    if (outcome->non_finite != 0) result.status = Status::non_finite;
    *info = result;
  }
};

template <class ExecSpace, class Real>
struct TallAccess<TallWorkspace<ExecSpace, Real>> {
  using Workspace = TallWorkspace<ExecSpace, Real>;
  using Memory = typename ExecSpace::memory_space;
  using Square = Kokkos::View<Real**, Kokkos::LayoutLeft, Memory, Kokkos::MemoryUnmanaged>;

  /// Throws what can be thrown; no messages.
  template <class Ranks>
  static Workspace make(Ranks const& comm, char const* function, BlockLayout const& layout,
                        std::int64_t cols, TallOptions const& options, bool decomposes) {
    require_tall<Real>(function, layout, cols, comm.size());
    Workspace w;
    w.layout_ = layout;
    w.options_ = options;
    w.decomposes_ = decomposes;
    auto& p = w.problem_;
    p.cols = static_cast<int>(cols);
    p.block = static_cast<int>(tall_block_rows<Real>(cols));
    p.rows = static_cast<int>(layout.count(comm.rank()));
    auto const blocks_before = [&](std::int64_t row) { return (row + p.block - 1) / p.block; };
    p.first = blocks_before(layout.begin(comm.rank()));
    p.last = blocks_before(layout.end(comm.rank()));
    p.blocks = blocks_before(layout.length());
    p.workers = tall_workers(comm.exec(), p.count());
    p.room_size = tall_room_size<ExecSpace, Real>(p.block, p.cols);

    std::vector<std::int64_t> all, mine;
    for (int rank = 0; rank < comm.size(); ++rank) {
      auto const part =
          subtrees(blocks_before(layout.begin(rank)), blocks_before(layout.end(rank)), p.blocks);
      if (rank == comm.rank()) {
        p.subtrees_before = static_cast<int>(all.size());
        mine = part;
      }
      all.insert(all.end(), part.begin(), part.end());
      auto const count = static_cast<std::int64_t>(part.size());
      w.numbers_.push_back(count * cols * Triangles<Real>::pitch_of(p.cols));
      w.exponents_.push_back(count * (cols + 1));
    }
    w.nodes_ = top_nodes(all, p.blocks);
    p.subtree_count = static_cast<int>(mine.size());
    p.node_count = static_cast<int>(w.nodes_.size());

    ExecSpace const& exec = comm.exec();
    TopNode* node_memory = nullptr;
    std::int64_t* subtree_memory = nullptr;
    w.bytes_ = carroll::detail::allocate_arena(
        exec, "carroll::tall_qr::workspace", [&](carroll::detail::Arena& arena) {
          lay_out(arena, p.triangles, p.cols, p.count());
          lay_out(arena, p.sent, p.cols, p.subtree_count);
          lay_out(arena, p.top, p.cols, static_cast<std::int64_t>(all.size()));
          p.factors = arena.template take_if<Real>(
              options.left, p.count() * tall_factor_size<ExecSpace, Real>(p.cols));
          p.room = arena.template take<Real>(p.workers * p.room_size);
          p.R = arena.template take<Real>(cols * cols);
          p.core = arena.template take_if<Real>(options.left, cols * cols);
          p.outcome = arena.template take<TallOutcome>(1);
          w.svd_info_ = arena.template take_if<SvdInfo<Real>>(decomposes, 1);
          w.infos_.lay_out(arena, 1);
          p.nodes = node_memory = arena.template take<TopNode>(p.node_count);
          p.subtrees = subtree_memory = arena.template take<std::int64_t>(p.subtree_count);
        });
    w.infos_.allocate_host("carroll::tall_qr::info", 1);
    if (p.node_count > 0)
      carroll::detail::copy_from_host(exec, node_memory, std::span<TopNode const>(w.nodes_));
    if (p.subtree_count > 0)
      carroll::detail::copy_from_host(exec, subtree_memory, std::span<std::int64_t const>(mine));
    exec.fence("carroll::tall_qr::workspace");
    if (decomposes)
      w.svd_ = carroll::svd_workspace<Real>(
          exec, SvdExtents{1, cols, cols, options.left ? SvdVectors::thin : SvdVectors::none,
                           options.right ? SvdVectors::thin : SvdVectors::none});
    return w;
  }

  static TallProblem<Real> const& problem(Workspace const& w) { return w.problem_; }
  static std::vector<TopNode> const& nodes(Workspace const& w) { return w.nodes_; }
  static bool decomposes(Workspace const& w) { return w.decomposes_; }

  /// A = Q·R: this rank's part, and the triangles of all ranks on each.
  template <class Ranks>
  static void reduce(Ranks const& comm, TallProblem<Real> const& p, Workspace const& w) {
    enqueue_factorise(comm.exec(), p);
    comm.all_gather_v(p.sent.data, p.top.data, std::span<std::int64_t const>(w.numbers_));
    comm.all_gather_v(p.sent.exponent_data, p.top.exponent_data,
                      std::span<std::int64_t const>(w.exponents_));
  }

  /// R's decomposition by every rank: the same bits.
  template <class SView, class VView>
  static void decompose(ExecSpace const& exec, TallProblem<Real> const& p, SView const& S,
                        VView const& V, Workspace& w) {
    auto const n = static_cast<std::size_t>(p.cols);
    using Info = Kokkos::View<SvdInfo<Real>, Memory, Kokkos::MemoryUnmanaged>;
    Square const R(p.R, n, n);
    if (w.options_.left)
      carroll::svd_async(exec, R, Square(p.core, n, n), S, V, Info(w.svd_info_), w.svd_);
    else
      carroll::svd_async(exec, R, carroll::none, S, V, Info(w.svd_info_), w.svd_);
  }

  /// Fences the instance once.
  static TallSvdInfo<Real> fetch_info(ExecSpace const& exec, TallProblem<Real> const& p,
                                      carroll::detail::StridedVector<Real> const& s,
                                      Workspace const& w) {
    enqueue_range(
        "carroll::tall_qr::info", exec, std::max(p.cols, 1),
        TallInfoKernel<ExecSpace, Real>{p.outcome, w.svd_info_, s, p.cols, w.infos_.data()});
    return w.infos_.fetch(exec, "carroll::tall_qr::info").front();
  }

 private:
  static void lay_out(carroll::detail::Arena& arena, Triangles<Real>& triangles, int cols,
                      std::int64_t count) {
    triangles.cols = cols;
    triangles.pitch = Triangles<Real>::pitch_of(cols);
    triangles.data = arena.template take<Real>(count * triangles.size());
    triangles.exponent_data = arena.template take<int>(count * (cols + 1));
    triangles.tau_data = arena.template take<Real>(count * cols);
  }
};

}  // namespace carroll::distributed::detail
