// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/distributed/detail/tall_qr/host/kernels.hpp>
#include <carroll/distributed/detail/tall_qr/problem.hpp>
#include <carroll/distributed/detail/tall_qr/team/block.hpp>
#include <carroll/distributed/detail/tall_qr/team/node.hpp>
#include <carroll/distributed/detail/tall_qr/team/registers.hpp>
#include <carroll/distributed/detail/tall_qr/triangle.hpp>
#include <cstdint>
#include <type_traits>
#include <vector>

/// Which kernels run, and in which order.
namespace carroll::distributed::detail {

/// Hosts have kernels of their own, on blocks in cache and vector registers; everything else has
/// those of teams. Tests have these on a host, too.
#ifdef CARROLL_TALL_QR_BY_TEAMS
template <class ExecSpace>
inline constexpr bool tall_qr_by_host = false;
#else
template <class ExecSpace>
inline constexpr bool tall_qr_by_host = carroll::detail::lanes<ExecSpace> == 1;
#endif

/// Workers of a host's call, and the room of each.
template <class ExecSpace>
int tall_workers([[maybe_unused]] ExecSpace const& exec, [[maybe_unused]] std::int64_t blocks) {
  if constexpr (tall_qr_by_host<ExecSpace>)
    return static_cast<int>(std::clamp<std::int64_t>(blocks, 1, exec.concurrency()));
  return 0;
}
template <class ExecSpace, class Real>
std::int64_t tall_room_size([[maybe_unused]] int block, [[maybe_unused]] int cols) {
  if constexpr (tall_qr_by_host<ExecSpace>)
    return (host::Room<Real>::size(block, cols) + 15) / 16 * 16;
  return 0;
}
/// What is kept of a block's reflectors besides themselves: T of each panel, or tau of each.
template <class ExecSpace, class Real>
std::int64_t tall_factor_size(int cols) {
  if constexpr (tall_qr_by_host<ExecSpace>) return host::Room<Real>::factor_size(cols);
  return cols;
}

template <class ExecSpace, class Kernel>
void enqueue_range(char const* label, ExecSpace const& exec, std::int64_t count,
                   Kernel const& kernel) {
  if (count > 0) Kokkos::parallel_for(label, typename Kernel::Policy(exec, 0, count), kernel);
}
/// One iteration for each worker.
template <class ExecSpace, class Kernel>
void enqueue_workers(char const* label, ExecSpace const& exec, int workers, Kernel const& kernel) {
  typename Kernel::Policy policy(exec, 0, workers);
  policy.set_chunk_size(1);
  Kokkos::parallel_for(label, policy, kernel);
}
/// A team kernel with the teams that it says.
template <class ExecSpace, class Kernel>
void enqueue_teams(char const* label, ExecSpace const& exec, Kernel const& kernel) {
  carroll::detail::launch_fitting_teams(label, exec, kernel, kernel.teams());
}

/// Blocks by teams: in registers where there are warps and they fit, else in scratch. Both kinds
/// leave the same things behind.
template <class ExecSpace, class Real>
void enqueue_block_qr(ExecSpace const& exec, TallProblem<Real> const& p) {
  constexpr char const* label = "carroll::tall_qr::blocks";
  if constexpr (carroll::detail::has_warps<ExecSpace>) {
    bool const done = team::with_register_block<Real>(p.block, p.cols, [&]<int R, int C>() {
      team::RegisterQrKernel<ExecSpace, Real, R, C> const kernel(p);
      carroll::detail::launch_teams(label, exec, kernel, kernel.teams());
    });
    if (done) return;
  }
  enqueue_teams(label, exec, team::BlockQrKernel<ExecSpace, Real>(p));
}
template <class ExecSpace, class Real>
void enqueue_block_expand(ExecSpace const& exec, TallProblem<Real> const& p) {
  constexpr char const* label = "carroll::tall_qr::expand";
  if constexpr (carroll::detail::has_warps<ExecSpace>) {
    bool done = false;
    team::with_register_block<Real>(p.block, p.cols, [&]<int R, int C>() {
      using Kernel = team::RegisterExpandKernel<ExecSpace, Real, R, C>;
      if (Kernel::bytes(p.cols) > static_cast<std::size_t>(Kernel::Policy::scratch_size_max(0)))
        return;
      Kernel const kernel(p);
      carroll::detail::launch_teams(label, exec, kernel, kernel.teams());
      done = true;
    });
    if (done) return;
  }
  enqueue_teams(label, exec, team::BlockExpandKernel<ExecSpace, Real>(p));
}

/// The nodes within this rank's blocks, level by level, where blocks have not been joined yet or
/// are the last to be split.
template <bool joins, class ExecSpace, class Real>
void enqueue_levels(ExecSpace const& exec, TallProblem<Real> const& p) {
  constexpr char const* label = joins ? "carroll::tall_qr::join" : "carroll::tall_qr::split";
  std::vector<std::int64_t> halves;
  std::int64_t const least = tall_qr_by_host<ExecSpace> ? host::part_blocks : 1;
  for (std::int64_t half = least; half < p.last; half *= 2) halves.push_back(half);
  if (!joins) std::reverse(halves.begin(), halves.end());
  for (std::int64_t half : halves) {
    if constexpr (tall_qr_by_host<ExecSpace>) {
      host::LevelKernel<ExecSpace, Real, joins> const kernel{p, half};
      if (kernel.count() > 0) enqueue_workers(label, exec, p.workers, kernel);
    } else {
      using Kernel = std::conditional_t<joins, team::JoinKernel<ExecSpace, Real>,
                                        team::SplitKernel<ExecSpace, Real>>;
      team::NodeList<Real> const nodes{p.triangles, p.first, p.last, p.blocks, half};
      if (nodes.count() > 0) enqueue_teams(label, exec, Kernel(nodes));
    }
  }
}

/// The nodes above the ranks, `nodes` on the host: all are joined by every rank, and those split
/// that lead to its own blocks.
template <bool joins, class ExecSpace, class Real>
void enqueue_top(ExecSpace const& exec, TallProblem<Real> const& p,
                 [[maybe_unused]] std::vector<TopNode> const& nodes) {
  constexpr char const* label =
      joins ? "carroll::tall_qr::join_ranks" : "carroll::tall_qr::split_ranks";
  if (p.node_count == 0) return;
  if constexpr (tall_qr_by_host<ExecSpace>) {
    enqueue_workers(label, exec, 1, host::TopKernel<ExecSpace, Real, joins>{p});
  } else {
    using Kernel = std::conditional_t<joins, team::JoinKernel<ExecSpace, Real>,
                                      team::SplitKernel<ExecSpace, Real>>;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      TopNode const& node = nodes[joins ? k : nodes.size() - 1 - k];
      if (joins || (node.begin < p.last && p.first < node.end))
        enqueue_teams(label, exec,
                      Kernel(team::NodeList<Real>{p.top, 0, 0, 0, 0, node.left, node.right}));
    }
  }
}

/// From A to this rank's triangles in `sent`.
template <class ExecSpace, class Real>
void enqueue_factorise(ExecSpace const& exec, TallProblem<Real> const& p) {
  if (p.count() == 0) return;
  if constexpr (tall_qr_by_host<ExecSpace>)
    enqueue_workers("carroll::tall_qr::blocks", exec, p.workers,
                    host::FactorisePartsKernel<ExecSpace, Real>{p});
  else
    enqueue_block_qr(exec, p);
  enqueue_levels<true>(exec, p);
  SubtreesKernel<ExecSpace, Real, false> const send{p};
  enqueue_range("carroll::tall_qr::send", exec, send.count(), send);
}

/// From the triangles of all ranks to R, a caller's or `p.R`.
template <class ExecSpace, class Real>
void enqueue_triangle(ExecSpace const& exec, TallProblem<Real> const& p,
                      std::vector<TopNode> const& nodes, StridedMatrix<Real> const& R, bool signs) {
  enqueue_top<true>(exec, p, nodes);
  enqueue_range("carroll::tall_qr::outcome", exec, 1, OutcomeKernel<ExecSpace, Real>{p});
  if (!signs)
    carroll::detail::launch_fitting_teams("carroll::tall_qr::largest", exec,
                                          LargestKernel<ExecSpace, Real>{p}, {p.cols, 1});
  enqueue_range("carroll::tall_qr::triangle", exec, std::int64_t{p.cols} * p.cols,
                TriangleKernel<ExecSpace, Real>{p, R, signs});
}

/// From `p.core` to Q·core.
template <class ExecSpace, class Real>
void enqueue_expand(ExecSpace const& exec, TallProblem<Real> const& p,
                    std::vector<TopNode> const& nodes) {
  if (p.count() == 0) return;
  enqueue_range("carroll::tall_qr::core", exec, p.top.size(), CoreKernel<ExecSpace, Real>{p});
  enqueue_top<false>(exec, p, nodes);
  SubtreesKernel<ExecSpace, Real, true> const receive{p};
  enqueue_range("carroll::tall_qr::receive", exec, receive.count(), receive);
  enqueue_levels<false>(exec, p);
  if constexpr (tall_qr_by_host<ExecSpace>)
    enqueue_workers("carroll::tall_qr::expand", exec, p.workers,
                    host::ExpandPartsKernel<ExecSpace, Real>{p});
  else
    enqueue_block_expand(exec, p);
}

}  // namespace carroll::distributed::detail
