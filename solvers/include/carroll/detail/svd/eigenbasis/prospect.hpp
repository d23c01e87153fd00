// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/eigenbasis/storage.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Is T - shift·I positive definite? T is tridiagonal with diagonal d and e beside it. So it is
/// where the determinants of all leading parts are positive: p ← (d - shift)·p - e²·q, of which
/// signs alone count, and which are brought back to near 1 every few steps. One chain of n
/// multiplications and additions.
KOKKOS_INLINE_FUNCTION bool is_definite(double const* d, double const* e, int n, double shift) {
  constexpr int steps = 8;
  double p = 1, q = 0;
  bool definite = true;
  CARROLL_NO_UNROLL
  for (int first = 0; first < n; first += steps) {
    double x[steps], squares[steps];
    CARROLL_UNROLL
    for (int t = 0; t < steps; ++t) {
      int const k = Kokkos::min(first + t, n - 1);
      double const beside = k > 0 ? e[k - 1] : 0;
      x[t] = d[k] - shift;
      squares[t] = beside * beside;
    }
    CARROLL_UNROLL
    for (int t = 0; t < steps; ++t) {
      if (first + t >= n) break;
      double const next = Kokkos::fma(x[t], p, -squares[t] * q);
      definite = definite && next > 0;
      q = p;
      p = next;
    }
    int const exponent = definite ? exponent_of(p) : 0;
    p = scale(p, -exponent);
    q = scale(q, -exponent);
  }
  return definite;
}

/// Are a member's eigenvectors worth while? Once XᵀX is tridiagonal a chain of n steps tells
/// whether there are eigenvalues below so much of the shortest column's square. If there are,
/// eigenvectors of XᵀX would not tell such columns apart, and sweeps would have as much to do from
/// there: the member is left as it is, by all later steps. Small eigenvalues that short columns
/// account for do no harm: of B·D eigenvectors are good for D over five decades.
///
/// A warp for a member.
template <class ExecSpace, class Real>
struct BasisProspectKernel {
  BasisMembers<Real> members;

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    BasisMember<Real> const member = members(team.league_rank());
    DividedTridiagonal<double> const T(member.n, member.y);
    if (!member.is_ready() || T.message[T.is_finite] == 0) return;
    Columns<double> const G = member.columns(member.g);
    double const shortest =
        1 / lane_max<double>(team, member.n, [&](int j) { return 1 / G(j, j); });
    double const shift = least_basis_ratio<Real> * scale(shortest, -T.message[T.exponent]);
    if (is_definite(T.d, T.e, member.n, shift)) return;
    once_per_thread(team, [&] {
      T.message[T.is_finite] = 0;
      member.state->entry.ready = 0;
    });
  }
};

}  // namespace carroll::detail
