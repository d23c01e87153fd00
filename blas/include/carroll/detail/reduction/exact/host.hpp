// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/reduction/exact/levels.hpp>
#include <carroll/detail/reduction/exact/terms.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/simd/rounding.hpp>
#include <cstdint>

namespace carroll::detail {

/// A block of up to 1024 terms by a thread of a host, in vector registers of double: all levels
/// that most numbers take are one pass. A block that needs more is added term by term.
template <class Terms, int Bytes>
class ExactHostBlock {
  using Real = typename Terms::Real;
  using T = typename Terms::T;
  using Range = typename Terms::Range;
  using P = Pack<double, Bytes>;
  static constexpr bool has_errors = Terms::products && sizeof(Real) == 8;
  static constexpr int levels = has_errors ? 3 : 2;
  /// Sums of each level, added to in turn.
  static constexpr int chains = has_errors ? 2 : 4;
  static constexpr int step = chains * P::width;

 public:
  /// Adds one pass over `terms` numbers of x, and of y, side by side. Room for `step` more of them
  /// must be there, which are overwritten with zeros.
  static void add(Real* x, Real* y, int terms, bool negative, OwnDigits const& to) {
    int const padded = (terms + step - 1) / step * step;
    std::fill(x + terms, x + padded, Real(0));
    if (y != x) std::fill(y + terms, y + padded, Real(0));

    typename P::Ints largest(0), least(std::int64_t{0x3ff} << 52);
    for (int i = 0; i < padded; i += P::width) {
      P const number = term(x, y, i);
      typename P::Ints const size = bits_of(abs(number));
      largest = max(largest, size);
      if constexpr (has_errors) {
        least = min(least, select(has_zero_factor(x, y, i), least, size));
      }
    }
    std::int64_t top = 0, bottom = std::int64_t{0x3ff} << 52;
    for (int l = 0; l < P::width; ++l) {
      top = std::max<std::int64_t>(top, largest[l]);
      bottom = std::min<std::int64_t>(bottom, least[l]);
    }
    ExactLevel const first = ExactLevel::of(static_cast<int>(top >> 32));
    bool const tiny = has_errors && Kokkos::bit_cast<double>(bottom) < least_exact_product;
    if (first.is_possible() && !tiny && add_by_levels(x, y, padded, negative, first, to)) return;
    for (int i = 0; i < terms; ++i) {
      if constexpr (Terms::products)
        add_product<Range>(to, x[i], y[i], negative);
      else
        add_any<Range>(to, Terms::reduction == Reduction::asum ? std::abs(x[i]) : x[i]);
    }
  }

 private:
  static P term(Real const* x, [[maybe_unused]] Real const* y, int i) {
    P const a = P::load(x + i);
    if constexpr (Terms::products)
      return rounded_product(a, P::load(y + i));
    else if constexpr (Terms::reduction == Reduction::asum)
      return abs(a);
    else
      return a;
  }
  static typename P::Ints has_zero_factor(Real const* x, Real const* y, int i) {
    auto const is_zero = [](P const& a) { return bits_of(abs(a)) == typename P::Ints(0); };
    return is_zero(P::load(x + i)) | is_zero(P::load(y + i));
  }

  /// False, and nothing added, if something is left behind the last level.
  static bool add_by_levels(Real const* x, Real const* y, int padded, bool negative,
                            ExactLevel first, OwnDigits const& to) {
    double start[levels];
    P sums[levels][chains];
    ExactLevel level = first;
    for (int l = 0; l < levels; ++l, level = level.next()) {
      start[l] = level.start();
      for (int c = 0; c < chains; ++c) sums[l][c] = P(start[l]);
    }
    typename P::Ints left(0);
    for (int i = 0; i < padded; i += step)
      for (int c = 0; c < chains; ++c) {
        P number = term(x, y, i + c * P::width);
        if constexpr (has_errors) {
          P const a = P::load(x + i + c * P::width), b = P::load(y + i + c * P::width);
          P error = fused_product_sum(a, b, -number);
          for (int l = 0; l < levels; ++l) {
            take(number, sums[l][c]);
            if (l > 0) take(error, sums[l][c]);
          }
          left |= bits_of(abs(error));
        } else {
          for (int l = 0; l < levels; ++l) take(number, sums[l][c]);
        }
        left |= bits_of(abs(number));
      }
    for (int l = 0; l < P::width; ++l)
      if (left[l] != 0) return false;
    for (int l = 0; l < levels; ++l) {
      double total = 0;  // of at most 2^11 multiples of the unit: exact
      for (int c = 0; c < chains; ++c)
        for (int w = 0; w < P::width; ++w) total += sums[l][c][w] - start[l];
      add_number<Range>(to, negative ? -total : total);
    }
    return true;
  }
  /// Adds a term to the sum; leaves what is lost in its place.
  static void take(P& term, P& sum) {
    P const next = sum + term;
    term = term - (next - sum);
    sum = next;
  }
};

}  // namespace carroll::detail
