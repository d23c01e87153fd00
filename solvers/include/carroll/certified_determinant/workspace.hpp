// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/certified_determinant/types.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/certified_determinant/launch.hpp>
#include <carroll/error.hpp>
#include <cstdint>
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
  [[nodiscard]] std::size_t bytes() const {
    return matrices_.span() * sizeof(double) + vectors_.span() * sizeof(double) +
           integers_.span() * sizeof(int) + states_.span() * sizeof(detail::CertifiedState) +
           infos_.span() * sizeof(Info);
  }

 private:
  friend struct detail::CertifiedDeterminantAccess<ExecSpace, Real>;

  CertifiedDeterminantExtents extents_{.batch = 0};  ///< a workspace that nobody made fits no call
  detail::CertifiedPath path_ = detail::CertifiedPath::closed;
  int slots_ = 0;
  Kokkos::View<double*, memory_space> matrices_;
  Kokkos::View<double*, memory_space> vectors_;
  Kokkos::View<int*, memory_space> integers_;
  Kokkos::View<detail::CertifiedState*, memory_space> states_;
  Kokkos::View<Info*, memory_space> infos_;
  Kokkos::View<Info*, Kokkos::SharedHostPinnedSpace> host_infos_;
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
    w.path_ = certified_path(extents.n);
    std::int64_t const slots = certified_slots(exec, w.path_, extents.batch);
    w.slots_ = static_cast<int>(slots);
    std::int64_t const n = extents.n;
    w.matrices_ = allocate<decltype(w.matrices_)>(exec, "carroll::certified_determinant::workspace",
                                                  slots * CertifiedMemory::matrix_count * n * n);
    w.vectors_ = allocate<decltype(w.vectors_)>(exec, "carroll::certified_determinant::vectors",
                                                slots * CertifiedMemory::vector_count * n);
    w.integers_ = allocate<decltype(w.integers_)>(exec, "carroll::certified_determinant::integers",
                                                  slots * CertifiedMemory::integers_per_row * n);
    w.states_ =
        allocate<decltype(w.states_)>(exec, "carroll::certified_determinant::states", slots);
    w.infos_ =
        allocate<decltype(w.infos_)>(exec, "carroll::certified_determinant::infos", extents.batch);
    // The pinned host copy needs an instance to be made on; nothing is launched or waited for.
    w.host_infos_ = allocate<decltype(w.host_infos_)>(Kokkos::DefaultHostExecutionSpace(),
                                                      "carroll::certified_determinant::host_infos",
                                                      extents.batch);
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
    CertifiedMemory const memory{w.matrices_.data(), w.vectors_.data(), w.integers_.data(),
                                 w.states_.data(), static_cast<int>(w.extents_.n)};
    enqueue_certified(exec, batch, memory, w.path_, w.slots_);
  }

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<CertifiedDeterminantInfo<Real> const> fetch_infos(ExecSpace const& exec,
                                                                     Workspace const& w) {
    Kokkos::deep_copy(exec, w.host_infos_, w.infos_);
    exec.fence("carroll::certified_determinant::info");
    return {w.host_infos_.data(), w.host_infos_.extent(0)};
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
