// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <carroll/concepts.hpp>
#include <carroll/detail/compiled.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/dispatch.hpp>
#include <carroll/detail/qr/plan.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/qr/types.hpp>
#include <cstdint>
#include <span>

namespace carroll {

/// Everything that `qr` needs besides the caller's Views, made by `qr_workspace` or
/// `qr_ragged_workspace` for matrices of Value, fixed extents and options. Calls that are given one
/// allocate nothing. One call at a time may use it; copies share the memory.
template <class ExecSpace, class Value>
class QrWorkspace : public detail::SolverWorkspace<ExecSpace, QrInfo, QrExtents, QrOptions> {
 public:
  [[nodiscard]] bool is_ragged() const { return ragged_; }
  /// What asks for the kernels that calls with this workspace take: of uniform batches, and never
  /// `automatic`.
  [[nodiscard]] QrPath path() const { return detail::qr_path(family_); }

 private:
  friend struct detail::AccessTo<QrWorkspace>;

  bool ragged_ = false;
  detail::QrFamily family_ = detail::QrFamily::team;  ///< of a uniform batch
  detail::QrPlan plan_;
  detail::QrBatch<Value> batch_{};  ///< without the caller's Views
  /// What a ragged call's packed Views must hold at least: A, Q, R, P.
  std::array<std::int64_t, 4> packed_sizes_{};
};

namespace detail {

/// The inside of a workspace, for the entry points. Defined in detail/qr/access.hpp.
template <class ExecSpace, class Value>
struct AccessTo<QrWorkspace<ExecSpace, Value>> {
  static_assert(is_compiled_for<ExecSpace>());
  using Workspace = QrWorkspace<ExecSpace, Value>;

  static Workspace uniform(ExecSpace const& exec, char const* function, QrExtents const& extents,
                           QrOptions const& options);

  static Workspace ragged(ExecSpace const& exec, char const* function,
                          std::span<QrMember const> members, QrMode mode, bool pivoted,
                          QrOptions const& options);

  /// The problems of a call on the caller's matrices.
  static QrBatch<Value> batch(Workspace const& w, QrViews<Value> const& views);

  static void enqueue(ExecSpace const& exec, QrBatch<Value> const& batch, Workspace const& w);
  static auto const& packed_sizes(Workspace const& w) { return w.packed_sizes_; }

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<QrInfo const> fetch_infos(ExecSpace const& exec, Workspace const& w) {
    return w.infos_.fetch(exec, "carroll::qr::info");
  }

 private:
  static void start(Workspace& w, QrExtents const& extents, QrOptions const& options);

  /// `reals` of all members; `slots` and `sorted`: of a ragged batch, where they end up.
  static void allocate_parts(ExecSpace const& exec, Workspace& w, std::int64_t reals,
                             QrSlot** slots = nullptr, int** sorted = nullptr);
};

}  // namespace detail

/// A workspace for uniform batches of the given extents. Allocates, for which Kokkos may wait for
/// the instance; freeing it waits for the whole device on CUDA. With OpenMP the first call that
/// uses it may still make Kokkos enlarge its own team scratch. Throws std::invalid_argument for
/// unusable extents or options, AllocationError for want of memory.
///
///   auto workspace = carroll::qr_workspace<double>(exec, {.batch = 100, .rows = 16, .cols = 8});
template <class Value, ExecutionSpace ExecSpace>
[[nodiscard]] QrWorkspace<ExecSpace, Value> qr_workspace(ExecSpace const& exec,
                                                         QrExtents const& extents,
                                                         QrOptions const& options = {}) {
  static_assert(FieldScalar<Value>,
                "carroll::qr_workspace: the scalar must be float, double or Kokkos::complex of one "
                "of these");
  return detail::AccessTo<QrWorkspace<ExecSpace, Value>>::uniform(exec, "carroll::qr_workspace",
                                                                  extents, options);
}

/// A workspace for a ragged batch with these members. Allocates, and fences `exec` once to hand the
/// list to the device. Throws as `qr_workspace` does.
template <class Value, ExecutionSpace ExecSpace>
[[nodiscard]] QrWorkspace<ExecSpace, Value> qr_ragged_workspace(ExecSpace const& exec,
                                                                std::span<QrMember const> members,
                                                                QrMode mode = QrMode::thin,
                                                                bool pivoted = false,
                                                                QrOptions const& options = {}) {
  static_assert(FieldScalar<Value>,
                "carroll::qr_ragged_workspace: the scalar must be float, double or Kokkos::complex "
                "of one of these");
  return detail::AccessTo<QrWorkspace<ExecSpace, Value>>::ragged(
      exec, "carroll::qr_ragged_workspace", members, mode, pivoted, options);
}

}  // namespace carroll

#ifndef CARROLL_COMPILED
#include <carroll/detail/qr/access.hpp>
#endif
