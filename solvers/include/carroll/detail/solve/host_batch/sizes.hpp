// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/simd/field.hpp>
#include <cstddef>

/// What is asked of a number in each lane, real or complex, under one name for both.
namespace carroll::detail::simd {

/// |x|, of complex numbers max(|re|, |im|).
template <class Number>
RealPackOf<Number> part_size(Number const& x) {
  if constexpr (is_complex_pack<Number>)
    return max(abs(x.re), abs(x.im));
  else
    return abs(x);
}

/// |x|, of complex numbers |re| + |im|, by which pivots are chosen.
template <class Number>
RealPackOf<Number> size_of_pivot(Number const& x) {
  if constexpr (is_complex_pack<Number>)
    return abs(x.re) + abs(x.im);
  else
    return abs(x);
}

/// |x| of numbers whose squares are in the range.
template <class Number>
RealPackOf<Number> modulus_near_one(Number const& x) {
  if constexpr (is_complex_pack<Number>) {
    auto square = x.re * x.re;
    square.add_product(x.im, x.im);
    return sqrt(square);
  } else {
    return abs(x);
  }
}

/// x·2^-e near 1; of 0 it is 0.
template <class Pack>
ComplexPack<Pack> near_one(ComplexPack<Pack> const& x, typename Pack::Ints& e) {
  using Ints = typename Pack::Ints;
  Pack const size = part_size(x);
  e = select(size > Pack(0), exponent_of(size), Ints(0));
  Ints const half = e >> 1;
  return x * Pack::power_of_two(-half) * Pack::power_of_two(half - e);
}

/// |x|
template <class Number>
RealPackOf<Number> modulus(Number const& x) {
  if constexpr (is_complex_pack<Number>) {
    using Pack = RealPackOf<Number>;
    typename Pack::Ints e;
    Pack const size = modulus_near_one(near_one(x, e));
    auto const half = e >> 1;
    return size * Pack::power_of_two(half) * Pack::power_of_two(e - half);
  } else {
    return abs(x);
  }
}

/// x over its modulus, conjugated: whose product with x is |x|. Of 0 it is -1, or 1 if complex.
template <class Number>
Number sign_against(Number const& x) {
  using Pack = RealPackOf<Number>;
  if constexpr (is_complex_pack<Number>) {
    typename Pack::Ints e;
    Number const scaled = near_one(x, e);
    Pack const size = modulus_near_one(scaled);
    auto const none = size <= Pack(0);
    Pack const by = Pack(1) / select(none, Pack(1), size);
    return {select(none, Pack(1), scaled.re * by), -scaled.im * by};
  } else {
    return select(x > Pack(0), Pack(1), Pack(-1));
  }
}

/// Lanes in which two numbers are not the same.
template <class Number>
auto differ(Number const& a, Number const& b) {
  if constexpr (is_complex_pack<Number>)
    return differ(a.re, b.re) | differ(a.im, b.im);
  else
    return (a < b) | (a > b);
}

/// 1/x, of complex numbers also where |x|² would leave the range.
template <class Number>
Number inverse_of_pivot(Number const& x) {
  using Pack = RealPackOf<Number>;
  if constexpr (is_complex_pack<Number>) {
    typename Pack::Ints e;
    Number const scaled = near_one(x, e);
    Pack square = scaled.re * scaled.re;
    square.add_product(scaled.im, scaled.im);
    Pack const by = Pack(1) / square;
    auto const half = e >> 1;
    return Number{scaled.re * by, -scaled.im * by} * Pack::power_of_two(-half) *
           Pack::power_of_two(half - e);
  } else {
    return Pack(1) / x;
  }
}

template <class Number>
RealPackOf<Number> real_of(Number const& x) {
  if constexpr (is_complex_pack<Number>)
    return x.re;
  else
    return x;
}

/// Lanes in which a number is finite.
template <class Number>
auto are_finite(Number const& x, RealPackOf<Number> const& infinity) {
  if constexpr (is_complex_pack<Number>)
    return are_finite(x.re, infinity) & are_finite(x.im, infinity);
  else
    return abs(x) < infinity;
}

/// In every lane the entry of y in the row that the lane says.
template <class Number>
Number entry_at(Number const* y, typename RealPackOf<Number>::Ints const& row) {
  using Pack = RealPackOf<Number>;
  auto const* const numbers = reinterpret_cast<typename Pack::Number const*>(y);
  auto const part = [&](int k) {
    Pack x;
    for (int l = 0; l < Pack::width; ++l)
      x.set(
          l,
          numbers[(static_cast<std::ptrdiff_t>(row[l]) * parts_of<Number> + k) * Pack::width + l]);
    return x;
  };
  if constexpr (is_complex_pack<Number>)
    return {part(0), part(1)};
  else
    return part(0);
}

}  // namespace carroll::detail::simd
