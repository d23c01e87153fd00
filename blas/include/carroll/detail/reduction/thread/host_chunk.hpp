// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/reduction/operation.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/simd/rounding.hpp>
#include <carroll/detail/simd/sums.hpp>
#include <cstddef>

namespace carroll::detail {

/// A chunk's sum by a thread of a host, in vector registers of so many bytes: lanes are added in
/// groups for which there are registers enough, row by row, then halved. Entries stand side by
/// side.
template <class Op, int Bytes>
class HostChunk {
  using T = typename Op::T;
  using Real = typename Op::Real;
  using P = Pack<Real, Bytes>;
  using Lane = typename Op::template Lane<P>;
  static constexpr int row = Op::row, packs = row / P::width;
  /// Of 16 registers half are for sums; a compensated one is two.
  static constexpr int held = 8 * int(sizeof(P)) / int(sizeof(Lane));
  static constexpr int group = std::clamp(held, 1, packs);

 public:
  using Partial = typename Op::Partial;

  /// Of `terms` entries, from 1 to 1024.
  static Partial sum(T const* x, T const* y, int terms) {
    Real const* const reals = reinterpret_cast<Real const*>(x);
    Real const* const others = reinterpret_cast<Real const*>(y);
    Partial result = sum_of(reals, others, terms * Op::parts);
    if constexpr (Op::squares)
      if (Op::needs_scaling(result)) result = scaled_sum(reals, terms * Op::parts);
    return result;
  }

 private:
  static Partial sum_of(Real const* x, Real const* y, int reals) {
    int const rows = reals / row, rest = reals % row;
    alignas(Bytes) Real last_x[row], last_y[Op::two_vectors ? row : 1];
    if (rest != 0) {
      fill(last_x, x + rows * row, rest, Real(-0.0));
      if constexpr (Op::two_vectors) fill(last_y, y + rows * row, rest, Real(0));
    }
    Lane lanes[packs];
    for (int first = 0; first < packs; first += group) {
      Lane sums[group];
      auto const add_row = [&](Real const* from, Real const* other) {
        for (int g = 0; g < group; ++g) add(sums[g], from, other, (first + g) * P::width);
      };
      for (int r = 0; r < rows; ++r) add_row(x + r * row, Op::two_vectors ? y + r * row : nullptr);
      if (rest != 0) add_row(last_x, last_y);
      for (int g = 0; g < group; ++g) lanes[first + g] = sums[g];
    }
    return halved(lanes);
  }

  static void add(Lane& lane, Real const* x, [[maybe_unused]] Real const* y, int at) {
    P const a = P::load(x + at);
    if constexpr (Op::two_vectors) {
      P const b = P::load(y + at);
      if constexpr (Op::streams == 2)
        lane.add(a, b, neighbours_exchanged(b));
      else
        lane.add(a, b, b);
    } else {
      lane.add(a);
    }
  }
  static P neighbours_exchanged(P const& x) {
    if constexpr (P::width == 2)
      return shuffled<1, 0>(x, x);
    else if constexpr (P::width == 4)
      return shuffled<1, 0, 3, 2>(x, x);
    else if constexpr (P::width == 8)
      return shuffled<1, 0, 3, 2, 5, 4, 7, 6>(x, x);
    else
      return shuffled<1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14>(x, x);
  }

  static void fill(Real* into, Real const* from, int count, Real otherwise) {
    for (int i = 0; i < row; ++i) into[i] = i < count ? from[i] : otherwise;
  }

  static Partial halved(Lane (&lanes)[packs]) {
    for (int half = packs / 2; half > 0; half /= 2)
      for (int p = 0; p < half; ++p) lanes[p].join(lanes[p + half]);
    using RealLane = typename Op::template Lane<Real>;
    RealLane single[P::width];
    for (int l = 0; l < P::width; ++l) single[l] = lanes[0].each([l](P const& x) { return x[l]; });
    for (int half = P::width / 2; half >= Op::kept; half /= 2)
      for (int l = 0; l < half; ++l) single[l].join(single[l + half]);
    RealLane kept[Op::kept];
    for (int k = 0; k < Op::kept; ++k) kept[k] = single[k];
    return Op::partial(kept);
  }

  /// With entries that are at most 1.
  static Partial scaled_sum(Real const* x, int reals) {
    Real largest = 0;
    for (int i = 0; i < reals; ++i) largest = larger_size(largest, x[i]);
    Partial result{};
    if (largest == 0) return result;
    if (!(largest - largest == 0)) {
      result.sum.add(largest);
      return result;
    }
    int const exponent = exponent_of(largest);
    Real scaled[2 * chunk_terms];
    for (int i = 0; i < reals; ++i) scaled[i] = scale(x[i], -exponent);
    result = sum_of(scaled, nullptr, reals);
    result.exponent = exponent;
    return result;
  }
};

}  // namespace carroll::detail
