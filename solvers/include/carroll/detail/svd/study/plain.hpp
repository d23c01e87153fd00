// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/householder.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/common/round_robin.hpp>
#include <carroll/detail/team.hpp>

/// One-sided Jacobi on A itself, without preconditioning: the algorithms of the Jetson TK1 study
/// (Orlandini and Pagliuca 2020), kept so that its figures can be drawn again.
namespace carroll::detail {

/// Norms of the working columns, which are the singular values. Ends without a barrier.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void measure_columns(Member const& team, SvdProblem<Real> const& problem) {
  thread_for(team, problem.cols, [&](int j) {
    Real const norm = column_norm<SummedRows::many>(team, problem.factor().col(j), problem.rows);
    once_per_thread(team, [&] { problem.sigma()[j] = norm; });
  });
}

/// Pairs (i, j) one after the other in the study's order: j from the last column down, i from j - 1
/// down. A team of one thread per matrix.
///
/// Cost of s sweeps: 7·s·m·n² flops, 4·s·n³ more with V; every pair moves both columns.
template <class ExecSpace, class Real>
struct CyclicKernel {
  SvdBatch<Real> batch;
  Real tolerance;
  int max_sweeps;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SvdProblem<Real> const problem = batch(team.league_rank());
    if (problem.state->columns == 0) return;
    Columns<Real> const X = problem.factor();
    Columns<Real> const J = problem.vectors() ? problem.rotations() : Columns<Real>{nullptr, 0};
    auto const rule = PairRule<Real>::of(tolerance, X.rows);
    SvdInfo<Real> info;
    info.status = Status::not_converged;
    while (info.status == Status::not_converged && info.sweeps < max_sweeps) {
      ++info.sweeps;
      SweepTally<Real> tally;
      for (int j = problem.cols - 1; j >= 1; --j)
        for (int i = j - 1; i >= 0; --i)
          orthogonalise_pair<SummedRows::many>(team, rule, {X.col(i), X.col(j), X.rows, i, j},
                                               problem.exponents(), J, tally,
                                               problem.top_exponents());
      info.rotations += tally.rotations;
      info.max_cosine = tally.max_cosine;
      if (tally.max_cosine <= rule.tolerance) info.status = Status::success;
    }
    measure_columns(team, problem);
    Kokkos::single(Kokkos::PerTeam(team), [&] { *problem.info = info; });
  }
};

/// One set of disjoint pairs: league over (matrix, pair), a team of one thread per pair. The launch
/// itself is the barrier between sets; matrices that have converged return at once.
///
/// Cost: 14·m flops a pair, 8·n more with V, n/2 pairs; every set moves the whole matrix.
template <class ExecSpace, class Real, Placement placement>
struct RoundRobinKernel {
  SvdBatch<Real> batch;
  Real tolerance;
  int set;
  int pairs;

  static std::size_t bytes_per_team([[maybe_unused]] int rows) {
    std::size_t bytes = 0;
    if constexpr (placement != Placement::global)
      bytes += sizeof(Rotation<Real>) + alignof(Rotation<Real>);
    if constexpr (placement == Placement::shared)
      bytes += 2 * static_cast<std::size_t>(rows) * sizeof(Real) + alignof(Real);
    return bytes;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SvdProblem<Real> const problem = batch(team.league_rank() / pairs);
    int const slot = team.league_rank() % pairs;
    RoundRobin const schedule{problem.state->columns};
    if (problem.state->converged || set >= schedule.sets() || slot >= schedule.pairs()) return;
    auto const [p, q] = schedule.pair(set, slot);
    if (q >= problem.cols) return;

    Columns<Real> const X = problem.factor();
    ColumnPair<Real> pair{X.col(p), X.col(q), X.rows, p, q};
    Rotation<Real>* scalars = nullptr;
    if constexpr (placement != Placement::global)
      scalars = static_cast<Rotation<Real>*>(
          team.team_scratch(0).get_shmem_aligned(sizeof(Rotation<Real>), alignof(Rotation<Real>)));
    if constexpr (placement == Placement::shared) {
      pair.x = static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(
          2 * static_cast<std::size_t>(X.rows) * sizeof(Real), alignof(Real)));
      pair.y = pair.x + X.rows;
      copy_pair(team, X.col(p), X.col(q), pair.x, pair.y, X.rows);
    }
    Columns<Real> const J = problem.vectors() ? problem.rotations() : Columns<Real>{nullptr, 0};
    SweepTally<Real> tally;
    orthogonalise_pair<SummedRows::many>(team, PairRule<Real>::of(tolerance, X.rows), pair,
                                         problem.exponents(), J, tally, problem.top_exponents(),
                                         scalars);
    if constexpr (placement == Placement::shared)
      copy_pair(team, pair.x, pair.y, X.col(p), X.col(q), X.rows);
    once_per_thread(team, [&] {
      Real& largest = problem.slot_cosines()[slot];
      largest = Kokkos::max(largest, tally.max_cosine);
      problem.slot_rotations()[slot] += tally.rotations;
    });
  }

 private:
  KOKKOS_FUNCTION void copy_pair(TeamMember<ExecSpace> const& team, Real const* x, Real const* y,
                                 Real* to_x, Real* to_y, int n) const {
    lane_for(team, n, [&](int i) {
      to_x[i] = x[i];
      to_y[i] = y[i];
    });
  }
};

/// After the sets of a sweep: has each matrix converged? The answer stays on the device.
template <class ExecSpace, class Real>
struct SweepEndKernel {
  SvdBatch<Real> batch;
  Real tolerance;
  bool last;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SvdProblem<Real> const problem = batch(team.league_rank());
    if (problem.state->columns == 0 || problem.state->converged) return;
    int const slots = RoundRobin{problem.cols}.pairs();
    Real const max_cosine =
        lane_max<Real>(team, slots, [&](int k) { return problem.slot_cosines()[k]; });
    std::int64_t rotations = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, slots),
        [&](int k, std::int64_t& sum) { sum += problem.slot_rotations()[k]; }, rotations);
    bool const converged = max_cosine <= PairRule<Real>::of(tolerance, problem.rows).tolerance;
    team.team_barrier();  // all have read the slots
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, slots), [&](int k) {
      problem.slot_cosines()[k] = 0;
      problem.slot_rotations()[k] = 0;
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      problem.state->converged = converged;
      problem.info->status = converged ? Status::success : Status::not_converged;
      problem.info->sweeps += 1;
      problem.info->rotations += rotations;
      problem.info->max_cosine = max_cosine;
    });
    if (converged || last) measure_columns(team, problem);
  }
};

}  // namespace carroll::detail
