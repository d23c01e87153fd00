// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/host_batch/sizes.hpp>
#include <carroll/detail/solve/host_batch/work.hpp>
#include <limits>

/// Powers of two in and out of as many systems as a register has lanes.
namespace carroll::detail::simd {

/// An exponent below all others.
inline constexpr int no_exponent = -(1 << 20);

/// 2^shift for -2·bias < shift < 2·bias, as two factors; what is beyond stops there.
template <class Pack>
struct PowerOfTwo {
  using Ints = typename Pack::Ints;
  static constexpr int most = 2 * (exponent_bias<typename Pack::Number> - 1);
  Pack first, second;

  explicit PowerOfTwo(Ints const& shift) {
    Ints const all = max(min(shift, Ints(most)), Ints(-most)), half = all >> 1;
    first = Pack::power_of_two(half);
    second = Pack::power_of_two(all - half);
  }
  template <class Number>
  friend Number operator*(Number const& x, PowerOfTwo const& by) {
    return x * by.first * by.second;
  }
};

/// x·2^shift for any shift.
template <class Number>
Number times_power_of_two(Number x, typename RealPackOf<Number>::Ints shift) {
  using Pack = RealPackOf<Number>;
  using Ints = typename Pack::Ints;
  constexpr int most = exponent_bias<typename Pack::Number> - 1;
  do {
    Ints const part = max(min(shift, Ints(most)), Ints(-most));
    x = x * Pack::power_of_two(part);
    shift -= part;
  } while (any(~(shift == Ints(0))));
  return x;
}

/// What is known of a group's matrices before they are eliminated.
template <class Pack>
struct SolveSizes {
  using Ints = typename Pack::Ints;
  using Mask = typename Pack::Mask;
  Pack norm = Pack(0);     ///< ‖A‖₁
  Pack largest = Pack(0);  ///< of the entries' parts
  Mask finite = ~Mask(0);
  Mask even;      ///< one power of two does for all entries
  Ints exponent;  ///< of the largest entry
};

/// Of the matrices as they are; exponents of their columns into at.cols. at.Y is overwritten.
template <class Number>
SolveSizes<RealPackOf<Number>> measure(SolveWork<Number> const& at) {
  using Pack = RealPackOf<Number>;
  using Ints = typename Pack::Ints;
  Pack const infinity = std::numeric_limits<typename Pack::Number>::infinity();
  Pack* const row_sizes = reinterpret_cast<Pack*>(at.Y);
  SolveSizes<Pack> sizes;
  for (int i = 0; i < at.n; ++i) row_sizes[i] = Pack(0);
  Ints most = Ints(no_exponent), least = Ints(-no_exponent);
  for (int j = 0; j < at.n; ++j) {
    Pack largest = Pack(0), sum = Pack(0);
    for (int i = 0; i < at.n; ++i) {
      Number const x = at.col(j)[i];
      Pack const size = part_size(x);
      sum += modulus_near_one(x);
      largest = max(size, largest);
      row_sizes[i] = max(size, row_sizes[i]);
    }
    sizes.norm = max(sum, sizes.norm);
    sizes.largest = max(largest, sizes.largest);
    sizes.finite = sizes.finite & (sum < infinity);
    at.cols[j] = exponent_of(largest);
    most = max(most, at.cols[j]);
    least = min(least, at.cols[j]);
  }
  // A sum may have left the range that its terms are in.
  if (any(~sizes.finite)) {
    sizes.finite = ~typename Pack::Mask(0);
    for (int j = 0; j < at.n; ++j)
      for (int i = 0; i < at.n; ++i)
        sizes.finite = sizes.finite & are_finite(at.col(j)[i], infinity);
  }
  sizes.exponent = most;
  sizes.even = most - least < Ints(uneven_places);
  most = Ints(no_exponent), least = Ints(-no_exponent);
  for (int i = 0; i < at.n; ++i) {
    Ints const e = exponent_of(row_sizes[i]);
    most = max(most, e);
    least = min(least, e);
  }
  sizes.even = sizes.even & (most - least < Ints(uneven_places));
  return sizes;
}

/// Brings the matrices near 1: by one power of two, if any, where rows, and columns, are of much
/// the same size, else columns first, then rows, by theirs. That goes by exponents: nothing is lost
/// but entries far below the largest of their row and column.
template <class Number>
SolveSizes<RealPackOf<Number>> equilibrate(SolveWork<Number>& at) {
  using Pack = RealPackOf<Number>;
  using Ints = typename Pack::Ints;
  int const n = at.n;
  auto sizes = measure(at);
  Ints const places = max(sizes.exponent, -sizes.exponent),
             common = select(places < Ints(near_one_places), Ints(0), sizes.exponent);
  at.even = !any(~sizes.even);
  for (int j = 0; j < n; ++j) {
    at.cols[j] = -select(sizes.even, common, at.cols[j]);
    at.rows[j] = Ints(at.even ? 0 : no_exponent);
  }
  if (at.even && !any(~(common == Ints(0)))) return sizes;
  for (int j = 0; j < n && !at.even; ++j)
    for (int i = 0; i < n; ++i) {
      Pack const x = part_size(at.col(j)[i]);
      Ints const e = select(x > Pack(0), exponent_of(x) + at.cols[j], Ints(no_exponent));
      at.rows[i] = max(at.rows[i], e);
    }
  for (int i = 0; i < n && !at.even; ++i) {  // rows of zeros stay as they are
    auto const stays = sizes.even | (at.rows[i] == Ints(no_exponent));
    at.rows[i] = select(stays, Ints(0), -at.rows[i]);
  }
  sizes.norm = sizes.largest = Pack(0);
  PowerOfTwo<Pack> by(-common);
  for (int j = 0; j < n; ++j) {
    Pack sum = Pack(0);
    for (int i = 0; i < n; ++i) {
      if (!at.even) by = PowerOfTwo<Pack>(at.cols[j] + at.rows[i]);
      Number const x = at.col(j)[i] * by;
      at.col(j)[i] = x;
      sum += modulus_near_one(x);
      sizes.largest = max(part_size(x), sizes.largest);
    }
    sizes.norm = max(sum, sizes.norm);
  }
  return sizes;
}

/// A right-hand side times the powers of two of the rows and one of its own, which brings it near
/// 1. Returns the exponent of that, and in `finite` the lanes in which it is.
template <class Number>
auto scale_down(SolveWork<Number> const& at, Number* y, typename RealPackOf<Number>::Mask& finite) {
  using Pack = RealPackOf<Number>;
  using Ints = typename Pack::Ints;
  Pack const infinity = std::numeric_limits<typename Pack::Number>::infinity();
  Pack largest = Pack(0);
  Ints e = Ints(no_exponent);
  for (int i = 0; i < at.n; ++i) {
    Pack const size = bounded_part(y[i], infinity);
    largest = max(largest, size);
    if (!at.even) e = max(e, select(size > Pack(0), exponent_of(size) + at.rows[i], e));
  }
  if (at.even) e = exponent_of(largest);
  e = select(largest > Pack(0), e, Ints(0));
  finite = finite & (largest < infinity);
  PowerOfTwo<Pack> by(-e);
  for (int i = 0; i < at.n; ++i) {
    if (!at.even) by = PowerOfTwo<Pack>(at.rows[i] - e);
    y[i] = y[i] * by;
  }
  return e;
}

/// The solution for a right-hand side that was multiplied by 2^-e. Adds to the lanes in which
/// numbers have left the range before, `broken`, and leave it now, `overflow`.
template <class Number>
void scale_up(SolveWork<Number> const& at, Number* y, typename RealPackOf<Number>::Ints const& e,
              typename RealPackOf<Number>::Mask& broken,
              typename RealPackOf<Number>::Mask& overflow) {
  using Pack = RealPackOf<Number>;
  using Ints = typename Pack::Ints;
  constexpr int most = exponent_bias<typename Pack::Number> - 1;
  Pack const infinity = std::numeric_limits<typename Pack::Number>::infinity();
  if (at.n == 0) return;
  Ints const shift = at.cols[0] + e, size = max(shift, -shift);
  bool const one_for_all = at.even && !any(size > Ints(most));
  Pack const by = Pack::power_of_two(one_for_all ? shift : Ints(0));
  auto before = ~typename Pack::Mask(0), after = before;
  for (int i = 0; i < at.n; ++i) {
    before = before & are_finite(y[i], infinity);
    y[i] = one_for_all ? y[i] * by : times_power_of_two(y[i], at.cols[i] + e);
    after = after & are_finite(y[i], infinity);
  }
  broken = broken | ~before;
  overflow = overflow | ~after;
}

}  // namespace carroll::detail::simd
