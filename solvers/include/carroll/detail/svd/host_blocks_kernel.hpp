// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/host_blocks_jacobi.hpp>
#include <carroll/detail/svd/host_blocks_rotations.hpp>
#include <carroll/detail/svd/jacobi.hpp>
#include <carroll/detail/svd/pairing.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/svd/rotation.hpp>
#include <carroll/detail/team.hpp>
#include <type_traits>

namespace carroll::detail {

/// One-sided block Jacobi on the triangular factor, on a host; a team per matrix, a pair of blocks
/// per thread. Takes the place of JacobiKernel, which it asks for help where columns vanish or are
/// parallel, and for small matrices. J comes from a triangular solve, or, where that does not leave
/// it orthogonal, from the sweeps run once more.
///
/// Columns of X = R₂ᵀ go in blocks of `blocks::width`. Each meeting of two blocks forms their Gram
/// matrix, rotates it once over the pairs between the blocks (in the first set of a sweep over
/// those within them, too), and multiplies the columns by the rotations' product: the Gram matrix
/// picks the angles, and its entries before the first rotation are the true cosines by which
/// convergence is judged (Drmač 2009, block-oriented one-sided Jacobi).
///
/// Cost of s sweeps: at most 6·s·n³ flops, three quarters of them in products of the shape
/// n×2w by 2w×2w; a sweep reads and writes X n/w times, from cache where it fits.
template <class ExecSpace, class Real>
class HostBlocksKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  HostBlocksKernel(SvdBatch<Real> const& batch, Real tolerance, int max_sweeps,
                   std::size_t scratch_bytes)
      : batch_(batch),
        pairwise_(batch, tolerance, max_sweeps, scratch_bytes),
        tolerance_(tolerance),
        max_sweeps_(max_sweeps) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    run(team, team.league_rank(), scratch(team));
  }

  /// What the pair-by-pair kernel needs.
  KOKKOS_FUNCTION Real* scratch(Member const& team) const { return pairwise_.scratch(team); }

  /// Member b of the batch.
  KOKKOS_FUNCTION void run(Member const& team, int b, Real* scratch) const {
    KOKKOS_IF_ON_HOST((run_on_host(team, b, scratch);))
  }

 private:
  /// Fewer columns are faster pair by pair.
  static constexpr int least_columns = 3 * blocks::width;

  void run_on_host(Member const& team, int b, Real* scratch) const {
    SvdProblem<Real> const problem = batch_(b);
    if (problem.state->columns >= least_columns && diagonalise(team, problem)) return;
    team.team_barrier();
    pairwise_.run(team, b, scratch);
  }

  void load(Member const& team, SvdProblem<Real> const& problem, Columns<Real> const& X) const {
    transpose_triangle<Real>(team, problem.inner_factor(), problem.state->inner_rank,
                             problem.inner_exponents(), X, X.rows, problem.working_exponents(),
                             nullptr);
  }

  bool diagonalise(Member const& team, SvdProblem<Real> const& problem) const {
    int const n = problem.state->columns;
    Columns<Real> const X = problem.working();
    load(team, problem, X);
    if (!sweep_all(team, problem, X, {nullptr, 0})) return false;
    if (problem.vectors()) {
      Columns<Real> const J = problem.rotations();
      blocks::solve_rotations(team, problem.inner_factor(), problem.inner_exponents(), X,
                              problem.working_exponents(), J);
      if (!blocks::is_orthonormal(team, J, n, problem.norms())) {
        load(team, problem, X);
        set_identity(team, J, n);
        if (!sweep_all(team, problem, X, J)) return false;
      }
    }
    blocks::share_out(team, n, [&](int j) { problem.sigma()[j] = column_norm(team, X.col(j), n); });
    return true;
  }

  /// What a thread has seen.
  struct Tally {
    SweepTally<Real> sweep;
    int failures = 0;
  };

  bool sweep_all(Member const& team, SvdProblem<Real> const& problem, Columns<Real> const& X,
                 Columns<Real> const& J) const {
    int const n = X.rows;
    auto const rule = PairRule<Real>::of(tolerance_, n, true);
    RoundRobin const schedule{(n + blocks::width - 1) / blocks::width};
    std::int64_t rotations = 0;
    Real max_cosine = 0;
    bool converged = false;
    int sweeps = 0;
    while (!converged && sweeps < max_sweeps_) {
      ++sweeps;
      Tally tally;
      for (int set = 0; set < schedule.sets(); ++set) {
        blocks::share_out(team, schedule.pairs(), [&](int k) {
          auto const [p, q] = schedule.pair(set, k);
          bool const alone = q >= schedule.columns;
          if (alone && set > 0) return;
          blocks::BlockPair<Real> pair(X, problem.working_exponents(), J, p * blocks::width,
                                       alone ? n : q * blocks::width);
          if (!pair.orthogonalise(rule, set == 0, tally.sweep)) ++tally.failures;
        });
        team.team_barrier();
      }
      int failures = tally.failures, rotated = tally.sweep.rotations;
      max_cosine = tally.sweep.max_cosine;
      team.team_reduce(Kokkos::Sum<int>(failures));
      team.team_reduce(Kokkos::Sum<int>(rotated));
      team.team_reduce(Kokkos::Max<Real>(max_cosine));
      if (failures > 0) return false;
      rotations += rotated;
      converged = max_cosine <= rule.tolerance;
    }
    if (team.team_rank() == 0) {
      problem.info->status = converged ? Status::success : Status::not_converged;
      problem.info->sweeps = sweeps;
      problem.info->rotations = rotations;
      problem.info->max_cosine = max_cosine;
    }
    return true;
  }

  SvdBatch<Real> batch_;
  JacobiKernel<ExecSpace, Real> pairwise_;
  Real tolerance_;
  int max_sweeps_;
};

/// The Jacobi step of the team kernels.
template <class ExecSpace, class Real>
using JacobiStep = std::conditional_t<lanes<ExecSpace> == 1, HostBlocksKernel<ExecSpace, Real>,
                                      JacobiKernel<ExecSpace, Real>>;

}  // namespace carroll::detail
