// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/als/types.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/als/memory.hpp>
#include <carroll/distributed/als/layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::distributed {

namespace detail {
struct AlsAccess;
}  // namespace detail

/// What `als` over ranks needs besides ratings and factors, made by `als_workspace` for a layout,
/// this rank's ratings, k and options. Calls that are given one allocate nothing on the device. One
/// call at a time may use it; copies share the memory.
template <class ExecSpace, class Real>
class AlsWorkspace {
 public:
  using execution_space = ExecSpace;
  using memory_space = typename ExecSpace::memory_space;

  [[nodiscard]] AlsLayout const& layout() const { return layout_; }
  [[nodiscard]] AlsOptions const& options() const { return options_; }
  [[nodiscard]] int factors() const { return memory_.factors; }
  /// Bytes of device memory held by this rank.
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes.span(); }

 private:
  friend struct detail::AlsAccess;

  AlsLayout layout_;
  AlsOptions options_;
  std::uint64_t signature_ = 0;
  std::int64_t by_user_ = 0, by_item_ = 0;  ///< ratings of this rank
  std::int64_t ratings_ = 0;                ///< of all
  carroll::detail::AlsMemory<ExecSpace, Real> memory_;
};

/// A workspace for `als` over ranks. `by_user`: this rank's users, as `layout` has them, and all
/// items; `by_item`: this rank's items and all users. Holds what that of one device holds for this
/// rank's ratings (carroll::als_workspace). Looks at all ratings and offsets of the rank, with four
/// fences of the instance.
///
/// Collective. Throws std::invalid_argument for a layout of other ranks, rows that are not the
/// layout's, ratings that are not finite or of no column, different numbers of ratings by user and
/// by item over all ranks, unusable options or k, and what differs between ranks; AllocationError
/// for want of memory; RankError where it is another rank that has thrown.
template <ExecutionSpace ExecSpace, class Real>
[[nodiscard]] AlsWorkspace<ExecSpace, Real> als_workspace(
    Communicator<ExecSpace> const& comm, AlsLayout const& layout,
    RatingRows<Real, typename ExecSpace::memory_space> const& by_user,
    RatingRows<Real, typename ExecSpace::memory_space> const& by_item, std::int64_t factors,
    AlsOptions const& options = {});

}  // namespace carroll::distributed

#include <carroll/distributed/detail/als/access.hpp>
