// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/output.hpp>
#include <carroll/detail/eigh/jacobi/cholesky.hpp>
#include <carroll/detail/eigh/jacobi/factors.hpp>
#include <carroll/detail/eigh/jacobi/part.hpp>
#include <carroll/detail/eigh/jacobi/shift.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/detail/team.hpp>

/// Eigenvalues by the kernels of `svd`, L = U·Σ·Wᴴ: `cholesky` has A = L·Lᴴ, so that A = U·Σ²·Uᴴ;
/// `shifted` has A + shift·I = L, so that A = U·(Σ - shift·I)·Uᴴ.
namespace carroll::detail {

/// W and V from the singular values and left vectors of L, a team per matrix; but of members that
/// are `done`, if that is not null.
template <class ExecSpace, class T, bool Shifted>
class EigenpairsKernel {
  using Real = RealOf<T>;

 public:
  EigenpairsKernel(EighBatch<T> const& batch, SvdInfo<Real> const* factors, int const* done)
      : batch_(batch), factors_(factors), done_(done) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (done_ && done_[team.league_rank()] != 0) return;
    EighProblem<T> const problem = batch_(batch_.index(team.league_rank()));
    FactorStorage<T> const at(problem);
    auto const status = static_cast<Status>(at.outcome[0]);
    if (status != Status::success) return refuse(team, problem, status);
    SvdInfo<Real> const& factor = factors_[team.league_rank()];
    if (factor.status == Status::non_finite) return refuse(team, problem, Status::breakdown);
    Real const limit = rank_limit<Real>(problem.n), shift = Shifted ? *at.shift : Real(0);
    write_eigenpairs(
        team, problem, [&](int k) { return at.sigma[k] - shift; },
        Shifted ? limit : Kokkos::sqrt(limit),
        [&](int k) {
          Real const sigma = at.sigma[k];
          int const exponent = at.outcome[1];
          if constexpr (Shifted) {
            return scale(sigma - shift, exponent);
          } else {
            int const e = sigma > Real(0) ? exponent_of(sigma) : 0;
            Real const mantissa = scale(sigma, -e);
            return scale(mantissa * mantissa, 2 * (e + exponent));
          }
        },
        [&](int k) { return at.U.col(k); }, factor.sweeps, factor.status != Status::not_converged);
  }

 private:
  EighBatch<T> batch_;
  SvdInfo<Real> const* factors_;
  int const* done_;
};

/// Members of a bin of the plan, which the batch has selected, but for those that are `done`, if
/// that is not null.
template <class ExecSpace, class T>
void enqueue_eigh_jacobi(ExecSpace const& exec, EighBatch<T> const& batch,
                         EighJacobiPart<ExecSpace, T> const& part, int const* done,
                         EighMethod method) {
  auto const [members, n] = part.bounds;
  if (members == 0) return;
  auto const& workspace = part.workspace;
  using Access = AccessTo<SvdWorkspace<ExecSpace, T>>;
  TeamLaunch const teams{members, team_threads(exec, members, n)};
  auto const factors = Access::batch(workspace, part.views);
  if (method == EighMethod::cholesky_jacobi) {
    launch_fitting_teams("carroll::eigh::cholesky", exec, CholeskyKernel<ExecSpace, T>(batch),
                         teams);
    Access::enqueue(exec, factors, workspace);
    launch_fitting_teams("carroll::eigh::square", exec,
                         EigenpairsKernel<ExecSpace, T, false>(batch, factors.infos, done), teams);
  } else {
    launch_fitting_teams("carroll::eigh::shift", exec, ShiftKernel<ExecSpace, T>(batch, done),
                         teams);
    Access::enqueue(exec, factors, workspace);
    launch_fitting_teams("carroll::eigh::shift_back", exec,
                         EigenpairsKernel<ExecSpace, T, true>(batch, factors.infos, done), teams);
  }
}

}  // namespace carroll::detail
