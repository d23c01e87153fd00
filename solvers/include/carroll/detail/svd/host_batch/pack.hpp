// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// Numbers of several matrices side by side, one matrix per lane of a host's vector registers.
///
/// Kokkos' own simd type follows the architecture that Kokkos was configured for, which for a
/// distribution's package is none; these follow the flags of the compilation at hand. All
/// operations are lane by lane: no result depends on what the other lanes hold.
namespace carroll::detail::simd {

#if defined(__AVX512F__)
inline constexpr int width = 8;
#elif defined(__AVX__)
inline constexpr int width = 4;
#else
inline constexpr int width = 2;
#endif

/// Whole numbers, one per lane; as the result of a comparison all bits of a lane or none.
struct Ints {
  typedef std::int64_t Vector __attribute__((vector_size(8 * width)));
  Vector v;

  Ints() = default;
  Ints(Vector x) : v(x) {}
  Ints(int x) : v(Vector{} + x) {}
  std::int64_t operator[](int lane) const { return v[lane]; }
  void set(int lane, std::int64_t x) { v[lane] = x; }

  friend Ints operator+(Ints a, Ints b) { return a.v + b.v; }
  friend Ints operator-(Ints a, Ints b) { return a.v - b.v; }
  friend Ints operator-(Ints a) { return -a.v; }
  friend Ints operator&(Ints a, Ints b) { return a.v & b.v; }
  friend Ints operator|(Ints a, Ints b) { return a.v | b.v; }
  friend Ints operator~(Ints a) { return ~a.v; }
  friend Ints operator<(Ints a, Ints b) { return a.v < b.v; }
  friend Ints operator>(Ints a, Ints b) { return a.v > b.v; }
  friend Ints operator==(Ints a, Ints b) { return a.v == b.v; }
};
using Mask = Ints;

/// Real numbers, one per lane.
struct Pack {
  typedef double Vector __attribute__((vector_size(8 * width)));
  Vector v;

  Pack() = default;
  Pack(Vector x) : v(x) {}
  Pack(double x) : v(x - Vector{}) {}  // keeps the sign of -0
  double operator[](int lane) const { return v[lane]; }
  void set(int lane, double x) { v[lane] = x; }

  friend Pack operator+(Pack a, Pack b) { return a.v + b.v; }
  friend Pack operator-(Pack a, Pack b) { return a.v - b.v; }
  friend Pack operator*(Pack a, Pack b) { return a.v * b.v; }
  friend Pack operator/(Pack a, Pack b) { return a.v / b.v; }
  friend Pack operator-(Pack a) { return -a.v; }
  Pack& operator+=(Pack x) { return *this = *this + x; }
  Pack& operator-=(Pack x) { return *this = *this - x; }
  friend Mask operator<(Pack a, Pack b) { return Mask(a.v < b.v); }
  friend Mask operator>(Pack a, Pack b) { return Mask(a.v > b.v); }
  friend Mask operator<=(Pack a, Pack b) { return Mask(a.v <= b.v); }
  friend Mask operator>=(Pack a, Pack b) { return Mask(a.v >= b.v); }
};

inline Pack select(Mask m, Pack a, Pack b) {
  return m.v ? a.v : b.v;
}
inline Ints select(Mask m, Ints a, Ints b) {
  return m.v ? a.v : b.v;
}
inline Pack max(Pack a, Pack b) {
  return select(a > b, a, b);
}
inline Pack min(Pack a, Pack b) {
  return select(a < b, a, b);
}
inline Ints max(Ints a, Ints b) {
  return select(a > b, a, b);
}
inline Ints min(Ints a, Ints b) {
  return select(a < b, a, b);
}

inline Ints bits_of(Pack x) {
  return reinterpret_cast<Ints::Vector>(x.v);
}
inline Pack from_bits(Ints x) {
  return reinterpret_cast<Pack::Vector>(x.v);
}
inline Pack abs(Pack x) {
  return from_bits(bits_of(x) & ~bits_of(Pack(-0.0)));
}

/// The compiler may not use the vector instructions by itself: a square root may set errno.
inline Pack sqrt(Pack x) {
#if defined(__AVX512F__)
  return Pack::Vector(_mm512_maskz_sqrt_pd(0xff, x.v));  // the plain one makes g++ 12 warn
#elif defined(__AVX__)
  return Pack::Vector(_mm256_sqrt_pd(x.v));
#elif defined(__SSE2__)
  return Pack::Vector(_mm_sqrt_pd(x.v));
#else
  for (int l = 0; l < width; ++l) x.v[l] = std::sqrt(x.v[l]);
  return x;
#endif
}

/// a·b + c, rounded once.
inline Pack fma(Pack a, Pack b, Pack c) {
#if defined(__AVX512F__)
  return Pack::Vector(_mm512_fmadd_pd(a.v, b.v, c.v));
#elif defined(__FMA__)
  return Pack::Vector(_mm256_fmadd_pd(a.v, b.v, c.v));
#else
  for (int l = 0; l < width; ++l) c.v[l] = std::fma(a.v[l], b.v[l], c.v[l]);
  return c;
#endif
}

/// sum + a·b, rounded once where that is the faster way.
inline Pack accumulate(Pack sum, Pack a, Pack b) {
#if defined(__FMA__) || defined(__aarch64__)
  return fma(a, b, sum);
#else
  return sum + a * b;
#endif
}
inline Pack square_root(Pack x) {
  return sqrt(x);
}
inline Pack leading(Pack x) {
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

/// A bit per lane.
inline unsigned lanes_in(Mask m) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask(__m512i(m.v), __m512i(m.v));
#elif defined(__AVX__)
  return static_cast<unsigned>(_mm256_movemask_pd(__m256d(m.v)));
#else
  unsigned bits = 0;
  for (int l = 0; l < width; ++l) bits |= m.v[l] != 0 ? 1u << l : 0u;
  return bits;
#endif
}
inline bool any(Mask m) {
  return lanes_in(m) != 0;
}

/// 2^e for -1023 < e < 1024.
inline Pack power_of_two(Ints e) {
  return from_bits((e + exponent_bias<double>).v << mantissa_bits<double>);
}

/// e with 2^(e-1) <= |x| < 2^e, subnormal numbers included; some number for what is not finite.
inline Ints exponent_of(Pack x) {
  constexpr int lift = std::numeric_limits<double>::digits;
  Mask const tiny = abs(x) < Pack(std::numeric_limits<double>::min());
  Pack const lifted = select(tiny, x * Pack(carroll::detail::power_of_two<double>(lift)), x);
  Ints const biased = (bits_of(lifted).v >> mantissa_bits<double>)&0x7ff;
  return biased - Ints(exponent_bias<double> - 1) - (tiny & Ints(lift));
}

/// The two factors of a scaling by 2^e, |e| <= 2044; what is beyond scales by as much.
struct Scaling {
  Pack first, second;
  explicit Scaling(Ints e) {
    e = max(min(e, Ints(2044)), Ints(-2044));
    Ints const half = e.v >> 1;
    first = power_of_two(half);
    second = power_of_two(e - half);
  }
  Pack operator()(Pack x) const { return x * first * second; }
};

inline Pack scale(Pack x, Ints e) {
  return Scaling(e)(x);
}

}  // namespace carroll::detail::simd
