// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/eigh/divided/merge.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// x/y to a few roundings, for y far from the ends of the range; `Fused` as for QlChain.
template <bool Fused, class Real>
KOKKOS_FORCEINLINE_FUNCTION Real quick_quotient(Real x, Real y) {
  if constexpr (!Fused)
    return x / y;
  else if constexpr (sizeof(Real) == 8)
    return x * refined_reciprocal(y, rough_reciprocal(y));
  else
    return x * rough_reciprocal(y);
}

/// f(λ) = 1/ρ + Σ z_i²/(d_i - λ) = 0, for one thread, whose lanes share the sums. Roots lie between
/// neighbouring poles, and one above the last; f ascends between poles. A root is found, and kept,
/// as its distance from the nearest pole, so that its differences from all poles have a few
/// rounding errors each.
///
/// What lies below and above λ is interpolated by a pole each, p and q = p + 1: c + s/(p - x) +
/// t/(q - x), whose root is the next guess. Between p and q the weight of the nearest pole is exact
/// as long as that goes well, else f, the sum below and its slope agree ("the middle way"; Li,
/// LAPACK Working Note 89, 1993, and LAPACK's xLAED4, whose stopping rule this is). What leaves the
/// bracket, and every second guess after some, gives way to bisection of the representation: the
/// end is sure.
template <class Real, bool Fused>
struct SecularEquation {
  int poles;
  Real const *pole, *z;
  Real rho;

  /// f's parts at one place.
  struct Parts {
    Real below = 0, above = 0;              ///< Σ z_i²/(d_i - λ), i <= p and i >= q
    Real below_slope = 0, above_slope = 0;  ///< Σ z_i²/(d_i - λ)²
    Real partial = 0;                       ///< Σ |partial sums|, from the far ends on
  };

  /// The distance of root j from pole j, if positive, or pole j + 1.
  template <class Member>
  KOKKOS_FUNCTION Real root(Member const& team, int j) const {
    if (poles == 1) return rho * z[0] * z[0];
    bool const last = j == poles - 1;
    int const p = last ? j - 1 : j, q = p + 1;
    Real const gap = pole[q] - pole[p], inverse_rho = 1 / rho;
    // By the sign in the middle: which half, and from which pole.
    Real const middle = (last ? rho : gap) / 2;
    Real origin = last ? pole[q] : pole[p];
    Parts parts = at(team, origin, middle, p);
    Real f = inverse_rho + parts.below + parts.above;
    bool const from_upper = last || f < Real(0);
    Real const near = z[p] * z[p], far = z[q] * z[q];
    Real const rest =
        f - near / ((pole[p] - origin) - middle) - far / ((pole[q] - origin) - middle);
    // No root is nearer to its pole: there the pole's share outweighs all others.
    Real const low = (from_upper ? far : near) / (4 * (inverse_rho + (last ? Real(0) : 2 / gap)));
    Bracket bracket{low, middle};
    Real tau = 0;
    if (last) {
      if (f < Real(0)) bracket = {middle, rho + rho / 8};
      tau = first_of_last(rest, gap, near, far);
    } else if (from_upper) {
      origin = pole[q];
      bracket = {-middle, -low};
      tau = -first_guess(-rest, gap, far, near);
    } else {
      tau = first_guess(rest, gap, near, far);
    }
    tau = tau >= bracket.below && tau <= bracket.above ? tau
          : from_upper && !last                        ? -middle
                                                       : middle;
    bool middle_way = last;
    for (int k = 0; k < most; ++k) {
      Real const before = Kokkos::abs(f);
      parts = at(team, origin, tau, p);
      f = inverse_rho + parts.below + parts.above;
      Real const slope = parts.below_slope + parts.above_slope;
      Real const error = 8 * (Kokkos::abs(parts.above) - parts.below) + parts.partial +
                         2 * inverse_rho + Kokkos::abs(tau) * slope;
      if (!(Kokkos::abs(f) > eps * error)) break;
      (f < Real(0) ? bracket.below : bracket.above) = tau;
      if (!last && k > 0 && 10 * Kokkos::abs(f) > before) middle_way = !middle_way;
      Real const to_p = (pole[p] - origin) - tau, to_q = (pole[q] - origin) - tau;
      Real c = 0;
      if (middle_way)
        c = f - to_p * parts.below_slope - to_q * parts.above_slope;
      else if (from_upper)
        c = f - to_p * slope - gap * (far / to_q / to_q);
      else
        c = f - to_q * slope + gap * (near / to_p / to_p);
      Real const a = (to_p + to_q) * f - to_p * to_q * slope, b = to_p * to_q * f;
      Real step = last ? -smaller_root(Kokkos::abs(c), -a, b) : smaller_root(c, a, b);
      if (!(f * step < Real(0))) step = -f / slope;
      Real const next =
          k < most_guesses || k % 2 == 0 ? bracket.inside(tau + step) : bracket.middle();
      if (next == tau) break;
      tau = next;
    }
    return tau;
  }

 private:
  static constexpr Real eps = Kokkos::Experimental::epsilon_v<Real> / 2;
  static constexpr int most_guesses = 20;
  static constexpr int most = most_guesses + 2 * 8 * int(sizeof(Real));

  /// Numbers of one sign, between which the root lies.
  struct Bracket {
    Real below, above;

    KOKKOS_FUNCTION Real middle() const {
      Real const low = Kokkos::abs(below), high = Kokkos::abs(above);
      auto const bits =
          Kokkos::bit_cast<BitsOf<Real>>(low) / 2 + Kokkos::bit_cast<BitsOf<Real>>(high) / 2;
      Real const size = Kokkos::bit_cast<Real>(bits);
      return below < Real(0) ? -size : size;
    }
    KOKKOS_FUNCTION Real inside(Real x) const { return x > below && x < above ? x : middle(); }
  };

  /// Four poles to a turn of a lane: their quotients do not wait for one another.
  template <class Member>
  KOKKOS_FUNCTION Parts at(Member const& team, Real origin, Real tau, int p) const {
    constexpr int together = 4;
    auto const sums = lane_sums<Real, 5>(team, (poles + together - 1) / together, [&](int turn) {
      Real term[together], slope[together];
      CARROLL_UNROLL
      for (int k = 0; k < together; ++k) {
        int const i = Kokkos::min(together * turn + k, poles - 1);
        Real const share = together * turn + k < poles ? z[i] : Real(0);
        Real const t = quick_quotient<Fused>(share, (pole[i] - origin) - tau);
        term[k] = share * t;
        slope[k] = t * t;
      }
      Sums<Real, 5> part;
      CARROLL_UNROLL
      for (int k = 0; k < together; ++k) {
        int const i = together * turn + k;
        bool const is_below = i <= p;
        part.value[0] += is_below ? term[k] : Real(0);
        part.value[1] += is_below ? Real(0) : term[k];
        part.value[2] += is_below ? slope[k] : Real(0);
        part.value[3] += is_below ? Real(0) : slope[k];
        part.value[4] += static_cast<Real>(is_below ? p + 1 - i : i - p) * Kokkos::abs(term[k]);
      }
      return part;
    });
    return {sums[0], sums[1], sums[2], sums[3], sums[4]};
  }

  /// Of c·x² - a·x + b, the one that is next to 0 where both are real and of one sign.
  KOKKOS_FUNCTION static Real smaller_root(Real c, Real a, Real b) {
    Real const root = Kokkos::sqrt(Kokkos::abs(a * a - 4 * b * c));
    return a > Real(0) ? 2 * b / (a + root) : (a - root) / (2 * c);
  }
  /// Of rest + own/(0 - x) + other/(gap - x).
  KOKKOS_FUNCTION static Real first_guess(Real rest, Real gap, Real own, Real other) {
    return smaller_root(rest, rest * gap + own + other, own * gap);
  }
  /// Of rest + other/(-gap - x) + own/(0 - x).
  KOKKOS_FUNCTION static Real first_of_last(Real rest, Real gap, Real other, Real own) {
    return -smaller_root(rest, rest * gap - own - other, -own * gap);
  }
};

/// The second step of a merge: its roots, a thread each.
///
/// Some five times `poles` quotients and ten other flops a root, and some 30 quotients and roots;
/// poles and z come from the cache.
struct DividedRoot {
  static constexpr char const* label = "carroll::eigh::divided_secular";
  static constexpr bool of_poles = true;

  template <class Real, class Member>
  KOKKOS_FUNCTION static void find(Member const& team, DividedMerge<Real> const& merge, int j) {
    SecularEquation<Real, lanes<typename Member::execution_space> != 1> const equation{
        merge.poles(), merge.pole, merge.z, 2 * Kokkos::abs(merge.coupling)};
    Real const root = equation.root(team, j);
    once_per_thread(team, [&] {
      merge.root[j] = root;
      merge.value[j] = merge.origin(j) + root;
    });
  }
};

}  // namespace carroll::detail
