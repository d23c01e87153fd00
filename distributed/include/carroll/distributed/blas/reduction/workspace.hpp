// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/reduction/exact/digits.hpp>
#include <carroll/distributed/blas/reduction/layout.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/reduction/pieces.hpp>
#include <carroll/distributed/detail/signature.hpp>
#include <carroll/reduction/types.hpp>
#include <carroll/reduction/workspace.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace carroll::distributed {

/// Everything that `sum`, `dot` and `norm2` over ranks need besides the caller's vectors, made by
/// `reduction_workspace` for a layout. Calls that are given one allocate no memory of the device.
template <class ExecSpace, class T>
class ReductionWorkspace {
 public:
  [[nodiscard]] BlockLayout const& layout() const { return layout_; }
  [[nodiscard]] ReductionOptions const& options() const { return local_.options(); }

 private:
  template <class, class>
  friend struct ReductionAccess;

  BlockLayout layout_;
  std::uint64_t signature_ = 0;
  carroll::ReductionWorkspace<ExecSpace, T> local_;  ///< for the longest piece
  detail::RankPieces pieces_;
  std::vector<std::int64_t> counts_;     ///< of all ranks' pieces
  Kokkos::View<T*, ExecSpace> entries_;  ///< of a shared chunk: of x, then of y
  Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace> sums_;  ///< of this rank's pieces
};

/// A workspace for vectors of the given layout, the same on all ranks. Collective; allocates, for
/// which Kokkos may wait for the instance. Throws on all ranks: std::invalid_argument for a layout
/// of other ranks, unusable options, or what differs between ranks; AllocationError.
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] ReductionWorkspace<ExecSpace, T> reduction_workspace(
    Communicator<ExecSpace> const& comm, BlockLayout const& layout,
    ReductionOptions const& options = {});

}  // namespace carroll::distributed

#include <carroll/distributed/detail/reduction/access.hpp>
