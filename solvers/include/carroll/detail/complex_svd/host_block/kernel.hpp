// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/complex_svd/host_block/factor.hpp>
#include <carroll/detail/complex_svd/host_block/sweeps.hpp>
#include <carroll/detail/complex_svd/range.hpp>
#include <carroll/detail/complex_svd/team/factorise.hpp>
#include <carroll/detail/complex_svd/team/load.hpp>
#include <carroll/detail/complex_svd/team/output.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/svd/host_block/tiles.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// The decomposition of complex matrices on a host, a team per matrix, all of it in one kernel; the
/// steps of the team kernel,
///
///   B·P = Q·R,  Rᴴ·P₂ = Q₂·R₂,  R₂ᴴ·J = W·Σ   so that   B = (Q·P₂·W)·Σ·(P·Q₂·J)ᴴ
///
/// in vector registers, down columns. What is not regular, columns that vanish, entries that are
/// not finite, sweeps that did not converge, is left to that kernel.
///
/// Cost for s sweeps: 12mn² + 4n³ + 16·s·n³ flops at most to find S, 8·s·n³ for J, 20mn·(columns
/// of U) + 20n³ more for U and V.
template <class ExecSpace, class Real>
class ComplexHostBlocksKernel {
 public:
  ComplexHostBlocksKernel(ComplexSvdBatch<Real> const& batch, SvdOptions const& options)
      : batch_(batch),
        tolerance_(static_cast<Real>(options.tolerance)),
        max_sweeps_(options.max_sweeps) {}

  void operator()(TeamMember<ExecSpace> const& team) const {
    int const b = team.league_rank();
    bool solved = false;
    blocks::with_packs<Real>([&]<class V>() { solved = solve<V>(team, b); });
    if (!solved && team.team_rank() == 0) batch_.fallback.add(b);
  }

 private:
  using Problem = ComplexSvdProblem<Real>;

  template <class V>
  bool solve(TeamMember<ExecSpace> const& team, int b) const {
    using Qr = complex_blocks::PivotedQr<V>;
    bool const turned = batch_.rows() < batch_.cols();
    Problem problem = batch_(b, turned);
    if (!load_complex_columns<SummedRows::many>(team, problem)) return false;
    if (is_scaled_by_rows(team, problem)) {
      problem = batch_(b, !turned);
      load_complex_columns<SummedRows::many>(team, problem);
    }
    int const n = problem.cols;
    Qr const outer{problem.factor(),     n, problem.exponents(), problem.norms(), problem.tau(),
                   problem.permutation()};
    Qr const inner{problem.inner_factor(),    n,
                   problem.inner_exponents(), problem.norms(),
                   problem.inner_tau(),       problem.inner_permutation()};
    if (!outer.run(team)) return false;
    conjugate_triangle(team, outer.F, n, outer.exponents, inner.F, n, inner.exponents, inner.norms);
    if (!inner.run(team)) return false;
    SplitColumns<Real> const X = problem.working(n);
    SplitColumns<Real> const J =
        problem.vectors ? problem.rotations() : SplitColumns<Real>{nullptr, n};
    conjugate_triangle<Real>(team, inner.F, n, inner.exponents, X, n, problem.working_exponents(),
                             nullptr);
    if (problem.vectors)
      blocks::share_out(team, n, [&](int j) {
        std::fill_n(J.col(j), 2 * n, Real(0));
        J.col(j)[j] = 1;
      });
    team.team_barrier();
    complex_blocks::ColumnSweeps<V> const sweeps{X, J, problem.working_exponents(), problem.dots(),
                                                 PairRule<Real>::of(tolerance_, 2 * n)};
    SvdInfo<Real> const info = sweeps.run(team, max_sweeps_);
    if (info.status != Status::success || !find_norms(team, problem, X)) return false;
    write_complex_values(team, problem, n, info);
    write_left(team, problem, X, outer);
    write_right(team, problem, J, inner);
    return true;
  }

  /// False, on all threads, if a column has vanished.
  static bool find_norms(TeamMember<ExecSpace> const& team, Problem const& problem,
                         SplitColumns<Real> const& X) {
    int const n = X.rows;
    Real* const norms = problem.norms();
    blocks::share_out(
        team, n, [&](int j) { norms[j] = column_norm<SummedRows::few>(team, X.col(j), 2 * n); });
    team.team_barrier();
    return *std::min_element(norms, norms + n) > Real(0);
  }

  /// U := Q·[P₂·W 0; 0 I], W the columns of X divided by their norms; column by column in a place
  /// of its own, as the caller's may lie anyhow.
  template <class Qr>
  static void write_left(TeamMember<ExecSpace> const& team, Problem const& problem,
                         SplitColumns<Real> const& X, Qr const& outer) {
    int const m = problem.rows, n = problem.cols;
    blocks::share_out(team, problem.left_cols, [&](int k) {
      alignas(64) Real y[2 * complex_host_block_rows];
      std::fill_n(y, 2 * m, Real(0));
      int const j = k < n ? problem.order()[k] : k;
      if (k >= n) y[k] = 1;
      for (int i = 0; k < n && i < n; ++i) {
        int const place = problem.inner_permutation()[i];
        y[place] = X.col(j)[i] / problem.norms()[j];
        y[m + place] = X.col(j)[n + i] / problem.norms()[j];
      }
      outer.apply(y);
      for (int i = 0; i < m; ++i) problem.left(i, k) = Kokkos::complex<Real>(y[i], y[m + i]);
    });
  }

  /// V := P·Q₂·J.
  template <class Qr>
  static void write_right(TeamMember<ExecSpace> const& team, Problem const& problem,
                          SplitColumns<Real> const& J, Qr const& inner) {
    int const n = problem.cols;
    blocks::share_out(team, problem.right_cols, [&](int k) {
      int const j = problem.order()[k];
      inner.apply(J.col(j));
      for (int i = 0; i < n; ++i) problem.right(problem.permutation()[i], k) = J(i, j);
    });
  }

  ComplexSvdBatch<Real> batch_;
  Real tolerance_;
  int max_sweeps_;
};

template <class ExecSpace, class Real>
void enqueue_complex_svd_host_blocks(ExecSpace const& exec, ComplexSvdBatch<Real> const& batch,
                                     SvdOptions const& options) {
  launch_fitting_teams(
      "carroll::svd::complex_host_blocks", exec,
      ComplexHostBlocksKernel<ExecSpace, Real>(batch, options),
      {batch.members(), team_threads(exec, batch.members(), std::min(batch.rows(), batch.cols()))});
}

}  // namespace carroll::detail
