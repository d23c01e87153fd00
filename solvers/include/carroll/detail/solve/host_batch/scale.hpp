// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/solve/batch.hpp>
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
  friend Pack operator*(Pack const& x, PowerOfTwo const& by) { return x * by.first * by.second; }
};

/// x·2^shift for any shift.
template <class Pack>
Pack times_power_of_two(Pack x, typename Pack::Ints shift) {
  using Ints = typename Pack::Ints;
  constexpr int most = exponent_bias<typename Pack::Number> - 1;
  do {
    Ints const part = max(min(shift, Ints(most)), Ints(-most));
    x = x * Pack::power_of_two(part);
    shift -= part;
  } while (any(~(shift == Ints(0))));
  return x;
}

/// |x|, infinite where x is NaN.
template <class Pack>
Pack size_of(Pack const& x) {
  Pack const infinity = std::numeric_limits<typename Pack::Number>::infinity(), size = abs(x);
  return select(size < infinity, size, infinity);
}

/// What is known of a group's matrices before they are eliminated.
template <class Pack>
struct SolveSizes {
  Pack norm = Pack(0);     ///< ‖A‖₁
  Pack largest = Pack(0);  ///< of the entries
  typename Pack::Mask finite;
};

/// Brings the matrices near 1: by one power of two where rows, and columns, are of much the same
/// size, else columns first, then rows, by theirs. That goes by exponents: nothing is lost but
/// entries far below the largest of their row and column.
template <class Pack>
SolveSizes<Pack> equilibrate(SolveWork<Pack>& at) {
  using Ints = typename Pack::Ints;
  int const n = at.n;
  Pack* const row_sizes = at.Y;
  Pack const infinity = std::numeric_limits<typename Pack::Number>::infinity();
  SolveSizes<Pack> sizes;
  sizes.finite = ~typename Pack::Mask(0);
  for (int i = 0; i < n; ++i) row_sizes[i] = Pack(0);
  Ints most = Ints(no_exponent), least = Ints(-no_exponent);
  for (int j = 0; j < n; ++j) {
    Pack largest = Pack(0);
    for (int i = 0; i < n; ++i) {
      Pack const size = size_of(at.col(j)[i]);
      largest = max(largest, size);
      row_sizes[i] = max(row_sizes[i], size);
    }
    sizes.finite = sizes.finite & (largest < infinity);
    at.cols[j] = exponent_of(largest);
    most = max(most, at.cols[j]);
    least = min(least, at.cols[j]);
  }
  auto even = most - least < Ints(uneven_places);
  Ints const common = most;
  most = Ints(no_exponent), least = Ints(-no_exponent);
  for (int i = 0; i < n; ++i) {
    Ints const e = exponent_of(row_sizes[i]);
    most = max(most, e);
    least = min(least, e);
  }
  even = even & (most - least < Ints(uneven_places));
  at.even = !any(~even);
  for (int j = 0; j < n; ++j) {
    at.cols[j] = -select(even, common, at.cols[j]);
    at.rows[j] = Ints(at.even ? 0 : no_exponent);
  }
  for (int j = 0; j < n && !at.even; ++j)
    for (int i = 0; i < n; ++i) {
      Pack const x = at.col(j)[i];
      Ints const e = select(abs(x) > Pack(0), exponent_of(x) + at.cols[j], Ints(no_exponent));
      at.rows[i] = max(at.rows[i], e);
    }
  for (int i = 0; i < n && !at.even; ++i) at.rows[i] = select(even, Ints(0), -at.rows[i]);
  PowerOfTwo<Pack> by(-common);
  for (int j = 0; j < n; ++j) {
    Pack sum = Pack(0);
    for (int i = 0; i < n; ++i) {
      if (!at.even) by = PowerOfTwo<Pack>(at.cols[j] + at.rows[i]);
      Pack const x = at.col(j)[i] * by, size = abs(x);
      at.col(j)[i] = x;
      sum += size;
      sizes.largest = max(size, sizes.largest);
    }
    sizes.norm = max(sum, sizes.norm);
  }
  return sizes;
}

/// A right-hand side times the powers of two of the rows and one of its own, which brings it near
/// 1. Returns the exponent of that, and in `finite` the lanes in which it is.
template <class Pack>
typename Pack::Ints scale_down(SolveWork<Pack> const& at, Pack* y, typename Pack::Mask& finite) {
  using Ints = typename Pack::Ints;
  Pack largest = Pack(0);
  Ints e = Ints(no_exponent);
  for (int i = 0; i < at.n; ++i) {
    Pack const size = size_of(y[i]);
    largest = max(largest, size);
    if (!at.even) e = max(e, select(size > Pack(0), exponent_of(size) + at.rows[i], e));
  }
  if (at.even) e = exponent_of(largest);
  e = select(largest > Pack(0), e, Ints(0));
  Pack const infinity = std::numeric_limits<typename Pack::Number>::infinity();
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
template <class Pack>
void scale_up(SolveWork<Pack> const& at, Pack* y, typename Pack::Ints const& e,
              typename Pack::Mask& broken, typename Pack::Mask& overflow) {
  Pack const infinity = std::numeric_limits<typename Pack::Number>::infinity();
  for (int i = 0; i < at.n; ++i) {
    auto const within = abs(y[i]) < infinity;
    broken = broken | ~within;
    y[i] = times_power_of_two(y[i], at.cols[i] + e);
    overflow = overflow | (within & ~(abs(y[i]) < infinity));
  }
}

}  // namespace carroll::detail::simd
