// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/simd/instructions.hpp>
#include <carroll/detail/simd/spread.hpp>
#include <limits>
#include <type_traits>

/// Numbers side by side in a vector register of a host, with the operations of one number.
///
/// Kokkos' own simd type follows the architecture that Kokkos was configured for, which for a
/// distribution's package is none. All operations are lane by lane: no result depends on what the
/// other lanes hold.
namespace carroll::detail {

/// Whole numbers, one per lane; as the result of a comparison all bits of a lane or none.
template <class Real, int Bytes>
struct IntPack {
  using Vector = typename HostVector<Real, Bytes>::Ints;
  using Int = typename HostVector<Real, Bytes>::Int;
  using Instructions = HostInstructions<Bytes>;
  static constexpr int width = HostVector<Real, Bytes>::width;
  Vector v;

  IntPack() = default;
  IntPack(Vector const& x) : v(x) {}
  IntPack(IntPack const& x) : v(x.v) {}
  IntPack& operator=(IntPack const& x) {
    v = x.v;
    return *this;
  }
  IntPack(Int x) { Spread<Bytes>::run(v, &x); }
  Int operator[](int lane) const { return v[lane]; }
  void set(int lane, Int x) { v[lane] = x; }

  friend IntPack operator+(IntPack const& a, IntPack const& b) { return a.v + b.v; }
  friend IntPack operator-(IntPack const& a, IntPack const& b) { return a.v - b.v; }
  friend IntPack operator-(IntPack const& a) { return -a.v; }
  friend IntPack operator&(IntPack const& a, IntPack const& b) {
    IntPack all;
    Instructions::both(all.v, a.v, b.v);
    return all;
  }
  friend IntPack operator|(IntPack const& a, IntPack const& b) {
    IntPack all;
    Instructions::either(all.v, a.v, b.v);
    return all;
  }
  friend IntPack operator~(IntPack const& a) { return ~a.v; }
  friend IntPack operator<<(IntPack const& a, int bits) { return a.v << bits; }
  friend IntPack operator>>(IntPack const& a, int bits) { return a.v >> bits; }
  friend IntPack operator<(IntPack const& a, IntPack const& b) {
    IntPack mask;
    Instructions::less(mask.v, a.v, b.v);
    return mask;
  }
  friend IntPack operator>(IntPack const& a, IntPack const& b) { return b < a; }
  friend IntPack operator==(IntPack const& a, IntPack const& b) {
    IntPack mask;
    Instructions::equal(mask.v, a.v, b.v);
    return mask;
  }
  IntPack& operator-=(IntPack const& x) { return *this = *this - x; }
  IntPack& operator|=(IntPack const& x) { return *this = *this | x; }

  friend IntPack select(IntPack const& mask, IntPack const& a, IntPack const& b) {
    IntPack x;
    Instructions::choose(x.v, mask.v, a.v, b.v);
    return x;
  }
  friend IntPack max(IntPack const& a, IntPack const& b) { return select(a > b, a, b); }
  friend IntPack min(IntPack const& a, IntPack const& b) { return select(a < b, a, b); }

  /// A bit per lane of a mask.
  friend unsigned lanes_in(IntPack const& mask) { return Instructions::lanes(mask.v); }
  friend bool any(IntPack const& mask) { return lanes_in(mask) != 0; }
};

/// Real numbers, one per lane.
template <class Real, int Bytes>
struct Pack {
  using Vector = typename HostVector<Real, Bytes>::Type;
  using Ints = IntPack<Real, Bytes>;
  using Mask = Ints;
  using Number = Real;
  using Instructions = HostInstructions<Bytes>;
  static constexpr int bytes = Bytes, width = HostVector<Real, Bytes>::width;
  Vector v;

  Pack() = default;
  Pack(Vector const& x) : v(x) {}
  // Copied as a register, which g++ need not do otherwise, and passed in memory, as whoever is
  // passed one may be compiled for another processor.
  Pack(Pack const& x) : v(x.v) {}
  Pack& operator=(Pack const& x) {
    v = x.v;
    return *this;
  }
  Pack(Real x) { Spread<Bytes>::run(v, &x); }
  Real operator[](int lane) const { return v[lane]; }
  void set(int lane, Real x) { v[lane] = x; }

  /// Consecutive numbers in memory, aligned as single ones are; float as double.
  template <class From>
  static Pack load(From const* source) {
    Pack x;
    if constexpr (std::is_same_v<From, Real>)
      x.v = HostVector<Real, Bytes>::loose(source);
    else
      Instructions::widen(x.v, source);
    return x;
  }
  friend void store(Real* target, Pack const& x) { HostVector<Real, Bytes>::loose(target) = x.v; }
  /// Past the caches, to a place that is aligned to `Bytes`.
  friend void stream(Real* target, Pack const& x) { Instructions::stream(target, x.v); }

  friend Pack operator+(Pack const& a, Pack const& b) { return a.v + b.v; }
  friend Pack operator-(Pack const& a, Pack const& b) { return a.v - b.v; }
  friend Pack operator*(Pack const& a, Pack const& b) { return a.v * b.v; }
  friend Pack operator/(Pack const& a, Pack const& b) { return a.v / b.v; }
  friend Pack operator-(Pack const& a) { return -a.v; }
  Pack& operator+=(Pack const& x) { return *this = *this + x; }
  Pack& operator-=(Pack const& x) { return *this = *this - x; }
  /// `accumulate` in place, which leaves arrays of sums in registers.
  void add_product(Pack const& a, Pack const& b) {
    if constexpr (Instructions::fuses)
      Instructions::add_exactly(v, a.v, b.v);
    else
      v += a.v * b.v;
  }
  friend Mask operator<(Pack const& a, Pack const& b) {
    Mask mask;
    Instructions::less(mask.v, a.v, b.v);
    return mask;
  }
  friend Mask operator>(Pack const& a, Pack const& b) { return b < a; }
  friend Mask operator<=(Pack const& a, Pack const& b) {
    Mask mask;
    Instructions::less_equal(mask.v, a.v, b.v);
    return mask;
  }
  friend Mask operator>=(Pack const& a, Pack const& b) { return b <= a; }

  friend Pack select(Mask const& mask, Pack const& a, Pack const& b) {
    Pack x;
    Instructions::choose(x.v, mask.v, a.v, b.v);
    return x;
  }
  friend Pack max(Pack const& a, Pack const& b) { return select(a > b, a, b); }
  friend Pack min(Pack const& a, Pack const& b) { return select(a < b, a, b); }
  friend Ints bits_of(Pack const& x) { return reinterpret_cast<typename Ints::Vector>(x.v); }
  friend Pack abs(Pack const& x) { return from_bits(bits_of(x) & ~bits_of(Pack(Real(-0.0)))); }
  friend Pack sqrt(Pack const& x) {
    Pack root = x;
    Instructions::root(root.v);
    return root;
  }

  /// a·b + c, rounded once.
  friend Pack fma(Pack const& a, Pack const& b, Pack const& c) {
    Pack all = c;
    Instructions::add_exactly(all.v, a.v, b.v);
    return all;
  }
  /// sum ± a·b, rounded once where that is the faster way.
  friend Pack accumulate(Pack const& sum, Pack const& a, Pack const& b) {
    if constexpr (Instructions::fuses) return fma(a, b, sum);
    return sum.v + a.v * b.v;
  }
  friend Pack subtract_product(Pack const& sum, Pack const& a, Pack const& b) {
    if constexpr (Instructions::fuses) return fma(-a, b, sum);
    return sum.v - a.v * b.v;
  }

  static Pack from_bits(Ints const& x) { return reinterpret_cast<Vector>(x.v); }
  /// 2^e for -bias <= e <= bias; 0 for the first of these.
  static Pack power_of_two(Ints const& e) {
    return from_bits((e + Ints(exponent_bias<Real>)) << mantissa_bits<Real>);
  }
  /// e with 2^(e-1) <= |x| < 2^e, subnormal numbers included; some number for what is not finite.
  friend Ints exponent_of(Pack const& x) {
    constexpr int lift = std::numeric_limits<Real>::digits;
    constexpr typename Ints::Int field = 2 * exponent_bias<Real> + 1;
    Mask const tiny = abs(x) < Pack(std::numeric_limits<Real>::min());
    Pack const lifted = select(tiny, x * Pack(carroll::detail::power_of_two<Real>(lift)), x);
    Ints const biased = (bits_of(lifted) >> mantissa_bits<Real>)&Ints(field);
    return biased - Ints(exponent_bias<Real> - 1) - (tiny & Ints(lift));
  }
};

}  // namespace carroll::detail
