// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/arrow_jacobian.hpp>
#include <carroll/detail/bind.hpp>
#include <carroll/detail/pseudoinverse/views.hpp>
#include <carroll/distributed/arrow_step/types.hpp>
#include <carroll/distributed/arrow_step/workspace.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/pseudoinverse/types.hpp>
#include <cstdint>

/// The step of direct visual SLAM, x = A⁺d, for a frame, or a window, whose rows ranks share: from
/// some 10⁷ of them on; of fewer, frames should be shared (batch.hpp).
///
///   auto const layout = carroll::distributed::arrow_layout(comm.size(), offsets_of_all_segments);
///   // motion, depth, d: the rows of this rank's segments; segment_offsets: of these, from 0
///   carroll::ArrowJacobian A{motion, depth, segment_offsets};
///   auto info = carroll::distributed::arrow_step(comm, A, d, carroll::ArrowSolution{y, xi});
///
/// What is said of carroll::apply_pseudoinverse holds of the result, its accuracy, damping, robust
/// weights, deficient rank and statuses, for one frame and one right-hand side. y, its covariance
/// and the info are on all ranks, ξ and its variances where the depths' rows are. A.damping has the
/// motion columns' entries on all ranks, the same ones, and those of the rank's depths.
///
/// Ranks have whole segments, and whole leaves of them: a leaf is a fixed number of segments,
/// counted from the first one of all (ArrowStepOptions::leaf_segments). Each rank's kernels, those
/// of carroll::apply_pseudoinverse, leave of each leaf a system of k+1 columns, a triangle (R |
/// Qᵀf) where they go by QR and sums where they go by these, with the squares of k norms. Ranks
/// send these to all, some 100 numbers a leaf of six motion columns; all put them together alike,
/// in a fixed tree over the leaves, and solve it; each puts y back into its depths. So the result
/// has the same bits for every number of ranks and however leaves are shared out. They are not
/// carroll::apply_pseudoinverse's, which has another tree.
///
/// Only where motion columns depend on others do ranks need all depths, for the shortest x: then
/// they send each other (k+2) numbers of each, which are allocated for it.
///
/// A launch for each leaf of a rank, and five; four fences; an MPI_Allreduce of 24 bytes, and
/// MPI_Allgathers of the systems and of 4 bytes.
///
/// Collective. Misuse on one rank throws on all: there std::invalid_argument, elsewhere RankError.
/// Offsets that do not rise from 0 to the rank's rows are Status::breakdown on all.
namespace carroll::distributed {

namespace detail {

template <class ExecSpace, class Arrow, class RhsView, class Solution>
consteval void assert_arrow_step() {
  carroll::detail::assert_arrow_step<ExecSpace, Arrow, RhsView, Solution>();
  static_assert(carroll::detail::rank_of<decltype(Arrow::motion)>() == 2 &&
                    carroll::detail::rank_of<RhsView>() == 1,
                "carroll::distributed::arrow_step: A must be one frame, d one right-hand side");
  static_assert(carroll::detail::is_absent<decltype(Arrow::rows)>,
                "carroll::distributed::arrow_step: A.rows must be carroll::none: rows are in the "
                "order of the segments");
}

}  // namespace detail

/// Without allocations of device memory, unless motion columns are dependent. Views are as the
/// workspace's layout says.
template <ExecutionSpace ExecSpace, class Arrow, class RhsView, class Solution, class Real>
[[nodiscard]] PseudoinverseInfo<Real> arrow_step(Communicator<ExecSpace> const& comm,
                                                 Arrow const& A, RhsView const& d,
                                                 Solution const& x,
                                                 ArrowStepWorkspace<ExecSpace, Real>& workspace) {
  detail::assert_arrow_step<ExecSpace, Arrow, RhsView, Solution>();
  static_assert(std::is_same_v<typename Arrow::value_type, Real>,
                "carroll::distributed::arrow_step: the workspace must have the scalar type of A");
  return ArrowStepAccess<ExecSpace, Real>::call("carroll::distributed::arrow_step", comm, A, d, x,
                                                workspace);
}

/// The same with a workspace of its own. The ranks' extents make the layout.
template <ExecutionSpace ExecSpace, class Arrow, class RhsView, class Solution>
[[nodiscard]] auto arrow_step(Communicator<ExecSpace> const& comm, Arrow const& A, RhsView const& d,
                              Solution const& x, ArrowStepOptions const& options = {}) {
  detail::assert_arrow_step<ExecSpace, Arrow, RhsView, Solution>();
  struct Extents {
    std::int64_t rows, offsets;
  };
  ArrowLayout layout;
  for (auto const& extents :
       comm.all_gather_value(Extents{static_cast<std::int64_t>(A.motion.extent(0)),
                                     static_cast<std::int64_t>(A.segment_offsets.extent(0))})) {
    layout.rows.offsets.push_back(layout.rows.length() + extents.rows);
    std::int64_t const segments = extents.offsets > 0 ? extents.offsets - 1 : 0;
    layout.segments.offsets.push_back(layout.segments.length() + segments);
  }
  auto workspace = ArrowStepSetup<ExecSpace, typename Arrow::value_type>::make(
      "carroll::distributed::arrow_step", comm, layout,
      static_cast<std::int64_t>(A.motion.extent(1)), options);
  return arrow_step(comm, A, d, x, workspace);
}

}  // namespace carroll::distributed
