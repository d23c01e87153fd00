// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <carroll/detail/simd/choice.hpp>
#include <carroll/detail/simd/sums.hpp>
#include <type_traits>
#include <utility>

/// Sums of a block of numbers at a time on hosts, in several registers, so that one addition need
/// not wait for the one before. Products are fused with the sums that they go to where the
/// processor can do that.
namespace carroll::detail {

/// Registers hold what stays in them where all is inlined at once, into functions that have no more
/// than one loop's worth of them.
#if defined(__GNUC__)
#define CARROLL_HOST_INLINE __attribute__((always_inline))
#else
#define CARROLL_HOST_INLINE
#endif

/// Asks for a cache line that will soon be written: another processor may have it.
CARROLL_HOST_INLINE inline void expect_write([[maybe_unused]] void const* place) {
#if defined(__GNUC__)
  __builtin_prefetch(place, 1);
#endif
}

/// A block of numbers: eight of them, sixteen where a register holds eight. Every eighth, or
/// sixteenth, term of a sum goes to the same lane, and lanes are added in pairs.
template <int Bytes>
struct HostNumbers {
  using Register = Pack<double, Bytes>;
  using Instructions = typename Register::Instructions;
  static constexpr int width = Register::width;
  static constexpr int lanes = width == 8 ? 16 : 8;
  static constexpr int parts = lanes / width;

  /// f(std::integral_constant<int, p>) for the registers p of a block.
  template <class F>
  CARROLL_HOST_INLINE static void for_parts(F const& f) {
    [&]<int... P>(std::integer_sequence<int, P...>) CARROLL_HOST_INLINE {
      (f(std::integral_constant<int, P>{}), ...);
    }
    (std::make_integer_sequence<int, parts>{});
  }

  /// Loads that touch nothing behind the numbers that are wanted. Those of float are not masked:
  /// what is made of them is, at no cost.
  template <class Real>
  static constexpr bool masks_loads = Instructions::masks&& std::is_same_v<Real, double>;

  /// Part p of a block of which the numbers first <= i < last are wanted, and the others zero.
  /// Where loads are not masked all must be there, and first is 0.
  template <class Real>
  CARROLL_HOST_INLINE static Register load_part(Real const* source, int p,
                                                [[maybe_unused]] int first, int last) {
    int const at = p * width;
    if constexpr (Instructions::masks) {
      unsigned const wanted = bits_between(first, last) >> at;
      Register x;
      if constexpr (std::is_same_v<Real, double>)
        Instructions::load(x.v, wanted, source + at);
      else
        Instructions::widen(x.v, wanted, source + at);
      return x;
    } else {
      Register lane;
      for (int w = 0; w < width; ++w) lane.set(w, w);
      return select(lane < Register(last - at), Register::load(source + at), Register(0.0));
    }
  }

  /// Sums that are formed side by side where the processor does that well, and one such number for
  /// each lane of them.
  static constexpr bool side_by_side = Instructions::masks;
  static constexpr int sums_at_once = side_by_side ? width : 1;
  using Sums = std::conditional_t<side_by_side, Register, double>;

  /// Σ of each of so many registers in memory.
  CARROLL_HOST_INLINE static Sums sums_of(double const (*terms)[8]) {
    if constexpr (side_by_side)
      return sums_of_eight<Bytes>(terms);
    else
      return terms[0][0];
  }
  CARROLL_HOST_INLINE static Sums load_sums(double const* source) {
    if constexpr (side_by_side)
      return Register::load(source);
    else
      return *source;
  }
  CARROLL_HOST_INLINE static void store_sums(double* target, Sums const& x) {
    if constexpr (side_by_side)
      store(target, x);
    else
      *target = x;
  }
  /// The first `count` of them, and zeros.
  CARROLL_HOST_INLINE static Sums first_of(Sums const& x, [[maybe_unused]] int count) {
    Sums kept = x;
    if constexpr (side_by_side) Instructions::clear_others(kept.v, bits_between(0, count));
    return kept;
  }
  CARROLL_HOST_INLINE static double total(Sums const& x) {
    if constexpr (side_by_side)
      return sum_of(x);
    else
      return x;
  }

  /// Copies the numbers first <= i < last of eight.
  CARROLL_HOST_INLINE static void copy_some(double* target, double const* source, int first,
                                            int last) {
    if constexpr (Instructions::masks)
      Instructions::store(target, bits_between(first, last), Register::load(source).v);
    else
      for (int i = first; i < last; ++i) target[i] = source[i];
  }
  /// How many of them are above zero.
  CARROLL_HOST_INLINE static int count_positive(double const* x, int first, int last) {
    if constexpr (Instructions::masks)
      return std::popcount(lanes_in(Register::load(x) > Register(0.0)) & bits_between(first, last));
    int count = 0;
    for (int i = first; i < last; ++i) count += x[i] > 0 ? 1 : 0;
    return count;
  }

 private:
  /// A bit for each of the numbers first <= i < last of a block; last may be beyond it.
  CARROLL_HOST_INLINE static unsigned bits_between(int first, int last) {
    constexpr unsigned all = (1u << lanes) - 1;
    return (all >> (last < lanes ? lanes - last : 0)) & (all << first);
  }
};

CARROLL_HOST_INLINE inline double select(bool first, double x, double y) {
  return first ? x : y;
}

/// A sum for each lane of a block.
template <int Bytes>
struct BlockSums {
  using Numbers = HostNumbers<Bytes>;
  static constexpr int parts = Numbers::parts;

  typename Numbers::Register part[parts] = {};

  /// For HostNumbers::sums_of.
  CARROLL_HOST_INLINE void leave(double (&lanes)[8]) const {
    if constexpr (Numbers::side_by_side)
      store(lanes, part[0] + part[1 % parts]);
    else
      lanes[0] = sum();
  }

  [[nodiscard]] CARROLL_HOST_INLINE double sum() const {
    if constexpr (parts == 4)
      return sum_of((part[0] + part[2]) + (part[1] + part[3]));
    else
      return sum_of(part[0] + part[1]);
  }

  /// In lanes whose sum is that of the block.
  [[nodiscard]] CARROLL_HOST_INLINE typename Numbers::Sums side_by_side() const {
    alignas(64) double lanes[8];
    leave(lanes);
    return Numbers::load_sums(lanes);
  }
};

/// Σ x·y of n terms, side by side in memory.
template <int Bytes>
double dot_of(double const* x, double const* y, int n) {
  using Numbers = HostNumbers<Bytes>;
  using Register = typename Numbers::Register;
  BlockSums<Bytes> sum;
  int i = 0;
  for (; i + Numbers::lanes <= n; i += Numbers::lanes)
    Numbers::for_parts([&](auto p) CARROLL_HOST_INLINE {
      int const at = i + p * Numbers::width;
      sum.part[p] = accumulate(sum.part[p], Register::load(x + at), Register::load(y + at));
    });
  double all = sum.sum();
  for (; i < n; ++i) all += x[i] * y[i];
  return all;
}

struct HostDot {
  double const *x, *y;
  int n;
  double& sum;

  template <int Bytes>
  void run() const {
    sum = dot_of<Bytes>(x, y, n);
  }
};

/// The same with this processor's registers.
inline double host_dot(double const* x, double const* y, int n) {
  double sum;
  with_host_vectors(HostDot{x, y, n, sum});
  return sum;
}

}  // namespace carroll::detail
