// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/cholesky/factorise.hpp>
#include <carroll/detail/eigh/cholesky/factors.hpp>
#include <carroll/detail/eigh/common/output.hpp>
#include <carroll/detail/eigh/plan.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/svd/workspace.hpp>

/// EighMethod::cholesky_jacobi: A = L·Lᵀ, L = U·Σ·Wᵀ by the kernels of `svd`, so that A = U·Σ²·Uᵀ.
namespace carroll::detail {

/// W and V from the singular values and left vectors of L, a team per matrix.
template <class ExecSpace, class Real>
class SquareKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  SquareKernel(EighBatch<Real> const& batch, SvdInfo<Real> const* factors)
      : batch_(batch), factors_(factors) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const b = batch_.index(team.league_rank());
    EighProblem<Real> const problem = batch_(b);
    FactorStorage<Real> const at(problem);
    auto const status = static_cast<Status>(at.outcome[0]);
    if (status != Status::success) return refuse(team, problem, status);
    SvdInfo<Real> const& factor = factors_[b];
    write_eigenpairs(
        team, problem, [&](int k) { return at.sigma[k]; },
        Kokkos::sqrt(rank_limit<Real>(problem.n)),
        [&](int k) {
          Real const sigma = at.sigma[k];
          int const e = sigma > Real(0) ? exponent_of(sigma) : 0;
          Real const mantissa = scale(sigma, -e);
          return scale(mantissa * mantissa, 2 * (e + at.outcome[1]));
        },
        [&](int k) { return at.U.col(k); }, factor.sweeps, factor.status != Status::not_converged);
  }

 private:
  EighBatch<Real> batch_;
  SvdInfo<Real> const* factors_;
};

template <class ExecSpace, class Real>
void enqueue_cholesky_jacobi(ExecSpace const& exec, EighBatch<Real> batch, EighPlan const& plan,
                             SvdViews<Real> const& views,
                             SvdWorkspace<ExecSpace, Real> const& workspace) {
  using Access = AccessTo<SvdWorkspace<ExecSpace, Real>>;
  EighBounds const& bounds = plan.all();
  TeamLaunch const teams{bounds.members, team_threads(exec, bounds.members, bounds.n)};
  batch.selection = plan.members(EighPlan::team);
  launch_fitting_teams("carroll::eigh::cholesky", exec, CholeskyKernel<ExecSpace, Real>(batch),
                       teams);
  SvdBatch<Real> const factors = Access::batch(workspace, views);
  Access::enqueue(exec, factors, workspace);
  launch_fitting_teams("carroll::eigh::square", exec,
                       SquareKernel<ExecSpace, Real>(batch, factors.infos), teams);
}

}  // namespace carroll::detail
