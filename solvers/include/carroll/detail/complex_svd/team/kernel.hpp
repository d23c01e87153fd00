// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/complex_svd/batch.hpp>
#include <carroll/detail/complex_svd/team/factorise.hpp>
#include <carroll/detail/complex_svd/team/load.hpp>
#include <carroll/detail/complex_svd/team/output.hpp>
#include <carroll/detail/complex_svd/team/rotate.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// The decomposition of complex matrices of any size on any device, a team per matrix, all of it in
/// one kernel:
///
///   B·P = Q·R,  Rᴴ·P₂ = Q₂·R₂,  R₂ᴴ·J = W·Σ   so that   B = (Q·P₂·W)·Σ·(P·Q₂·J)ᴴ
///
/// B is A or, where A has more columns than rows or is scaled by rows, Aᴴ. The last step is
/// one-sided Jacobi, a pair of columns per thread, with J accumulated (Drmač and Veselić, SIAM J.
/// Matrix Anal. Appl. 29(4), 2008).
///
/// Cost for s sweeps: 12mn² + 4n³ + 22·s·n³ flops at most to find S, 14·s·n³ for J, 16mn·(columns
/// of U) + 16n³ more for U and V.
template <class ExecSpace, class Real, SummedRows summed>
class ComplexSvdTeamKernel {
 public:
  ComplexSvdTeamKernel(ComplexSvdBatch<Real> const& batch, SvdOptions const& options,
                       std::size_t scratch)
      : batch_(batch),
        tolerance_(static_cast<Real>(options.tolerance)),
        max_sweeps_(options.max_sweeps),
        scratch_(scratch) {}

  /// Scratch that keeps `squares` matrices of n×n at hand.
  static std::size_t bytes_of(std::int64_t n, int squares) {
    return static_cast<std::size_t>(2 * squares * n * n) * sizeof(Real) + alignof(Real);
  }

  /// Each team works off every league_size-th member, or, where there is such a list, of those that
  /// are left over. Bits do not depend on the order of the list: each member is worked on alone.
  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const* const members = batch_.fallback.members;
    int const count = members ? *batch_.fallback.count : batch_.members();
    if (team.league_rank() >= count) return;
    Real* scratch = nullptr;
    if (scratch_ > 0)
      scratch = static_cast<Real*>(
          team.team_scratch(0).get_shmem_aligned(scratch_ - alignof(Real), alignof(Real)));
    for (int k = team.league_rank(); k < count; k += team.league_size()) {
      run(team, members ? members[k] : k, scratch);
      team.team_barrier();  // all have left the member before its scratch is used again
    }
  }

 private:
  KOKKOS_FUNCTION void run(TeamMember<ExecSpace> const& team, int b, Real* scratch) const {
    bool const turned = batch_.rows() < batch_.cols();
    ComplexSvdProblem<Real> problem = batch_(b, turned);
    bool const finite = load_complex_columns<summed>(team, problem);
    if (!finite) return refuse_complex(team, problem);
    if (is_scaled_by_rows(team, problem)) {
      problem = batch_(b, !turned);
      load_complex_columns<summed>(team, problem);
    }
    decompose(team, problem, scratch);
  }

  KOKKOS_FUNCTION void decompose(TeamMember<ExecSpace> const& team,
                                 ComplexSvdProblem<Real> const& problem, Real* scratch) const {
    int const n = problem.cols;
    ComplexSvdSizes sizes;
    SplitColumns<Real> const G = problem.inner_factor();
    sizes.worked =
        pivoted_complex_qr<summed>(team, problem.factor(), n, problem.exponents(), problem.norms(),
                                   problem.tau(), problem.permutation());
    int const k = sizes.worked;
    conjugate_triangle(team, problem.factor(), k, problem.exponents(), G, k,
                       problem.inner_exponents(), problem.norms());
    sizes.inner_rank =
        pivoted_complex_qr<SummedRows::few>(team, G, k, problem.inner_exponents(), problem.norms(),
                                            problem.inner_tau(), problem.inner_permutation());

    SplitColumns<Real> X = problem.working(k), J{nullptr, n};
    if (problem.vectors) J = problem.rotations();
    stage(scratch, X, J);
    conjugate_triangle<Real>(team, G, sizes.inner_rank, problem.inner_exponents(), X, k,
                             problem.working_exponents(), nullptr);
    if (problem.vectors) {
      thread_for(team, k, [&](int j) {
        lane_for(team, k, [&](int i) { J.set(i, j, i == j ? Real(1) : Real(0)); });
      });
      team.team_barrier();
    }
    SvdInfo<Real> const info =
        sweep_complex_columns(team, tolerance_, max_sweeps_, X, problem.working_exponents(), J);
    thread_for(team, k, [&](int j) {
      Real const norm = column_norm<SummedRows::few>(team, X.col(j), 2 * k);
      once_per_thread(team, [&] { problem.norms()[j] = norm; });
    });
    team.team_barrier();
    int const ordered = write_complex_values(team, problem, k, info);
    if (problem.left_cols > 0) write_complex_left<summed>(team, problem, X, ordered);
    if (problem.right_cols > 0) write_complex_right(team, problem, J, sizes);
  }

  /// X, and J if both fit, into scratch.
  KOKKOS_FUNCTION void stage(Real* scratch, SplitColumns<Real>& X, SplitColumns<Real>& J) const {
    if (!scratch) return;
    std::size_t const square = std::size_t{2} * J.rows * J.rows;
    X.data = scratch;
    if (J.data && scratch_ >= 2 * square * sizeof(Real) + alignof(Real)) J.data = scratch + square;
  }

  ComplexSvdBatch<Real> batch_;
  Real tolerance_;
  int max_sweeps_;
  std::size_t scratch_;  ///< of a team; 0, or for one or two squares
};

/// Level-0 scratch for Jacobi's columns, and for the rotations where there is room; a host's caches
/// do without.
template <class Kernel, class ExecSpace>
std::size_t complex_svd_scratch(std::int64_t n, bool vectors) {
  if constexpr (lanes<ExecSpace> == 1) return 0;
  std::size_t const available = most_team_scratch<ExecSpace>();
  for (int squares = vectors ? 2 : 1; squares > 0; --squares)
    if (std::size_t const wanted = Kernel::bytes_of(n, squares); wanted <= available) return wanted;
  return 0;
}

template <class ExecSpace, class Real>
void enqueue_complex_svd_team(ExecSpace const& exec, ComplexSvdBatch<Real> const& batch,
                              SvdOptions const& options) {
  int const least = std::min(batch.rows(), batch.cols()),
            most = std::max(batch.rows(), batch.cols());
  int const most_teams = lanes<ExecSpace> == 1 ? exec.concurrency() : 8 * processors(exec);
  int const league =
      batch.fallback.members ? std::min(batch.members(), most_teams) : batch.members();
  bool const vectors = batch.u_wanted != SvdVectors::none || batch.v_wanted != SvdVectors::none;
  with_summed_rows<ExecSpace>(most, [&](auto summed) {
    using Kernel = ComplexSvdTeamKernel<ExecSpace, Real, summed()>;
    std::size_t const scratch = complex_svd_scratch<Kernel, ExecSpace>(least, vectors);
    launch_fitting_teams("carroll::svd::complex_team", exec, Kernel(batch, options, scratch),
                         {league, team_threads(exec, league, least), scratch});
  });
}

}  // namespace carroll::detail
