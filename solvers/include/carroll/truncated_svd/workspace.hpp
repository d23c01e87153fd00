// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/concepts.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/truncated_svd/problem.hpp>
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

/// Columns of the random subspace: a multiple of 8, unless A is too small for that.
inline int subspace_width(TruncatedSvdExtents const& extents, TruncatedSvdOptions const& options) {
  std::int64_t const more =
      options.oversampling > 0 ? options.oversampling : std::max<std::int64_t>(extents.rank / 2, 8);
  std::int64_t const width = (extents.rank + more + 7) / 8 * 8;
  return static_cast<int>(std::min({width, extents.rows, extents.cols}));
}

/// The path that the extents alone decide. Below some 64 columns the full decomposition is one
/// short kernel; a subspace of half of the columns costs as much as all of them. First choices, not
/// tuned.
inline TruncatedSvdPath chosen_path(TruncatedSvdExtents const& extents,
                                    TruncatedSvdOptions const& options) {
  if (options.path != TruncatedSvdPath::automatic) return options.path;
  std::int64_t const least = std::min(extents.rows, extents.cols);
  bool const small = least <= 64 || 2 * subspace_width(extents, options) >= least;
  return small ? TruncatedSvdPath::full : TruncatedSvdPath::randomized;
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
    return (reals_.span() + residuals_.span()) * sizeof(Real) + ints_.span() * sizeof(int) +
           sizeof(detail::TruncatedState<Real>) + sizeof(detail::TruncatedOutcome<Real>) +
           sizeof(SvdInfo<Real>) + svd_.bytes();
  }

 private:
  friend struct detail::TruncatedAccess<ExecSpace, Real>;

  TruncatedSvdOptions options_;
  TruncatedSvdExtents extents_;
  detail::TruncatedProblem<Real> problem_{};  ///< without the caller's Views
  Real* full_left_ = nullptr;                 ///< on the full path: rows × cols and cols × cols
  Real* full_right_ = nullptr;
  Kokkos::View<Real*, memory_space> reals_;
  Kokkos::View<Real*, memory_space> residuals_;
  Kokkos::View<int*, memory_space> ints_;
  Kokkos::View<detail::TruncatedState<Real>*, memory_space> state_;
  Kokkos::View<detail::TruncatedOutcome<Real>*, memory_space> outcome_;
  Kokkos::View<detail::TruncatedOutcome<Real>*, Kokkos::SharedHostPinnedSpace> host_outcome_;
  Kokkos::View<SvdInfo<Real>*, memory_space> svd_info_;
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
    double const entries = double(extents.rows) * double(extents.cols) * 3;
    require(entries * sizeof(Real) < 9e18, function, [&] {
      return "extents " + extents_text({extents.rows, extents.cols}) +
             " need more workspace than can be addressed";
    });
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

    std::int64_t const size = lay_out(w, nullptr);
    w.reals_ = allocate<decltype(w.reals_)>(exec, "carroll::truncated_svd::workspace", size);
    lay_out(w, w.reals_.data());
    w.residuals_ =
        allocate<decltype(w.residuals_)>(exec, "carroll::truncated_svd::residuals", p.rank);
    w.ints_ = allocate<decltype(w.ints_)>(exec, "carroll::truncated_svd::fresh", p.width);
    w.state_ = allocate<decltype(w.state_)>(exec, "carroll::truncated_svd::state", 1);
    w.outcome_ = allocate<decltype(w.outcome_)>(exec, "carroll::truncated_svd::outcome", 1);
    w.host_outcome_ = allocate<decltype(w.host_outcome_)>(
        Kokkos::DefaultHostExecutionSpace(), "carroll::truncated_svd::host_outcome", 1);
    w.svd_info_ = allocate<decltype(w.svd_info_)>(exec, "carroll::truncated_svd::svd_info", 1);
    p.residuals = w.residuals_.data();
    p.fresh = w.ints_.data();
    p.state = w.state_.data();
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
    return Info(w.svd_info_.data());
  }
  static Real* full_left(Workspace const& w) { return w.full_left_; }
  static Real* full_right(Workspace const& w) { return w.full_right_; }

  /// What the call before has found, on the host. Fences the instance once.
  static TruncatedOutcome<Real> fetch_outcome(ExecSpace const& exec, Workspace const& w) {
    Kokkos::deep_copy(exec, w.host_outcome_, w.outcome_);
    exec.fence("carroll::truncated_svd::info");
    return w.host_outcome_(0);
  }

 private:
  /// Sets the pointers into `data`, or, without it, only counts. Returns how many entries they
  /// need.
  static std::int64_t lay_out(Workspace& w, Real* data) {
    Problem& p = w.problem_;
    std::int64_t used = 0;
    auto const take = [&](std::int64_t size) {
      Real* const begin = data ? data + used : nullptr;
      used += (size + 31) / 32 * 32;  // blocks begin at multiples of 128 bytes
      return begin;
    };
    bool const full = p.path == TruncatedSvdPath::full;
    std::int64_t const m = p.rows, n = p.cols, k = p.rank, l = p.width;
    p.scaled.data = take(m * n);
    if (k == 0) return used;
    p.sigma = take(l);
    p.long_tests = take(m * test_vectors);
    p.short_tests = take(n * test_vectors);
    p.inner_tests = take(k * test_vectors);
    p.log_test_norms = take(test_vectors);
    p.partial = take(partial_size(p));
    if (full) {
      w.full_left_ = take(m * n);
      w.full_right_ = take(n * n);
      p.long_blocks[1] = take(m * k);
      return used;
    }
    for (Real*& block : p.long_blocks) block = take(m * l);
    for (Real*& block : p.short_blocks) block = take(n * l);
    p.gram = take(l * l);
    p.elimination = take(l * l + 2 * l);
    p.core = take(l * l);
    p.core_left = take(l * l);
    p.core_right = take(l * l);
    return used;
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
