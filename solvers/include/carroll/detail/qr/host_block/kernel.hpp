// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/host_block/pivoting.hpp>
#include <carroll/detail/qr/host_block/storage.hpp>
#include <carroll/detail/qr/plan.hpp>
#include <carroll/detail/svd/host_block/prepare.hpp>
#include <carroll/detail/svd/host_block/reflectors.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/detail/team.hpp>
#include <limits>

namespace carroll::detail {

/// The factorisation of matrices of more columns on a host, by panels of 32 reflectors I - V·T·Vᵀ
/// (Schreiber and Van Loan 1989); a team per matrix, all of it in one kernel. One thread factorises
/// a panel, then all apply it to the columns behind, and to those of the identity for Q.
///
/// With pivoting it is reflector by reflector for R: half as many flops again.
///
/// 2mn² - 2n³/3 flops for R (m >= n), as many for thin Q, all but some 16mn in products of tiles.
template <class ExecSpace, class Real>
class QrHostBlockKernel {
 public:
  using Storage = QrBlockStorage<Real>;

  explicit QrHostBlockKernel(QrBatch<Real> const& batch) : batch_(batch) {}

  void operator()(TeamMember<ExecSpace> const& team) const {
    QrProblem<Real> const problem = batch_(batch_.index(team.league_rank()));
    Storage const at(problem);
    bool const finite = load(team, problem, at);
    if (finite && problem.pivots())
      factorise_pivoted(team, at);
    else if (finite)
      factorise(team, at);
    bool const overflow = write_triangle(team, problem, at, finite);
    if (problem.q_cols > 0) write_basis(team, problem, at, finite);
    if (team.team_rank() == 0)
      *problem.info = {.status = !finite    ? Status::non_finite
                                 : overflow ? Status::overflow
                                            : Status::success,
                       .rank = !problem.pivots() ? -1
                               : finite          ? rank(problem, at)
                                                 : 0};
  }

 private:
  using Reflectors = blocks::BlockReflectors<Real>;

  /// A := the caller's columns, each times a power of two, largest entries in [1/2, 1). False, on
  /// all threads, if an entry is not finite.
  static bool load(TeamMember<ExecSpace> const& team, QrProblem<Real> const& problem,
                   Storage const& at) {
    int const whole = at.reflectors().end_row();
    blocks::share_out(team, at.n, [&](int j) {
      auto const a = problem.a.col(j);
      // Magnitudes are in the order of their bits, infinity and NaN above all others.
      constexpr auto sign = BitsOf<Real>{1} << (8 * sizeof(Real) - 1);
      BitsOf<Real> bits = 0;
      blocks::for_rows(a, at.m, [&](int, Real x) {
        bits = std::max(bits, Kokkos::bit_cast<BitsOf<Real>>(x) & ~sign);
      });
      Real const largest = Kokkos::bit_cast<Real>(bits);
      at.finite[j] = largest < std::numeric_limits<Real>::infinity() ? 1 : 0;
      int const e = at.finite[j] && largest > Real(0) ? exponent_of(largest) : 0;
      at.exponents[j] = e;
      // Two factors where one could overflow.
      Real const half = power_of_two<Real>(-(e / 2)), rest = power_of_two<Real>(-(e - e / 2));
      Real* const to = at.A.col(j);
      blocks::for_rows(a, at.m, [&](int i, Real x) { to[i] = x * half * rest; });
      std::fill(to + at.m, to + whole, Real(0));
    });
    return all_finite(team, at);
  }
  /// Are all columns? The words are free for other news when it returns.
  static bool all_finite(TeamMember<ExecSpace> const& team, Storage const& at) {
    team.team_barrier();
    bool const all = std::all_of(at.finite, at.finite + at.n, [](int is) { return is != 0; });
    team.team_barrier();
    return all;
  }

  /// K reflectors from column k on, strip by strip, and their T, by one thread. Of a column of
  /// which nothing is left the reflector is the identity.
  template <class V>
  static void factorise_panel(Reflectors const& Q, int k, int K, Columns<Real> const& R) {
    using blocks::panel, blocks::strip;
    Real* const T = Q.factor(k / panel);
    alignas(64) Real strip_T[panel * strip];
    for (int s = k; s < k + K; s += strip) {
      int const behind = std::min(s + strip, k + K);
      for (int j = s; j < behind; ++j) {
        Real tau = 0;
        if (blocks::make_reflector<V>(Q, j, R, tau))
          blocks::reflect<V>(Q, j, tau, j + 1, behind);
        else
          R(j, j) = tau = 0;
        T[(j - k) * (panel + 1)] = strip_T[(j - s) * (panel + 1)] = tau;
      }
      if (behind == k + K) break;
      blocks::form_factor<V>(Q, s, behind - s, strip_T);
      blocks::apply_block<V, true>(Q, s, behind - s, strip_T, Q.V, behind, k + K - behind);
    }
    blocks::form_factor<V>(Q, k, K, T);
  }

  /// Columns that a thread takes at once: they stay in a second-level cache between the two
  /// products.
  static constexpr int group = blocks::panel / 2;

  static void factorise(TeamMember<ExecSpace> const& team, Storage const& at) {
    Reflectors const Q = at.reflectors();
    for (int k = 0; k < at.k; k += blocks::panel) {
      int const K = std::min(blocks::panel, at.k - k), first = k + K, behind = at.n - first;
      if (team.team_rank() == 0)
        blocks::with_packs<Real>(
            [&]<class V>() { by_itself<V::bytes>([&] { factorise_panel<V>(Q, k, K, at.R); }); });
      team.team_barrier();
      blocks::share_out(team, (behind + group - 1) / group, [&](int g) {
        int const j = first + g * group;
        blocks::with_packs<Real>([&]<class V>() {
          blocks::apply_block<V, true>(Q, k, K, Q.factor(k / blocks::panel), at.A, j,
                                       std::min(group, at.n - j));
        });
      });
      team.team_barrier();
    }
    blocks::share_out(team, at.n - at.k, [&](int behind) {
      Real const* const x = at.A.col(at.k + behind);
      std::copy(x, x + at.k, at.R.col(at.k + behind));
    });
    team.team_barrier();
  }

  static Real sign(Storage const& at, int i) {
    return i < at.k && at.R(i, i) < Real(0) ? Real(-1) : Real(1);
  }

  /// Diagonal entries before the first one that counts as zero.
  int rank(QrProblem<Real> const& problem, Storage const& at) const {
    Real const tolerance = batch_.tolerance(problem);
    int count = 0;
    for (; count < at.k; ++count) {
      int const shift = at.exponents[count] - at.exponents[0];
      Real const size = Kokkos::abs(at.R(count, count));
      if (!(scale(size, shift) > tolerance * Kokkos::abs(at.R(0, 0)))) break;
    }
    return count;
  }

  /// The caller's R, and P; NaN unless finite. Is an entry beyond the range? All threads know.
  static bool write_triangle(TeamMember<ExecSpace> const& team, QrProblem<Real> const& problem,
                             Storage const& at, bool finite) {
    Real const nan = std::numeric_limits<Real>::quiet_NaN();
    blocks::share_out(team, at.n, [&](int j) {
      int const above = std::min(j + 1, at.k), e = at.exponents[j];
      Real largest = 0;
      for (int i = 0; finite && i < above; ++i) {
        Real const x = scale(sign(at, i) * at.R(i, j), e) + Real(0);
        problem.r(i, j) = x;
        largest = std::max(largest, Kokkos::abs(x));
      }
      for (int i = finite ? above : 0; i < problem.r_rows; ++i)
        problem.r(i, j) = finite ? Real(0) : nan;
      if (problem.pivots()) problem.p(j) = finite ? at.order[j] : j;
      at.finite[j] = largest < std::numeric_limits<Real>::infinity() ? 1 : 0;
    });
    return !all_finite(team, at);
  }

  /// The caller's Q, column by column; NaN unless finite.
  static void write_basis(TeamMember<ExecSpace> const& team, QrProblem<Real> const& problem,
                          Storage const& at, bool finite) {
    Reflectors const Q = at.reflectors();
    int const whole = Q.end_row();
    blocks::share_out(team, (at.q_cols + group - 1) / group, [&](int g) {
      int const first = g * group, count = std::min(group, at.q_cols - first);
      for (int j = first; j < first + count; ++j) {
        Real* const x = at.Q.col(j);
        std::fill(x, x + whole, Real(0));
        x[j] = 1;
      }
      if (finite) blocks::apply_q(Q, at.Q, first, count, first + count);
      for (int j = first; j < first + count; ++j) {
        Real const by = finite ? sign(at, j) : std::numeric_limits<Real>::quiet_NaN();
        Real const* const x = at.Q.col(j);
        for (int i = 0; i < at.m; ++i) problem.q(i, j) = by * x[i] + Real(0);
      }
    });
  }

  QrBatch<Real> batch_;
};

template <class ExecSpace, class Real>
void enqueue_qr_host_block(ExecSpace const& exec, QrBatch<Real> batch, QrPlan const& plan) {
  QrBounds const& bounds = plan.bounds(QrFamily::host_block);
  if (bounds.members == 0) return;
  batch.selection = plan.members(QrFamily::host_block);
  launch_fitting_teams("carroll::qr::host_block", exec, QrHostBlockKernel<ExecSpace, Real>(batch),
                       {bounds.members, team_threads(exec, bounds.members, bounds.cols)});
}

}  // namespace carroll::detail
