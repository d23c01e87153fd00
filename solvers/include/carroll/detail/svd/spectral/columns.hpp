// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/gram/member.hpp>
#include <carroll/detail/team.hpp>

/// What is done with a matrix's columns before its sweeps, between eigenvectors and products: by a
/// team each. Matrices in double precision, n×n, column by column.
namespace carroll::detail {

/// Can a member's working columns be begun with, and the exponent that all get then.
struct SpectralEntry {
  int ready, top;
};

/// How far a start has come. What is not a number counts as infinite.
struct SpectralMeasure {
  double cosine = 0;     ///< the largest of two columns of Y
  double angles = 0;     ///< the largest sum of angles of a column with others
  double deviation = 0;  ///< the largest entry of VᵀV - I
  int complaint = 0;     ///< of the library

  KOKKOS_FUNCTION static double infinite() { return Kokkos::Experimental::infinity_v<double>; }
};

/// Columns whose lengths differ by more than 2^20, or are 0, are left to the sweeps: eigenvectors
/// of XᵀX could not tell the shortest ones apart.
inline constexpr int most_spectral_spread = 20;

/// Of a member whose factors are there. The whole team gets it.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION SpectralEntry spectral_entry(Member const& team,
                                                    SvdProblem<Real> const& problem) {
  int const n = problem.cols;
  int const* const exponents = problem.working_exponents();
  bool const whole = problem.state->columns == n && !problem.state->left_over;
  int top = 0, bottom = 0, zeros = 0;
  if (whole) {
    Columns<Real> const X = problem.working();
    // Columns of zeros, whose exponents say nothing, are for the team kernels.
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, n),
        [&](int j, int& count) { count += X(j, j) == Real(0) ? 1 : 0; }, zeros);
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, n),
        [&](int j, int& most) { most = Kokkos::max(most, exponents[j]); }, Kokkos::Max<int>(top));
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, n),
        [&](int j, int& least) { least = Kokkos::min(least, exponents[j]); },
        Kokkos::Min<int>(bottom));
  }
  return {whole && zeros == 0 && top - bottom <= most_spectral_spread, top};
}

/// to := working column j as doubles, with the exponent `top`.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void load_column(Member const& team, SvdProblem<Real> const& problem,
                                        int top, int j, double* to) {
  Real const* const from = problem.working().col(j);
  int const exponent = problem.working_exponents()[j] - top;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, problem.cols),
                       [&](int i) { to[i] = scale(static_cast<double>(from[i]), exponent); });
}

/// How far column j of VᵀV, of which the upper triangle is given, is from that of I.
template <class Member>
KOKKOS_INLINE_FUNCTION double deviation_of(Member const& team, Columns<double> const& overlap,
                                           int j) {
  double deviation = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamVectorRange(team, j + 1),
      [&](int i, double& most) {
        double const off = Kokkos::abs(overlap(i, j) - (i == j ? 1 : 0));
        most = Kokkos::max(most, off <= 1 ? off : SpectralMeasure::infinite());
      },
      Kokkos::Max<double>(deviation));
  return deviation;
}

/// Of columns i and j of Y, from the upper triangle of YᵀY.
KOKKOS_INLINE_FUNCTION double cosine_of(Columns<double> const& S, int i, int j) {
  double const cosine =
      Kokkos::abs(S(Kokkos::min(i, j), Kokkos::max(i, j))) / Kokkos::sqrt(S(i, i) * S(j, j));
  return cosine <= 2 ? cosine : SpectralMeasure::infinite();
}
/// θ with tan 2θ = 2s₁₂/(s₂₂ - s₁₁), |θ| <= 45°: Y·[cos θ, sin θ; -sin θ, cos θ] is orthogonal.
/// Read from one half of S, so that (j, i) is -(i, j) to the last bit.
KOKKOS_INLINE_FUNCTION double angle_of(Columns<double> const& S, int i, int j) {
  int const p = Kokkos::min(i, j), q = Kokkos::max(i, j);
  double const angle = Kokkos::atan(2 * S(p, q) / (S(q, q) - S(p, p))) / 2;
  return i < j ? angle : -angle;
}

/// The largest cosine of column j of Y with another.
template <class Member>
KOKKOS_INLINE_FUNCTION double largest_cosine(Member const& team, Columns<double> const& S, int j) {
  double cosine = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamVectorRange(team, S.rows),
      [&](int i, double& most) {
        if (i != j) most = Kokkos::max(most, cosine_of(S, i, j));
      },
      Kokkos::Max<double>(cosine));
  return cosine;
}

/// angles := those of the rotations that would make column j and each other orthogonal, were they
/// alone, where their cosine is above `least_cosine`. Returns their sum.
template <class Member>
KOKKOS_INLINE_FUNCTION double find_angles(Member const& team, Columns<double> const& S, int j,
                                          double least_cosine, double* angles) {
  double sum = 0;
  Kokkos::parallel_reduce(
      Kokkos::TeamVectorRange(team, S.rows),
      [&](int i, double& total) {
        bool const turns = i != j && cosine_of(S, i, j) > least_cosine;
        double const angle = turns ? angle_of(S, i, j) : 0;
        angles[i] = angle;
        total += Kokkos::abs(angle);
      },
      sum);
  return sum >= 0 ? sum : SpectralMeasure::infinite();
}

/// What has come of a start.
template <class Real>
struct SpectralOutcome {
  int top;         ///< the exponent of all columns of Y
  Real cosine;     ///< the largest of two of them
  bool converged;  ///< the sweeps have nothing left to do
};

/// Columns of Y and V become the j-th of a member's working columns and of its rotations.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void store_column(Member const& team, SvdProblem<Real> const& problem,
                                         SpectralOutcome<Real> const& outcome, double const* y,
                                         double const* v, int j) {
  int const n = problem.cols;
  Real* const x = problem.working().col(j);
  double largest = 0;
  auto const range = Kokkos::TeamVectorRange(team, n);
  Kokkos::parallel_reduce(
      range, [&](int i, double& most) { most = Kokkos::max(most, Kokkos::abs(y[i])); },
      Kokkos::Max<double>(largest));
  int const exponent = largest > 0 ? exponent_of(largest) : 0;
  Kokkos::parallel_for(range, [&](int i) { x[i] = static_cast<Real>(scale(y[i], -exponent)); });
  if (problem.right_cols > 0) {
    Real* const rotations = problem.rotations().col(j);
    Kokkos::parallel_for(range, [&](int i) { rotations[i] = static_cast<Real>(v[i]); });
  }
  Kokkos::single(Kokkos::PerTeam(team), [&] {
    problem.working_exponents()[j] = outcome.top + exponent;
    if (j > 0) return;
    problem.state->rotated = 1;
    problem.state->converged = outcome.converged;
  });
  // Where the sweep before the first would have left it.
  int const pairs = gram_schedule(n).pairs();
  if (j == 0)
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, pairs),
                         [&](int k) { problem.slot_cosines()[pairs + k] = outcome.cosine; });
}

}  // namespace carroll::detail
