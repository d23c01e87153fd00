// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/row_equations/team/product.hpp>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/team.hpp>
#include <cstddef>
#include <cstdint>

/// What a team does for a row, to be launched by launch_row_teams(): on hosts for the registers of
/// the processor.
namespace carroll::detail {

/// Some steps of conjugate gradients (Hestenes and Stiefel 1952) from the row as it is:
/// 4·d·(steps + 1) flops for each rating, 2·d²·(steps + 1) where there is a common matrix.
template <class Real>
struct ConjugateGradientRow {
  static constexpr int vectors = 4;
  static constexpr bool solves = true;
  RowEquations<Real> problem;
  int steps;

  /// `equations`: TeamRow or WarpRow.
  template <class Equations>
  KOKKOS_FUNCTION void solve(Equations const& equations, std::int32_t row, Real* scratch) const {
    int const d = problem.unknowns();
    Real *const x = scratch, *const r = x + d, *const p = r + d, *const q = p + d;
    if (problem.is_cold(row)) {
      equations.entries([&](int i) { problem.clear(row, i); });
      return;
    }
    equations.load(x);
    equations.residual(x, r);
    equations.entries([&](int i) { p[i] = r[i]; });
    Real size = equations.dot(r, r);
    Real const least =
        size * Kokkos::Experimental::epsilon_v<Real> * Kokkos::Experimental::epsilon_v<Real>;
    for (int s = 0; s < steps && size > least; ++s) {
      equations.multiply(p, q);
      Real const curvature = equations.dot(p, q);
      if (!(curvature > 0)) break;
      Real const length = size / curvature;
      equations.entries([&](int i) {
        x[i] += length * p[i];
        r[i] -= length * q[i];
      });
      Real const left = equations.dot(r, r), factor = left / size;
      equations.entries([&](int i) { p[i] = r[i] + factor * p[i]; });
      size = left;
    }
    equations.entries([&](int i) { problem.store(row, i, x[i]); });
    if (!Kokkos::isfinite(size)) equations.once([&] { problem.report(row_not_finite); });
  }
};

/// residuals[row] := ‖b - A·x‖/‖b‖, 0 where b is 0.
template <class Real>
struct ResidualRow {
  static constexpr int vectors = 2;
  static constexpr bool solves = true;
  RowEquations<Real> problem;
  double* residuals;

  template <class Equations>
  KOKKOS_FUNCTION void solve(Equations const& equations, std::int32_t row, Real* scratch) const {
    Real *const x = scratch, *const r = x + problem.unknowns();
    equations.load(x);
    equations.residual(x, r);
    double const left = equations.norm(r);
    equations.residual(nullptr, r);
    double const right = equations.norm(r);
    equations.once([&] { residuals[row] = right > 0 ? left / right : 0; });
  }
};

/// scores[e] := x·y for the row's ratings, of all factors.
template <class Real>
struct ScoreRow {
  static constexpr int vectors = 0;
  static constexpr bool solves = false;
  RowEquations<Real> problem;
  Real* scores;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team, std::int32_t row, Real*, Real*) const {
    Real const* const x = problem.x + row * problem.x_pitch;
    std::int64_t const end = problem.offsets[row + 1];
    for (std::int64_t e = problem.offsets[row] + team.team_rank(); e < end; e += team.team_size()) {
      Real const* const y = problem.y + problem.column(e) * problem.y_pitch;
      Real const score = lane_sum<Real>(team, problem.factors, [&](int i) { return x[i] * y[i]; });
      once_per_thread(team, [&] { scores[e] = score; });
    }
  }
};

/// losses[row] := the row's part of the objective: of its ratings, unless `norms_only`, and its
/// λ‖x‖². A row by count without ratings has no λ.
template <class Real>
struct LossRow {
  static constexpr int vectors = 0;
  static constexpr bool solves = false;
  RowEquations<Real> problem;
  double* losses;
  bool norms_only = false;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team, std::int32_t row, Real*,
                                  Real* partial) const {
    int const f = problem.factors;
    Real const* const x = problem.x + row * problem.x_pitch;
    double sum = 0;
    std::int64_t const end = norms_only ? problem.offsets[row] : problem.offsets[row + 1];
    for (std::int64_t e = problem.offsets[row] + team.team_rank(); e < end; e += team.team_size())
      sum += loss(team, row, e);
    auto* const sums = reinterpret_cast<double*>(partial);
    once_per_thread(team, [&] { sums[team.team_rank()] = sum; });
    team.team_barrier();
    double norm = lane_sum<double>(team, f, [&](int i) { return double(x[i]) * double(x[i]); });
    if (problem.fits_bias) norm += double(problem.x_bias[row]) * double(problem.x_bias[row]);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      double all = sums[0];
      for (int t = 1; t < team.team_size(); ++t) all += sums[t];
      losses[row] = all + double(problem.row_regularization(row)) * norm;
    });
  }

 private:
  template <class Member>
  KOKKOS_FUNCTION double loss(Member const& team, std::int32_t row, std::int64_t e) const {
    Real const* const x = problem.x + row * problem.x_pitch;
    Real const* const y = problem.y + problem.column(e) * problem.y_pitch;
    double score =
        lane_sum<double>(team, problem.factors, [&](int i) { return double(x[i]) * double(y[i]); });
    auto const c = problem.coefficients(row, e);
    if (problem.is_implicit) {
      // α₀·score² of all pairs is added elsewhere, also that of this one where it is not to be.
      double const sure = c.h, miss = score - 1, weight = c.g;
      return sure * miss * miss - (sure - weight) * score * score;
    }
    if (problem.fits_bias) score += double(problem.x_bias[row]);
    double const miss = double(c.h) / double(c.g) - score;
    return double(c.g) * miss * miss;
  }
};

/// means[row] := Σ (value - mean - the columns' biases)/(count + damping); 0 without ratings.
template <class Real>
struct MeanRow {
  static constexpr int vectors = 0;
  static constexpr bool solves = false;
  RowEquations<Real> problem;
  double damping;
  Real* means;   ///< or null
  double* sums;  ///< or null: the sums, not divided

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team, std::int32_t row, Real*,
                                  Real* partial) const {
    double sum = 0;
    std::int64_t const begin = problem.offsets[row], end = problem.offsets[row + 1];
    int const threads = team.team_size();
    std::int64_t const share = (end - begin + threads - 1) / threads;
    std::int64_t const first = begin + team.team_rank() * share;
    constexpr std::int64_t piece = 1 << 20;
    for (std::int64_t e = first; e < Kokkos::min(first + share, end); e += piece) {
      auto const some = Kokkos::min(piece, Kokkos::min(first + share, end) - e);
      sum += lane_sum<double>(team, static_cast<int>(some), [&](int i) {
        return static_cast<double>(problem.coefficients(row, e + i).h);
      });
    }
    auto* const all = reinterpret_cast<double*>(partial);
    once_per_thread(team, [&] { all[team.team_rank()] = sum; });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      double total = all[0];
      for (int t = 1; t < threads; ++t) total += all[t];
      if (sums) sums[row] = total;
      if (means)
        means[row] = end > begin
                         ? static_cast<Real>(total / (static_cast<double>(end - begin) + damping))
                         : Real(0);
    });
  }
};

}  // namespace carroll::detail
