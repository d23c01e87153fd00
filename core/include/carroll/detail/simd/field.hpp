// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/field.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <type_traits>

/// Complex numbers side by side in a host's vector registers, and what kernels for real and complex
/// numbers need of either, under one name for both. All operations are lane by lane.
namespace carroll::detail::simd {

/// A complex number of each lane.
template <class Pack>
struct ComplexPack {
  Pack re, im;

  friend ComplexPack operator+(ComplexPack const& a, ComplexPack const& b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend ComplexPack operator-(ComplexPack const& a) { return {-a.re, -a.im}; }
  friend ComplexPack operator*(ComplexPack const& a, ComplexPack const& b) {
    return {subtract_product(a.re * b.re, a.im, b.im), accumulate(a.re * b.im, a.im, b.re)};
  }
  friend ComplexPack operator*(ComplexPack const& a, Pack const& b) { return {a.re * b, a.im * b}; }
  ComplexPack& operator+=(ComplexPack const& x) { return *this = *this + x; }
  /// `accumulate` in place, which leaves arrays of sums in registers.
  void add_product(ComplexPack const& a, ComplexPack const& b) {
    re.add_product(a.re, b.re);
    re.add_product(-a.im, b.im);
    im.add_product(a.re, b.im);
    im.add_product(a.im, b.re);
  }

  friend ComplexPack select(typename Pack::Mask const& mask, ComplexPack const& a,
                            ComplexPack const& b) {
    return {select(mask, a.re, b.re), select(mask, a.im, b.im)};
  }
  /// sum + a·b
  friend ComplexPack accumulate(ComplexPack sum, ComplexPack const& a, ComplexPack const& b) {
    sum.add_product(a, b);
    return sum;
  }
};

template <class Number>
inline constexpr bool is_complex_pack = false;
template <class Pack>
inline constexpr bool is_complex_pack<ComplexPack<Pack>> = true;

/// Registers of a number.
template <class Number>
inline constexpr int parts_of = is_complex_pack<Number> ? 2 : 1;

/// The registers that a number is made of.
template <class Number>
struct RealPack {
  using type = Number;
};
template <class Pack>
struct RealPack<ComplexPack<Pack>> {
  using type = Pack;
};
template <class Number>
using RealPackOf = typename RealPack<Number>::type;

/// Scalars of type Value, one per lane.
template <class Value, class Pack>
using NumberOf = std::conditional_t<is_complex<Value>, ComplexPack<Pack>, Pack>;

template <class Number>
Number real_number(RealPackOf<Number> const& x) {
  if constexpr (is_complex_pack<Number>)
    return {x, RealPackOf<Number>(0)};
  else
    return x;
}

template <class Number>
Number conjugate(Number const& x) {
  if constexpr (is_complex_pack<Number>)
    return {x.re, -x.im};
  else
    return x;
}

/// max(|re|, |im|), infinite where a part is not finite.
template <class Number>
RealPackOf<Number> bounded_part(Number const& x, RealPackOf<Number> const& infinity) {
  if constexpr (is_complex_pack<Number>) {
    return max(bounded_part(x.re, infinity), bounded_part(x.im, infinity));
  } else {
    Number const size = abs(x);
    return select(size < infinity, size, infinity);  // NaN, too
  }
}

/// sum += |x|²
template <class Number>
void add_square(RealPackOf<Number>& sum, Number const& x) {
  if constexpr (is_complex_pack<Number>) {
    sum.add_product(x.re, x.re);
    sum.add_product(x.im, x.im);
  } else {
    sum.add_product(x, x);
  }
}

/// sum += conj(a)·b
template <class Number>
void add_conjugate_product(Number& sum, Number const& a, Number const& b) {
  if constexpr (is_complex_pack<Number>) {
    sum.re.add_product(a.re, b.re);
    sum.re.add_product(a.im, b.im);
    sum.im.add_product(a.re, b.im);
    sum.im.add_product(-a.im, b.re);
  } else {
    sum.add_product(a, b);
  }
}

/// sum + conj(a)·b
template <class Number>
Number accumulate_conjugate(Number sum, Number const& a, Number const& b) {
  if constexpr (is_complex_pack<Number>) {
    add_conjugate_product(sum, a, b);
    return sum;
  } else {
    return accumulate(sum, a, b);
  }
}

/// +0 for -0 in every part.
template <class Number>
Number without_negative_zeros(Number const& x) {
  RealPackOf<Number> const zero(0);
  if constexpr (is_complex_pack<Number>)
    return {x.re + zero, x.im + zero};
  else
    return x + zero;
}

}  // namespace carroll::detail::simd
