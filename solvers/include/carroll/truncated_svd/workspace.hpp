// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/truncated_svd/dispatch.hpp>
#include <carroll/detail/truncated_svd/problem.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/svd/workspace.hpp>
#include <carroll/truncated_svd/types.hpp>
#include <cmath>
#include <string>

namespace carroll {

template <class ExecSpace, class Real>
class TruncatedSvdWorkspace;

namespace detail {

template <class ExecSpace, class Real>
struct TruncatedAccess;

inline void require_usable(char const* function, TruncatedSvdOptions const& options) {
  auto const at_least = [&](char const* name, int value, int least) {
    require(value >= least, function, [&] {
      return "options." + std::string(name) + " is " + std::to_string(value) +
             ", must be at least " + std::to_string(least);
    });
  };
  at_least("oversampling", options.oversampling, 0);
  at_least("power_steps", options.power_steps, 0);
  at_least("max_power_steps", options.max_power_steps, 0);
  require(options.tolerance >= 0 && options.tolerance < 1, function, [&] {
    return "options.tolerance is " + std::to_string(options.tolerance) + ", must be in [0, 1)";
  });
}

inline void require_usable(char const* function, TruncatedSvdExtents const& extents) {
  require_size(function, "the number of rows", extents.rows);
  require_size(function, "the number of columns", extents.cols);
  std::int64_t const most = std::min(extents.rows, extents.cols);
  require(extents.rank >= 0 && extents.rank <= most, function, [&] {
    return "the rank is " + std::to_string(extents.rank) + ", must be from 0 to " +
           std::to_string(most) + ", the smaller extent of A";
  });
}

template <class Real>
Real usable_tolerance(TruncatedSvdExtents const& extents, TruncatedSvdOptions const& options) {
  double const eps = Kokkos::Experimental::epsilon_v<Real>;
  if (options.tolerance == 0) return static_cast<Real>(std::sqrt(eps));
  double const larger = static_cast<double>(std::max(extents.rows, extents.cols));
  return static_cast<Real>(std::max(options.tolerance, 8 * eps * std::sqrt(larger)));
}

}  // namespace detail

/// Everything that `truncated_svd` needs besides the caller's Views, made by
/// `truncated_svd_workspace` for fixed extents and options. Calls that are given one allocate
/// nothing. One call at a time may use it; copies share the memory.
template <class ExecSpace, class Real>
class TruncatedSvdWorkspace {
 public:
  using execution_space = ExecSpace;
  using memory_space = typename ExecSpace::memory_space;
  using Info = TruncatedSvdInfo<Real>;

  [[nodiscard]] TruncatedSvdOptions const& options() const { return options_; }
  [[nodiscard]] TruncatedSvdExtents const& extents() const { return extents_; }
  /// The path that calls with this workspace take: never `automatic`.
  [[nodiscard]] TruncatedSvdPath path() const { return problem_.path; }
  /// TruncatedSvdInfo::residual of each triplet of the call before, in device memory.
  [[nodiscard]] Kokkos::View<Real const*, memory_space> residuals() const { return residuals_; }
  /// Bytes of device memory held.
  [[nodiscard]] std::size_t bytes() const {
    return memory_.span() + residuals_.span() * sizeof(Real) + svd_.bytes();
  }

 private:
  friend struct detail::TruncatedAccess<ExecSpace, Real>;

  TruncatedSvdOptions options_;
  TruncatedSvdExtents extents_;
  detail::TruncatedProblem<Real> problem_{};  ///< without the caller's Views
  Real* full_left_ = nullptr;                 ///< on the full path: rows × cols and cols × cols
  Real* full_right_ = nullptr;
  SvdInfo<Real>* svd_info_ = nullptr;
  Kokkos::View<Real*, memory_space> residuals_;
  Kokkos::View<std::byte*, memory_space> memory_;
  detail::CallInfos<ExecSpace, detail::TruncatedOutcome<Real>> outcome_;
  SvdWorkspace<ExecSpace, Real> svd_;  ///< for the whole A or for the core of the subspace
};

namespace detail {

/// The inside of a workspace, for the entry points.
template <class ExecSpace, class Real>
struct TruncatedAccess {
  using Workspace = TruncatedSvdWorkspace<ExecSpace, Real>;
  using Problem = TruncatedProblem<Real>;

  static Workspace make(ExecSpace const& exec, char const* function,
                        TruncatedSvdExtents const& extents, TruncatedSvdOptions const& options) {
    require_usable(function, options);
    require_usable(function, extents);
    require_addressable(function, {extents.rows, extents.cols},
                        3 * double(extents.rows) * double(extents.cols) * sizeof(Real));
    Workspace w;
    w.options_ = options;
    w.extents_ = extents;
    Problem& p = w.problem_;
    auto const [cols, rows] = std::minmax(extents.rows, extents.cols);
    p.rows = static_cast<int>(rows);
    p.cols = static_cast<int>(cols);
    p.rank = static_cast<int>(extents.rank);
    p.path = chosen_path(extents, options);
    bool const full = p.path == TruncatedSvdPath::full;
    p.width = full ? p.cols : subspace_width(extents, options);
    p.seed = options.seed;
    p.tolerance = usable_tolerance<Real>(extents, options);

    w.memory_ = allocate_arena(exec, "carroll::truncated_svd::workspace",
                               [&](Arena& arena) { lay_out(w, arena); });
    w.residuals_ =
        allocate<decltype(w.residuals_)>(exec, "carroll::truncated_svd::residuals", p.rank);
    w.outcome_.allocate_host("carroll::truncated_svd::host_outcome", 1);
    p.residuals = w.residuals_.data();
    p.outcome = w.outcome_.data();
    p.info = &p.outcome->info;
    if (p.rank > 0)
      w.svd_ = SvdAccess<ExecSpace, Real>::uniform(
          exec, function, {.rows = full ? p.rows : p.width, .cols = p.width}, {});
    return w;
  }

  /// The problem of a call, without the caller's Views.
  static Problem const& problem(Workspace const& w) { return w.problem_; }
  static auto& svd(Workspace& w) { return w.svd_; }
  static auto svd_info(Workspace const& w) {
    using Info =
        Kokkos::View<SvdInfo<Real>, typename Workspace::memory_space, Kokkos::MemoryUnmanaged>;
    return Info(w.svd_info_);
  }
  static Real* full_left(Workspace const& w) { return w.full_left_; }
  static Real* full_right(Workspace const& w) { return w.full_right_; }

  /// What the call before has found, on the host. Fences the instance once.
  static TruncatedOutcome<Real> fetch_outcome(ExecSpace const& exec, Workspace const& w) {
    return w.outcome_.fetch(exec, "carroll::truncated_svd::info").front();
  }

 private:
  static void lay_out(Workspace& w, Arena& arena) {
    Problem& p = w.problem_;
    auto const take = [&](std::int64_t size) { return arena.take<Real>(size); };
    std::int64_t const m = p.rows, n = p.cols, k = p.rank, l = p.width;
    p.state = arena.take<TruncatedState<Real>>(1);
    w.outcome_.lay_out(arena, 1);
    w.svd_info_ = arena.take<SvdInfo<Real>>(1);
    p.scaled.data = take(m * n);
    if (k == 0) return;
    p.fresh = arena.take<int>(l);
    p.sigma = take(l);
    p.long_tests = take(m * test_vectors);
    p.short_tests = take(n * test_vectors);
    p.inner_tests = take(k * test_vectors);
    p.log_test_norms = take(test_vectors);
    p.partial = take(partial_size(p));
    if (p.path == TruncatedSvdPath::full) {
      w.full_left_ = take(m * n);
      w.full_right_ = take(n * n);
      p.long_blocks[1] = take(m * k);
      return;
    }
    for (Real*& block : p.long_blocks) block = take(m * l);
    for (Real*& block : p.short_blocks) block = take(n * l);
    p.gram = take(l * l);
    p.elimination = take(l * l + 2 * l);
    p.core = take(l * l);
    p.core_left = take(l * l);
    p.core_right = take(l * l);
  }

  /// For the largest of all products of a call.
  static std::int64_t partial_size(Problem const& p) {
    int const m = p.rows, n = p.cols, k = p.rank, t = test_vectors;
    std::int64_t size = 0;
    auto const grow = [&](int rows, int cols, int depth) {
      size = std::max(size, gemm_partial_size<ExecSpace, Real>(rows, cols, depth));
    };
    for (int side : {m, n}) {
      grow(side, t, side == m ? n : m);
      grow(side, t, k);
      grow(k, t, side);
    }
    grow(m, k, n);
    if (p.path == TruncatedSvdPath::full) return size;
    int const l = p.width;
    for (int side : {m, n}) {
      grow(side, l, side == m ? n : m);
      grow(side, l, l);
      grow(side, k, l);
      grow(l, l, side);
    }
    return size;
  }
};

}  // namespace detail

/// A workspace for matrices and a rank of the given extents. The path is decided here, from the
/// extents and the options. Allocates, for which Kokkos may wait for the instance; freeing it waits
/// for the whole device on CUDA. Throws std::invalid_argument for unusable extents or options,
/// AllocationError for want of memory.
///
///   auto workspace = carroll::truncated_svd_workspace<double>(exec, {.rows = 4096, .cols = 512,
///                                                                    .rank = 32});
template <class Real, ExecutionSpace ExecSpace>
[[nodiscard]] TruncatedSvdWorkspace<ExecSpace, Real> truncated_svd_workspace(
    ExecSpace const& exec, TruncatedSvdExtents const& extents,
    TruncatedSvdOptions const& options = {}) {
  static_assert(RealScalar<Real>, "carroll::truncated_svd_workspace: Real must be float or double");
  return detail::TruncatedAccess<ExecSpace, Real>::make(exec, "carroll::truncated_svd_workspace",
                                                        extents, options);
}

}  // namespace carroll
