// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/complete_basis.hpp>
#include <carroll/detail/svd/common/householder.hpp>
#include <carroll/detail/svd/common/order.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// From orthogonal columns to the caller's U, S and V; a team per matrix, a column per thread.
///
///   preconditioned   U = Q·[P₂·W 0; 0 I],  V = P·Q₂·[J 0; 0 I]
///   plain methods    U = W,  V = J
///
/// W are the working columns divided by their norms. Columns without a singular value come from the
/// reflectors for free; where there are none to ask (plain methods; a column that rotations made
/// exactly zero) they are completed by orthogonalisation.
///
/// Cost: 4mn·left_cols + 4n³ flops; U, S and V are written once, the reflectors read once per
/// column, from cache where they fit.
template <class ExecSpace, class Real, SummedRows summed>
class FinishKernel {
 public:
  using Member = TeamMember<ExecSpace>;

  explicit FinishKernel(SvdBatch<Real> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(Member const& team) const { run(team, team.league_rank()); }

  /// Member b of the batch.
  KOKKOS_FUNCTION void run(Member const& team, int b) const {
    SvdProblem<Real> const problem = batch_(b);
    if (problem.info->status == Status::non_finite) {
      fill_with_nan(team, problem);
      return;
    }
    int const ordered = values(team, problem);
    if (problem.left_cols > 0) write_left(team, problem, ordered);
    if (problem.right_cols > 0) write_right(team, problem);
  }

  /// order(), S, the rank and the last words on the status. Returns how many σ are not zero.
  KOKKOS_FUNCTION int values(Member const& team, SvdProblem<Real> const& problem) const {
    int const ordered =
        order_by_norm(team, problem.state->columns, problem.sigma(), problem.working_exponents(),
                      [&](int k, int j) { problem.order()[k] = j; });
    write_values(team, problem, ordered);
    return ordered;
  }

  /// S and the rank, given order(), and the last words on the status.
  KOKKOS_FUNCTION void write_values(Member const& team, SvdProblem<Real> const& problem,
                                    int ordered) const {
    auto const value = [&](int k, int shift) {
      int const j = problem.order()[k];
      return scale(problem.sigma()[j], problem.working_exponents()[j] + shift);
    };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, problem.cols),
                         [&](int k) { problem.s(k) = k < ordered ? value(k, 0) : Real(0); });
    if (ordered == 0) return;
    // Compared with σ₁ scaled near 1, where neither it nor the threshold can over- or underflow.
    int const first = problem.order()[0];
    int const shift = -problem.working_exponents()[first];
    Real const least = value(0, shift) * problem.rows * Kokkos::Experimental::epsilon_v<Real>;
    int rank = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, ordered),
        [&](int k, int& count) { count += value(k, shift) > least ? 1 : 0; }, rank);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      problem.info->rank = rank;
      if (problem.info->status == Status::success && Kokkos::isinf(value(0, 0)))
        problem.info->status = Status::overflow;
    });
  }

  KOKKOS_FUNCTION void fill_with_nan(Member const& team, SvdProblem<Real> const& problem) const {
    constexpr Real nan = Kokkos::Experimental::quiet_NaN_v<Real>;
    fill(team, problem.left, problem.rows, problem.left_cols, nan);
    fill(team, problem.right, problem.cols, problem.right_cols, nan);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, problem.cols),
                         [&](int k) { problem.s(k) = nan; });
    Kokkos::single(Kokkos::PerTeam(team), [&] { problem.info->max_cosine = nan; });
  }

 private:
  KOKKOS_FUNCTION void fill(Member const& team, StridedMatrix<Real> const& to, int rows, int cols,
                            Real value) const {
    thread_for(team, cols, [&](int j) { lane_for(team, rows, [&](int i) { to(i, j) = value; }); });
  }

  KOKKOS_FUNCTION void write_left(Member const& team, SvdProblem<Real> const& problem,
                                  int ordered) const {
    int const n = problem.state->columns;
    int const m = problem.rows;
    Columns<Real> const W = problem.working();
    bool const outer = problem.preconditioned;
    StridedMatrix<Real> const& U = problem.left;
    thread_for(team, Kokkos::min(ordered, problem.left_cols), [&](int k) {
      int const j = problem.order()[k];
      Real const norm = problem.sigma()[j];
      lane_for(team, m, [&](int i) {
        if (i >= W.rows)
          U(i, k) = 0;
        else
          U(outer ? problem.inner_permutation()[i] : i, k) = W(i, j) / norm;
      });
    });
    team.team_barrier();
    // Among the working rows: columns that ended as zero. Beyond them: coordinate vectors, which
    // the reflectors turn into the rest of the basis, or, without reflectors, completed columns.
    int const completed = outer ? n : problem.left_cols;
    for (int k = ordered; k < completed; ++k) {
      complete_column<summed>(team, U, outer ? n : m, k, problem.dots());
      if (outer)
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, m - n), [&](int i) { U(n + i, k) = 0; });
    }
    if (!outer) return;
    thread_for(team, problem.left_cols - completed, [&](int c) {
      int const k = completed + c;
      lane_for(team, m, [&](int i) { U(i, k) = i == k ? Real(1) : Real(0); });
    });
    team.team_barrier();
    reflect(team, problem.factor(), problem.tau(), n, U, problem.left_cols);
  }

  KOKKOS_FUNCTION void write_right(Member const& team, SvdProblem<Real> const& problem) const {
    int const n = problem.cols;
    int const worked = problem.state->columns;
    Columns<Real> const J = problem.rotations();
    StridedMatrix<Real> const& V = problem.right;
    bool const outer = problem.preconditioned;
    if (outer) {
      // The rotations end at row `worked`; the columns past them are coordinate vectors.
      thread_for(team, problem.right_cols, [&](int j) {
        lane_for(team, n, [&](int i) {
          if (j >= worked)
            J(i, j) = i == j ? Real(1) : Real(0);
          else if (i >= worked)
            J(i, j) = 0;
        });
      });
      team.team_barrier();
      reflect(team, problem.inner_factor(), problem.inner_tau(), problem.state->inner_rank,
              {J.data, 1, n}, problem.right_cols);
    }
    thread_for(team, problem.right_cols, [&](int k) {
      int const j = k < worked ? problem.order()[k] : k;
      lane_for(team, n, [&](int i) { V(outer ? problem.permutation()[i] : i, k) = J(i, j); });
    });
  }

  /// The first `cols` columns of B := H₀·H₁⋯H_{count-1}·B. One team; ends with a barrier.
  KOKKOS_FUNCTION void reflect(Member const& team, Columns<Real> const& F, Real const* tau,
                               int count, StridedMatrix<Real> const& B, int cols) const {
    thread_for(team, cols, [&](int k) { apply_reflectors<summed>(team, F, tau, count, B.col(k)); });
    team.team_barrier();
  }

  SvdBatch<Real> batch_;
};

}  // namespace carroll::detail
