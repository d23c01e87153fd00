// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <cstddef>
#include <type_traits>
#include <utility>

/// Numbers of several matrices side by side, one matrix per lane of a host's vector registers.
namespace carroll::detail::simd {

template <int Bytes>
Pack<double, Bytes> square_root(Pack<double, Bytes> const& x) {
  return sqrt(x);
}
template <int Bytes>
Pack<double, Bytes> const& leading(Pack<double, Bytes> const& x) {
  return x;
}

/// carroll::detail::DoubleWord for packs: a device compiler lets no vector types into functions for
/// the device.
template <class Pack>
struct DoublePack {
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  static constexpr int bytes = Pack::bytes, width = Pack::width;

  Pack high, low;

  DoublePack() = default;
  DoublePack(Pack const& high_word, Pack const& low_word = 0.0) : high(high_word), low(low_word) {}
  DoublePack(double x) : high(x), low(0.0) {}

  static DoublePack sum(Pack const& a, Pack const& b) {
    Pack const s = a + b;
    Pack const b_part = s - a;
    return {s, (a - (s - b_part)) + (b - b_part)};
  }
  static DoublePack ordered_sum(Pack const& a, Pack const& b) {
    Pack const s = a + b;
    return {s, b - (s - a)};
  }
  static DoublePack product(Pack const& a, Pack const& b) {
    Pack const p = fma(a, b, 0.0);
    return {p, fma(a, b, -p)};
  }

  friend DoublePack operator-(DoublePack const& x) { return {-x.high, -x.low}; }
  friend DoublePack operator+(DoublePack const& x, DoublePack const& y) {
    DoublePack const s = sum(x.high, y.high);
    DoublePack const t = sum(x.low, y.low);
    DoublePack const u = ordered_sum(s.high, s.low + t.high);
    return ordered_sum(u.high, t.low + u.low);
  }
  friend DoublePack operator-(DoublePack const& x, DoublePack const& y) { return x + (-y); }
  friend DoublePack operator*(DoublePack const& x, DoublePack const& y) {
    DoublePack const p = product(x.high, y.high);
    Pack const cross = fma(x.low, y.high, x.high * y.low);
    return ordered_sum(p.high, p.low + cross);
  }
  friend DoublePack operator/(DoublePack const& x, DoublePack const& y) {
    Pack const quotient = x.high / y.high;
    DoublePack const remainder = x - y * DoublePack(quotient);
    return ordered_sum(quotient, remainder.high / y.high);
  }

  void add_product(DoublePack const& a, DoublePack const& b) { *this = *this + a * b; }
  friend DoublePack accumulate(DoublePack const& sum, DoublePack const& a, DoublePack const& b) {
    return sum + a * b;
  }
  friend DoublePack square_root(DoublePack const& x) {
    Pack const root = sqrt(x.high);
    DoublePack const remainder = x - product(root, root);
    return ordered_sum(root, remainder.high / (Pack(2.0) * root));
  }
  friend Pack const& leading(DoublePack const& x) { return x.high; }
  friend DoublePack select(Mask const& m, DoublePack const& a, DoublePack const& b) {
    return {select(m, a.high, b.high), select(m, a.low, b.low)};
  }
};

/// What `leading` returns.
template <class T>
using Leading = std::remove_cvref_t<decltype(leading(std::declval<T const&>()))>;

/// Columns without gaps, of one matrix per lane: carroll::detail::Columns for packs.
template <class T>
struct PackColumns {
  T* data;
  int rows;
  T* col(int j) const { return data + static_cast<std::ptrdiff_t>(j) * rows; }
  T& operator()(int i, int j) const { return col(j)[i]; }
};

/// The two factors of a scaling by 2^e, |e| <= 2044; what is beyond scales by as much.
template <class Pack>
struct Scaling {
  using Ints = typename Pack::Ints;
  Pack first, second;
  explicit Scaling(Ints const& exponents) {
    Ints const e = max(min(exponents, Ints(2044)), Ints(-2044));
    Ints const half = e >> 1;
    first = Pack::power_of_two(half);
    second = Pack::power_of_two(e - half);
  }
  Pack operator()(Pack const& x) const { return x * first * second; }
};

template <class Pack>
Pack scale(Pack const& x, typename Pack::Ints const& e) {
  return Scaling<Pack>(e)(x);
}

}  // namespace carroll::detail::simd
