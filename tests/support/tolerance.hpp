// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>

namespace carroll::test {

/// Every tolerance of the tests is one of these functions of ε, the size and the norm.
/// ε is the distance from 1 to the next number, LAPACK's "precision".
template <class Real>
inline constexpr double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());

/// Bar for LAPACK's scaled residuals; LAPACK's own test programs accept 50.
inline constexpr double ratio_bar = 10;

/// How far apart two computations of the same singular values may be: min(m,n)·ε·σ₁.
template <class Real>
[[nodiscard]] constexpr double absolute_sigma_tolerance(int min_extent, double sigma_max) {
  return min_extent * epsilon<Real> * sigma_max;
}

/// Relative error allowed in every singular value of A = B·D with n columns and cond(B) ≤ 1e3. For
/// the smallest n this is less than cond(B)·ε, what rounding errors of the size of A's entries
/// bring in general (Demmel and Veselić 1992): only a method that works with more digits there can
/// meet it.
template <class Real>
[[nodiscard]] constexpr double relative_sigma_tolerance(int cols) {
  return 50.0 * cols * epsilon<Real>;
}

/// Bar for the four Penrose conditions, each relative to the norms of its factors and ε.
inline constexpr double penrose_bar = 20;

/// Error, relative to ‖x‖, of a least-squares solution of size `columns` in Real for a condition
/// number in double precision, in which all sums are: what rounding the result costs, and more.
template <class Real>
[[nodiscard]] constexpr double least_squares_tolerance(int columns, double condition) {
  return 2 * epsilon<Real> + 10 * columns * epsilon<double> * condition;
}

/// How far minimum-norm solutions of two methods may be apart, relative to ‖x‖, in double
/// precision, where all singular values that count are above 1e-3 of the largest.
inline constexpr double minimum_norm_tolerance = 1e-10;

/// Where the tests of meshes have conjugate gradients end.
inline constexpr double mesh_tolerance = 1e-12;

/// Error, relative to ‖x‖, of a step on a mesh: the square of the condition number counts, since it
/// solves normal equations.
template <class Real>
[[nodiscard]] constexpr double mesh_step_tolerance(int columns, double condition) {
  return 2 * epsilon<Real> +
         (10 * columns * epsilon<double> + mesh_tolerance) * condition * condition;
}

/// ‖Aᵀ(Ax - d)‖ over ‖Aᵀd‖ for steps that end there.
inline constexpr double mesh_gradient_tolerance = 1e3 * mesh_tolerance;

/// Error in pixels of a ray's projection, for an image of `width` columns: a few roundings of an
/// angle that is up to π.
template <class Real>
[[nodiscard]] constexpr double projection_tolerance(int width) {
  return 4 * epsilon<Real> * width;
}

/// How far central differences of step 1e-6, in double precision, may be from a derivative,
/// relative to its largest entry: rounding of the values over the step, of coordinates up to 1e3.
inline constexpr double difference_tolerance = 1e-6;

/// The same for rows of a Jacobian in single precision, relative to the row's norm.
inline constexpr double single_row_tolerance = 2e-4;

/// What the direct tracker is to reach on pictures of 2048 columns with noise of 2 grey levels:
/// degrees of heading, and the median of the relative error of depths.
inline constexpr double tracker_heading_bar = 0.02;
inline constexpr double tracker_depth_bar = 0.015;

/// Error of a sum of `terms` terms by the canonical tree, relative to the sum of their sizes: what
/// Summation says. And by the compensated one, beside the half ε of the result's last rounding: the
/// square of the roundings on a term's way.
template <class Real>
[[nodiscard]] double canonical_sum_tolerance(double terms) {
  return (47 + std::log2(std::fmax(terms / 1024, 1))) * epsilon<Real>;
}
template <class Real>
[[nodiscard]] double compensated_sum_tolerance(double terms) {
  double const one = canonical_sum_tolerance<Real>(terms);
  return one * one;
}

}  // namespace carroll::test
