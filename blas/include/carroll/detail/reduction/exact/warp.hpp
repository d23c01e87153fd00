// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/reduction/exact/levels.hpp>
#include <carroll/detail/reduction/exact/terms.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

namespace carroll::detail {

/// A block of terms by a warp: each lane holds some in registers, the warp finds the largest, and
/// lane 0 adds a number a level to the digits: two levels for most numbers, three for products. A
/// block for which levels do not do, as it is not finite, beyond the range or has too many, is
/// added term by term.
template <class Terms>
class ExactWarpBlock {
  using Real = typename Terms::Real;
  using T = typename Terms::T;
  using Range = typename Terms::Range;
  /// Products of float are numbers of double.
  static constexpr bool has_errors = Terms::products && sizeof(Real) == 8;
  static constexpr int most_levels = 6;

 public:
  static constexpr int of_lane = has_errors ? 16 : 32;
  static constexpr int terms = 32 * of_lane;

  /// Adds one pass over entries begin, …, below end, up to `terms` of them.
  KOKKOS_FUNCTION static void add(DeviceWarp const& warp,
                                  ReductionBatch<T, typename Terms::Value> const& batch,
                                  std::int64_t member, std::int64_t begin, std::int64_t end,
                                  typename Terms::Pass const& pass, std::int64_t* digits) {
    T const* const x = batch.x + member * batch.x_distance;
    T const* const y = (Terms::two_vectors ? batch.y + member * batch.y_distance : x);
    std::ptrdiff_t const x_stride = batch.x_stride;
    std::ptrdiff_t const y_stride = Terms::two_vectors ? batch.y_stride : x_stride;
    SharedDigits const to{digits + pass.sum * Range::words};

    double numbers[of_lane], errors[has_errors ? of_lane : 1];
    double least = 1;  // of products that are not 0
    CARROLL_UNROLL
    for (int k = 0; k < of_lane; ++k) {
      std::int64_t const i = begin + 32 * k + warp.lane;
      bool const there = i < end;
      double const a = there ? part(x[i * x_stride], pass.x_part) : 0;
      if constexpr (Terms::products) {
        double b = a;
        if constexpr (Terms::two_vectors) b = there ? part(y[i * y_stride], pass.y_part) : 0;
        numbers[k] = rounded_product(pass.negative ? -a : a, b);
        if constexpr (has_errors) {
          errors[k] = fused_product_sum(pass.negative ? -a : a, b, -numbers[k]);
          double const size = absolute(numbers[k]);
          if (size < least && a != 0 && b != 0) least = size;
        }
      } else {
        numbers[k] = Terms::reduction == Reduction::asum ? absolute(a) : a;
      }
    }
    int top = 0;
    CARROLL_UNROLL
    for (int k = 0; k < of_lane; ++k) top = Kokkos::max(top, magnitude(numbers[k]));
    ExactLevel level = ExactLevel::of(warp.max(top));
    bool const too_small = has_errors && least < least_exact_product;
    bool one_by_one = !level.is_possible() || warp.ballot(too_small) != 0;
    for (int l = 0; !one_by_one; ++l) {
      double const start = level.start();
      double sum = start;
      std::uint64_t left = 0;
      CARROLL_UNROLL
      for (int k = 0; k < of_lane; ++k) left |= take(numbers[k], sum);
      if constexpr (has_errors) {
        if (l > 0) CARROLL_UNROLL
        for (int k = 0; k < of_lane; ++k) left |= take(errors[k], sum);
        if (l == 0) left = 2;  // none has been taken
      }
      double const total = lanes_sum_down(warp, sum - start);
      if (warp.lane == 0) add_number<Range>(to, total);
      if (warp.ballot((left << 1) != 0) == 0) return;
      level = level.next();
      if (l == most_levels) {  // what is left is exact
        for (int k = 0; k < of_lane; ++k) {
          add_number<Range>(to, numbers[k]);
          if constexpr (has_errors) add_number<Range>(to, errors[k]);
        }
        return;
      }
    }
    for (std::int64_t i = begin + warp.lane; i < end; i += 32) {
      double const a = part(x[i * x_stride], pass.x_part);
      if constexpr (Terms::products)
        add_product<Range>(to, a, Terms::two_vectors ? part(y[i * y_stride], pass.y_part) : a,
                           pass.negative);
      else
        add_any<Range>(to, Terms::reduction == Reduction::asum ? absolute(a) : a);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static double part(T const& x, [[maybe_unused]] int p) {
    if constexpr (is_complex<T>)
      return p == 0 ? x.real() : x.imag();
    else
      return x;
  }
  /// Adds a term to the sum; leaves what is lost in its place, and returns its bits.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t take(double& term, double& sum) {
    double const next = sum + term;
    term = term - (next - sum);
    sum = next;
    return Kokkos::bit_cast<std::uint64_t>(term);
  }
};

}  // namespace carroll::detail
