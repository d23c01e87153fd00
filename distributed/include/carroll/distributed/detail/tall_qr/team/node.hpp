// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/distributed/detail/tall_qr/problem.hpp>
#include <carroll/distributed/detail/tall_qr/team/reflector.hpp>

/// Nodes of the tree by teams, on any device; see host/node.hpp for what they are.
namespace carroll::distributed::detail::team {

/// The nodes of a launch: those of a level within a rank's blocks, or one above the ranks.
template <class Real>
struct NodeList {
  Triangles<Real> triangles;
  std::int64_t first = 0, last = 0, blocks = 0;
  std::int64_t half = 0;  ///< 0: left and right are given
  std::int64_t left = 0, right = 0;

  KOKKOS_FUNCTION std::int64_t first_right() const {
    return (first + 2 * half - 1) / (2 * half) * 2 * half + half;
  }
  int count() const {
    if (half == 0) return 1;
    std::int64_t const from = first_right();
    return from >= last ? 0 : static_cast<int>((last - 1 - from) / (2 * half) + 1);
  }
  /// False if it is not within the rank's blocks.
  KOKKOS_FUNCTION bool get(int k, std::int64_t& l, std::int64_t& r) const {
    l = left;
    r = right;
    if (half == 0) return true;
    auto const node = TreeNode::of(first_right() + k * 2 * half, blocks);
    l = node.left - first;
    r = node.right - first;
    return node.within(first, last);
  }
};

/// Two triangles become one: a team per node, both in its scratch, a column per thread and a
/// barrier per column. (2/3)n³ flops.
template <class ExecSpace, class Real>
class JoinKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  explicit JoinKernel(NodeList<Real> const& nodes)
      : nodes_(nodes), n_(nodes.triangles.cols), level_(scratch_level<Policy>(bytes(n_))) {}

  carroll::detail::TeamLaunch teams() const {
    return {nodes_.count(), threads_for<ExecSpace>(n_), bytes(n_), level_};
  }

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t left, right;
    if (!nodes_.get(member.league_rank(), left, right)) return;
    int const n = n_;
    Real* const scratch = static_cast<Real*>(member.team_scratch(level_).get_shmem_aligned(
        static_cast<std::ptrdiff_t>(entries(n) * sizeof(Real)), sizeof(Real)));
    Columns<Real> const upper{scratch, n}, lower{scratch + n * n, n};
    auto* const made = reinterpret_cast<Reflector<Real>*>(lower.col(n));
    Triangles<Real> const& all = nodes_.triangles;
    Columns<Real> const R = all(left), V = all(right);
    int* const exponents = all.exponents(left);
    int const* const others = all.exponents(right);
    carroll::detail::thread_for(member, n, [&](int j) {
      int const most = Kokkos::max(exponents[j], others[j]);
      int const down = Kokkos::max(exponents[j] - most, -4096);
      int const other_down = Kokkos::max(others[j] - most, -4096);
      carroll::detail::lane_for(member, n, [&](int i) {
        upper(i, j) = carroll::detail::scale(R(i, j), down);
        lower(i, j) = carroll::detail::scale(V(i, j), other_down);
      });
    });
    member.team_barrier();
    carroll::detail::thread_for(member, n, [&](int j) {
      carroll::detail::once_per_thread(
          member, [&] { exponents[j] = Kokkos::max(exponents[j], others[j]); });
    });
    if (member.team_rank() == 0)
      carroll::detail::once_per_thread(member,
                                       [&] { all.non_finite(left) |= all.non_finite(right); });
    for (int k = 0; k < n; ++k) {
      Real const* const x = lower.col(k);
      auto const H = reflector_of(member, upper(k, k), k + 1, [&](int i) { return x[i]; });
      carroll::detail::thread_for(member, n - k - 1, [&](int after) {
        int const j = k + 1 + after;
        if (H.tau == Real(0)) return;
        Real* const y = lower.col(j);
        Real const top = upper(k, j);
        Real const sum =
            carroll::detail::lane_sum<Real>(member, k + 1, [&](int i) { return x[i] * y[i]; });
        Real const w = H.tau * (top + H.inverse * sum), v = w * H.inverse;
        carroll::detail::lane_for(member, k + 1, [&](int i) { y[i] -= v * x[i]; });
        carroll::detail::once_per_thread(member, [&] { upper(k, j) = top - w; });
      });
      if (member.team_rank() == 0) carroll::detail::once_per_thread(member, [&] { made[k] = H; });
      member.team_barrier();
    }
    carroll::detail::thread_for(member, n, [&](int j) {
      carroll::detail::lane_for(member, n, [&](int i) {
        R(i, j) = i < j ? upper(i, j) : i == j ? made[j].beta : Real(0);
        V(i, j) = i <= j ? lower(i, j) * made[j].inverse : Real(0);
      });
      carroll::detail::once_per_thread(member, [&] { all.taus(right)[j] = made[j].tau; });
    });
  }

 private:
  KOKKOS_FUNCTION static std::size_t entries(int n) {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(2 * n + 3);
  }
  static std::size_t bytes(int n) { return entries(n) * sizeof(Real) + 16; }

  NodeList<Real> nodes_;
  int n_, level_;
};

/// What a node is multiplied by becomes what its halves are: a team per node, the reflectors in its
/// scratch; a thread per column, by itself. 4n³ flops, half of them with zeros.
template <class ExecSpace, class Real>
class SplitKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  explicit SplitKernel(NodeList<Real> const& nodes) : nodes_(nodes), n_(nodes.triangles.cols) {
    auto const launch = teams();
    level_ = scratch_level<Policy>(launch.scratch + static_cast<std::size_t>(launch.threads) *
                                                        launch.thread_scratch);
  }

  carroll::detail::TeamLaunch teams() const {
    auto const n = static_cast<std::size_t>(n_);
    return {nodes_.count(), threads_for<ExecSpace>(n_), n * n * sizeof(Real) + 16, level_,
            2 * n * sizeof(Real) + 16};
  }

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::int64_t left, right;
    if (!nodes_.get(member.league_rank(), left, right)) return;
    int const n = n_;
    auto const take = [](auto const& scratch, std::ptrdiff_t count) {
      return static_cast<Real*>(scratch.get_shmem_aligned(
          count * static_cast<std::ptrdiff_t>(sizeof(Real)), sizeof(Real)));
    };
    Columns<Real> const V{take(member.team_scratch(level_), std::ptrdiff_t{n} * n), n};
    Real* const below = take(member.thread_scratch(level_), 2 * n);
    Real* const above = below + n;
    Columns<Real> const upper = nodes_.triangles(left), lower = nodes_.triangles(right);
    Real const* const taus = nodes_.triangles.taus(right);
    carroll::detail::thread_for(member, n, [&](int j) {
      carroll::detail::lane_for(member, n, [&](int i) { V(i, j) = lower(i, j); });
    });
    member.team_barrier();
    carroll::detail::thread_for(member, n, [&](int j) {
      // Every lane keeps to its rows; what all look at is not written before the end.
      carroll::detail::lane_for(member, n, [&](int i) { below[i] = 0; });
      for (int k = n - 1; k >= 0; --k) {
        Real const* const v = V.col(k);
        Real const top = upper(k, j);
        Real const sum =
            carroll::detail::lane_sum<Real>(member, n, [&](int i) { return v[i] * below[i]; });
        Real const w = taus[k] * (top + sum);
        carroll::detail::lane_for(member, n, [&](int i) {
          below[i] -= w * v[i];
          if (i == k) above[i] = top - w;
        });
      }
      carroll::detail::lane_for(member, lower.rows, [&](int i) {
        upper(i, j) = i < n ? above[i] : Real(0);
        lower(i, j) = i < n ? below[i] : Real(0);
      });
    });
  }

 private:
  NodeList<Real> nodes_;
  int n_;
  int level_ = 0;
};

}  // namespace carroll::distributed::detail::team
