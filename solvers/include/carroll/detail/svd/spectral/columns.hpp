// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/gram/member.hpp>
#include <carroll/detail/team.hpp>

/// What is done with a matrix's columns before its sweeps, between eigenvectors and products: by a
/// thread's lanes each. Matrices in double precision, n×n, column by column.
namespace carroll::detail {

/// Can a member's triangle be begun with, and the exponent that all its columns get then.
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

/// Matrices whose triangle has a diagonal that spreads by more than 2^20 are left to the sweeps:
/// eigenvectors of RᵀR could not tell its short columns apart.
inline constexpr int most_spectral_spread = 20;

inline constexpr int most_direct_spread = 18;

/// Of a member whose first factor is there. The whole team gets it.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION SpectralEntry spectral_entry(Member const& team,
                                                    SvdProblem<Real> const& problem) {
  int const n = problem.cols;
  if (problem.state->columns != n) return {0, 0};
  constexpr int none = -(1 << 28);  // a zero's exponent
  int const* const exponents = problem.exponents();
  Columns<Real> const R = problem.factor();
  auto const size = [&](int j) {
    return R(j, j) == Real(0) ? none : exponent_of(R(j, j)) + exponents[j];
  };
  auto const range = Kokkos::TeamVectorRange(team, n);
  int top = 0, most = 0, least = 0;
  Kokkos::parallel_reduce(
      range, [&](int j, int& partial) { partial = Kokkos::max(partial, exponents[j]); },
      Kokkos::Max<int>(top));
  Kokkos::parallel_reduce(
      range, [&](int j, int& partial) { partial = Kokkos::max(partial, size(j)); },
      Kokkos::Max<int>(most));
  Kokkos::parallel_reduce(
      range, [&](int j, int& partial) { partial = Kokkos::min(partial, size(j)); },
      Kokkos::Min<int>(least));
  return {least > none && most - least <= most_spectral_spread, top};
}

/// to := column j of R as doubles, with the exponent `top`.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void load_column(Member const& team, SvdProblem<Real> const& problem,
                                        int top, int j, double* to) {
  Real const* const from = problem.factor().col(j);
  int const exponent = problem.exponents()[j] - top;
  lane_for(team, problem.cols,
           [&](int i) { to[i] = i <= j ? scale(static_cast<double>(from[i]), exponent) : 0; });
}

/// The same for A itself, of whose columns lengths alone are known. B·D over six decades, 2^20, is
/// too much where B is random.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION SpectralEntry direct_entry(Member const& team,
                                                  SvdProblem<Real> const& problem) {
  int const n = problem.cols;
  if (problem.state->columns != n) return {0, 0};
  int const* const exponents = problem.working_exponents();
  auto const range = Kokkos::TeamVectorRange(team, n);
  int top = 0, bottom = 0, zeros = 0;
  Kokkos::parallel_reduce(
      range, [&](int j, int& count) { count += problem.norms()[j] > Real(0) ? 0 : 1; }, zeros);
  Kokkos::parallel_reduce(
      range, [&](int j, int& partial) { partial = Kokkos::max(partial, exponents[j]); },
      Kokkos::Max<int>(top));
  Kokkos::parallel_reduce(
      range, [&](int j, int& partial) { partial = Kokkos::min(partial, exponents[j]); },
      Kokkos::Min<int>(bottom));
  return {zeros == 0 && top - bottom <= most_direct_spread, top};
}
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void load_direct(Member const& team, SvdProblem<Real> const& problem,
                                        int top, int j, double* to) {
  auto const from = problem.a.col(j);
  lane_for(team, problem.rows, [&](int i) { to[i] = scale(static_cast<double>(from(i)), -top); });
}

/// How far column j of VᵀV, of which the upper triangle is given, is from that of I.
template <class Member>
KOKKOS_INLINE_FUNCTION double deviation_of(Member const& team, Columns<double> const& overlap,
                                           int j) {
  return lane_max<double>(team, j + 1, [&](int i) {
    double const off = Kokkos::abs(overlap(i, j) - (i == j ? 1 : 0));
    return off <= 1 ? off : SpectralMeasure::infinite();
  });
}

/// The largest cosine of column j of Y with one before it, from the upper triangle of YᵀY.
template <class Member>
KOKKOS_INLINE_FUNCTION double largest_cosine(Member const& team, Columns<double> const& S, int j) {
  double const square = lane_max<double>(team, j, [&](int i) {
    double const share = S(i, j) * S(i, j) / (S(i, i) * S(j, j));
    return share <= 4 ? share : SpectralMeasure::infinite();
  });
  return Kokkos::sqrt(square);
}

/// θ with tan 2θ = 2s/(q - p), |θ| <= 45°, of columns of squared lengths p and q whose product is
/// s: [y₁ y₂]·[cos θ, sin θ; -sin θ, cos θ] is orthogonal.
KOKKOS_INLINE_FUNCTION double angle_of(double p, double q, double s) {
  return Kokkos::atan(2 * s / (q - p)) / 2;
}

/// What has come of a start.
template <class Real>
struct SpectralOutcome {
  int top;         ///< the exponent of all columns of Y
  Real cosine;     ///< the largest of two of them
  bool converged;  ///< the sweeps have nothing left to do
};

/// Columns of Y and V become the j-th of X and of a member's rotations.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void store_column(Member const& team, SvdProblem<Real> const& problem,
                                         SpectralOutcome<Real> const& outcome, double const* y,
                                         double const* v, Columns<Real> const& X, int j) {
  int const n = problem.cols;
  Real* const x = X.col(j);
  double const largest = lane_max<double>(team, X.rows, [&](int i) { return Kokkos::abs(y[i]); });
  int const exponent = largest > 0 ? exponent_of(largest) : 0;
  lane_for(team, X.rows, [&](int i) { x[i] = static_cast<Real>(scale(y[i], -exponent)); });
  if (problem.right_cols > 0) {
    Real* const rotations = problem.rotations().col(j);
    lane_for(team, n, [&](int i) { rotations[i] = static_cast<Real>(v[i]); });
  }
  once_per_thread(team, [&] {
    problem.working_exponents()[j] = outcome.top + exponent;
    problem.inner_places()[j] = j;  // there is no second QR
    if (j > 0) return;
    problem.state->rotated = 1;
    problem.state->converged = outcome.converged;
  });
  // Where the sweep before the first would have left it.
  int const pairs = gram_schedule(n).pairs();
  if (j == 0)
    lane_for(team, pairs, [&](int k) { problem.slot_cosines()[pairs + k] = outcome.cosine; });
}

}  // namespace carroll::detail
