// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/vendor/dense_library.hpp>
#include <carroll/detail/eigh/vendor/kernels.hpp>
#include <carroll/detail/workspace.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace carroll::detail {

/// The family `vendor`, a part of a workspace: eigenvalues and vectors of one matrix after the
/// other by a vendor's library, in double precision for matrices of `float`, too. What the library
/// says is measured, not believed: with eps of Real, ‖A·V - V·diag(W)‖₁ <= 4n·eps·‖A‖₁ and
/// ‖VᵀV - I‖₁ <= 4n·eps, test ratios of 4 of which LAPACK allows 30. `Library` is a DenseLibrary
/// (device/vendor/dense_library.hpp), or what a test has in its place.
///
/// Cost per matrix: the library's eigenvectors, 3n³ flops for A·V and VᵀV; A, V, A·V and VᵀV, n²
/// words each, are read and written a few times. The host waits three times a matrix.
template <class Library>
class VendorEigenpairs {
 public:
  using ExecSpace = typename Library::execution_space;

  /// `orders` of the members that will be decomposed, in their order; none is 0. Throws
  /// AllocationError for want of memory, std::runtime_error if the library says no.
  VendorEigenpairs(ExecSpace const& exec, std::vector<int> orders)
      : library_(exec), orders_(std::move(orders)) {
    int most = 0;
    std::int64_t device = 0, host = 0;
    for (int const n : orders_) {
      if (n == most) continue;
      LibraryBytes const bytes = library_.eigenvector_bytes(n);
      most = std::max(most, n);
      device = std::max(device, static_cast<std::int64_t>(bytes.device));
      host = std::max(host, static_cast<std::int64_t>(bytes.host));
    }
    memory_ = allocate_arena(exec, "carroll::eigh::vendor_workspace", [&](Arena& arena) {
      std::int64_t const square = std::int64_t{most} * most;
      a_ = arena.take<double>(square);
      v_ = arena.take<double>(square);
      // Free while the library works.
      rest_ = arena.take<std::byte>(std::max(2 * square * std::int64_t{sizeof(double)}, device));
      values_ = arena.take<double>(most);
      done_ = arena.take<int>(static_cast<std::int64_t>(orders_.size()));
      measure_.lay_out(arena, 1);
    });
    measure_.allocate_host("carroll::eigh::host_measure", 1);
    host_ = allocate<HostMemory>(Kokkos::DefaultHostExecutionSpace(),
                                 "carroll::eigh::vendor_host_workspace", host);
  }

  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return memory_.span(); }
  /// Of each member whether it is decomposed, in the device's memory; after `run`.
  [[nodiscard]] int const* done() const { return done_; }

  /// Decomposes as many members of a selection of the batch as the workspace was made for. Fences.
  /// Members that are not done stay as they were; are all?
  template <class Real>
  bool run(ExecSpace const& exec, EighBatch<Real> const& batch) const {
    int const count = static_cast<int>(orders_.size());
    set_to_zero(exec, done_, count);
    bool all = true;
    for (int k = 0; k < count; ++k) {
      bool const is_done = decompose(exec, batch, k, orders_[static_cast<std::size_t>(k)]);
      if (is_done)
        Kokkos::deep_copy(
            exec,
            Kokkos::View<int, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>(done_ + k),
            1);
      all = all && is_done;
    }
    return all;
  }

 private:
  using HostMemory = Kokkos::View<std::byte*, Kokkos::HostSpace>;

  template <class Real>
  bool decompose(ExecSpace const& exec, EighBatch<Real> const& batch, int place, int n) const {
    VendorMeasure* const measure = measure_.data();
    set_to_zero(exec, measure, 1);
    columns("carroll::eigh::vendor_largest", exec,
            VendorLargestKernel<ExecSpace, Real>{batch, place, measure}, n);
    double const largest = fetch(exec).largest;
    if (!std::isfinite(largest)) {
      launch_fitting_teams("carroll::eigh::vendor_refuse", exec,
                           VendorRefuseKernel<ExecSpace, Real>{batch, place}, {1, vendor_columns});
      return true;
    }
    int const exponent = largest > 0 ? exponent_of(largest) : 0;
    std::ptrdiff_t const square = static_cast<std::ptrdiff_t>(n) * n;
    auto* const others = reinterpret_cast<double*>(rest_);
    VendorMatrices const at{a_, v_, others, others + square, values_, n};
    columns("carroll::eigh::vendor_load", exec,
            VendorLoadKernel<ExecSpace, Real>{batch, place, exponent, at, measure}, n);
    library_.eigenvectors(exec, n, at.v, at.values, &measure->complaint,
                          {rest_, host_.data(), library_.eigenvector_bytes(n)});
    library_.product(exec, n, at.a, at.v, 0, at.product);
    library_.gram(exec, n, at.v, at.overlap);
    columns("carroll::eigh::vendor_measure", exec, VendorMeasureKernel<ExecSpace>{at, measure}, n);
    VendorMeasure const found = fetch(exec);
    double const limit = 4.0 * n * static_cast<double>(std::numeric_limits<Real>::epsilon());
    if (found.complaint != 0 || !std::isfinite(found.norm) || !(found.deviation <= limit) ||
        !(found.residual <= limit * found.norm))
      return false;
    columns("carroll::eigh::vendor_store", exec,
            VendorStoreKernel<ExecSpace, Real>{batch, place, exponent, at}, n);
    return true;
  }

  VendorMeasure fetch(ExecSpace const& exec) const {
    return measure_.fetch(exec, "carroll::eigh::vendor").front();
  }

  template <class Kernel>
  static void columns(char const* label, ExecSpace const& exec, Kernel const& kernel, int n) {
    launch_fitting_teams(label, exec, kernel,
                         {(n + vendor_columns - 1) / vendor_columns, vendor_columns});
  }

  Library library_;
  std::vector<int> orders_;
  double *a_ = nullptr, *v_ = nullptr, *values_ = nullptr;
  std::byte* rest_ = nullptr;
  int* done_ = nullptr;
  CallInfos<ExecSpace, VendorMeasure> measure_;
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> memory_;
  HostMemory host_;
};

}  // namespace carroll::detail
