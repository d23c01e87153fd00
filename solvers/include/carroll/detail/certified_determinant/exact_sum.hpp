// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/certified_determinant/types.hpp>
#include <carroll/detail/certified_determinant/enclose.hpp>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <cstdint>
#include <type_traits>

/// Sums of floating-point numbers without error, and the narrowest interval around them.
namespace carroll::detail {

/// A number in double precision whose exponent has no limits that matter: the mantissa is in
/// [1/2, 1), or 0.
struct LongDouble {
  double mantissa = 0;
  int exponent = 0;

  LongDouble() = default;
  KOKKOS_FUNCTION LongDouble(double x, int e) {
    if (x == 0) return;
    int const of_x = exponent_of(x);
    mantissa = scale(x, -of_x);
    exponent = of_x + e;
  }
};
KOKKOS_INLINE_FUNCTION double mantissa_of(LongDouble const& x) {
  return x.mantissa;
}
KOKKOS_INLINE_FUNCTION double mantissa_of(double x) {
  return x;
}
KOKKOS_INLINE_FUNCTION int exponent_beside(LongDouble const& x) {
  return x.exponent;
}
KOKKOS_INLINE_FUNCTION int exponent_beside(double) {
  return 0;
}
/// x as a double beside which stands the exponent of `other`, for x next to which that is not huge.
KOKKOS_INLINE_FUNCTION double mantissa_beside(LongDouble const& x, LongDouble const& other) {
  return scale(x.mantissa, x.exponent - other.exponent);
}
KOKKOS_INLINE_FUNCTION double mantissa_beside(double x, double) {
  return x;
}

/// a := a + b rounded to nearest, b := the error of that.
KOKKOS_INLINE_FUNCTION void add_exactly(double& a, double& b) {
  auto const sum = DoubleWord<double>::sum(a, b);
  a = sum.high;
  b = sum.low;
}
KOKKOS_INLINE_FUNCTION void add_exactly(LongDouble& a, LongDouble& b) {
  if (b.mantissa == 0) return;
  if (a.mantissa == 0 || a.exponent < b.exponent) {
    LongDouble const held = a;
    a = b;
    b = held;
    if (b.mantissa == 0) return;
  }
  int const e = a.exponent;
  if (e - b.exponent > 2 * mantissa_bits<double>) return;  // b is the error
  auto const sum = DoubleWord<double>::sum(a.mantissa, scale(b.mantissa, b.exponent - e));
  a = LongDouble(sum.high, e);
  b = LongDouble(sum.low, e);
}

/// A sum of numbers that has no error: top·2^exponent is the number next to it (of two as near the
/// even one), and the sign of what is to be added to that.
struct ExactSum {
  double top = 0;
  int exponent = 0;
  int rest = 0;
};

/// The exact sum of `part`, which is overwritten. For most a pass or two of error-free additions
/// (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26(6), 2005) say enough: two leading parts, the
/// second larger than all others together. Where terms cancel, the parts become a non-overlapping
/// expansion (Shewchuk, Discrete Comput. Geom. 18, 1997, theorem 10), whatever they are: each of
/// its parts is less than the lowest bit of the next. Parts in ascending order are done soonest.
template <int Count, class Part>
class ExactSummation {
 public:
  KOKKOS_FUNCTION static ExactSum of(Part (&part)[Count]) {
    if constexpr (std::is_same_v<Part, double>) {
      constexpr int passes = 3;
      for (int pass = 0; pass < passes; ++pass) {
        for (int k = 1; k < Count; ++k) add_exactly(part[k], part[k - 1]);
        if (are_separate(part)) return {part[Count - 1], 0, sign_of(part[Count - 2])};
      }
    }
    // Part k + 1 joins the expansion of parts 0 … k.
    for (int k = 1; k < Count; ++k) {
      Part joining = part[k];
      for (int l = 0; l < k; ++l) add_exactly(joining, part[l]);
      part[k] = joining;
    }
    // From the top on, until something is left over: that is at least the lowest bit of the part at
    // hand, and larger than all others together, which have the sign of the first of them.
    Part top = part[Count - 1], rest{};
    int k = Count - 2;
    for (; k >= 0 && mantissa_of(rest) == 0; --k) {
      rest = part[k];
      add_exactly(top, rest);
    }
    int of_others = 0;
    for (; k >= 0 && of_others == 0; --k) of_others = sign_of(mantissa_of(part[k]));
    int const of_rest = sign_of(mantissa_of(rest));
    ExactSum sum{mantissa_of(top), exponent_beside(top), of_rest};
    if (of_rest != 0 && of_others == of_rest) {
      double const next = neighbour(sum.top, mantissa_beside(rest, top));
      if (next != sum.top) return {next, sum.exponent, -of_rest};
    }
    return sum;
  }

 private:
  KOKKOS_FUNCTION static int sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
  /// top, or where top + rest is as near to the next number, that one.
  KOKKOS_FUNCTION static double neighbour(double top, double rest) {
    double const next = rest > 0 ? next_up(top) : next_down(top);
    return next - top == 2 * rest ? next : top;
  }

  KOKKOS_FUNCTION static bool are_separate(double const (&part)[Count]) {
    double const top = part[Count - 1], rest = part[Count - 2];
    double others = 0;
    for (int k = 0; k < Count - 2; ++k) others += Kokkos::abs(part[k]);
    if (others == 0) return true;
    others *= bound_inflation;
    double const most = next_up(Kokkos::abs(rest) + others);
    return others < Kokkos::abs(rest) && top + (rest > 0 ? most : -most) == top;
  }
};

/// The narrowest interval between numbers of type Real that contains the sum: a point, or two
/// neighbours.
template <class Real>
KOKKOS_INLINE_FUNCTION CertifiedDeterminantInfo<Real> enclose(ExactSum const& sum) {
  using Number = ScaledNumber<Real>;
  CertifiedDeterminantInfo<Real> info;
  if (sum.top == 0) {
    info.status = Status::singular;
    info.lower = info.upper = info.value = Number();
    return info;
  }
  int const e = exponent_of(sum.top);
  double const top = scale(sum.top, -e);
  std::int64_t const exponent = std::int64_t{sum.exponent} + e;
  double const upper = sum.rest > 0 ? next_up(top) : top;
  double const lower = sum.rest < 0 ? next_down(top) : top;
  Real const above = round_up<Real>(upper), below = -round_up<Real>(-lower);
  auto nearest = static_cast<Real>(top);
  // As near to both, if it were not for the rest.
  if (sum.rest != 0 && static_cast<double>(above) - top == top - static_cast<double>(below))
    nearest = sum.rest > 0 ? above : below;
  info.upper = Number(above, exponent);
  info.lower = Number(below, exponent);
  info.value = Number(nearest, exponent);
  return info;
}

}  // namespace carroll::detail
