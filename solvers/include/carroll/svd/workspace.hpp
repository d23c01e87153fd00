// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/launch.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/error.hpp>
#include <carroll/svd/types.hpp>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
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
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const {
    return reals_.span() * sizeof(Real) + ints_.span() * sizeof(int) +
           slots_.span() * sizeof(detail::SvdSlot) + states_.span() * sizeof(detail::SvdState) +
           infos_.span() * sizeof(Info) + (fallback_.span() + binned_.span()) * sizeof(int);
  }

 private:
  friend struct detail::SvdAccess<ExecSpace, Real>;

  SvdOptions options_;
  SvdExtents extents_{.batch = 0};  ///< a workspace that nobody made fits no call
  bool ragged_ = false;
  detail::SvdBounds bounds_{0, 0, 0};
  detail::SvdWorkspaceSizes distance_{0, 0};
  /// What a ragged call's packed Views must hold at least: A, U, S, V.
  std::array<std::int64_t, 4> packed_sizes_{};
  Kokkos::View<Real*, memory_space> reals_;
  Kokkos::View<int*, memory_space> ints_;
  Kokkos::View<detail::SvdSlot*, memory_space> slots_;
  Kokkos::View<detail::SvdState*, memory_space> states_;
  Kokkos::View<Info*, memory_space> infos_;
  Kokkos::View<int*, memory_space> fallback_;
  Kokkos::View<int*, memory_space> binned_;  ///< members of a ragged batch by size class
  Kokkos::View<Info*, Kokkos::SharedHostPinnedSpace> host_infos_;
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
    Workspace w;
    w.options_ = options;
    w.extents_ = extents;
    auto const [cols, rows] = std::minmax(extents.rows, extents.cols);
    w.bounds_ = {static_cast<int>(extents.batch), static_cast<int>(rows), static_cast<int>(cols)};
    w.bounds_.tile_rows = w.bounds_.rows;
    w.bounds_.tile_cols = w.bounds_.cols;
    int const bin = PathBins::bin_of<ExecSpace, Real>(options, rows, cols);
    w.bounds_.bins = PathBins::only(bin, w.bounds_.members);
    bool const vectors = extents.u != SvdVectors::none || extents.v != SvdVectors::none;
    // In floating point first: the number of bytes may not fit 64 bits.
    double const bytes = double(extents.batch) * (4 * double(rows) + 8 * double(cols) + 4000) *
                         double(cols) * sizeof(Real);
    require(bytes < 9e18, function, [&] {
      return "extents " + extents_text({extents.batch, extents.rows, extents.cols}) +
             " need more workspace than can be addressed";
    });
    w.distance_ = workspace_sizes<ExecSpace, Real>(rows, cols, options, vectors);
    require_pairs(function, w);
    allocate_parts(exec, w, extents.batch * w.distance_.reals, extents.batch * w.distance_.ints);
    return w;
  }

  static Workspace ragged(ExecSpace const& exec, char const* function,
                          std::span<SvdMember const> members, SvdVectors u, SvdVectors v,
                          SvdOptions const& options) {
    require_usable(function, options);
    require_size(function, "the number of members", static_cast<std::int64_t>(members.size()));
    Workspace w;
    w.options_ = options;
    w.ragged_ = true;
    w.extents_ = {static_cast<std::int64_t>(members.size()), 0, 0, u, v};
    w.bounds_ = {static_cast<int>(members.size()), 0, 0};
    bool const vectors = u != SvdVectors::none || v != SvdVectors::none;
    std::vector<SvdSlot> slots;
    slots.reserve(members.size());
    std::vector<int> bin_of_member;
    bin_of_member.reserve(members.size());
    std::int64_t reals = 0, ints = 0;
    std::array<std::vector<Place>, 4> places;  // of A, U, S, V
    for (std::size_t b = 0; b < members.size(); ++b) {
      SvdMember const& at = members[b];
      require_member(function, at, b);
      auto const [cols, rows] = std::minmax(at.rows, at.cols);
      w.bounds_.rows = std::max(w.bounds_.rows, static_cast<int>(rows));
      w.bounds_.cols = std::max(w.bounds_.cols, static_cast<int>(cols));
      auto const grow = [&](int k, std::int64_t offset, std::int64_t size) {
        if (size > 0) w.packed_sizes_[k] = std::max(w.packed_sizes_[k], offset + size);
        places[k].push_back({offset, size, b});
      };
      grow(0, at.a, at.rows * at.cols);
      grow(1, at.u, at.rows * vector_columns(u, at.rows, cols));
      grow(2, at.s, cols);
      grow(3, at.v, at.cols * vector_columns(v, at.cols, cols));
      slots.push_back({at, reals, ints});
      int const bin = PathBins::bin_of<ExecSpace, Real>(options, rows, cols);
      bin_of_member.push_back(bin);
      bool const tiles = PathBins::fused <= bin && bin <= PathBins::tiles;
      if (tiles) {
        w.bounds_.tile_rows = std::max(w.bounds_.tile_rows, static_cast<int>(rows));
        w.bounds_.tile_cols = std::max(w.bounds_.tile_cols, static_cast<int>(cols));
      }
      auto const sizes = workspace_sizes<ExecSpace, Real>(rows, cols, options, vectors);
      reals += sizes.reals;
      ints += sizes.ints;
    }
    require_pairs(function, w);
    require_disjoint(function, "U", places[1]);
    require_disjoint(function, "S", places[2]);
    require_disjoint(function, "V", places[3]);
    allocate_parts(exec, w, reals, ints);
    w.slots_ = allocate<Kokkos::View<SvdSlot*, typename Workspace::memory_space>>(
        exec, "carroll::svd::slots", static_cast<std::int64_t>(members.size()));
    Kokkos::View<SvdSlot const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host_slots(
        slots.data(), slots.size());
    Kokkos::deep_copy(exec, w.slots_, host_slots);
    std::vector<int> binned;
    if constexpr (has_warps<ExecSpace>) {
      std::tie(w.bounds_.bins, binned) = PathBins::sort(bin_of_member);
      w.binned_ = allocate<decltype(w.binned_)>(exec, "carroll::svd::binned",
                                                static_cast<std::int64_t>(binned.size()));
      w.bounds_.binned = w.binned_.data();
      Kokkos::deep_copy(exec, w.binned_,
                        Kokkos::View<int const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                            binned.data(), binned.size()));
    }
    exec.fence("carroll::svd::ragged_workspace");  // the host's copies end with this scope
    return w;
  }

  /// The problems of a call, without the caller's matrices.
  static SvdBatch<Real> batch(Workspace const& w) {
    SvdBatch<Real> batch{};
    batch.u_wanted = w.extents_.u;
    batch.v_wanted = w.extents_.v;
    batch.method = w.options_.method;
    batch.slots = w.slots_.data();
    batch.reals = w.reals_.data();
    batch.ints = w.ints_.data();
    batch.distance = w.distance_;
    batch.states = w.states_.data();
    batch.infos = w.infos_.data();
    batch.info_stride = 1;
    batch.fallback = {w.fallback_.data(), w.fallback_.data() + 1};
    return batch;
  }

  static SvdBounds const& bounds(Workspace const& w) { return w.bounds_; }
  /// How many members a fast path has left to the team kernels, and which.
  static auto const& fallback(Workspace const& w) { return w.fallback_; }
  static auto const& packed_sizes(Workspace const& w) { return w.packed_sizes_; }

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<SvdInfo<Real> const> fetch_infos(ExecSpace const& exec, Workspace const& w) {
    Kokkos::deep_copy(exec, w.host_infos_, w.infos_);
    exec.fence("carroll::svd::info");
    return {w.host_infos_.data(), w.host_infos_.extent(0)};
  }

 private:
  static void require_member(char const* function, SvdMember const& at, std::size_t b) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    auto const name = [b] { return "members[" + std::to_string(b) + "]"; };
    require(at.rows >= 0 && at.rows <= most && at.cols >= 0 && at.cols <= most, function, [&] {
      return name() + " has " + std::to_string(at.rows) + " rows and " + std::to_string(at.cols) +
             " columns, each must be from 0 to " + std::to_string(most);
    });
    // An end that does not overflow: each matrix holds less than 2^62 entries.
    auto const usable = [](std::int64_t offset) {
      return offset >= 0 && offset <= std::numeric_limits<std::int64_t>::max() / 2;
    };
    require(usable(at.a) && usable(at.u) && usable(at.s) && usable(at.v), function, [&] {
      return name() + " has an unusable offset (a " + std::to_string(at.a) + ", u " +
             std::to_string(at.u) + ", s " + std::to_string(at.s) + ", v " + std::to_string(at.v) +
             ")";
    });
  }

  /// Where one output of a ragged member lies in its packed View.
  struct Place {
    std::int64_t offset, size;
    std::size_t member;
  };

  static void require_disjoint(char const* function, char const* name, std::vector<Place>& places) {
    std::erase_if(places, [](Place const& place) { return place.size == 0; });
    std::ranges::sort(places, {}, &Place::offset);
    for (std::size_t k = 1; k < places.size(); ++k)
      require(places[k - 1].offset + places[k - 1].size <= places[k].offset, function, [&] {
        return std::string(name) + " of members[" + std::to_string(places[k - 1].member) +
               "] and of members[" + std::to_string(places[k].member) + "] overlap";
      });
  }

  /// Round robin makes a team of every pair of every member: their number must be an int.
  static void require_pairs(char const* function, Workspace const& w) {
    if (w.options_.method == SvdMethod::round_robin)
      require_size(function, "the number of column pairs in the batch",
                   std::int64_t{w.bounds_.members} * RoundRobin{w.bounds_.cols}.pairs());
  }

  static void allocate_parts(ExecSpace const& exec, Workspace& w, std::int64_t reals,
                             std::int64_t ints) {
    std::int64_t const members = w.bounds_.members;
    // The pinned host copy needs an instance to be made on; nothing is launched or waited for.
    w.reals_ = allocate<decltype(w.reals_)>(exec, "carroll::svd::workspace", reals);
    w.ints_ = allocate<decltype(w.ints_)>(exec, "carroll::svd::index_workspace", ints);
    w.states_ = allocate<decltype(w.states_)>(exec, "carroll::svd::states", members);
    w.infos_ = allocate<decltype(w.infos_)>(exec, "carroll::svd::infos", members);
    w.fallback_ = allocate<decltype(w.fallback_)>(exec, "carroll::svd::fallback", members + 1);
    w.host_infos_ = allocate<decltype(w.host_infos_)>(Kokkos::DefaultHostExecutionSpace(),
                                                      "carroll::svd::host_infos", members);
  }
};

/// Enqueues the checked problems of a call that uses the workspace.
template <class ExecSpace, class Real>
void enqueue_svd(ExecSpace const& exec, SvdBatch<Real> const& batch,
                 SvdWorkspace<ExecSpace, Real> const& workspace) {
  enqueue_svd(exec, batch, SvdAccess<ExecSpace, Real>::bounds(workspace), workspace.options());
}

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
