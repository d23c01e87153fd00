// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/host_batch/factor.hpp>
#include <carroll/detail/svd/host_batch/jacobi.hpp>
#include <carroll/detail/svd/host_batch/pack.hpp>
#include <carroll/detail/svd/host_batch/work.hpp>
#include <carroll/detail/svd/problem.hpp>

/// From orthogonal columns to U, S and V.
namespace carroll::detail::simd {

/// From the orthogonal columns X: sigma, places[j], the place of σ_j in descending order, basis
/// := Q·P₂·W, J := Q₂·J.
template <class Real, class Pack>
void finish(Work<Real, Pack> const& w, Factor<Pack> const& A, Factor<Pack> const& G) {
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  constexpr int width = Pack::width;
  int const n = w.n;
  for (int j = 0; j < n; ++j) {
    Pack* const x = w.X.col(j);
    w.sigma[j] = sqrt(dot(x, x, 0, n));
    Pack const inverse = Pack(1.0) / w.sigma[j];
    for (int i = 0; i < n; ++i) x[i] = x[i] * inverse;
    Ints const e = exponent_of(w.sigma[j]);
    w.sigma[j] = w.sigma[j] * Pack::power_of_two(-e);  // in [1/2, 1)
    w.x_exponents[j] = w.x_exponents[j] + e;
    w.places[j] = 0;
  }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) {
      Mask const after = (w.x_exponents[j] > w.x_exponents[i]) |
                         ((w.x_exponents[j] == w.x_exponents[i]) & (w.sigma[j] > w.sigma[i]));
      w.places[i] = w.places[i] - after;
      w.places[j] = w.places[j] - ~after;
    }
  if (w.right_cols > 0) apply_reflectors(G, w.J, n);
  if (w.left_cols == 0) return;
  auto* const to = reinterpret_cast<double*>(w.basis.data);
  auto const* const from = reinterpret_cast<double const*>(w.X.data);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      Ints const rows = G.permutation[i];
      for (int l = 0; l < width; ++l)
        to[(j * w.m + rows[l]) * width + l] = from[(j * n + i) * width + l];
    }
  for (int j = 0; j < n; ++j)
    for (int i = n; i < w.m; ++i) w.basis(i, j) = 0.0;
  apply_reflectors(A, w.basis, n);
}

/// A lane's entry of U or V. Where the others of a group are rotated a lane that is not adds 0
/// times one column to another, which takes the sign off a zero: without one zeros are the same
/// bits beside all neighbours.
template <class Real, class Pack>
Real entry(Pack const& x, int l) {
  return unsigned_zero(static_cast<Real>(x[l]));
}

/// One lane's results to the caller.
template <class Real, class Pack>
void write(Work<Real, Pack> const& w, int l, SweepResult<Pack> const& result) {
  SvdProblem<Real> const& problem = w.problem[l];
  int const n = w.n;
  int first = 0;
  for (int j = 0; j < n; ++j) {
    auto const k = static_cast<int>(w.places[j][l]);
    if (k == 0) first = j;
    problem.s(k) = static_cast<Real>(
        carroll::detail::scale(w.sigma[j][l], static_cast<int>(w.x_exponents[j][l])));
    if (problem.left_cols > 0)
      for (int i = 0; i < w.m; ++i) problem.left(i, k) = entry<Real>(w.basis(i, j), l);
    if (problem.right_cols > 0)
      for (int i = 0; i < n; ++i)
        problem.right(static_cast<int>(w.permutation[i][l]), k) = entry<Real>(w.J(i, j), l);
  }
  double const least = w.sigma[first][l] * w.m * double(Kokkos::Experimental::epsilon_v<Real>);
  int rank = 0;
  for (int j = 0; j < n; ++j) {
    auto const down = static_cast<int>(w.x_exponents[j][l] - w.x_exponents[first][l]);
    rank += carroll::detail::scale(w.sigma[j][l], down) > least ? 1 : 0;
  }
  bool const converged = result.converged[l] != 0;
  *problem.info = {.status = !converged                    ? Status::not_converged
                             : Kokkos::isinf(problem.s(0)) ? Status::overflow
                                                           : Status::success,
                   .sweeps = static_cast<int>(result.sweeps[l]),
                   .rotations = result.rotations[l],
                   .max_cosine = static_cast<Real>(Kokkos::sqrt(result.max_square_cosine[l])),
                   .rank = rank};
}

}  // namespace carroll::detail::simd
