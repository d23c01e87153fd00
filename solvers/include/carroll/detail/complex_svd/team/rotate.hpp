// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/columns.hpp>
#include <carroll/detail/svd/common/rotation.hpp>
#include <carroll/detail/svd/common/round_robin.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// A pair of complex columns made orthogonal, and sweeps of such pairs.
namespace carroll::detail {

/// ‖x‖², ‖y‖² and the parts of xᴴ·y, of columns of `rows` real and as many imaginary parts.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION Sums<Real, 4> complex_moments(Member const& team, Real const* x,
                                                     Real const* y, int rows) {
  return column_sums<SummedRows::few, Real, 4>(team, rows, [&](int i) {
    Real const a = x[i], b = x[rows + i], c = y[i], d = y[rows + i];
    return Sums<Real, 4>{{a * a + b * b, c * c + d * d, a * c + b * d, a * d - b * c}};
  });
}

/// x' = x + (x_from_y·y - h·x), y' = y + (y_from_x·x - h·y) for `count` entries of columns with the
/// imaginary parts `pitch` behind the real ones.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void rotate_complex(Member const& team, Real h,
                                           Kokkos::complex<Real> const& x_from_y,
                                           Kokkos::complex<Real> const& y_from_x, Real* x, Real* y,
                                           int count, int pitch) {
  Real const ar = x_from_y.real(), ai = x_from_y.imag();
  Real const br = y_from_x.real(), bi = y_from_x.imag();
  lane_for(team, count, [&](int i) {
    Real const xr = x[i], xi = x[pitch + i], yr = y[i], yi = y[pitch + i];
    x[i] = xr + (ar * yr - ai * yi - h * xr);
    x[pitch + i] = xi + (ar * yi + ai * yr - h * xi);
    y[i] = yr + (br * xr - bi * xi - h * yr);
    y[pitch + i] = yi + (br * xi + bi * xr - h * yi);
  });
}

/// As `clear_if_parallel` for real columns.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void clear_if_still_parallel(Member const& team, Real const* x,
                                                    Real const* y, int rows, Real* shorter) {
  Real const x_norm = column_norm<SummedRows::few>(team, x, 2 * rows);
  Real const y_norm = column_norm<SummedRows::few>(team, y, 2 * rows);
  if (x_norm == Real(0) || y_norm == Real(0)) return;
  int const x_down = -exponent_of(x_norm), y_down = -exponent_of(y_norm);
  auto const dot = column_sums<SummedRows::few, Real, 2>(team, rows, [&](int i) {
    Real const a = scale(x[i], x_down), b = scale(x[rows + i], x_down);
    Real const c = scale(y[i], y_down), d = scale(y[rows + i], y_down);
    return Sums<Real, 2>{{a * c + b * d, a * d - b * c}};
  });
  Real const half = scale(x_norm, x_down) * scale(y_norm, y_down) / 2;
  if (dot[0] * dot[0] + dot[1] * dot[1] > half * half)
    lane_for(team, 2 * rows, [&](int i) { shorter[i] = 0; });
}

/// Makes columns p and q of X orthogonal unless the rule lets them be, with the same rotation on J
/// (null: not accumulated). With xᴴ·y = |xᴴ·y|·e^{iφ} the columns x and e^{-iφ}·y have a real
/// product: they are turned by the real rotation for it, and y gets its phase back,
///
///   x' = c·x + s·e^{-iφ}·y,  y' = c·y - s·e^{iφ}·x,
///
/// so that a rotation by a small angle is near the identity. One thread; 44·rows flops, 16·rows for
/// a pair let be.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void orthogonalise_complex_pair(
    Member const& team, PairRule<Real> const& rule, SplitColumns<Real> const& X, int p_index,
    int q_index, int* exponents, SplitColumns<Real> const& J, SweepTally<Real>& tally) {
  using Value = Kokkos::complex<Real>;
  Real *const x = X.col(p_index), *const y = X.col(q_index);
  int const rows = X.rows;
  auto moments = complex_moments(team, x, y, rows);
  ColumnLength<Real> p{Kokkos::sqrt(moments[0]), exponents[p_index]};
  ColumnLength<Real> q{Kokkos::sqrt(moments[1]), exponents[q_index]};
  if (Kokkos::min(moments[0], moments[1]) <= power_of_two<Real>(negligible_exponent<Real>)) {
    // Squares may have underflowed: bring both columns near 1 first. Rare.
    p.norm = column_norm<SummedRows::few>(team, x, 2 * rows);
    q.norm = column_norm<SummedRows::few>(team, y, 2 * rows);
    if (p.norm == Real(0) || q.norm == Real(0)) return;
    p = rescale(team, p, x, 2 * rows);
    q = rescale(team, q, y, 2 * rows);
    moments = complex_moments(team, x, y, rows);
  }
  Real const norms = p.norm * q.norm;
  Value const cosine{moments[2] / norms, moments[3] / norms};
  Real const size = Kokkos::sqrt(cosine.real() * cosine.real() + cosine.imag() * cosine.imag());
  tally.max_cosine = Kokkos::max(tally.max_cosine, size);
  if (size > rule.rotate_above) {
    ++tally.rotations;
    p = rescale(team, p, x, 2 * rows);
    q = rescale(team, q, y, 2 * rows);
    Value const phase = cosine / size;
    Rotation<Real> const r = make_rotation(p, q, size);
    rotate_complex(team, r.h, conjugate(phase) * r.p_from_q, phase * r.q_from_p, x, y, rows, rows);
    if (J.data)
      rotate_complex(team, r.h, conjugate(phase) * r.sine, phase * -r.sine, J.col(p_index),
                     J.col(q_index), rows, J.rows);
    if (1 - size < 8 * Kokkos::Experimental::epsilon_v<Real>)
      clear_if_still_parallel(team, x, y, rows, r.p_longer ? y : x);
  }
  once_per_thread(team, [&] {
    exponents[p_index] = p.exponent;
    exponents[q_index] = q.exponent;
  });
}

/// Sweeps until the columns of X are orthogonal, n/2 pairs at a time, and tells of them.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION SvdInfo<Real> sweep_complex_columns(Member const& team, Real tolerance,
                                                           int max_sweeps,
                                                           SplitColumns<Real> const& X,
                                                           int* exponents,
                                                           SplitColumns<Real> const& J) {
  RoundRobin const schedule{X.rows};
  auto const rule = PairRule<Real>::of(tolerance, 2 * X.rows);
  SvdInfo<Real> info{.status = Status::not_converged};
  while (info.status != Status::success && info.sweeps < max_sweeps) {
    ++info.sweeps;
    SweepTally<Real> tally;
    for (int set = 0; set < schedule.sets(); ++set) {
      thread_for(team, schedule.pairs(), [&](int k) {
        auto const [p, q] = schedule.pair(set, k);
        if (q < X.rows) orthogonalise_complex_pair(team, rule, X, p, q, exponents, J, tally);
      });
      team.team_barrier();
    }
    Real largest = 0;
    info.max_cosine = team_result(team, tally.max_cosine, Kokkos::Max<Real>(largest));
    int rotated = 0;
    info.rotations += team_result(team, tally.rotations, Kokkos::Sum<int>(rotated));
    if (info.max_cosine <= rule.tolerance) info.status = Status::success;
  }
  return info;
}

}  // namespace carroll::detail
