// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/pseudoinverse/dispatch.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/distributed/arrow_step/types.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/arrow_step/leaf.hpp>
#include <carroll/pseudoinverse/types.hpp>
#include <carroll/pseudoinverse/workspace.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace carroll::distributed {

template <class ExecSpace, class Real>
struct ArrowStepSetup;

/// Everything that `arrow_step` needs besides the caller's Views, made by `arrow_step_workspace`
/// for a layout and options. Calls that are given one allocate nothing, unless motion columns
/// depend on others.
template <class ExecSpace, class Real>
class ArrowStepWorkspace {
 public:
  [[nodiscard]] ArrowLayout const& layout() const { return layout_; }
  [[nodiscard]] ArrowStepOptions const& options() const { return options_; }
  /// Of all ranks.
  [[nodiscard]] std::int64_t leaves() const { return leaves_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return bytes_.span(); }

 private:
  template <class, class>
  friend struct ArrowStepSetup;
  template <class, class>
  friend struct ArrowStepAccess;
  using Batch = carroll::detail::ArrowBatch<Real>;
  template <class T>
  using Pinned = Kokkos::View<T*, Kokkos::SharedHostPinnedSpace>;

  ArrowLayout layout_;
  ArrowStepOptions options_;
  std::uint64_t signature_ = 0;
  std::int64_t leaves_ = 0, unit_ = 1;  ///< of all ranks; segments of a leaf
  int own_leaves_ = 0;
  std::vector<std::int64_t> leaf_counts_;  ///< of each rank
  carroll::detail::StepPlan plan_;         ///< of leaves with rows
  Batch batch_;                            ///< of this rank's leaves, the first one's memory
  Batch core_;                             ///< of the systems of all leaves
  bool sums_ = true;                       ///< these are sums, not triangles
  double* systems_ = nullptr;              ///< of this rank's leaves
  int* offsets_ = nullptr;                 ///< of each leaf, from 0
  Real* zero_ = nullptr;
  Pinned<int> bounds_;               ///< rows at which leaves begin, and the last one ends
  Pinned<Batch> batches_;            ///< one a leaf
  Pinned<detail::LeafFound> found_;  ///< of the leaves of all ranks
  Pinned<PseudoinverseInfo<Real>> info_;
  Pinned<int> overflow_;  ///< not 0: a depth does not fit Real
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> bytes_;
};

/// A workspace for steps with `motions` motion columns, and rows and segments as `layout` has them.
/// Collective; allocates. Throws on all ranks: std::invalid_argument for layouts of other ranks or
/// that cut leaves, unusable options, or what differs between ranks; AllocationError.
template <class Real, ExecutionSpace ExecSpace>
[[nodiscard]] ArrowStepWorkspace<ExecSpace, Real> arrow_step_workspace(
    Communicator<ExecSpace> const& comm, ArrowLayout const& layout, std::int64_t motions,
    ArrowStepOptions const& options = {});

}  // namespace carroll::distributed

#include <carroll/distributed/detail/arrow_step/access.hpp>
