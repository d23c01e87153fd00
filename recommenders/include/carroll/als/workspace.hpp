// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/als/types.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/als/checks.hpp>
#include <carroll/detail/als/memory.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/ratings.hpp>
#include <cstddef>

namespace carroll {

namespace detail {
struct AlsAccess;
}  // namespace detail

/// What `als` needs besides ratings and factors, made by `als_workspace` for the ratings' numbers
/// by user and by item, k and options. Calls that are given one allocate nothing on the device.
/// One call at a time may use it; copies share the memory.
template <class ExecSpace, class Real>
class AlsWorkspace : public detail::SpacesOf<ExecSpace> {
 public:
  [[nodiscard]] AlsOptions const& options() const { return options_; }
  [[nodiscard]] int factors() const { return memory_.factors; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes.span(); }

 private:
  friend struct detail::AlsAccess;

  AlsOptions options_;
  detail::AlsMemory<ExecSpace, Real> memory_;
};

namespace detail {

struct AlsAccess {
  template <class ExecSpace, class Real>
  static AlsWorkspace<ExecSpace, Real> make(
      ExecSpace const& exec, char const* function,
      Ratings<Real, typename ExecSpace::memory_space> const& ratings, std::int64_t factors,
      AlsOptions const& options) {
    require_usable<Real>(function, factors, options);
    AlsWorkspace<ExecSpace, Real> workspace;
    workspace.options_ = options;
    workspace.memory_.make(exec, "carroll::als::workspace", ratings.by_user(), ratings.by_item(),
                           static_cast<int>(factors), options);
    return workspace;
  }
  template <class ExecSpace, class Real>
  static AlsMemory<ExecSpace, Real> const& memory(AlsWorkspace<ExecSpace, Real> const& workspace) {
    return workspace.memory_;
  }
};

}  // namespace detail

/// A workspace for `als` on these ratings. Holds 8·k² bytes per thread and some more on hosts, and
/// on devices or for rows of more than 4096 ratings room for k² sums of some of their segments, at
/// most 1 GiB (hosts: 128 MiB) or ten. Copies the ratings' offsets to the host, with a fence of
/// `exec`; O(users + items) work there. Throws std::invalid_argument for unusable options or k,
/// AllocationError for want of memory.
template <ExecutionSpace ExecSpace, class Real>
[[nodiscard]] AlsWorkspace<ExecSpace, Real> als_workspace(
    ExecSpace const& exec, Ratings<Real, typename ExecSpace::memory_space> const& ratings,
    std::int64_t factors, AlsOptions const& options = {}) {
  return detail::AlsAccess::make(exec, "carroll::als_workspace", ratings, factors, options);
}

}  // namespace carroll
