// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/memory.hpp>
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
  static constexpr int of_lane = Terms::products ? 16 : 32;
  static constexpr int terms = 32 * of_lane;

  /// Adds one pass over entries begin, …, below end, up to `terms` of them.
  KOKKOS_FUNCTION static void add(DeviceWarp const& warp,
                                  ReductionBatch<T, typename Terms::Value> const& batch,
                                  std::int64_t member, std::int64_t begin, std::int64_t end,
                                  typename Terms::Pass const& pass, std::int64_t* digits) {
    Source const x{batch.x + member * batch.x_distance, batch.x_stride, pass.x_part};
    Source const y = Terms::two_vectors
                         ? Source{batch.y + member * batch.y_distance, batch.y_stride, pass.y_part}
                         : x;
    SharedDigits const to{digits + pass.sum * Range::words};

    double numbers[of_lane], errors[has_errors ? of_lane : 1];
    double least = 1;  // of products that are not 0
    bool const plain = end - begin == terms && x.stride == 1 && y.stride == 1;
    if (plain)
      load<true>(warp, x, y, begin, end, pass.negative, numbers, errors, least);
    else
      load<false>(warp, x, y, begin, end, pass.negative, numbers, errors, least);
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
          add_number<Range>(to, chosen(numbers, k));
          if constexpr (has_errors) add_number<Range>(to, chosen(errors, k));
        }
        return;
      }
    }
    for (std::int64_t i = begin + warp.lane; i < end; i += 32) {
      double const a = x[i];
      if constexpr (Terms::products)
        add_product<Range>(to, a, Terms::two_vectors ? y[i] : a, pass.negative);
      else
        add_any<Range>(to, Terms::reduction == Reduction::asum ? absolute(a) : a);
    }
  }

 private:
  /// A part of the entries of a vector.
  struct Source {
    T const* data;
    std::ptrdiff_t stride;
    int part;
    KOKKOS_FORCEINLINE_FUNCTION double operator[](std::int64_t i) const {
      return reinterpret_cast<Real const*>(data + i * stride)[Terms::parts == 2 ? part : 0];
    }
    /// Of entries side by side.
    KOKKOS_FORCEINLINE_FUNCTION Real const* at(std::int64_t i) const {
      return reinterpret_cast<Real const*>(data + i) + (Terms::parts == 2 ? part : 0);
    }
  };

  /// The lane's terms, with the errors of products; `Plain`: all are there, side by side.
  template <bool Plain>
  KOKKOS_FORCEINLINE_FUNCTION static void load(DeviceWarp const& warp, Source const& x,
                                               Source const& y, std::int64_t begin,
                                               std::int64_t end, bool negative,
                                               double (&numbers)[of_lane],
                                               double (&errors)[has_errors ? of_lane : 1],
                                               double& least) {
    Real a[of_lane], b[Terms::two_vectors ? of_lane : 1];
    Real const* const from = x.at(begin + warp.lane);
    Real const* const other = y.at(begin + warp.lane);
    CARROLL_UNROLL
    for (int k = 0; k < of_lane; ++k) {
      if constexpr (Plain) {
        a[k] = load_read_only(from + 32 * Terms::parts * k);
        if constexpr (Terms::two_vectors) b[k] = load_read_only(other + 32 * Terms::parts * k);
      } else {
        std::int64_t const i = begin + 32 * k + warp.lane;
        a[k] = i < end ? Real(x[i]) : Real(0);
        if constexpr (Terms::two_vectors) b[k] = i < end ? Real(y[i]) : Real(0);
      }
    }
    CARROLL_UNROLL
    for (int k = 0; k < of_lane; ++k) {
      double const factor = negative ? -a[k] : a[k];
      if constexpr (Terms::products) {
        double const second = Terms::two_vectors ? b[Terms::two_vectors ? k : 0] : a[k];
        numbers[k] = rounded_product(factor, second);
        if constexpr (has_errors) {
          errors[k] = fused_product_sum(factor, second, -numbers[k]);
          double const size = absolute(numbers[k]);
          if (size < least && factor != 0 && second != 0) least = size;
        }
      } else {
        numbers[k] = Terms::reduction == Reduction::asum ? absolute(factor) : factor;
      }
    }
  }

  /// x[k], of registers, which have no index.
  KOKKOS_FORCEINLINE_FUNCTION static double chosen(double const (&x)[of_lane], int k) {
    double value = x[0];
    CARROLL_UNROLL
    for (int i = 1; i < of_lane; ++i)
      if (i == k) value = x[i];
    return value;
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
