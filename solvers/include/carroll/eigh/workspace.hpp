// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/concepts.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/dispatch.hpp>
#include <carroll/detail/eigh/jacobi/part.hpp>
#include <carroll/detail/eigh/plan.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/eigh/types.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace carroll {

/// Everything that `eigh` needs besides the caller's Views, made by `eigh_workspace` or
/// `eigh_ragged_workspace` for fixed extents and options. Calls that are given one allocate
/// nothing. One call at a time may use it; copies share the memory.
template <class ExecSpace, class T>
class EighWorkspace : public detail::SolverWorkspace<ExecSpace, EighInfo<detail::RealOf<T>>,
                                                     EighExtents, EighOptions> {
 public:
  [[nodiscard]] bool is_ragged() const { return ragged_; }
  /// What asks for the kernels that calls with this workspace take: of uniform batches, and never
  /// `automatic` but with EighMethod::cholesky_jacobi.
  [[nodiscard]] EighPath path() const { return detail::eigh_path(family_); }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t bytes = this->bytes_.span() + again_.workspace.bytes() + vendor_bytes_;
    for (auto const& part : factors_) bytes += part.workspace.bytes();
    return bytes;
  }

 private:
  friend struct detail::AccessTo<EighWorkspace>;

  bool ragged_ = false;
  detail::EighFamily family_ = detail::EighFamily::cholesky;  ///< of a uniform batch
  detail::EighPlan plan_;
  detail::EighBatch<T> batch_{};  ///< without the caller's Views
  /// What a ragged call's packed Views must hold at least: A, W, V.
  std::array<std::int64_t, 3> packed_sizes_{};
  std::vector<detail::EighJacobiPart<ExecSpace, T>> factors_;  ///< the plan's bin `jacobi`
  /// The bin `vendor`: the library's handles and memory, and the decompositions for those members
  /// that it does not do right.
  std::shared_ptr<detail::EighVendor<ExecSpace> const> vendor_;
  std::size_t vendor_bytes_ = 0;
  detail::EighJacobiPart<ExecSpace, T> again_;
};

namespace detail {

/// The inside of a workspace, for the entry points. Defined in detail/eigh/access.hpp.
template <class ExecSpace, class T>
struct AccessTo<EighWorkspace<ExecSpace, T>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = EighWorkspace<ExecSpace, T>;

  static Workspace uniform(ExecSpace const& exec, char const* function, EighExtents const& extents,
                           EighOptions const& options);

  static Workspace ragged(ExecSpace const& exec, char const* function,
                          std::span<EighMember const> members, bool vectors,
                          EighOptions const& options);

  /// The problems of a call on the caller's matrices.
  static EighBatch<T> batch(Workspace const& w, EighViews<T> const& views);

  static void enqueue(ExecSpace const& exec, EighBatch<T> const& batch, Workspace const& w);
  static auto const& packed_sizes(Workspace const& w) { return w.packed_sizes_; }

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<EighInfo<RealOf<T>> const> fetch_infos(ExecSpace const& exec,
                                                          Workspace const& w) {
    return w.infos_.fetch(exec, "carroll::eigh::info");
  }

 private:
  static void start(Workspace& w, EighExtents const& extents, EighOptions const& options);

  /// What decomposes the factors of the plan's bins. `in_order`: members of a ragged batch, bin by
  /// bin, `reals` of all of them.
  static void prepare_factors(ExecSpace const& exec, char const* function, Workspace& w);
  static void prepare_factors(ExecSpace const& exec, char const* function, Workspace& w,
                              std::vector<EighSlot> const& in_order, std::int64_t reals);

  /// Of the members of the plan's bin `vendor` the orders.
  static void prepare_vendor(ExecSpace const& exec, Workspace& w, std::vector<int> orders);

  /// `reals` of all members; `slots` and `sorted`: of a ragged batch, where they end up.
  static void allocate_parts(ExecSpace const& exec, Workspace& w, std::int64_t reals,
                             EighSlot** slots = nullptr, int** sorted = nullptr);
};

}  // namespace detail

/// A workspace for uniform batches of the given extents. Allocates, for which Kokkos may wait for
/// the instance; freeing it waits for the whole device on CUDA. With OpenMP the first call that
/// uses it may still make Kokkos enlarge its own team scratch. Throws std::invalid_argument for
/// unusable extents or options, AllocationError for want of memory.
///
///   auto workspace = carroll::eigh_workspace<double>(exec, {.batch = 100, .n = 8});
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] EighWorkspace<ExecSpace, T> eigh_workspace(ExecSpace const& exec,
                                                         EighExtents const& extents,
                                                         EighOptions const& options = {}) {
  static_assert(FieldScalar<T>,
                "carroll::eigh_workspace: T must be float, double or Kokkos::complex of these");
  return detail::AccessTo<EighWorkspace<ExecSpace, T>>::uniform(exec, "carroll::eigh_workspace",
                                                                extents, options);
}

/// A workspace for a ragged batch with these members. Allocates, and fences `exec` once to hand the
/// list to the device. Throws as `eigh_workspace` does.
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] EighWorkspace<ExecSpace, T> eigh_ragged_workspace(ExecSpace const& exec,
                                                                std::span<EighMember const> members,
                                                                bool vectors = true,
                                                                EighOptions const& options = {}) {
  static_assert(FieldScalar<T>,
                "carroll::eigh_ragged_workspace: T must be float, double or Kokkos::complex of "
                "these");
  return detail::AccessTo<EighWorkspace<ExecSpace, T>>::ragged(
      exec, "carroll::eigh_ragged_workspace", members, vectors, options);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/eigh/access.hpp>
#endif
