// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/truncated_svd/dispatch.hpp>
#include <carroll/detail/truncated_svd/launch.hpp>
#include <carroll/detail/workspace.hpp>
#include <carroll/error.hpp>
#include <carroll/truncated_svd/workspace.hpp>
#include <cmath>
#include <cstdint>
#include <string>

/// What AccessTo<TruncatedSvdWorkspace> declares.
namespace carroll::detail {

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

template <class Real>
Real usable_tolerance(TruncatedSvdExtents const& extents, TruncatedSvdOptions const& options) {
  double const eps = Kokkos::Experimental::epsilon_v<Real>;
  if (options.tolerance == 0) return static_cast<Real>(std::sqrt(eps));
  double const larger = static_cast<double>(std::max(extents.rows, extents.cols));
  return static_cast<Real>(std::max(options.tolerance, 8 * eps * std::sqrt(larger)));
}

template <class ExecSpace, class Real>
auto AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>::make(ExecSpace const& exec,
                                                            char const* function,
                                                            TruncatedSvdExtents const& extents,
                                                            TruncatedSvdOptions const& options)
    -> Workspace {
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

  w.bytes_ = allocate_arena(exec, "carroll::truncated_svd::workspace",
                            [&](Arena& arena) { lay_out(w, arena); });
  w.residuals_ =
      allocate<decltype(w.residuals_)>(exec, "carroll::truncated_svd::residuals", p.rank);
  w.infos_.allocate_host("carroll::truncated_svd::host_outcome", 1);
  p.residuals = w.residuals_.data();
  p.outcome = w.infos_.data();
  p.info = &p.outcome->info;
  if (p.rank > 0)
    w.svd_ = AccessTo<SvdWorkspace<ExecSpace, Real>>::uniform(
        exec, function, {.rows = full ? p.rows : p.width, .cols = p.width}, {});
  return w;
}

template <class ExecSpace, class Real>
void AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>::enqueue(ExecSpace const& exec,
                                                               Problem const& problem,
                                                               Workspace& w) {
  enqueue_truncated(exec, problem, w);
}

template <class ExecSpace, class Real>
void AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>::go_on(ExecSpace const& exec,
                                                             Problem const& problem, Workspace& w,
                                                             int steps_before, int more_steps) {
  enqueue_more(exec, problem, w, steps_before, more_steps);
}

template <class ExecSpace, class Real>
TruncatedOutcome<Real> AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>::fetch_outcome(
    ExecSpace const& exec, Workspace const& w) {
  return w.infos_.fetch(exec, "carroll::truncated_svd::info").front();
}

template <class ExecSpace, class Real>
void AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>::lay_out(Workspace& w, Arena& arena) {
  Problem& p = w.problem_;
  auto const take = [&](std::int64_t size) { return arena.take<Real>(size); };
  std::int64_t const m = p.rows, n = p.cols, k = p.rank, l = p.width;
  p.state = arena.take<TruncatedState<Real>>(1);
  w.infos_.lay_out(arena, 1);
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

template <class ExecSpace, class Real>
std::int64_t AccessTo<TruncatedSvdWorkspace<ExecSpace, Real>>::partial_size(Problem const& p) {
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

}  // namespace carroll::detail
