// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/certified_determinant/balance.hpp>
#include <carroll/detail/certified_determinant/bound.hpp>
#include <carroll/detail/certified_determinant/factor.hpp>
#include <carroll/detail/certified_determinant/problem.hpp>
#include <carroll/detail/certified_determinant/split.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// step.row or step.column for all rows or columns, by one team. Ends with a barrier.
template <class Step, class Member>
KOKKOS_INLINE_FUNCTION void step_of_team(Step const& step, Member const& team,
                                         CertifiedMemory const& w) {
  if constexpr (requires { step.column(w, 0); })
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, w.n), [&](int j) { step.column(w, j); });
  else
    thread_for(team, w.n, [&](int i) { step.row(team, w, i); });
  team.team_barrier();
}

/// The two products of split.hpp by one team, three products of matrices in one pass each: a row of
/// the results at a time, the sums in registers. `Second`: W·Y, with Y upper triangular; otherwise
/// X·C, with X lower triangular. 3n³ flops each.
template <class ExecSpace, bool Second, class Member>
KOKKOS_INLINE_FUNCTION void multiply_split(Member const& team, CertifiedMemory const& w) {
  auto const head = w.matrix(CertifiedMatrix::factors);
  auto const tail = w.matrix(CertifiedMatrix::left);
  auto const a = Second ? head : head.transposed();
  auto const a_tail = Second ? tail : tail.transposed();
  auto const b = w.matrix(Second ? CertifiedMatrix::right : CertifiedMatrix::balanced);
  auto const b_head = w.matrix(CertifiedMatrix::right_head);
  auto const b_tail = w.matrix(CertifiedMatrix::right_tail);
  auto const leading = w.matrix(CertifiedMatrix::leading);
  auto const trailing = w.matrix(CertifiedMatrix::trailing);
  thread_for(team, w.n, [&](int i) {
    for_row_tiles<ExecSpace>(team, 0, w.n, [&](auto tile, int j) {
      constexpr int width = decltype(tile)::value;
      int const end = Second ? Kokkos::min(w.n, j + width) : i + 1;
      auto const of_head = [&](int k) { return a(i, k); };
      double heads[width] = {}, rest[width] = {};
      add_rows(heads, of_head, b_head, 0, end, j);
      add_rows(rest, of_head, b_tail, 0, end, j);
      add_rows(
          rest, [&](int k) { return a_tail(i, k); }, b, 0, end, j);
      for (int u = 0; u < width; ++u) {
        leading(i, j + u) = heads[u];
        trailing(i, j + u) = rest[u];
      }
    });
  });
}

/// The whole of it for matrices of moderate order, a team per matrix. A team has memory for one
/// matrix and takes members at equal distances. About 8n³ flops.
template <class ExecSpace, class Real>
class CertifiedTeamKernel {
 public:
  CertifiedTeamKernel(CertifiedBatch<Real> const& batch, CertifiedMemory const& memory)
      : batch_(batch), memory_(memory) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    CertifiedMemory const w = memory_.slot(team.league_rank());
    for (int member = team.league_rank(); member < batch_.members; member += team.league_size()) {
      certify(team, w, member);
      team.team_barrier();  // all have read what the next member overwrites
    }
  }

 private:
  KOKKOS_FUNCTION void certify(TeamMember<ExecSpace> const& team, CertifiedMemory const& w,
                               int member) const {
    auto const A = batch_.source_of(member);
    auto& info = batch_.info_of(member);
    step_of_team(MeasureRows<Real>{A}, team, w);
    step_of_team(MeasureColumns<Real>{A}, team, w);
    step_of_team(BalanceRows<Real>{A}, team, w);
    Kokkos::single(Kokkos::PerTeam(team), [&] { start_certified<Real>(w, info); });
    team.team_barrier();
    if (w.state->done) return;
    factor(team, w);
    invert_upper<ExecSpace>(team, left_inverse(w), w.n);
    invert_upper<ExecSpace>(team, right_inverse(w), w.n);
    step_of_team(SplitBalanced{}, team, w);
    step_of_team(SplitLeft{}, team, w);
    multiply_split<ExecSpace, false>(team, w);
    team.team_barrier();
    step_of_team(SplitProduct{}, team, w);
    step_of_team(SplitRight{}, team, w);
    multiply_split<ExecSpace, true>(team, w);
    team.team_barrier();
    step_of_team(Residual{}, team, w);
    step_of_team(SumRows{}, team, w);
    step_of_team(ChooseScaling{}, team, w);
    step_of_team(BoundRows{}, team, w);
    Kokkos::single(Kokkos::PerTeam(team), [&] { info = conclude_certified<Real>(w); });
  }

  CertifiedBatch<Real> batch_;
  CertifiedMemory memory_;
};

}  // namespace carroll::detail
