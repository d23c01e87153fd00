// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/svd/host_block/reflectors.hpp>
#include <carroll/distributed/detail/tall_qr/host/reflect.hpp>
#include <carroll/distributed/detail/tall_qr/problem.hpp>

/// Two triangles one above the other, on a host, by one thread:
///
///   [R₁]       [R]      Q = H₀·H₁⋯H_{n-1},  H_k = I - tau_k·h·hᵀ,  h = [e_k; v_k]
///   [R₂] = Q · [0]
///
/// v_k has k + 1 entries: R₂ fills up no further, and the v are the columns of a triangle, which
/// takes R₂'s place (LAPACK's tpqrt has the same form).
namespace carroll::distributed::detail::host {

namespace blocks = carroll::detail::blocks;

/// k + 1 entries in whole vectors.
template <class V>
int reflector_length(int k) {
  return (k + V::width) & -V::width;
}

/// The reflector of column k, in v, given R₁'s diagonal entry, which becomes R's. Returns tau.
template <class V, class Real>
Real make_node_reflector(Real* v, int length, Real& diagonal) {
  constexpr Real small = sizeof(Real) == 4 ? Real(0x1p-90) : Real(0x1p-900);
  Real alpha = diagonal;
  Real square = blocks::sum_of_squares<V>(v, 0, length);
  int up = 0;
  if (!(alpha * alpha + square > small)) {
    Real largest = Kokkos::abs(alpha);
    for (int i = 0; i < length; ++i) largest = std::max(largest, Kokkos::abs(v[i]));
    if (!(largest > Real(0))) return 0;
    up = -carroll::detail::exponent_of(largest);
    for (int i = 0; i < length; ++i) v[i] = carroll::detail::scale(v[i], up);
    alpha = carroll::detail::scale(alpha, up);
    square = blocks::sum_of_squares<V>(v, 0, length);
  }
  if (!(square > Real(0))) {  // what there is rounds off
    std::fill(v, v + length, Real(0));
    return 0;
  }
  Real const norm = Kokkos::sqrt(alpha * alpha + square);
  Real const beta = alpha < 0 ? norm : -norm;
  V const inverse = 1 / (alpha - beta);
  for (int i = 0; i < length; i += V::width) store(v + i, V::load(v + i) * inverse);
  diagonal = carroll::detail::scale(beta, -up);
  return (beta - alpha) / beta;
}

/// upper := R, lower := the v. (2/3)n³ flops.
template <class V, class Real>
void join_triangles(Columns<Real> const& upper, Columns<Real> const& lower, int n, Real* taus) {
  for (int k = 0; k < n; ++k) {
    Real* const v = lower.col(k);
    int const length = reflector_length<V>(k);
    taus[k] = make_node_reflector<V>(v, length, upper(k, k));
    if (taus[k] != Real(0))
      reflect_columns<V>(v, length, taus[k], k + 1, n, lower.data, lower.rows, upper.data + k,
                         upper.rows);
  }
}

/// [upper; lower] := Q·[upper; 0], square matrices, with the v from lower, which go to `v`. 2n³
/// flops.
template <class V, class Real>
void split_core(Columns<Real> const& upper, Columns<Real> const& lower, int n, Real const* taus,
                Columns<Real> const& v) {
  std::copy_n(lower.data, std::ptrdiff_t{n} * lower.rows, v.data);
  std::fill_n(lower.data, std::ptrdiff_t{n} * lower.rows, Real(0));
  for (int k = n - 1; k >= 0; --k)
    if (taus[k] != Real(0))
      reflect_columns<V>(v.col(k), reflector_length<V>(k), taus[k], 0, n, lower.data, lower.rows,
                         upper.data + k, upper.rows);
}

/// Column j of a triangle times 2^e, e <= 0.
template <class Real>
void lower_column(Columns<Real> const& R, int j, int e) {
  constexpr int least = -4096;  // beyond, nothing is left
  if (e == 0) return;
  for (int i = 0; i <= j; ++i) R(i, j) = carroll::detail::scale(R(i, j), std::max(e, least));
}

/// Subtrees `left` and `right` become one, which stands at `left`.
template <class Real>
void join(Triangles<Real> const& triangles, std::int64_t left, std::int64_t right) {
  int const n = triangles.cols;
  Columns<Real> const upper = triangles(left), lower = triangles(right);
  int* const exponents = triangles.exponents(left);
  int const* const others = triangles.exponents(right);
  for (int j = 0; j < n; ++j) {
    int const most = std::max(exponents[j], others[j]);
    lower_column(upper, j, exponents[j] - most);
    lower_column(lower, j, others[j] - most);
    exponents[j] = most;
  }
  triangles.non_finite(left) |= triangles.non_finite(right);
  blocks::with_packs<Real>([&]<class V>() {
    carroll::detail::by_itself<V::bytes>(
        [&] { join_triangles<V>(upper, lower, n, triangles.taus(right)); });
  });
}

/// What the node is multiplied by, at `left`, becomes what its halves are. `room` for a triangle.
template <class Real>
void split(Triangles<Real> const& triangles, std::int64_t left, std::int64_t right, Real* room) {
  blocks::with_packs<Real>([&]<class V>() {
    carroll::detail::by_itself<V::bytes>([&] {
      split_core<V>(triangles(left), triangles(right), triangles.cols, triangles.taus(right),
                    {room, triangles.pitch});
    });
  });
}

}  // namespace carroll::distributed::detail::host
