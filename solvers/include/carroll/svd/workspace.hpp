// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/launch.hpp>
#include <carroll/detail/svd/ragged.hpp>
#include <carroll/detail/svd/workspace_sizes.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/svd/types.hpp>
#include <span>
#include <string>
#include <vector>

namespace carroll {

template <class ExecSpace, class Real>
class SvdWorkspace;

namespace detail {

template <class ExecSpace, class Real>
struct SvdAccess;

inline void require_usable(char const* function, SvdOptions const& options) {
  require(options.tolerance >= 0 && options.tolerance < 1, function, [&] {
    return "options.tolerance is " + std::to_string(options.tolerance) + ", must be in [0, 1)";
  });
  require(options.max_sweeps >= 1, function, [&] {
    return "options.max_sweeps is " + std::to_string(options.max_sweeps) + ", must be at least 1";
  });
}

}  // namespace detail

/// Everything that `svd` needs besides the caller's Views, made by `svd_workspace` or
/// `svd_ragged_workspace` for fixed extents and options. Calls that are given one allocate nothing.
/// One call at a time may use it; copies share the memory.
template <class ExecSpace, class Real>
class SvdWorkspace {
 public:
  using execution_space = ExecSpace;
  using memory_space = typename ExecSpace::memory_space;
  using Info = SvdInfo<Real>;

  [[nodiscard]] SvdOptions const& options() const { return options_; }
  [[nodiscard]] bool is_ragged() const { return ragged_; }
  /// Of a uniform batch.
  [[nodiscard]] SvdExtents const& extents() const { return extents_; }
  /// What asks for the kernels that calls with this workspace take: for uniform batches, with
  /// SvdMethod::preconditioned never `automatic`.
  [[nodiscard]] SvdPath path() const { return detail::svd_path(family_); }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const { return memory_.span(); }

 private:
  friend struct detail::SvdAccess<ExecSpace, Real>;

  SvdOptions options_;
  SvdExtents extents_{.batch = 0};  ///< a workspace that nobody made fits no call
  bool ragged_ = false;
  detail::SvdFamily family_ = detail::SvdFamily::study;  ///< of a uniform batch
  detail::SvdPlan plan_;
  detail::SvdBatch<Real> batch_{};  ///< without the caller's Views
  /// What a ragged call's packed Views must hold at least: A, U, S, V.
  std::array<std::int64_t, 4> packed_sizes_{};
  Kokkos::View<std::byte*, memory_space> memory_;
  detail::CallInfos<ExecSpace, Info> infos_;
};

namespace detail {

/// The inside of a workspace, for the entry points.
template <class ExecSpace, class Real>
struct SvdAccess {
  using Workspace = SvdWorkspace<ExecSpace, Real>;

  static Workspace uniform(ExecSpace const& exec, char const* function, SvdExtents const& extents,
                           SvdOptions const& options) {
    require_usable(function, options);
    require_size(function, "the batch", extents.batch);
    require_size(function, "the number of rows", extents.rows);
    require_size(function, "the number of columns", extents.cols);
    auto const [cols, rows] = std::minmax(extents.rows, extents.cols);
    require_addressable(function, {extents.batch, extents.rows, extents.cols},
                        double(extents.batch) * (4 * double(rows) + 8 * double(cols) + 4000) *
                            double(cols) * sizeof(Real));
    Workspace w;
    start(w, extents, options);
    w.family_ = svd_family<ExecSpace, Real>(options, rows, cols);
    w.plan_ = SvdPlan::uniform<Real>(w.family_, {static_cast<int>(extents.batch),
                                                 static_cast<int>(rows), static_cast<int>(cols)});
    w.batch_.distance = svd_workspace_sizes<Real>(w.family_, rows, cols, has_vectors(extents));
    auto const& each = w.batch_.distance;
    allocate_parts(exec, function, w, {extents.batch * each.reals, extents.batch * each.ints});
    return w;
  }

  static Workspace ragged(ExecSpace const& exec, char const* function,
                          std::span<SvdMember const> members, SvdVectors u, SvdVectors v,
                          SvdOptions const& options) {
    require_usable(function, options);
    auto const count = static_cast<std::int64_t>(members.size());
    require_size(function, "the number of members", count);
    Workspace w;
    w.ragged_ = true;
    start(w, {count, 0, 0, u, v}, options);
    PackedOutputs packed(function, u, v);
    SvdWorkspaceSizes all{0, 0};
    std::vector<SvdSlot> slots;
    std::vector<int> bins;
    for (SvdMember const& at : members) {
      packed.add(at);
      auto const [cols, rows] = std::minmax(at.rows, at.cols);
      SvdFamily const family = svd_family<ExecSpace, Real>(options, rows, cols);
      bins.push_back(w.plan_.template add<Real>(family, rows, cols));
      slots.push_back({at, all.reals, all.ints});
      auto const sizes = svd_workspace_sizes<Real>(family, rows, cols, has_vectors(w.extents_));
      all.reals += sizes.reals;
      all.ints += sizes.ints;
    }
    packed.require_disjoint();
    w.packed_sizes_ = packed.sizes();
    SvdSlot* device_slots = nullptr;
    int* sorted = nullptr;
    allocate_parts(exec, function, w, all, &device_slots, &sorted);
    w.batch_.slots = device_slots;
    w.plan_.set_sorted(sorted);
    copy_from_host<SvdSlot>(exec, device_slots, slots);
    std::vector<int> const in_order = w.plan_.sort(bins);
    copy_from_host<int>(exec, sorted, in_order);
    exec.fence("carroll::svd::ragged_workspace");  // the host's copies end with this scope
    return w;
  }

  /// The problems of a call on the caller's matrices.
  static SvdBatch<Real> batch(Workspace const& w, SvdViews<Real> const& views) {
    SvdBatch<Real> batch = w.batch_;
    static_cast<SvdViews<Real>&>(batch) = views;
    return batch;
  }

  static void enqueue(ExecSpace const& exec, SvdBatch<Real> const& batch, Workspace const& w) {
    enqueue_svd(exec, batch, w.plan_, w.options_);
  }
  static auto const& packed_sizes(Workspace const& w) { return w.packed_sizes_; }

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<SvdInfo<Real> const> fetch_infos(ExecSpace const& exec, Workspace const& w) {
    return w.infos_.fetch(exec, "carroll::svd::info");
  }

 private:
  static bool has_vectors(SvdExtents const& extents) {
    return extents.u != SvdVectors::none || extents.v != SvdVectors::none;
  }

  static void start(Workspace& w, SvdExtents const& extents, SvdOptions const& options) {
    w.options_ = options;
    w.extents_ = extents;
    w.batch_.u_wanted = extents.u;
    w.batch_.v_wanted = extents.v;
    w.batch_.method = options.method;
    w.batch_.info_stride = 1;
  }

  /// `slots` and `sorted`: of a ragged batch, where they end up.
  static void allocate_parts(ExecSpace const& exec, char const* function, Workspace& w,
                             SvdWorkspaceSizes const& sizes, SvdSlot** slots = nullptr,
                             int** sorted = nullptr) {
    std::int64_t const members = w.plan_.all().members;
    // Round robin makes a team of every pair of every member: their number must be an int.
    if (w.options_.method == SvdMethod::round_robin)
      require_size(function, "the number of column pairs in the batch",
                   members * RoundRobin{w.plan_.all().cols}.pairs());
    SvdBatch<Real>& batch = w.batch_;
    w.memory_ = allocate_arena(exec, "carroll::svd::workspace", [&](Arena& arena) {
      batch.reals = arena.take<Real>(sizes.reals);
      batch.ints = arena.take<int>(sizes.ints);
      batch.states = arena.take<SvdState>(members);
      batch.fallback = {arena.take<int>(1), arena.take<int>(members)};
      w.infos_.lay_out(arena, members);
      if (slots) *slots = arena.take<SvdSlot>(members);
      if (sorted) *sorted = arena.take<int>(members);
    });
    batch.infos = w.infos_.data();
    w.infos_.allocate_host("carroll::svd::host_infos", members);
  }
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
  return detail::SvdAccess<ExecSpace, Real>::uniform(exec, "carroll::svd_workspace", extents,
                                                     options);
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
  return detail::SvdAccess<ExecSpace, Real>::ragged(exec, "carroll::svd_ragged_workspace", members,
                                                    u, v, options);
}

}  // namespace carroll
