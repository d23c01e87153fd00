// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/concepts.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/svd/types.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace carroll {

/// Everything that `svd` needs besides the caller's Views, made by `svd_workspace` or
/// `svd_ragged_workspace` for fixed extents and options. Calls that are given one allocate nothing.
/// One call at a time may use it; copies share the memory.
template <class ExecSpace, class Real>
class SvdWorkspace
    : public detail::SolverWorkspace<ExecSpace, SvdInfo<Real>, SvdExtents, SvdOptions> {
 public:
  [[nodiscard]] bool is_ragged() const { return ragged_; }
  /// Bytes of device memory held, without what a vendor's library keeps for itself.
  [[nodiscard]] std::size_t bytes() const { return this->bytes_.span() + start_bytes_; }
  /// What asks for the kernels that calls with this workspace take: for uniform batches, with
  /// SvdMethod::preconditioned never `automatic`.
  [[nodiscard]] SvdPath path() const { return detail::svd_path(family_); }

 private:
  friend struct detail::AccessTo<SvdWorkspace>;

  bool ragged_ = false;
  detail::SvdFamily family_ = detail::SvdFamily::study;  ///< of a uniform batch
  detail::SvdPlan plan_;
  detail::SvdBatch<Real> batch_{};  ///< without the caller's Views
  /// What a ragged call's packed Views must hold at least: A, U, S, V.
  std::array<std::int64_t, 4> packed_sizes_{};
  detail::SvdStarts<ExecSpace> starts_;
  std::size_t start_bytes_ = 0;
};

namespace detail {

/// The inside of a workspace, for the entry points. Defined in detail/svd/launch.hpp.
template <class ExecSpace, class Real>
struct AccessTo<SvdWorkspace<ExecSpace, Real>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = SvdWorkspace<ExecSpace, Real>;

  static Workspace uniform(ExecSpace const& exec, char const* function, SvdExtents const& extents,
                           SvdOptions const& options);

  static Workspace ragged(ExecSpace const& exec, char const* function,
                          std::span<SvdMember const> members, SvdVectors u, SvdVectors v,
                          SvdOptions const& options);

  /// The problems of a call on the caller's matrices.
  static SvdBatch<Real> batch(Workspace const& w, SvdViews<Real> const& views);

  static void enqueue(ExecSpace const& exec, SvdBatch<Real> const& batch, Workspace const& w);
  static auto const& packed_sizes(Workspace const& w) { return w.packed_sizes_; }

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<SvdInfo<Real> const> fetch_infos(ExecSpace const& exec, Workspace const& w) {
    return w.infos_.fetch(exec, "carroll::svd::info");
  }

 private:
  static bool has_vectors(SvdExtents const& extents) {
    return extents.u != SvdVectors::none || extents.v != SvdVectors::none;
  }

  static void start(Workspace& w, SvdExtents const& extents, SvdOptions const& options);

  /// Of the members of the family's bin the extents.
  static void prepare_start(ExecSpace const& exec, Workspace& w, SvdFamily family,
                            std::span<SvdBounds const> members);

  /// `slots` and `sorted`: of a ragged batch, where they end up.
  static void allocate_parts(ExecSpace const& exec, char const* function, Workspace& w,
                             SvdWorkspaceSizes const& sizes, SvdSlot** slots = nullptr,
                             int** sorted = nullptr);
};

}  // namespace detail

/// A workspace for uniform batches of the given extents. Allocates, for which Kokkos may wait for
/// the instance; freeing it waits for the whole device on CUDA. With OpenMP the first call that
/// uses it may still make Kokkos enlarge its own team scratch. Throws std::invalid_argument for
/// unusable extents or options, AllocationError for want of memory.
///
///   auto workspace = carroll::svd_workspace<double>(exec, {.batch = 100, .rows = 8, .cols = 8});
template <class Real, ExecutionSpace ExecSpace>
[[nodiscard]] SvdWorkspace<ExecSpace, Real> svd_workspace(ExecSpace const& exec,
                                                          SvdExtents const& extents,
                                                          SvdOptions const& options = {}) {
  static_assert(RealScalar<Real>, "carroll::svd_workspace: Real must be float or double");
  return detail::AccessTo<SvdWorkspace<ExecSpace, Real>>::uniform(exec, "carroll::svd_workspace",
                                                                  extents, options);
}

/// A workspace for a ragged batch with these members and these vectors of each. Allocates, and
/// fences `exec` once to hand the list to the device. Throws as `svd_workspace` does.
template <class Real, ExecutionSpace ExecSpace>
[[nodiscard]] SvdWorkspace<ExecSpace, Real> svd_ragged_workspace(ExecSpace const& exec,
                                                                 std::span<SvdMember const> members,
                                                                 SvdVectors u = SvdVectors::thin,
                                                                 SvdVectors v = SvdVectors::thin,
                                                                 SvdOptions const& options = {}) {
  static_assert(RealScalar<Real>, "carroll::svd_ragged_workspace: Real must be float or double");
  return detail::AccessTo<SvdWorkspace<ExecSpace, Real>>::ragged(
      exec, "carroll::svd_ragged_workspace", members, u, v, options);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/svd/launch.hpp>
#endif
