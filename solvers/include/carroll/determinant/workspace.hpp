// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/determinant/launch.hpp>
#include <carroll/detail/determinant/refusal.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/determinant/types.hpp>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace carroll {

namespace detail {
template <class ExecSpace, class T>
struct DeterminantAccess;
}

/// Everything that `determinant` needs besides the caller's matrices, made by
/// `determinant_workspace` for fixed extents and options. Calls that are given one allocate
/// nothing. One call at a time may use it; copies share the memory.
template <class ExecSpace, class T>
class DeterminantWorkspace {
 public:
  using execution_space = ExecSpace;
  using memory_space = typename ExecSpace::memory_space;
  using Info = DeterminantInfo<T>;

  [[nodiscard]] DeterminantOptions const& options() const { return options_; }
  [[nodiscard]] DeterminantExtents const& extents() const { return extents_; }
  /// The kernels that calls with this workspace take, never `automatic`.
  [[nodiscard]] DeterminantPath path() const { return plan_.path; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return bytes_.span(); }

 private:
  friend struct detail::DeterminantAccess<ExecSpace, T>;

  DeterminantOptions options_;
  DeterminantExtents extents_{.batch = 0};  ///< a workspace that nobody made fits no call
  detail::DeterminantPlan plan_;
  detail::DeterminantMemory<ExecSpace, T> memory_;  ///< in:
  Kokkos::View<std::byte*, memory_space> bytes_;
  detail::CallInfos<ExecSpace, Info> infos_;
};

namespace detail {

/// The inside of a workspace, for the entry points.
template <class ExecSpace, class T>
struct DeterminantAccess {
  using Workspace = DeterminantWorkspace<ExecSpace, T>;

  /// `teams_at_once`: fewer than there could be where a small device is to be tried on a large one.
  static Workspace make(ExecSpace const& exec, char const* function,
                        DeterminantExtents const& extents, DeterminantOptions const& options,
                        int teams_at_once = processors(ExecSpace())) {
    require_size(function, "the batch", extents.batch);
    require_size(function, "the order", extents.n);
    auto const method = options.method;
    require(DeterminantMethod::blocked <= method &&
                method <= DeterminantMethod::condensation_read_only_column,
            function, [&] {
              return "options.method is " + std::to_string(static_cast<int>(method)) +
                     ", must be an enumerator of DeterminantMethod";
            });
    require_addressable(
        function, {extents.batch, extents.n, extents.n},
        double(extents.batch) * (2 * double(extents.n) + 200) * double(extents.n) * sizeof(T));
    Workspace w;
    w.options_ = options;
    w.extents_ = extents;
    w.plan_ = plan(function, extents, options, DeterminantDevice::of<ExecSpace, T>(teams_at_once));
    w.memory_.prepare(exec, extents, w.plan_);
    w.bytes_ = allocate_arena(exec, "carroll::determinant::workspace", [&](Arena& arena) {
      w.memory_.lay_out(arena, extents, w.plan_);
      w.infos_.lay_out(arena, extents.batch);
    });
    w.memory_.clear(exec, extents, w.plan_);
    w.infos_.allocate_host("carroll::determinant::host_infos", extents.batch);
    return w;
  }

  /// The batch of a call on A. Where A is not to be written the work is done on copies.
  static DeterminantBatch<T> batch(Workspace const& w, StridedBatch<T const> const& A,
                                   T* overwritten) {
    DeterminantBatch<T> batch;
    std::int64_t const n = w.extents_.n;
    batch.n = static_cast<int>(n);
    batch.members = static_cast<int>(w.extents_.batch);
    batch.source = A;
    bool const each = determinant_needs(w.plan_.path).copies == DeterminantShare::each;
    if (overwritten)
      batch.work = {overwritten, A.extents, A.strides};
    else
      batch.work = {w.memory_.copies, A.extents, {each ? n * n : 0, n, 1}};
    batch.states = w.memory_.states;
    batch.exponents = w.memory_.exponents;
    batch.row_tops = w.memory_.row_tops;
    batch.second = w.memory_.second;
    batch.column = w.memory_.column;
    batch.infos = answers_on_host(w) ? w.infos_.host() : w.infos_.data();
    return batch;
  }

  static void enqueue(ExecSpace const& exec, DeterminantBatch<T> const& batch, Workspace const& w) {
    enqueue_determinant(exec, batch, w.memory_, w.plan_);
  }

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<DeterminantInfo<T> const> fetch_infos(ExecSpace const& exec,
                                                         Workspace const& w) {
    constexpr char const* label = "carroll::determinant::info";
    if (!answers_on_host(w)) return w.infos_.fetch(exec, label);
    exec.fence(label);
    return {w.infos_.host(), static_cast<std::size_t>(w.extents_.batch)};
  }

 private:
  static DeterminantPlan plan(char const* function, DeterminantExtents const& extents,
                              DeterminantOptions const& options, DeterminantDevice const& device) {
    require(DeterminantPath::automatic <= options.path && options.path <= DeterminantPath::launches,
            function, [&] {
              return "options.path is " + std::to_string(static_cast<int>(options.path)) +
                     ", must be an enumerator of DeterminantPath";
            });
    auto const plan = determinant_plan<T>(options, extents.n, extents.batch, device);
    require(plan.has_value(), function,
            [&] { return determinant_refusal<T>(options, extents.n, device); });
    return *plan;
  }

  /// Few infos are written where the host reads them: a copy takes longer than a small determinant.
  static bool answers_on_host(Workspace const& w) {
    constexpr int few = 64;
    return Kokkos::SpaceAccessibility<ExecSpace, Kokkos::SharedHostPinnedSpace>::accessible &&
           w.extents_.batch <= few;
  }
};

}  // namespace detail

/// A workspace for `batch` matrices of order n. Allocates, for which Kokkos may wait for the
/// instance; freeing it waits for the whole device on CUDA. With OpenMP the first call that uses it
/// may still make Kokkos enlarge its own team scratch. Holds up to 512·(n + 384) entries, fewer
/// for an instance of many threads (on CUDA for every matrix of the batch; for few of them n² up to
/// order 512, then about 600·n) for `blocked` beyond scratch (see docs/determinant.md), n² per
/// matrix for `dodgson`, n² for the forms of `condensation` with a second array, and with `keep` n²
/// more. Throws std::invalid_argument for unusable extents or options, AllocationError for want of
/// memory.
///
///   auto workspace = carroll::determinant_workspace<double>(exec, {.batch = 100, .n = 8});
template <class T, ExecutionSpace ExecSpace>
[[nodiscard]] DeterminantWorkspace<ExecSpace, T> determinant_workspace(
    ExecSpace const& exec, DeterminantExtents const& extents,
    DeterminantOptions const& options = {}) {
  static_assert(FieldScalar<T>,
                "carroll::determinant_workspace: T must be float, double or Kokkos::complex of one "
                "of them");
  return detail::DeterminantAccess<ExecSpace, T>::make(exec, "carroll::determinant_workspace",
                                                       extents, options);
}

}  // namespace carroll
