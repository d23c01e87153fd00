// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/reduction/exact/digits.hpp>
#include <carroll/detail/reduction/exact/rounding.hpp>
#include <carroll/detail/reduction/operation.hpp>
#include <carroll/detail/reduction/problem.hpp>
#include <cstdint>

namespace carroll::detail {

/// What an exact reduction adds: of complex numbers a sum of real and one of imaginary parts, each
/// from one or two passes over the entries, in which every entry gives one number or product.
template <Reduction R, class ScalarType>
struct ExactTerms {
  using T = ScalarType;
  using Real = RealOf<T>;
  using Value = typename Operation<R, T, PlainSum>::Value;
  static constexpr Reduction reduction = R;
  static constexpr int parts = is_complex<T> ? 2 : 1;
  static constexpr bool two_vectors = R == Reduction::dot;
  static constexpr bool products = two_vectors || R == Reduction::norm2;
  static constexpr int sums = R == Reduction::sum || two_vectors ? parts : 1;
  static constexpr int passes = two_vectors ? parts * parts : parts;
  using Range = ExactDigits<Real, products>;
  static constexpr int words = sums * Range::words;

  /// Of a pass: which sum it adds to, which parts of x and y it takes, and whether it subtracts.
  struct Pass {
    int sum, x_part, y_part;
    bool negative;
  };
  KOKKOS_INLINE_FUNCTION static Pass pass(int p, bool conjugate) {
    if constexpr (two_vectors && parts == 2) {
      // re·re ± im·im, re·im ∓ im·re
      int const sum = p / 2, x_part = p % 2;
      return {sum, x_part, sum ^ x_part, x_part == 1 && (sum == 1) == conjugate};
    } else {
      return {sums == 2 ? p : 0, p, p, false};
    }
  }

  /// What a call writes of a member. The digits are overwritten.
  KOKKOS_INLINE_FUNCTION static void store(ReductionBatch<T, Value> const& batch,
                                           std::int64_t member, std::int64_t* digits) {
    if (batch.sums)
      for (int i = 0; i < words; ++i)
        static_cast<std::int64_t*>(batch.sums)[member * words + i] = digits[i];
    else
      batch.infos[member * batch.info_stride] = info(digits);
  }

  /// Of the digits of all sums, which are overwritten.
  KOKKOS_INLINE_FUNCTION static ReductionInfo<Value> info(std::int64_t* digits) {
    ReductionInfo<Value> info;
    auto const one = [&](int s) {
      std::int64_t* const of_sum = digits + s * Range::words;
      std::int64_t const seen = of_sum[Range::count];
      bool const up = seen & seen_infinity, down = seen & seen_minus_infinity;
      if ((seen & seen_nan) || (up && down)) {
        info.status = Status::non_finite;
        return Kokkos::Experimental::quiet_NaN_v<Real>;
      }
      constexpr Real infinity = Kokkos::Experimental::infinity_v<Real>;
      if (up || down) {
        info.status = Status::non_finite;
        return up ? infinity : -infinity;
      }
      ExactValue<Range> const sum(of_sum);
      Real value;
      if constexpr (R == Reduction::norm2)
        value = sum.template rounded_root<Real>();
      else
        value = sum.template rounded<Real>();
      if (value - value != Real(0) && info.status == Status::success)
        info.status = Status::overflow;
      return value;
    };
    if constexpr (sums == 2) {
      Real const re = one(0), im = one(1);
      info.value = Value(re, im);
    } else {
      info.value = one(0);
    }
    return info;
  }
};

}  // namespace carroll::detail
