// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/certified_determinant/types.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/certified_determinant/launch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <cstddef>
#include <span>
#include <string>

namespace carroll {

namespace detail {
template <class ExecSpace, class Real>
struct CertifiedDeterminantAccess;
}

/// Everything that `certified_determinant` needs besides the caller's matrices, made by
/// `certified_determinant_workspace` for fixed extents. Calls that are given one allocate nothing.
/// One call at a time may use it; copies share the memory.
template <class ExecSpace, class Real>
class CertifiedDeterminantWorkspace {
 public:
  using execution_space = ExecSpace;
  using memory_space = typename ExecSpace::memory_space;
  using Info = CertifiedDeterminantInfo<Real>;

  [[nodiscard]] CertifiedDeterminantExtents const& extents() const { return extents_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return bytes_.span(); }

 private:
  friend struct detail::CertifiedDeterminantAccess<ExecSpace, Real>;

  CertifiedDeterminantExtents extents_{.batch = 0};  ///< a workspace that nobody made fits no call
  detail::CertifiedPlan plan_;
  detail::CertifiedMemory memory_;  ///< in:
  Kokkos::View<std::byte*, memory_space> bytes_;
  detail::CallInfos<ExecSpace, Info> infos_;
};

namespace detail {

/// The inside of a workspace, for the entry points.
template <class ExecSpace, class Real>
struct CertifiedDeterminantAccess {
  using Workspace = CertifiedDeterminantWorkspace<ExecSpace, Real>;

  static Workspace make(ExecSpace const& exec, char const* function,
                        CertifiedDeterminantExtents const& extents) {
    require_size(function, "the batch", extents.batch);
    require_size(function, "the order", extents.n);
    constexpr int largest = 1 << 26;  // up to which all bounds hold, see problem.hpp
    require(extents.n <= largest, function, [&] {
      return "the order is " + std::to_string(extents.n) + ", must be at most " +
             std::to_string(largest);
    });
    Workspace w;
    w.extents_ = extents;
    w.plan_ = CertifiedPlan::of(exec, extents.n, extents.batch);
    w.memory_.n = static_cast<int>(extents.n);
    w.bytes_ = allocate_arena(exec, "carroll::certified_determinant::workspace", [&](Arena& arena) {
      w.memory_.lay_out(arena, w.plan_.slots);
      w.infos_.lay_out(arena, extents.batch);
    });
    w.infos_.allocate_host("carroll::certified_determinant::host_infos", extents.batch);
    return w;
  }

  static CertifiedBatch<Real> batch(Workspace const& w, StridedBatch<Real const> const& A) {
    CertifiedBatch<Real> batch;
    batch.source = A;
    batch.n = static_cast<int>(w.extents_.n);
    batch.members = static_cast<int>(w.extents_.batch);
    batch.infos = w.infos_.data();
    return batch;
  }

  static void enqueue(ExecSpace const& exec, CertifiedBatch<Real> const& batch,
                      Workspace const& w) {
    enqueue_certified(exec, batch, w.memory_, w.plan_);
  }

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<CertifiedDeterminantInfo<Real> const> fetch_infos(ExecSpace const& exec,
                                                                     Workspace const& w) {
    return w.infos_.fetch(exec, "carroll::certified_determinant::info");
  }
};

}  // namespace detail

/// A workspace for `batch` matrices of order n. Allocates, for which Kokkos may wait for the
/// instance; freeing it waits for the whole device on CUDA. Holds 8n² doubles for each matrix that
/// is worked on at the same time: one per thread of a host, some 500 on a GPU, one for orders above
/// 160, none up to 3. Throws std::invalid_argument for unusable extents, AllocationError for want
/// of memory.
///
///   auto workspace = carroll::certified_determinant_workspace<double>(exec, {.batch = 9, .n = 8});
template <class Real, ExecutionSpace ExecSpace>
[[nodiscard]] CertifiedDeterminantWorkspace<ExecSpace, Real> certified_determinant_workspace(
    ExecSpace const& exec, CertifiedDeterminantExtents const& extents) {
  static_assert(RealScalar<Real>,
                "carroll::certified_determinant_workspace: Real must be float or double");
  return detail::CertifiedDeterminantAccess<ExecSpace, Real>::make(
      exec, "carroll::certified_determinant_workspace", extents);
}

}  // namespace carroll
