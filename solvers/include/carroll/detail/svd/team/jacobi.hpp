// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/right_vectors.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/common/round_robin.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// One-sided Jacobi on the triangular factor, a team per matrix, all sweeps in one kernel.
///
/// X = L₂ = R₂ᵀ; rotations from the right make its columns orthogonal, X·J = W·Σ. A thread takes a
/// pair of columns, a set of n/2 disjoint pairs runs at once, a barrier follows each set. X stays
/// in level-0 scratch where it fits. Afterwards J comes from a triangular solve; where that fails
/// its test, the sweeps run again from the factor with J accumulated. From `most_solved_columns` on
/// J is accumulated at once.
///
/// Cost of s sweeps: at most 7·s·n³ flops (a pair already orthogonal costs less than half), 4·s·n³
/// more where J is accumulated. The least traffic, met when X fits in scratch, is n² entries in and
/// n² out.
template <class ExecSpace, class Real>
class JacobiKernel {
 public:
  /// `tolerance` 0 lets PairRule choose. Scratch of less than a matrix's own size is not used.
  JacobiKernel(SvdBatch<Real> const& batch, Real tolerance, int max_sweeps,
               std::size_t scratch_bytes)
      : batch_(batch),
        tolerance_(tolerance),
        max_sweeps_(max_sweeps),
        scratch_bytes_(scratch_bytes) {}

  /// Scratch that keeps the working columns of an n-column problem at hand.
  static std::size_t bytes_per_team(std::int64_t n) {
    return static_cast<std::size_t>(n * n) * sizeof(Real) + alignof(Real);
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    run(team, team.league_rank(), scratch(team));
  }

  /// A team's scratch; asked for once per team.
  KOKKOS_FUNCTION Real* scratch(TeamMember<ExecSpace> const& team) const {
    if (scratch_bytes_ == 0) return nullptr;
    return static_cast<Real*>(
        team.team_scratch(0).get_shmem_aligned(scratch_bytes_ - alignof(Real), alignof(Real)));
  }

  /// Member b of the batch.
  KOKKOS_FUNCTION void run(TeamMember<ExecSpace> const& team, int b, Real* scratch) const {
    SvdProblem<Real> const problem = batch_(b);
    int const n = problem.state->columns;
    if (n == 0) return;  // nothing to do, or not finite

    Columns<Real> const X = problem.working();
    Columns<Real> const staged = stage(scratch, X);
    if (!problem.vectors()) {
      load(team, problem, staged);
      sweep_all(team, problem, staged, {nullptr, 0});
    } else if (n > most_solved_columns || !sweep_and_solve(team, problem, staged)) {
      Columns<Real> const J = problem.rotations();
      load(team, problem, staged);
      set_identity(team, J, n);
      sweep_all(team, problem, staged, J);
    }
    measure(team, problem, staged, X);
  }

 private:
  /// X in scratch if there is room, else where it is.
  KOKKOS_FUNCTION Columns<Real> stage(Real* scratch, Columns<Real> const& X) const {
    std::size_t const bytes = sizeof(Real) * X.rows * X.rows;
    if (bytes + alignof(Real) > scratch_bytes_) return X;
    return {scratch, X.rows};
  }

  KOKKOS_FUNCTION void load(TeamMember<ExecSpace> const& team, SvdProblem<Real> const& problem,
                            Columns<Real> const& X) const {
    transpose_triangle<Real>(team, problem.inner_factor(), problem.state->inner_rank,
                             problem.inner_exponents(), X, X.rows, problem.working_exponents(),
                             nullptr);
  }

  /// The way without accumulation; false if J did not come out orthogonal.
  KOKKOS_FUNCTION bool sweep_and_solve(TeamMember<ExecSpace> const& team,
                                       SvdProblem<Real> const& problem,
                                       Columns<Real> const& X) const {
    Columns<Real> const J = problem.rotations();
    load(team, problem, X);
    sweep_all(team, problem, X, {nullptr, 0});
    solve_rotations(team, problem.inner_factor(), problem.inner_exponents(), X,
                    problem.working_exponents(), J);
    return is_orthonormal(team, J, X.rows, problem.norms());
  }

  KOKKOS_FUNCTION void sweep_all(TeamMember<ExecSpace> const& team, SvdProblem<Real> const& problem,
                                 Columns<Real> const& X, Columns<Real> const& J) const {
    RoundRobin const schedule{X.rows};
    auto const rule = PairRule<Real>::of(tolerance_, X.rows);
    SweepCourse<Real> course;
    while (!course.converged && course.sweeps < max_sweeps_) {
      ++course.sweeps;
      SweepTally<Real> tally;
      for (int set = 0; set < schedule.sets(); ++set) {
        thread_for(team, schedule.pairs(), [&](int k) {
          auto const [p, q] = schedule.pair(set, k);
          if (q < X.rows)
            orthogonalise_pair<SummedRows::few>(team, rule, {X.col(p), X.col(q), X.rows, p, q},
                                                problem.working_exponents(), J, tally);
        });
        team.team_barrier();
      }
      course.max_cosine = team_result(team, tally.max_cosine, Kokkos::Max<Real>(course.max_cosine));
      int rotated = 0;
      course.rotations += team_result(team, tally.rotations, Kokkos::Sum<int>(rotated));
      course.converged = course.max_cosine <= rule.tolerance;
    }
    course.tell(team, *problem.info);
  }

  /// Norms of the final columns, and the columns themselves to where the next kernel finds them.
  KOKKOS_FUNCTION void measure(TeamMember<ExecSpace> const& team, SvdProblem<Real> const& problem,
                               Columns<Real> const& staged, Columns<Real> const& X) const {
    thread_for(team, X.rows, [&](int j) {
      Real const norm = column_norm<SummedRows::few>(team, staged.col(j), X.rows);
      once_per_thread(team, [&] { problem.sigma()[j] = norm; });
      if (staged.data != X.data && problem.vectors())
        lane_for(team, X.rows, [&](int i) { X(i, j) = staged(i, j); });
    });
  }

  SvdBatch<Real> batch_;
  Real tolerance_;
  int max_sweeps_;
  std::size_t scratch_bytes_;
};

}  // namespace carroll::detail
