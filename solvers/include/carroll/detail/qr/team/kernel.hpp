// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/plan.hpp>
#include <carroll/detail/qr/team/factorise.hpp>
#include <carroll/detail/qr/team/storage.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// The factorisation of matrices of any shape on any device, from global memory and its caches, or
/// scratch where A fits: Householder reflectors, one after the other; a team per matrix, all of it
/// in one kernel. Q's columns are formed without a barrier, a thread each.
///
/// 2mn² - 2n³/3 flops for R (m >= n), 4mn² - 2n³/3 at most for thin Q, of complex numbers
/// four times as many; two barriers a column.
template <class ExecSpace, class Value>
class QrTeamKernel {
  using Real = RealOf<Value>;

 public:
  using Storage = QrStorage<Value>;

  QrTeamKernel(QrBatch<Value> const& batch, std::size_t scratch)
      : batch_(batch), scratch_(scratch) {}

  /// What a matrix wants of a team's scratch; on hosts caches do without.
  static std::size_t scratch_bytes(std::int64_t entries) {
    if constexpr (lanes<ExecSpace> == 1) return 0;
    constexpr std::size_t most = 40 << 10;  // five or more teams share a multiprocessor
    auto const bytes = static_cast<std::size_t>(entries) * sizeof(Value) + alignof(Value);
    return bytes <= most ? bytes : 0;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    QrProblem<Value> const problem = batch_(batch_.index(team.league_rank()));
    Storage at(problem);
    std::size_t const bytes = sizeof(Value) * static_cast<std::size_t>(at.m) * at.n;
    if (scratch_ >= bytes + alignof(Value))
      at.A.data =
          static_cast<Value*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(Value)));
    if (!load_columns(team, problem, at)) return refuse(team, problem);
    factorise(team, at, problem.pivots());
    write_triangle(team, problem, at);
    thread_for(team, problem.q_cols, [&](int j) {
      form_column(team, at, j);
      Value const* const x = at.Q.col(j);
      Real const by = sign(at, j);
      lane_for(team, at.m, [&](int i) { problem.q(i, j) = without_negative_zeros(by * x[i]); });
    });
  }

 private:
  /// By which row i of R and column i of Q are multiplied, so that R's diagonal is not negative.
  KOKKOS_FUNCTION static Real sign(Storage const& at, int i) {
    return i < at.k && at.beta[i] < Real(0) ? Real(-1) : Real(1);
  }

  KOKKOS_FUNCTION void write_triangle(TeamMember<ExecSpace> const& team,
                                      QrProblem<Value> const& problem, Storage const& at) const {
    auto const entry = [&](int i, int j) {
      Value const x = i > j ? Value(0) : i == j ? Value(at.beta[i]) : at.A(i, j);
      return without_negative_zeros(scale_parts(sign(at, i) * x, at.exponents[j]));
    };
    thread_for(team, at.n, [&](int j) {
      lane_for(team, problem.r_rows,
               [&](int i) { problem.r(i, j) = i <= j && i < at.k ? entry(i, j) : Value(0); });
      int const infinite = count_of(team, Kokkos::min(j + 1, at.k), [&](int i) {
        return Kokkos::isinf(largest_part(entry(i, j)));
      });
      once_per_thread(team, [&] {
        at.norms[j] = static_cast<Real>(infinite);
        if (problem.pivots()) problem.p(j) = at.order[j];
      });
    });
    team.team_barrier();
    bool const overflow = count_of(team, at.n, [&](int j) { return at.norms[j] > Real(0); }) > 0;
    int rank = -1;
    if (problem.pivots()) {
      Real const tolerance = batch_.tolerance(problem);
      for (rank = 0; rank < at.k; ++rank) {
        Real const size = scale(Kokkos::abs(at.beta[rank]), at.exponents[rank] - at.exponents[0]);
        if (!(size > tolerance * Kokkos::abs(at.beta[0]))) break;
      }
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      *problem.info = {.status = overflow ? Status::overflow : Status::success, .rank = rank};
    });
  }

  KOKKOS_FUNCTION static void refuse(TeamMember<ExecSpace> const& team,
                                     QrProblem<Value> const& problem) {
    Value const nan = quiet_nan<Value>();
    thread_for(team, problem.n, [&](int j) {
      lane_for(team, problem.r_rows, [&](int i) { problem.r(i, j) = nan; });
      if (problem.pivots()) once_per_thread(team, [&] { problem.p(j) = j; });
    });
    thread_for(team, problem.q_cols,
               [&](int j) { lane_for(team, problem.m, [&](int i) { problem.q(i, j) = nan; }); });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      *problem.info = {.status = Status::non_finite, .rank = problem.pivots() ? 0 : -1};
    });
  }

  QrBatch<Value> batch_;
  std::size_t scratch_;
};

/// Threads of a team for matrices of n columns, of a `league`. No result depends on this choice.
/// First choices, not tuned.
template <class ExecSpace>
int qr_threads(ExecSpace const& exec, int league, int n) {
  if constexpr (lanes<ExecSpace> == 1) return team_threads(exec, league, n);
  return std::clamp((n + 3) / 4, 1, league > 256 ? 8 : 32);
}

template <class ExecSpace, class Value>
void enqueue_qr_team(ExecSpace const& exec, QrBatch<Value> batch, QrPlan const& plan) {
  QrBounds const& bounds = plan.bounds(QrFamily::team);
  if (bounds.members == 0) return;
  batch.selection = plan.members(QrFamily::team);
  using Kernel = QrTeamKernel<ExecSpace, Value>;
  std::size_t const scratch = Kernel::scratch_bytes(bounds.entries);
  int const columns = std::max(bounds.cols, batch.mode == QrMode::full ? bounds.rows : 0);
  launch_fitting_teams("carroll::qr::team", exec, Kernel(batch, scratch),
                       {bounds.members, qr_threads(exec, bounds.members, columns), scratch});
}

}  // namespace carroll::detail
