// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/truncated_svd/problem.hpp>
#include <carroll/svd/types.hpp>

namespace carroll::detail {

/// The singular values in A's scale, NaN everywhere if A is not finite, and the info. A team per
/// triplet; the first one, which also exists when no triplet is wanted, writes the info.
template <class ExecSpace, class Real>
struct TruncatedFinishKernel {
  TruncatedProblem<Real> problem;
  SvdInfo<Real> const* inner;
  int power_steps;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const j = team.league_rank();
    constexpr Real nan = Kokkos::Experimental::quiet_NaN_v<Real>;
    bool const finite = problem.state->finite();
    if (j == 0) write_info(team, finite);
    if (j >= problem.rank) return;
    once_per_thread(team, [&] {
      problem.s(j) = finite ? scale(problem.sigma[j], problem.state->exponent()) : nan;
    });
    if (finite) return;
    lane_for(team, problem.rows, [&](int i) { problem.left(i, j) = nan; });
    lane_for(team, problem.cols, [&](int i) { problem.right(i, j) = nan; });
  }

 private:
  KOKKOS_FUNCTION void write_info(TeamMember<ExecSpace> const& team, bool finite) const {
    int const k = problem.rank;
    Real const first = k > 0 ? problem.sigma[0] : Real(0);
    Real const residual = lane_max<Real>(team, k, [&](int j) { return problem.residuals[j]; });
    Real const log_bound = largest_log(team);
    once_per_thread(team, [&] {
      TruncatedSvdInfo<Real> info;
      info.path = problem.path;
      info.power_steps = power_steps;
      Real contraction = 0;
      if (!finite) {
        info.status = Status::non_finite;
        info.residual = info.error = Kokkos::Experimental::quiet_NaN_v<Real>;
      } else if (k == 0) {
        info.error = problem.state->largest != 0 ? Real(1) : Real(0);  // ‖A‖ itself
      } else {
        if (first > Real(0)) {
          info.residual = residual / first;
          // 2^3 = 8 > 10·√(2/π); the rest is rounding in the measurement.
          info.error =
              Kokkos::exp2((log_bound + 3) / 3) / first + 4 * Kokkos::Experimental::epsilon_v<Real>;
          contraction = problem.sigma[problem.width - 1] / problem.sigma[k - 1];
        }
        info.status = status(info.residual);
      }
      *problem.info = info;
      *problem.outcome = {info, contraction};
    });
    if (k > 0) {
      // The triplets' residuals, for who asks.
      lane_for(team, k, [&](int j) {
        problem.residuals[j] = !finite           ? Kokkos::Experimental::quiet_NaN_v<Real>
                               : first > Real(0) ? problem.residuals[j] / first
                                                 : Real(0);
      });
    }
  }

  KOKKOS_FUNCTION Real largest_log(TeamMember<ExecSpace> const& team) const {
    constexpr Real lowest = -Kokkos::Experimental::infinity_v<Real>;
    Real largest = lowest;
    if (problem.rank == 0) return largest;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, test_vectors),
        [&](int j, Real& partial) { partial = Kokkos::max(partial, problem.log_test_norms[j]); },
        Kokkos::Max<Real>(largest));
    return largest;
  }

  KOKKOS_FUNCTION Status status(Real residual) const {
    if (inner->status != Status::success) return inner->status;
    Real const s1 = scale(problem.sigma[0], problem.state->exponent());
    if (!(s1 < Kokkos::Experimental::infinity_v<Real>)) return Status::overflow;
    bool const met = problem.path == TruncatedSvdPath::full || residual <= problem.tolerance;
    return met ? Status::success : Status::not_converged;
  }
};

}  // namespace carroll::detail
