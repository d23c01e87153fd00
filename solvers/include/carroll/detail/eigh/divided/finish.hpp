// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/output.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>

namespace carroll::detail {

/// V = Q·S by teams, where there are no warps or a column is too long for their registers: a thread
/// has a column of S, which stays in the nearest cache, and applies all reflectors to it. Bound by
/// reading these: n²/2 words a column. A complex matrix's columns are in the scratch of S, as their
/// conjugates.
template <class ExecSpace, class T>
class DividedColumnsKernel {
  using Storage = DividedStorage<T>;

 public:
  static constexpr int columns = 16;  ///< of a team

  DividedColumnsKernel(EighBatch<T> const& batch, int teams_each)
      : batch_(batch), teams_each_(teams_each) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const member = team.league_rank() / teams_each_, part = team.league_rank() % teams_each_;
    EighProblem<T> const problem = batch_(batch_.index(member));
    Storage const at(problem);
    if (at.message[Storage::is_finite] == 0) return;
    int const n = at.n, first = columns * part;
    thread_for(team, Kokkos::max(Kokkos::min(n - first, int{columns}), 0), [&](int c) {
      T* const x = column(team, at, first + c);
      for (int k = n - 2; k >= 0; --k) {
        T const* const v = at.A.col(k) + k + 1;
        T* const y = x + k + 1;
        int const rows = n - k - 1;
        T const product =
            conjugate(at.tau[k]) * lane_sum<T>(team, rows, [&](int i) { return v[i] * y[i]; });
        lane_for(team, rows, [&](int i) { y[i] -= product * conjugate(v[i]); });
      }
      write_unit_vector(team, n, x, problem.v.col(first + c));
    });
  }

 private:
  KOKKOS_FUNCTION static T* column(TeamMember<ExecSpace> const& team, Storage const& at, int j) {
    if constexpr (is_complex<T>) {
      T* const x = at.scratch() + static_cast<std::ptrdiff_t>(j) * at.n;
      lane_for(team, at.n, [&](int i) { x[i] = at.S(i, j); });
      return x;
    } else {
      return at.S.col(j);
    }
  }

  EighBatch<T> batch_;
  int teams_each_;
};

/// W and the info; both, and V, of matrices that are not finite. Eigenvalues are in order already.
template <class ExecSpace, class T>
class DividedFinishKernel {
  using Storage = DividedStorage<T>;

 public:
  explicit DividedFinishKernel(EighBatch<T> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    EighProblem<T> const problem = batch_(batch_.index(team.league_rank()));
    Storage const at(problem);
    if (at.message[Storage::is_finite] == 0) return refuse(team, problem, Status::non_finite);
    int const n = at.n, exponent = at.message[Storage::exponent];
    auto const key = [&](int k) { return at.d[k]; };
    auto const value = [&](int k) { return scale(at.d[k], exponent); };
    thread_for(team, (n + 31) / 32, [&](int part) {
      int const first = 32 * part;
      lane_for(team, Kokkos::min(n - first, 32),
               [&](int i) { problem.w(first + i) = value(first + i) + RealOf<T>(0); });
    });
    if (team.team_rank() == 0)
      write_eigh_info(team, problem, key, rank_limit<RealOf<T>>(n), value,
                      at.message[Storage::steps], at.message[Storage::done] != 0);
  }

 private:
  EighBatch<T> batch_;
};

template <class ExecSpace, class T>
void enqueue_divided_finish(ExecSpace const& exec, EighBatch<T> const& batch, int members) {
  launch_fitting_teams("carroll::eigh::divided_finish", exec,
                       DividedFinishKernel<ExecSpace, T>(batch),
                       {.count = members, .threads = lanes<ExecSpace> == 1 ? 1 : 4});
}

}  // namespace carroll::detail
