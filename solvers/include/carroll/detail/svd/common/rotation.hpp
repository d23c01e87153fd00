// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/common/column_sum.hpp>
#include <carroll/detail/svd/common/householder.hpp>
#include <carroll/detail/svd/problem.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>
#include <limits>

/// One Jacobi rotation: the 2×2 problem behind it, and a pair of columns made orthogonal.
namespace carroll::detail {

/// The plane rotation that makes columns p and q orthogonal:
///
///   p' = p + (p_from_q·q - h·p)    q' = q + (q_from_p·p - h·q)    workspace columns
///   p' = p + (sine·q - h·p)        q' = q - (sine·p + h·q)        accumulated columns
///
/// h = 1 - cos is what is stored, not the cosine: its rounding would stretch the whole column by
/// the same amount each time, while rounding entry by entry averages out (Rutishauser 1966).
template <class Real>
struct Rotation {
  Real sine, h;
  Real p_from_q, q_from_p;
  bool p_longer;  ///< of the two columns as they were
};

/// A column that belongs to a rotation: its length is norm·2^exponent.
template <class Real>
struct ColumnLength {
  Real norm;
  int exponent;
};

/// The rotation for columns of lengths p and q, neither zero, at the given cosine. t is the tangent
/// of the smaller angle that solves t² + 2ζt - 1 = 0, 2ζ·cosine = ρ - 1/ρ, where ρ <= 1 is the
/// ratio of the lengths (Rutishauser 1966; Demmel and Veselić 1992), multiplied through by ρ so
/// that no ratio can overflow:
///
///   t = g·ρ / (k + √(k² + (g·ρ)²)),  k = (1 - ρ²)/2,  g = cosine
template <class Real>
KOKKOS_INLINE_FUNCTION Rotation<Real> make_rotation(ColumnLength<Real> const& p,
                                                    ColumnLength<Real> const& q, Real cosine) {
  bool const p_longer = scale(q.norm / p.norm, q.exponent - p.exponent) <= Real(1);
  ColumnLength<Real> const& longer = p_longer ? p : q;
  ColumnLength<Real> const& shorter = p_longer ? q : p;
  int const apart = shorter.exponent - longer.exponent;
  Real const mantissas = shorter.norm / longer.norm;
  Real const ratio = scale(mantissas, apart);
  Real const k = (1 - ratio) * (1 + ratio) / 2;
  Real const gr = cosine * ratio;
  // At least |gr| where the squares underflow: between columns of equal length the angle is 45°.
  Real const root = Kokkos::max(k + Kokkos::sqrt(k * k + gr * gr), Kokkos::abs(gr));
  Real const t = gr / root;
  Real const c = 1 / Kokkos::sqrt(1 + t * t);
  Real const s = c * t;

  // longer' = longer + s·2^apart·shorter - …, shorter' = shorter - s·2^-apart·longer - …; the
  // second factor is of order 1 even where t underflows.
  Real const to_longer = scale(s, apart);
  Real const to_shorter = -c * (cosine * mantissas / root);
  return {.sine = p_longer ? s : -s,
          .h = s * (s / (1 + c)),
          .p_from_q = p_longer ? to_longer : to_shorter,
          .q_from_p = p_longer ? to_shorter : to_longer,
          .p_longer = p_longer};
}

/// How pairs are treated, the same throughout one decomposition.
template <class Real>
struct PairRule {
  Real tolerance;     ///< cosines up to this count as zero
  Real rotate_above;  ///< pairs are rotated above this cosine

  /// For columns of `length` entries. The least wish is LAPACK's choice for xGESVJ, √length units
  /// of roundoff, with a floor above what rounding leaves of a short dot product: below, some pair
  /// of a million matrices is rotated for ever.
  ///
  /// What counts as zero is let be, also by the plain methods, whose source rotates whatever is not
  /// orthogonal: columns of equal length turn by 45° then, however small their cosine, and all
  /// pairs of a sweep can be orthogonal when they meet though those of no moment are.
  KOKKOS_FUNCTION static PairRule of(Real wish, int length) {
    Real const floor = Kokkos::Experimental::epsilon_v<Real> *
                       Kokkos::max(Real(2), Kokkos::sqrt(static_cast<Real>(length)) / 2);
    Real const tolerance = Kokkos::max(wish, floor);
    return {tolerance, tolerance};
  }
};

/// ‖p‖², ‖q‖² and p·q of two columns.
template <SummedRows rows, class Real, class Member>
KOKKOS_INLINE_FUNCTION Sums<Real, 3> pair_moments(Member const& team, Real const* p, Real const* q,
                                                  int n) {
  return column_sums<rows, Real, 3>(team, n, [&](int i) {
    return Sums<Real, 3>{{p[i] * p[i], q[i] * q[i], p[i] * q[i]}};
  });
}

/// p' = p + (p_from_q·q - h·p), q' = q + (q_from_p·p - h·q).
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION void rotate(Member const& team, Real h, Real p_from_q, Real q_from_p,
                                   Real* p, Real* q, int n) {
  lane_for(team, n, [&](int i) {
    Real const x = p[i], y = q[i];
    p[i] = x + (p_from_q * y - h * x);
    q[i] = y + (q_from_p * x - h * y);
  });
}

/// What one team thread has seen of a sweep.
template <class Real>
struct SweepTally {
  Real max_cosine = 0;
  int rotations = 0;
};

/// What the sweeps of a matrix have come to.
template <class Real>
struct SweepCourse {
  std::int64_t rotations = 0;
  Real max_cosine = 0;  ///< of the last sweep
  bool converged = false;
  int sweeps = 0;

  template <class Member>
  KOKKOS_FUNCTION void tell(Member const& team, SvdInfo<Real>& info) const {
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      info.status = converged ? Status::success : Status::not_converged;
      info.sweeps = sweeps;
      info.rotations = rotations;
      info.max_cosine = max_cosine;
    });
  }
};

/// Joins what each team thread holds. Maxima and integer sums do not depend on the order.
template <class Value, class Member, class Reducer>
KOKKOS_INLINE_FUNCTION Value team_result(Member const& team, Value const& own,
                                         Reducer const& reducer) {
  Kokkos::parallel_reduce(
      Kokkos::TeamThreadRange(team, team.team_size()),
      [&](int, Value& partial) { reducer.join(partial, own); }, reducer);
  return reducer.reference();
}

/// A pair of columns at work: where they are, and which they are.
template <class Real>
struct ColumnPair {
  Real* x;  ///< column p, maybe a copy in scratch
  Real* y;  ///< column q
  int rows;
  int p, q;
};

/// Clears a column that is still parallel to the other one after the rotation that was to make it
/// orthogonal: what is left of it are rounding errors, which would be parallel again after the next
/// rotation, at ever smaller scale. As a zero column it is completed at the end. Rare.
template <SummedRows rows, class Real, class Member>
KOKKOS_INLINE_FUNCTION void clear_if_parallel(Member const& team, ColumnPair<Real> const& pair,
                                              Real* shorter) {
  Real const x_norm = column_norm<rows>(team, pair.x, pair.rows);
  Real const y_norm = column_norm<rows>(team, pair.y, pair.rows);
  if (x_norm == Real(0) || y_norm == Real(0)) return;
  int const x_down = -exponent_of(x_norm), y_down = -exponent_of(y_norm);
  Real const dot = column_sum<rows, Real>(
      team, pair.rows, [&](int i) { return scale(pair.x[i], x_down) * scale(pair.y[i], y_down); });
  if (Kokkos::abs(dot) > scale(x_norm, x_down) * scale(y_norm, y_down) / 2)
    lane_for(team, pair.rows, [&](int i) { shorter[i] = 0; });
}

/// Takes powers of two out of a column whose norm has left [2^-8, 2^8]. Rare.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION ColumnLength<Real> rescale(Member const& team, ColumnLength<Real> length,
                                                  Real* x, int n) {
  int const e = exponent_of(length.norm);
  if (e >= -8 && e <= 8) return length;
  lane_for(team, n, [&](int i) { x[i] = scale(x[i], -e); });
  return {scale(length.norm, -e), length.exponent + e};
}

/// Keeps the exponent `top` of the largest norm that a column has had, and clears the column if it
/// has sunk below an ulp of that: the rounding errors of its rotations are as large, no digit of it
/// is right. It would go on to sink, as dependent columns let it, by as much in every sweep. For A
/// = B·D, D diagonal, a column sinks by some cond(B) only, so that what has right digits is kept.
/// Returns whether it has been cleared; as a zero column it is completed at the end.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION bool clear_if_sunk(Member const& team, ColumnLength<Real> const& length,
                                          Real* x, int n, int& top) {
  int const level = exponent_of(length.norm) + length.exponent;
  top = Kokkos::max(top, level);
  if (level >= top - std::numeric_limits<Real>::digits) return false;
  lane_for(team, n, [&](int i) { x[i] = 0; });
  return true;
}

/// Makes a pair orthogonal unless the rule lets it be, with the same rotation on J (null: not
/// accumulated). One thread; `shared`, if given, is a place in scratch through which one lane hands
/// the rotation to the others. With `tops`, see clear_if_sunk. 14·rows flops for a rotated pair,
/// 6·rows for one let be; each column is read twice and written once.
template <SummedRows rows, class Real, class Member>
KOKKOS_INLINE_FUNCTION void orthogonalise_pair(Member const& team, PairRule<Real> const& rule,
                                               ColumnPair<Real> const& pair, int* exponents,
                                               Columns<Real> const& J, SweepTally<Real>& tally,
                                               int* tops = nullptr,
                                               Rotation<Real>* shared = nullptr) {
  // Asked for before the sums, which take as long.
  int p_top = tops ? tops[pair.p] : 0, q_top = tops ? tops[pair.q] : 0;
  auto moments = pair_moments<rows>(team, pair.x, pair.y, pair.rows);
  ColumnLength<Real> p{Kokkos::sqrt(moments[0]), exponents[pair.p]};
  ColumnLength<Real> q{Kokkos::sqrt(moments[1]), exponents[pair.q]};
  constexpr int small = negligible_exponent<Real>;
  if (Kokkos::min(moments[0], moments[1]) <= power_of_two<Real>(small)) {
    // Squares may have underflowed: bring both columns near 1 first. Rare.
    p.norm = column_norm<rows>(team, pair.x, pair.rows);
    q.norm = column_norm<rows>(team, pair.y, pair.rows);
    if (p.norm == Real(0) || q.norm == Real(0)) return;
    p = rescale(team, p, pair.x, pair.rows);
    q = rescale(team, q, pair.y, pair.rows);
    moments = pair_moments<rows>(team, pair.x, pair.y, pair.rows);
  }
  if (tops) {
    int const p_was = p_top, q_was = q_top;
    bool const p_sunk = clear_if_sunk(team, p, pair.x, pair.rows, p_top);
    bool const q_sunk = clear_if_sunk(team, q, pair.y, pair.rows, q_top);
    if (p_top != p_was || q_top != q_was)
      once_per_thread(team, [&] {
        tops[pair.p] = p_top;
        tops[pair.q] = q_top;
      });
    if (p_sunk || q_sunk) {
      once_per_thread(team, [&] {
        exponents[pair.p] = p.exponent;
        exponents[pair.q] = q.exponent;
      });
      return;
    }
  }
  Real const cosine = moments[2] / (p.norm * q.norm);
  Real const size = Kokkos::abs(cosine);
  tally.max_cosine = Kokkos::max(tally.max_cosine, size);
  if (size > rule.rotate_above) {
    ++tally.rotations;
    p = rescale(team, p, pair.x, pair.rows);
    q = rescale(team, q, pair.y, pair.rows);
    if (shared) {
      once_per_thread(team, [&] { *shared = make_rotation(p, q, cosine); });
      team.team_barrier();
    }
    Rotation<Real> const r = shared ? *shared : make_rotation(p, q, cosine);
    rotate(team, r.h, r.p_from_q, r.q_from_p, pair.x, pair.y, pair.rows);
    if (J.data) rotate(team, r.h, r.sine, -r.sine, J.col(pair.p), J.col(pair.q), J.rows);
    if (1 - size < 8 * Kokkos::Experimental::epsilon_v<Real>)
      clear_if_parallel<rows>(team, pair, r.p_longer ? pair.y : pair.x);
  }
  once_per_thread(team, [&] {
    exponents[pair.p] = p.exponent;
    exponents[pair.q] = q.exponent;
  });
}

}  // namespace carroll::detail
