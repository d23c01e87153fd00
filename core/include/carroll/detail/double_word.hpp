// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>

/// Arithmetic on unevaluated sums of two floating-point numbers, with about twice the digits:
/// algorithms and error bounds of Joldes, Muller and Popescu, ACM Trans. Math. Softw. 44(2), 2017.
/// Must not be compiled with options that reorder floating-point operations (-ffast-math).
#ifdef __FAST_MATH__
#error "Carroll needs IEEE arithmetic: compile without -ffast-math"
#endif

namespace carroll::detail {

template <class Real>
struct DoubleWord {
  Real high = 0;
  Real low = 0;

  DoubleWord() = default;
  KOKKOS_FUNCTION constexpr DoubleWord(Real high_word, Real low_word = 0)
      : high(high_word), low(low_word) {}

  /// a + b with its rounding error, for any a and b (Knuth).
  KOKKOS_FUNCTION static DoubleWord sum(Real a, Real b) {
    Real const s = a + b;
    Real const b_part = s - a;
    return {s, (a - (s - b_part)) + (b - b_part)};
  }
  /// The same for |a| >= |b| (Dekker).
  KOKKOS_FUNCTION static DoubleWord ordered_sum(Real a, Real b) {
    Real const s = a + b;
    return {s, b - (s - a)};
  }
  /// a·b with its rounding error. The product is written as an fma too: a plain one could be
  /// contracted with a later addition, and would then not be the number that the error belongs to.
  KOKKOS_FUNCTION static DoubleWord product(Real a, Real b) {
    Real const p = Kokkos::fma(a, b, Real(0));
    return {p, Kokkos::fma(a, b, -p)};
  }

  KOKKOS_FUNCTION DoubleWord operator-() const { return {-high, -low}; }

  KOKKOS_FUNCTION friend DoubleWord operator+(DoubleWord const& x, DoubleWord const& y) {
    DoubleWord const s = sum(x.high, y.high);
    DoubleWord const t = sum(x.low, y.low);
    DoubleWord const u = ordered_sum(s.high, s.low + t.high);
    return ordered_sum(u.high, t.low + u.low);
  }
  KOKKOS_FUNCTION friend DoubleWord operator-(DoubleWord const& x, DoubleWord const& y) {
    return x + (-y);
  }
  KOKKOS_FUNCTION friend DoubleWord operator*(DoubleWord const& x, DoubleWord const& y) {
    DoubleWord const p = product(x.high, y.high);
    Real const cross = Kokkos::fma(x.low, y.high, x.high * y.low);
    return ordered_sum(p.high, p.low + cross);
  }
  KOKKOS_FUNCTION friend DoubleWord operator/(DoubleWord const& x, DoubleWord const& y) {
    Real const quotient = x.high / y.high;
    DoubleWord const remainder = x - y * DoubleWord(quotient);
    return ordered_sum(quotient, remainder.high / y.high);
  }
  KOKKOS_FUNCTION DoubleWord& operator+=(DoubleWord const& x) { return *this = *this + x; }
  KOKKOS_FUNCTION DoubleWord& operator-=(DoubleWord const& x) { return *this = *this - x; }
};

/// The leading word; a plain number is its own.
template <class Real>
KOKKOS_INLINE_FUNCTION Real leading(DoubleWord<Real> const& x) {
  return x.high;
}
KOKKOS_INLINE_FUNCTION float leading(float x) {
  return x;
}
KOKKOS_INLINE_FUNCTION double leading(double x) {
  return x;
}

/// √x for x > 0.
template <class Real>
KOKKOS_INLINE_FUNCTION DoubleWord<Real> square_root(DoubleWord<Real> const& x) {
  Real const root = Kokkos::sqrt(x.high);
  DoubleWord<Real> const remainder = x - DoubleWord<Real>::product(root, root);
  return DoubleWord<Real>::ordered_sum(root, remainder.high / (2 * root));
}
KOKKOS_INLINE_FUNCTION float square_root(float x) {
  return Kokkos::sqrt(x);
}
KOKKOS_INLINE_FUNCTION double square_root(double x) {
  return Kokkos::sqrt(x);
}

template <class Real>
KOKKOS_INLINE_FUNCTION DoubleWord<Real> scale(DoubleWord<Real> const& x, int e) {
  return {scale(x.high, e), scale(x.low, e)};
}

}  // namespace carroll::detail
