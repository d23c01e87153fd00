// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/pseudoinverse/checks.hpp>
#include <carroll/detail/pseudoinverse/dense/factors.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/shares.hpp>
#include <carroll/error.hpp>
#include <carroll/pseudoinverse/types.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace carroll {

namespace detail {
template <class ExecSpace, class Real>
struct PseudoinverseAccess;
}

/// Everything that `apply_pseudoinverse` and `pseudoinverse` need besides the caller's Views, made
/// by `pseudoinverse_workspace` for fixed extents and options. Calls that are given one allocate
/// nothing. One call at a time may use it; copies share the memory.
template <class ExecSpace, class Real>
class PseudoinverseWorkspace {
 public:
  using execution_space = ExecSpace;
  using memory_space = typename ExecSpace::memory_space;
  using Info = PseudoinverseInfo<Real>;

  [[nodiscard]] PseudoinverseOptions const& options() const { return options_; }
  [[nodiscard]] PseudoinverseExtents const& extents() const { return extents_; }
  /// The kernels that take a step of rows in memory; automatic where only a functor's rows will do.
  [[nodiscard]] PseudoinversePath path() const { return path_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const {
    return doubles_.span() * sizeof(double) + reals_.span() * sizeof(Real) +
           ints_.span() * sizeof(int) + edges_.span() * sizeof(detail::WindowEdges) +
           infos_.span() * sizeof(Info);
  }

 private:
  friend struct detail::PseudoinverseAccess<ExecSpace, Real>;

  PseudoinverseOptions options_;
  PseudoinverseExtents extents_{.frames = 0};  ///< a workspace that nobody made fits no call
  PseudoinversePath path_ = PseudoinversePath::automatic;
  int windows_ = 0;                              ///< that there is room for, of each problem
  Kokkos::View<double*, memory_space> doubles_;  ///< of windows, groups and cores
  Kokkos::View<Real*, memory_space> reals_;      ///< of a dense A⁺
  Kokkos::View<int*, memory_space> ints_;
  Kokkos::View<detail::WindowEdges*, memory_space> edges_;
  Kokkos::View<Info*, memory_space> infos_;
  Kokkos::View<Info*, Kokkos::SharedHostPinnedSpace> host_infos_;
};

namespace detail {

/// The inside of a workspace, for the entry points.
template <class ExecSpace, class Real>
struct PseudoinverseAccess {
  using Workspace = PseudoinverseWorkspace<ExecSpace, Real>;

  static Workspace make(ExecSpace const& exec, char const* function,
                        PseudoinverseExtents const& extents, PseudoinverseOptions const& options) {
    require_size(function, "the number of frames", extents.frames);
    require_size(function, "the number of rows", extents.rows);
    require_size(function, "the number of motion columns", extents.motions);
    require_size(function, "the number of depth columns", extents.depths);
    require_size(function, "the number of right-hand sides", extents.right_hand_sides);
    require(extents.motions >= 1, function,
            [] { return std::string("the number of motion columns is 0, must be at least 1"); });
    check_pseudoinverse_options(function, options);

    Workspace w;
    w.options_ = options;
    w.extents_ = extents;
    double const k = static_cast<double>(extents.motions);
    double const problems =
        static_cast<double>(extents.frames) * static_cast<double>(extents.right_hand_sides);
    double const items = problems * (static_cast<double>(extents.rows) / 128 + 1);
    double const doubles = (k + 2) * (k + 2) * (items + 8 * problems) +
                           problems * (k + 2) * static_cast<double>(extents.depths);
    // Kernels count windows and motion columns squared with an int, and rows to a window's end.
    bool const countable = extents.rows <= std::numeric_limits<int>::max() - 4096;
    require(items < 2e9 && k < 1e4 && doubles < 1e18 && countable, function, [&] {
      return "extents " +
             extents_text({extents.frames, extents.rows, extents.motions, extents.depths,
                           extents.right_hand_sides}) +
             " (frames×rows×motions×depths×right-hand sides) are too large";
    });
    plan(exec, function, w);
    ArrowBatch<Real> sizes;
    std::int64_t const count = lay_out(w, sizes);
    std::int64_t const all = extents.frames * extents.right_hand_sides;
    w.doubles_ = allocate<decltype(w.doubles_)>(exec, "carroll::pseudoinverse::workspace", count);
    w.ints_ = allocate<decltype(w.ints_)>(exec, "carroll::pseudoinverse::pivots",
                                          owners_at(w) + dense_rows(w));
    // What teams tell one another is taken back by every call.
    Kokkos::deep_copy(exec, Kokkos::subview(w.ints_, std::pair(std::int64_t{0}, pivots_at(w))), 0);
    w.edges_ =
        allocate<decltype(w.edges_)>(exec, "carroll::pseudoinverse::edges", all * w.windows_);
    w.reals_ = allocate<decltype(w.reals_)>(
        exec, "carroll::pseudoinverse::factors",
        extents.dense
            ? extents.frames * (extents.motions * (extents.rows + extents.depths) + extents.rows)
            : 0);
    w.infos_ = allocate<decltype(w.infos_)>(exec, "carroll::pseudoinverse::infos", all);
    // The pinned host copy needs an instance to be made on; nothing is launched or waited for.
    w.host_infos_ = allocate<decltype(w.host_infos_)>(Kokkos::DefaultHostExecutionSpace(),
                                                      "carroll::pseudoinverse::host_infos", all);
    return w;
  }

  /// A batch without the caller's Views.
  static ArrowBatch<Real> batch(Workspace const& w) {
    ArrowBatch<Real> batch;
    lay_out(w, batch);
    return batch;
  }

  static DenseFactors<Real> factors(Workspace const& w) {
    DenseFactors<Real> factors;
    auto const& e = w.extents_;
    factors.eta = w.reals_.data();
    factors.beta = factors.eta + e.frames * e.motions * e.rows;
    factors.own = factors.beta + e.frames * e.motions * e.depths;
    factors.segment = w.ints_.data() + owners_at(w);
    if (has_shares(w)) {
      factors.told = reinterpret_cast<std::uint64_t*>(w.ints_.data());
      factors.readers = w.ints_.data() + 2 * e.frames;
      factors.taken = factors.readers + e.frames;
      factors.shares = w.doubles_.data() + w.doubles_.extent(0) - share_doubles(w);
    }
    return factors;
  }

  /// The infos of the call before, on the host. Fences the instance once.
  static std::span<PseudoinverseInfo<Real> const> fetch_infos(ExecSpace const& exec,
                                                              Workspace const& w) {
    Kokkos::deep_copy(exec, w.host_infos_, w.infos_);
    exec.fence("carroll::pseudoinverse::info");
    return {w.host_infos_.data(), w.host_infos_.extent(0)};
  }

 private:
  /// Room for the windows of whichever kernels take the rows, from wherever they come.
  static void plan(ExecSpace const& exec, char const* function, Workspace& w) {
    ArrowBatch<Real> batch;
    lay_out(w, batch);
    StepCase step = step_case(exec, batch);
    w.path_ = plan_step(step).path;
    bool any = false;
    for (auto const rows :
         {ArrowRowSource::stored, ArrowRowSource::computed, ArrowRowSource::converted}) {
      step.rows = rows;
      StepPlan const plan = plan_step(step);
      if (plan.path == PseudoinversePath::automatic) continue;
      w.windows_ = std::max(w.windows_, windows_of(plan, batch.n));
      any = true;
    }
    if (!any) (void)require_step_plan(function, step);  // throws
  }

  /// The ints are those of `told`, `readers` and `taken`, of tickets, of pivots, then of a dense
  /// A⁺.
  static std::int64_t tickets_at(Workspace const& w) {
    return has_shares(w) ? 4 * w.extents_.frames : 0;
  }
  static std::int64_t pivots_at(Workspace const& w) {
    return tickets_at(w) + w.extents_.frames * w.extents_.right_hand_sides;
  }
  static std::int64_t owners_at(Workspace const& w) {
    return pivots_at(w) + w.extents_.frames * w.extents_.right_hand_sides * w.extents_.motions;
  }
  static std::int64_t dense_rows(Workspace const& w) {
    return w.extents_.dense ? w.extents_.frames * w.extents_.rows : 0;
  }

  /// Whether OneMotionInverseKernel may run.
  static bool has_shares(Workspace const& w) {
    return has_warps<ExecSpace> && w.extents_.dense && w.extents_.motions == 1;
  }
  static std::int64_t share_doubles(Workspace const& w) {
    if (!has_shares(w)) return 0;
    SegmentShares const shares(static_cast<int>(w.extents_.rows),
                               static_cast<int>(w.extents_.depths));
    return w.extents_.frames * shares.teams * SegmentShares::sums;
  }

  /// Fills in what a batch has of the workspace. Returns how many doubles that needs.
  static std::int64_t lay_out(Workspace const& w, ArrowBatch<Real>& batch) {
    auto const& e = w.extents_;
    batch.n = static_cast<int>(e.rows);
    batch.k = static_cast<int>(e.motions);
    batch.m = static_cast<int>(e.depths);
    batch.frames = static_cast<int>(e.frames);
    batch.right_hand_sides = static_cast<int>(e.right_hand_sides);
    batch.windows = w.windows_;
    batch.options = w.options_;
    std::int64_t const problems = e.frames * e.right_hand_sides;
    std::int64_t const cores = problems * core_size(batch.k);
    std::int64_t const partials = problems * w.windows_ * partial_size(batch.k);
    batch.cores = w.doubles_.data();
    batch.partials = batch.cores + cores;
    batch.groups = batch.partials + partials;
    batch.edges = w.edges_.data();
    batch.tickets = w.ints_.data() + tickets_at(w);
    batch.pivots = w.ints_.data() + pivots_at(w);
    batch.infos = w.infos_.data();
    batch.info_strides[0] = e.right_hand_sides;
    batch.info_strides[1] = 1;
    return cores + partials + problems * group_size(batch.k) * e.depths + share_doubles(w);
  }
};

}  // namespace detail

/// A workspace for `frames` problems of n rows, k motion and m depth columns, with r right-hand
/// sides each. Allocates, for which Kokkos may wait for the instance; freeing it waits for the
/// whole device on CUDA. With more than one motion column the first call that uses it may still
/// make Kokkos enlarge its own team scratch. Holds about (k+2)·m + 1.5·(k+2)²·n/w doubles per
/// right-hand side, w of at least 128 rows a window, and with `dense` (k+1)·n + k·m entries and n
/// ints per frame. Throws std::invalid_argument for unusable extents or options, AllocationError
/// for want of memory.
///
///   auto workspace = carroll::pseudoinverse_workspace<float>(
///       exec, {.rows = 120'000, .motions = 1, .depths = 1000});
template <class Real, ExecutionSpace ExecSpace>
[[nodiscard]] PseudoinverseWorkspace<ExecSpace, Real> pseudoinverse_workspace(
    ExecSpace const& exec, PseudoinverseExtents const& extents,
    PseudoinverseOptions const& options = {}) {
  static_assert(RealScalar<Real>, "carroll::pseudoinverse_workspace: Real must be float or double");
  return detail::PseudoinverseAccess<ExecSpace, Real>::make(
      exec, "carroll::pseudoinverse_workspace", extents, options);
}

}  // namespace carroll
