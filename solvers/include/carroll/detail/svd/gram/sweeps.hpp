// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/gram/member.hpp>
#include <carroll/detail/svd/gram/product.hpp>
#include <carroll/detail/svd/gram/rotations.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>

/// One-sided block Jacobi sweeps on X = R₂ᵀ, any number of columns, on devices with warps: each set
/// of block pairs is two launches. The first multiplies the columns by the rotations of the set
/// before and forms the Gram matrices of the new pairs (GramProductKernel), the second finds the
/// rotations that make these diagonal (GramRotateKernel). The Gram matrix picks the angles; its
/// entries before the first rotation are the true cosines by which convergence is judged (Drmač
/// 2009, block-oriented one-sided Jacobi).
namespace carroll::detail {

/// Rotations of a set: a team per pair of blocks.
///
/// Cost per pair: 4096 entries read per part; 32 or 63 steps of 24·1024 multiplications and
/// additions, in each of which all wait for the products of the pairs and for their rotations.
template <class ExecSpace, class Real>
class GramRotateKernel {
  /// Pairs whose rows a warp holds: more of them, fewer warps that work out the same rotations.
  static constexpr int rows = 4;

 public:
  static constexpr int threads = 32 * gram_columns / rows;
  using Rotations = GramRotations<TeamMember<ExecSpace>, Real, rows>;
  static constexpr std::size_t scratch_bytes = Rotations::scratch_bytes + 16;
  static constexpr int teams_at_once = sizeof(Real) == 4 ? 2 : 1;
  using Policy = BoundedTeams<ExecSpace, threads, teams_at_once, scratch_bytes>;

  GramRotateKernel(SvdBatch<Real> const& batch, Real tolerance, GramStep const& at, int pairs)
      : batch_(batch), tolerance_(tolerance), at_(at), pairs_(pairs) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SvdProblem<Real> const problem = batch_(batch_.index(team.league_rank() / pairs_));
    GramMember<Real> const member(problem);
    RoundRobin const& schedule = member.schedule;
    int const slot = team.league_rank() % pairs_;
    if (slot >= schedule.pairs() || at_.set >= schedule.sets()) return;
    if (member.done(team, at_, PairRule<Real>::of(tolerance_, problem.cols).tolerance)) {
      // Read by later launches only: the teams of this one find out for themselves.
      if (at_.set > 0 && slot == 0 && team.team_rank() == 0) problem.state->converged = 1;
      return;
    }
    run(team, member, tolerance_, at_, slot,
        team.team_scratch(0).get_shmem_aligned(std::size_t{Rotations::scratch_bytes}, 16));
  }

  /// The rotations of a pair of a member that is not done.
  KOKKOS_FORCEINLINE_FUNCTION static void run(TeamMember<ExecSpace> const& team,
                                              GramMember<Real> const& member, Real tolerance,
                                              GramStep const& at, int slot, void* scratch) {
    SvdProblem<Real> const& problem = member.problem();
    RoundRobin const& schedule = member.schedule;
    int const n = problem.cols;
    auto const [p, q] = schedule.pair(at.set, slot);
    int const p_first = p * gram_columns, q_first = q * gram_columns;
    Rotations rotations(team, PairRule<Real>::of(tolerance, n).tolerance, scratch);
    rotations.load(
        gram_parts(n),
        [&](int part, int i, int j) { return member.gram(slot, part)[i * gram_pair_columns + j]; },
        [&](int i) {
          int const c = i < gram_columns ? p_first + i : q_first + i - gram_columns;
          return c < n ? problem.working_exponents()[c] : 0;
        });
    bool const turned = rotations(at.set == 0);
    auto const tally = rotations.tally();
    if (turned) {
      Real* const turn = member.turn(slot);
      Real* const true_turn = member.true_turn(slot);
      bool const vectors = problem.right_cols > 0;
      rotations.turn([&](int i, int j, Real x, Real y) {
        turn[i * gram_pair_columns + j] = x;
        if (vectors) true_turn[i * gram_pair_columns + j] = y;
      });
    }
    if (team.team_rank() != 0) return;
    *member.turned(slot) = turned;
    Real& cosine = problem.slot_cosines()[at.sweep % 2 * schedule.pairs() + slot];
    cosine = at.set == 0 ? tally.max_cosine : Kokkos::max(cosine, tally.max_cosine);
    problem.slot_counts()[slot] += tally.rotations;
    if (slot == 0 && at.set == 0) problem.info->sweeps = at.sweep + 1;
  }

 private:
  SvdBatch<Real> batch_;
  Real tolerance_;
  GramStep at_;
  int pairs_;
};

}  // namespace carroll::detail
