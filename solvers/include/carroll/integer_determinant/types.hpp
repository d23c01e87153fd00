// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/integer_determinant/natural.hpp>
#include <carroll/status.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace carroll {

struct IntegerDeterminantOptions {
  /// 0: the result is proven. k > 0: stops as soon as k more primes have left the value as it was,
  /// unless that is 0, which saves time where the determinant is far below Hadamard's bound, and
  /// not 0: that a matrix is singular is always proven. The primes are then drawn at random, as a
  /// function of the seed and of the norms of A's rows and columns, and the value is wrong with a
  /// probability of less than b·(b/10⁷)ᵏ, where b is the number of primes that a proof takes, about
  /// (bits of Hadamard's bound)/28. For a matrix that has been chosen with the primes in mind that
  /// holds over seeds which whoever chose it cannot know.
  int early_termination = 0;
  /// Of the random primes; the same seed gives the same result for the same matrix.
  std::uint64_t seed = 0;
  /// Most device memory for A modulo primes, 4n² bytes each, of which there are not more than run
  /// at a time on a host, nor fewer than one. Does not change the result.
  std::size_t workspace_bytes = std::size_t{256} << 20U;
};

/// sign·(limbs as one number), exact.
struct IntegerDeterminant {
  Status status = Status::success;   ///< singular: the determinant is 0, which is proven
  int sign = 0;                      ///< -1, 0 or 1
  std::vector<std::uint64_t> limbs;  ///< |det|, the lowest 64 bits first; no limbs for 0
  int primes = 0;                    ///< modulo how many the result was computed
  bool proven = true;                ///< false: stopped early, right with high probability

  /// In decimal.
  [[nodiscard]] std::string to_string() const {
    std::string text(sign < 0 ? 1 : 0, '-');
    text += detail::to_decimal(detail::to_words(limbs));
    return text;
  }
  /// The nearest double; infinite if the number is beyond the range.
  [[nodiscard]] explicit operator double() const { return sign * detail::to_nearest_double(limbs); }
};

}  // namespace carroll
