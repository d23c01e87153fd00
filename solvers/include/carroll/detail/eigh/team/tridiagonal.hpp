// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/team/storage.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <limits>

/// A = Q·T·Qᵀ, T tridiagonal, by a team.
namespace carroll::detail {

/// d, e and the reflectors: that of column k in rows k + 1 and later of the column, 1 written out.
/// The steps are those of LAPACK's xSYTD2, on both triangles: 8n³/3 flops, three barriers a column.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void tridiagonalise(Member const& team, EighStorage<Real> const& at) {
  int const n = at.n;
  Real const least = power_of_two<Real>(2 * negligible_coupling<Real>);
  for (int k = 0; k + 1 < n; ++k) {
    Real* const v = at.A.col(k) + k + 1;
    int const rows = n - k - 1;
    // Every thread finds the reflector for itself.
    Real const square = lane_sum<Real>(team, rows - 1, [&](int i) { return v[i + 1] * v[i + 1]; });
    Real const alpha = v[0];
    bool const reflects = square > least;
    Real const norm = Kokkos::sqrt(square + alpha * alpha);
    Real const beta = !reflects ? alpha : alpha < Real(0) ? norm : -norm;
    Real const tau = reflects ? (beta - alpha) / beta : Real(0);
    Real const inverse = reflects ? Real(1) / (alpha - beta) : Real(0);
    team.team_barrier();
    thread_for(team, (rows + 31) / 32, [&](int part) {
      int const begin = 32 * part, count = Kokkos::min(32, rows - begin);
      lane_for(team, count,
               [&](int i) { v[begin + i] = begin + i == 0 ? Real(1) : v[begin + i] * inverse; });
      if (part == 0)
        once_per_thread(team, [&] {
          at.d[k] = at.A(k, k);
          at.e[k] = beta;
          at.tau[k] = tau;
        });
    });
    team.team_barrier();
    if (!reflects) continue;
    thread_for(team, rows, [&](int j) {
      Real const* const a = at.A.col(k + 1 + j) + k + 1;
      Real const sum = lane_sum<Real>(team, rows, [&](int i) { return a[i] * v[i]; });
      once_per_thread(team, [&] { at.w[j] = tau * sum; });
    });
    team.team_barrier();
    Real const product = lane_sum<Real>(team, rows, [&](int i) { return at.w[i] * v[i]; });
    Real const half = -tau * product / 2;
    thread_for(team, rows, [&](int j) {
      Real* const a = at.A.col(k + 1 + j) + k + 1;
      Real const vj = v[j], wj = at.w[j] + half * vj;
      lane_for(team, rows, [&](int i) { a[i] -= v[i] * wj + (at.w[i] + half * v[i]) * vj; });
    });
    team.team_barrier();
  }
  if (n > 0 && team.team_rank() == 0)
    once_per_thread(team, [&] { at.d[n - 1] = at.A(n - 1, n - 1); });
  team.team_barrier();
}

/// A := Q, the product of the reflectors, the last first. 4n³/3 flops.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void form_vectors(Member const& team, EighStorage<Real> const& at) {
  int const n = at.n;
  // Columns from k + 2 on hold the product of the later reflectors, column k its own.
  for (int k = n - 2; k >= 0; --k) {
    Real const* const v = at.A.col(k) + k + 1;
    Real const tau = at.tau[k];
    int const rows = n - k - 1;
    thread_for(team, rows, [&](int j) {
      Real* const q = at.A.col(k + 1 + j) + k + 1;
      if (j == 0) return lane_for(team, rows, [&](int i) { q[i] = Real(i == 0) - tau * v[i]; });
      Real const sum =
          tau * lane_sum<Real>(team, rows - 1, [&](int i) { return v[i + 1] * q[i + 1]; });
      lane_for(team, rows, [&](int i) { q[i] = i == 0 ? -sum : q[i] - sum * v[i]; });
    });
    team.team_barrier();
  }
  // The first row and column are those of the identity.
  thread_for(team, n, [&](int j) {
    if (j > 0) return once_per_thread(team, [&] { at.A(0, j) = 0; });
    lane_for(team, n, [&](int i) { at.A(i, 0) = i == 0 ? Real(1) : Real(0); });
  });
  team.team_barrier();
}

}  // namespace carroll::detail
