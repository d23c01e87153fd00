// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/load.hpp>
#include <carroll/detail/eigh/common/output.hpp>
#include <carroll/detail/eigh/plan.hpp>
#include <carroll/detail/eigh/team/ql.hpp>
#include <carroll/detail/eigh/team/storage.hpp>
#include <carroll/detail/eigh/team/tridiagonal.hpp>
#include <carroll/detail/svd/team/launch.hpp>
#include <cstddef>

namespace carroll::detail {

/// The decomposition of symmetric matrices of any order on any device, from global memory and its
/// caches, or scratch where a matrix fits:
///
///   A = Q·T·Qᵀ,  T = S·diag(λ)·Sᵀ,  V = Q·S
///
/// by Householder reflections and implicit QL steps with Wilkinson's shift (Martin and Wilkinson,
/// Numer. Math. 11 and 12, 1968), in three launches: a team per matrix finds T and Q; a thread per
/// matrix takes the QL steps, a chain of roots and divisions that nobody can help with, and keeps
/// the rotations; a team per matrix applies them, rows apart, without a barrier.
///
/// 8n³/3 flops and some n² rotations to find W, 4n³/3 + 5n³ more for V; some 5n barriers.
template <class ExecSpace, class Real>
class EighTeams {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  using Storage = EighStorage<Real>;

  EighTeams(EighBatch<Real> const& batch, int max_sweeps, std::size_t scratch)
      : batch_(batch), max_sweeps_(max_sweeps), scratch_(scratch) {}

  /// What a matrix wants of a team's scratch; on hosts caches do without.
  static std::size_t scratch_bytes(int n) {
    if constexpr (lanes<ExecSpace> == 1) return 0;
    constexpr std::size_t most = 40 << 10;  // five or more teams share a multiprocessor
    auto const bytes = static_cast<std::size_t>(n) * n * sizeof(Real) + alignof(Real);
    return bytes <= most ? bytes : 0;
  }

 protected:
  KOKKOS_FUNCTION EighProblem<Real> problem(int k) const { return batch_(batch_.index(k)); }

  /// A in scratch, where there is enough.
  KOKKOS_FUNCTION Storage staged(Member const& team, Storage at) const {
    std::size_t const bytes = static_cast<std::size_t>(at.n) * at.n * sizeof(Real);
    if (scratch_ >= bytes + alignof(Real))
      at.A.data = static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(Real)));
    return at;
  }
  KOKKOS_FUNCTION static void copy(Member const& team, Columns<Real> const& from,
                                   Columns<Real> const& to, int n) {
    if (from.data == to.data) return;
    thread_for(team, n, [&](int j) { lane_for(team, n, [&](int i) { to(i, j) = from(i, j); }); });
    team.team_barrier();
  }

  EighBatch<Real> batch_;
  int max_sweeps_;
  std::size_t scratch_;
};

/// T and Q.
template <class ExecSpace, class Real>
class EighReduceKernel : public EighTeams<ExecSpace, Real> {
  using Base = EighTeams<ExecSpace, Real>;

 public:
  using Base::Base;
  using typename Base::Member, typename Base::Policy, typename Base::Storage;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    EighProblem<Real> const problem = this->problem(team.league_rank());
    Storage const kept(problem), at = this->staged(team, kept);
    int exponent = 0;
    bool const finite = load_symmetric(team, problem, at.A, at.w, exponent);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      at.message[Storage::is_finite] = finite ? 1 : 0;
      at.message[Storage::exponent] = exponent;
    });
    if (!finite) return;
    tridiagonalise(team, at);
    if (!problem.vectors()) return;
    form_vectors(team, at);
    this->copy(team, at.A, kept.A, at.n);
  }
};

/// The QL steps, a thread per matrix.
template <class ExecSpace, class Real>
class EighStepsKernel : public EighTeams<ExecSpace, Real> {
 public:
  using EighTeams<ExecSpace, Real>::EighTeams;
  using typename EighTeams<ExecSpace, Real>::Storage;

  KOKKOS_FUNCTION void operator()(int k) const {
    EighProblem<Real> const problem = this->problem(k);
    Storage const at(problem);
    if (at.message[Storage::is_finite] == 0) return;
    KeptSteps<Real> kept;
    if (problem.vectors()) kept = {at.rotations, at.blocks};
    EighSteps const result =
        at.template chain<ExecSpace>().take_steps(0, most_ql_steps(this->max_sweeps_, at.n), kept);
    at.message[Storage::steps] = result.steps;
    at.message[Storage::kept] = result.kept;
  }
};

/// V, in order, and W.
template <class ExecSpace, class Real>
class EighVectorsKernel : public EighTeams<ExecSpace, Real> {
  using Base = EighTeams<ExecSpace, Real>;

 public:
  using Base::Base;
  using typename Base::Member, typename Base::Policy, typename Base::Storage;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    EighProblem<Real> const problem = this->problem(team.league_rank());
    Storage const kept(problem);
    if (kept.message[Storage::is_finite] == 0) return refuse(team, problem, Status::non_finite);
    Storage const at = problem.vectors() ? this->staged(team, kept) : kept;
    if (problem.vectors()) {
      this->copy(team, kept.A, at.A, at.n);
      apply_kept(team, at);
    }
    EighSteps const result = diagonalise(team, at, at.message[Storage::steps],
                                         most_ql_steps(this->max_sweeps_, at.n), problem.vectors());
    int const exponent = at.message[Storage::exponent];
    write_eigenpairs(
        team, problem, [&](int k) { return at.d[k]; }, rank_limit<Real>(at.n),
        [&](int k) { return scale(at.d[k], exponent); }, [&](int k) { return at.A.col(k); },
        result.steps, result.done);
  }
};

/// Threads of a team for an n×n matrix, one of `league`. No result depends on this choice. First
/// choices, not tuned.
template <class ExecSpace>
int eigh_threads(ExecSpace const& exec, int league, int n) {
  if constexpr (lanes<ExecSpace> == 1) return team_threads(exec, league, n);
  return std::clamp((n + 15) / 16, 1, league > 256 ? 8 : 32);
}

template <class ExecSpace, class Real>
void enqueue_eigh_team(ExecSpace const& exec, EighBatch<Real> batch, EighPlan const& plan,
                       EighOptions const& options) {
  auto const [members, n] = plan.bounds(EighPlan::team);
  if (members == 0) return;
  batch.selection = plan.members(EighPlan::team);
  std::size_t const scratch = EighTeams<ExecSpace, Real>::scratch_bytes(n);
  int const sweeps = options.max_sweeps;
  TeamLaunch const teams{members, eigh_threads(exec, members, n), scratch};
  launch_fitting_teams("carroll::eigh::reduce", exec,
                       EighReduceKernel<ExecSpace, Real>(batch, sweeps, scratch), teams);
  // A warp's worth to a block, so that few matrices spread over all multiprocessors.
  using Threads = Kokkos::RangePolicy<ExecSpace, Kokkos::LaunchBounds<32>>;
  Kokkos::parallel_for("carroll::eigh::steps", Threads(exec, 0, members),
                       EighStepsKernel<ExecSpace, Real>(batch, sweeps, 0));
  launch_fitting_teams("carroll::eigh::vectors", exec,
                       EighVectorsKernel<ExecSpace, Real>(batch, sweeps, scratch), teams);
}

}  // namespace carroll::detail
