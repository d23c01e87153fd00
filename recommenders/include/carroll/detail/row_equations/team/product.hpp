// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/row_equations/products.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A row's equations without their matrix. The threads of a team take ratings in turn, each adding
/// up a vector of its own; these are then added in ascending order. The number of threads is the
/// kernel's, `row_threads`, not the machine's.
template <class Real, class Member>
class TeamRow : public RowProducts<TeamRow<Real, Member>, Real, Member> {
  using Base = RowProducts<TeamRow, Real, Member>;
  friend Base;
  using Base::d_, Base::partial_, Base::problem_, Base::row_, Base::team_;

 public:
  /// `partial`: team_size·d numbers of scratch.
  KOKKOS_FUNCTION TeamRow(RowEquations<Real> const& problem, Member const& team, std::int32_t row,
                          Real* partial)
      : Base(problem, team, row, partial),
        mine_(partial + static_cast<std::ptrdiff_t>(team.team_rank()) * d_) {}

  /// v·w, the same for all threads.
  KOKKOS_FUNCTION Real dot(Real const* v, Real const* w) const {
    Real const sum = lane_sum<Real>(team_, d_, [&](int i) { return v[i] * w[i]; });
    team_.team_barrier();
    return sum;
  }
  /// ‖v‖ in double precision, where squares of float do not underflow; the same for all threads.
  KOKKOS_FUNCTION double norm(Real const* v) const {
    double const square = lane_sum<double>(
        team_, d_, [&](int i) { return static_cast<double>(v[i]) * static_cast<double>(v[i]); });
    team_.team_barrier();
    return Kokkos::sqrt(square);
  }
  /// f(i) for all unknowns, and a barrier.
  template <class F>
  KOKKOS_FUNCTION void entries(F const& f) const {
    int const threads = team_.team_size(), share = (d_ + threads - 1) / threads;
    int const first = team_.team_rank() * share;
    int const some = Kokkos::min(share, d_ - first);
    lane_for(team_, some > 0 ? some : 0, [&](int i) { f(first + i); });
    team_.team_barrier();
  }
  /// f() by one thread.
  template <class F>
  KOKKOS_FUNCTION void once(F const& f) const {
    Kokkos::single(Kokkos::PerTeam(team_), f);
  }

 private:
  template <class Factor>
  KOKKOS_FUNCTION void gather(Real const* v, Factor const& factor) const {
    lane_for(team_, d_, [&](int i) { mine_[i] = 0; });
    int const f = problem_.factors;
    std::int64_t const end = problem_.offsets[row_ + 1];
    for (std::int64_t e = problem_.offsets[row_] + team_.team_rank(); e < end;
         e += team_.team_size()) {
      Real const* const y = problem_.y + problem_.column(e) * problem_.y_pitch;
      Real score = 0;
      if (v) {
        score = lane_sum<Real>(team_, f, [&](int i) { return y[i] * v[i]; });
        if (problem_.fits_bias) score += v[f];
      }
      Real const c = factor(problem_.coefficients(row_, e), score);
      Real* const mine = mine_;
      lane_for(team_, f, [&](int i) { mine[i] += c * y[i]; });
      if (problem_.fits_bias) once_per_thread(team_, [&] { mine[f] += c; });
    }
    team_.team_barrier();
  }
  KOKKOS_FUNCTION Real total(int i) const {
    Real sum = partial_[i];
    for (int t = 1; t < team_.team_size(); ++t)
      sum += partial_[static_cast<std::ptrdiff_t>(t) * d_ + i];
    return sum;
  }

  Real* mine_;
};

/// Threads of a team for a row: on devices warps.
template <class ExecSpace>
KOKKOS_INLINE_FUNCTION int row_threads([[maybe_unused]] int unknowns) {
  if (lanes<ExecSpace> == 1) return 1;
  return unknowns <= 512 ? 4 : 2;
}

}  // namespace carroll::detail
