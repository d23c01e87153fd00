// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/host_block/jacobi.hpp>
#include <carroll/detail/svd/host_block/prepare.hpp>
#include <carroll/detail/svd/host_block/reflectors.hpp>
#include <carroll/detail/svd/host_block/single.hpp>
#include <carroll/detail/svd/host_block/storage.hpp>
#include <carroll/detail/svd/host_block/vectors.hpp>
#include <carroll/detail/svd/plan.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/detail/team.hpp>
#include <type_traits>

namespace carroll::detail {

/// The decomposition of matrices of more than 32 columns on a host, by products of blocks of
/// columns; a team per matrix, all of it in one kernel.
///
///   A·P = Q·R,  Rᵀ·P₂ = Q₂·R₂,  R₂ᵀ·J = W·Σ,  (R₂·W = J·Σ) = Q₃·R₃
///   so that A = (Q·P₂·W)·Σ·(P·Q₂·Q₃·sign R₃)ᵀ
///
/// Columns are sorted by norm before each of the first two factorisations, which then go by panels
/// without looking back. J comes out of the third one orthonormal, longest column of J·Σ first,
/// whatever the condition. What cannot be finished here, columns that vanish or are parallel,
/// entries that are not finite, sweeps that did not converge, is left to the team kernels.
///
/// Cost of s sweeps, 5 to 7: 2mn² + 2n³/3 + at most 6·s·n³ flops to find S, 4mn·(columns of U)
/// - 2n³ for U and 6n³ for V, all but some n² in products of tiles. In double precision matrices
/// large enough make most of their sweeps in single precision, at twice the rate, for 5n³ flops.
template <class ExecSpace, class Real>
class HostBlocksKernel {
 public:
  /// `tolerance` 0 lets PairRule choose.
  HostBlocksKernel(SvdBatch<Real> const& batch, Real tolerance, int max_sweeps)
      : batch_(batch), tolerance_(tolerance), max_sweeps_(max_sweeps) {}

  void operator()(TeamMember<ExecSpace> const& team) const {
    int const b = batch_.index(team.league_rank());
    if (team.team_rank() == 0) batch_.states[b] = {};
    team.team_barrier();
    if (!solve(team, b) && team.team_rank() == 0) batch_.fallback.add(b);
  }

 private:
  /// Columns of a block. Twice as many spare a sweep, but rotating their Gram matrices costs more.
  static constexpr int width = 16;
  /// Fewer columns gain nothing from a start in single precision.
  static constexpr int least_mixed_columns = 500;
  /// Powers of two by which the columns of A may differ for that.
  static constexpr int most_uneven = 3;

  bool solve(TeamMember<ExecSpace> const& team, int b) const {
    SvdProblem<Real> problem = batch_(b);
    blocks::Storage<Real> const at(problem);
    if (!blocks::load_columns(team, problem, at)) return false;
    if (blocks::should_transpose(team, problem, at)) {
      if (team.team_rank() == 0) batch_.states[b].turned = 1;
      team.team_barrier();
      problem = batch_(b);
      if (!blocks::load_columns(team, problem, at)) return false;
    }
    if (!factorise(team, at)) return false;
    SvdInfo<Real> info;
    if (!diagonalise(team, at, info) || info.status != Status::success) return false;
    if (!blocks::normalise(team, at)) return false;
    bool const right = problem.right_cols > 0;
    if (right && !blocks::find_rotations(team, at, {at.spare.data, at.X.rows})) return false;
    if (team.team_rank() == 0) blocks::write_values(problem, at, info);
    if (problem.left_cols > 0) blocks::write_left(team, problem, at);
    if (right) blocks::write_right(team, problem, at);
    return true;
  }

  /// A·P = Q·R and Rᵀ·P₂ = Q₂·R₂; R₂ in `spare`, X := R₂ᵀ.
  bool factorise(TeamMember<ExecSpace> const& team, blocks::Storage<Real> const& at) const {
    int const n = at.n, whole = at.second_qr().end_row();
    blocks::sort_columns(team, at.spare, at.first_qr().end_row(), n, at.norms, at.exponents,
                         at.permutation, at.order, at.outer);
    if (!blocks::blocked_qr(team, at.first_qr(), at.X, at.flag)) return false;
    Columns<Real> const rows{at.spare.data, at.X.rows};
    blocks::transpose(team, at.X, n, at.exponents, rows, at.inner_exponents, at.norms);
    if (!(*std::min_element(at.norms, at.norms + n) > Real(0))) return false;
    team.team_barrier();
    blocks::sort_columns(team, rows, whole, n, at.norms, at.inner_exponents, at.inner_permutation,
                         at.order, at.inner);
    if (!blocks::blocked_qr(team, at.second_qr(), rows, at.flag)) return false;
    blocks::transpose(team, rows, n, at.inner_exponents, at.X, at.x_exponents,
                      static_cast<Real*>(nullptr));
    return true;
  }

  /// X := W·Σ.
  bool diagonalise(TeamMember<ExecSpace> const& team, blocks::Storage<Real> const& at,
                   SvdInfo<Real>& info) const {
    SvdInfo<float> start;
    if constexpr (std::is_same_v<Real, double>) {
      bool const even = at.exponents[0] - at.exponents[at.n - 1] <= most_uneven;
      if (even && at.n >= least_mixed_columns &&
          !blocks::start_in_single<width>(team, at, max_sweeps_, start))
        return false;
    }
    auto const rule = PairRule<Real>::of(tolerance_, at.n);
    if (!blocks::sweep_all<width>(team, at.X, at.n, at.second_qr().end_row(), at.x_exponents, rule,
                                  max_sweeps_, at.norms, at.third_qr().T, info))
      return false;
    info.sweeps += start.sweeps;
    info.rotations += start.rotations;
    return true;
  }

  SvdBatch<Real> batch_;
  Real tolerance_;
  int max_sweeps_;
};

template <class ExecSpace, class Real>
void enqueue_host_blocks(ExecSpace const& exec, SvdBatch<Real> batch, SvdPlan const& plan,
                         SvdOptions const& options) {
  SvdBounds const& bounds = plan.bounds(SvdPlan::host_block);
  if (bounds.members == 0) return;
  batch.selection = plan.members(SvdPlan::host_block);
  launch_fitting_teams("carroll::svd::host_blocks", exec,
                       HostBlocksKernel<ExecSpace, Real>(
                           batch, static_cast<Real>(options.tolerance), options.max_sweeps),
                       {bounds.members, team_threads(exec, bounds.members, bounds.cols)});
}

}  // namespace carroll::detail
