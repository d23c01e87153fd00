// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/output.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// V = Q·S by teams, where there are no warps or a column is too long for their registers: a thread
/// has a column of S, which stays in the nearest cache, and applies all reflectors to it. Bound by
/// reading these: n²/2 words a column.
template <class ExecSpace, class Real>
class DividedColumnsKernel {
  using Storage = DividedStorage<Real>;

 public:
  static constexpr int columns = 16;  ///< of a team

  DividedColumnsKernel(EighBatch<Real> const& batch, int teams_each)
      : batch_(batch), teams_each_(teams_each) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const member = team.league_rank() / teams_each_, part = team.league_rank() % teams_each_;
    EighProblem<Real> const problem = batch_(batch_.index(member));
    Storage const at(problem);
    if (at.message[Storage::is_finite] == 0) return;
    int const n = at.n, first = columns * part;
    thread_for(team, Kokkos::max(Kokkos::min(n - first, int{columns}), 0), [&](int c) {
      Real* const x = at.S.col(first + c);
      for (int k = n - 2; k >= 0; --k) {
        Real const* const v = at.A.col(k) + k + 1;
        Real* const y = x + k + 1;
        int const rows = n - k - 1;
        Real const product =
            at.tau[k] * lane_sum<Real>(team, rows, [&](int i) { return v[i] * y[i]; });
        lane_for(team, rows, [&](int i) { y[i] -= product * v[i]; });
      }
      write_unit_vector(team, n, x, problem.v.col(first + c));
    });
  }

 private:
  EighBatch<Real> batch_;
  int teams_each_;
};

/// W and the info; both, and V, of matrices that are not finite. Eigenvalues are in order already.
template <class ExecSpace, class Real>
class DividedFinishKernel {
  using Storage = DividedStorage<Real>;

 public:
  explicit DividedFinishKernel(EighBatch<Real> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    EighProblem<Real> const problem = batch_(batch_.index(team.league_rank()));
    Storage const at(problem);
    if (at.message[Storage::is_finite] == 0) return refuse(team, problem, Status::non_finite);
    int const n = at.n, exponent = at.message[Storage::exponent];
    auto const key = [&](int k) { return at.d[k]; };
    auto const value = [&](int k) { return scale(at.d[k], exponent); };
    thread_for(team, (n + 31) / 32, [&](int part) {
      int const first = 32 * part;
      lane_for(team, Kokkos::min(n - first, 32),
               [&](int i) { problem.w(first + i) = value(first + i) + Real(0); });
    });
    if (team.team_rank() == 0)
      write_eigh_info(team, problem, key, rank_limit<Real>(n), value, at.message[Storage::steps],
                      at.message[Storage::done] != 0);
  }

 private:
  EighBatch<Real> batch_;
};

template <class ExecSpace, class Real>
void enqueue_divided_finish(ExecSpace const& exec, EighBatch<Real> const& batch, int members) {
  launch_fitting_teams("carroll::eigh::divided_finish", exec,
                       DividedFinishKernel<ExecSpace, Real>(batch),
                       {.count = members, .threads = lanes<ExecSpace> == 1 ? 1 : 4});
}

}  // namespace carroll::detail
