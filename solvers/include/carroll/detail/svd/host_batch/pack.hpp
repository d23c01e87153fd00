// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <cstddef>

/// Numbers of several matrices side by side, one matrix per lane of a host's vector registers.
namespace carroll::detail::simd {

using Pack = carroll::detail::Pack<double, compiled_vector_bytes>;
using Ints = Pack::Ints;
using Mask = Pack::Mask;
inline constexpr int width = Pack::width;

inline Pack square_root(Pack const& x) {
  return sqrt(x);
}
inline Pack leading(Pack const& x) {
  return x;
}

/// carroll::detail::DoubleWord for packs: a device compiler lets no vector types into functions for
/// the device.
struct DoublePack {
  Pack high, low;

  DoublePack() = default;
  DoublePack(Pack high_word, Pack low_word = 0.0) : high(high_word), low(low_word) {}
  DoublePack(double x) : high(x), low(0.0) {}

  static DoublePack sum(Pack a, Pack b) {
    Pack const s = a + b;
    Pack const b_part = s - a;
    return {s, (a - (s - b_part)) + (b - b_part)};
  }
  static DoublePack ordered_sum(Pack a, Pack b) {
    Pack const s = a + b;
    return {s, b - (s - a)};
  }
  static DoublePack product(Pack a, Pack b) {
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
};

inline DoublePack accumulate(DoublePack const& sum, DoublePack const& a, DoublePack const& b) {
  return sum + a * b;
}
inline DoublePack square_root(DoublePack const& x) {
  Pack const root = sqrt(x.high);
  DoublePack const remainder = x - DoublePack::product(root, root);
  return DoublePack::ordered_sum(root, remainder.high / (Pack(2.0) * root));
}
inline Pack leading(DoublePack const& x) {
  return x.high;
}
inline DoublePack select(Mask m, DoublePack const& a, DoublePack const& b) {
  return {select(m, a.high, b.high), select(m, a.low, b.low)};
}

/// Columns without gaps, of one matrix per lane: carroll::detail::Columns for packs.
template <class T>
struct PackColumns {
  T* data;
  int rows;
  T* col(int j) const { return data + static_cast<std::ptrdiff_t>(j) * rows; }
  T& operator()(int i, int j) const { return col(j)[i]; }
};

/// The two factors of a scaling by 2^e, |e| <= 2044; what is beyond scales by as much.
struct Scaling {
  Pack first, second;
  explicit Scaling(Ints e) {
    e = max(min(e, Ints(2044)), Ints(-2044));
    Ints const half = e >> 1;
    first = Pack::power_of_two(half);
    second = Pack::power_of_two(e - half);
  }
  Pack operator()(Pack x) const { return x * first * second; }
};

inline Pack scale(Pack x, Ints e) {
  return Scaling(e)(x);
}

}  // namespace carroll::detail::simd
