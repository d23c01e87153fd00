// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/compiler.hpp>
#include <carroll/detail/simd/pack.hpp>

/// Sums of a register's lanes, in orders that are written down.
namespace carroll::detail {

/// Lanes of x, counted on into y, in the order given.
template <int... Lanes, class Real, int Bytes>
Pack<Real, int(sizeof...(Lanes) * sizeof(Real))> shuffled(Pack<Real, Bytes> const& x,
                                                          Pack<Real, Bytes> const& y) {
  using Result = Pack<Real, int(sizeof...(Lanes) * sizeof(Real))>;
#ifdef CARROLL_DEVICE_COMPILER  // nvcc 13.0 crashes on the function of g++ and clang
  constexpr int width = Pack<Real, Bytes>::width;
  Result result;
  int at = 0;
  (result.set(at++, Lanes < width ? x[Lanes % width] : y[Lanes % width]), ...);
  return result;
#else
  return Result(__builtin_shufflevector(x.v, y.v, Lanes...));
#endif
}

/// The lower half plus the upper one.
template <class Real, int Bytes>
Pack<Real, Bytes / 2> halves_added(Pack<Real, Bytes> const& x) {
  constexpr int width = Pack<Real, Bytes>::width;
  if constexpr (width == 16)
    return shuffled<0, 1, 2, 3, 4, 5, 6, 7>(x, x) + shuffled<8, 9, 10, 11, 12, 13, 14, 15>(x, x);
  else if constexpr (width == 8)
    return shuffled<0, 1, 2, 3>(x, x) + shuffled<4, 5, 6, 7>(x, x);
  else
    return shuffled<0, 1>(x, x) + shuffled<2, 3>(x, x);
}

/// One half is added to the other until one number is left.
template <class Real, int Bytes>
Real sum_of(Pack<Real, Bytes> const& x) {
  if constexpr (Pack<Real, Bytes>::width == 2)
    return x[0] + x[1];
  else
    return sum_of(halves_added(x));
}

/// out[i] := Σ of the lanes of x[i], by halves to four lanes, of which neighbours are added first.
template <class Real, int Bytes>
void sums_of_four(Pack<Real, Bytes> const (&x)[4], Real* out) {
  using P = Pack<Real, Bytes>;
  if constexpr (P::width > 4) {
    Pack<Real, Bytes / 2> const halves[4] = {halves_added(x[0]), halves_added(x[1]),
                                             halves_added(x[2]), halves_added(x[3])};
    sums_of_four(halves, out);
  } else if constexpr (Bytes == 16) {
    auto const pairs = [](P const& a, P const& b) {
      return shuffled<0, 2, 4, 6>(a, b) + shuffled<1, 3, 5, 7>(a, b);
    };
    store(out, pairs(pairs(x[0], x[1]), pairs(x[2], x[3])));
  } else {  // halves of a register meet last
    auto const pairs = [](P const& a, P const& b) {
      return shuffled<0, 4, 2, 6>(a, b) + shuffled<1, 5, 3, 7>(a, b);
    };
    P const a = pairs(x[0], x[1]), b = pairs(x[2], x[3]);
    store(out, shuffled<0, 1, 6, 7>(a, b) + shuffled<2, 3, 4, 5>(a, b));
  }
}

/// Σ of each of eight packs of eight in memory, neighbours first.
template <int Bytes>
Pack<double, Bytes> sums_of_eight(double const (*lanes)[8]) {
  using P = Pack<double, Bytes>;
  static_assert(P::width == 8);
  auto const pairs = [&](int i) {
    P const x = P::load(lanes[i]), y = P::load(lanes[i + 1]);
    return shuffled<0, 8, 2, 10, 4, 12, 6, 14>(x, y) + shuffled<1, 9, 3, 11, 5, 13, 7, 15>(x, y);
  };
  auto const merged = [](P const& x, P const& y) {
    return shuffled<0, 1, 4, 5, 8, 9, 12, 13>(x, y) + shuffled<2, 3, 6, 7, 10, 11, 14, 15>(x, y);
  };
  return merged(merged(pairs(0), pairs(2)), merged(pairs(4), pairs(6)));
}

}  // namespace carroll::detail
