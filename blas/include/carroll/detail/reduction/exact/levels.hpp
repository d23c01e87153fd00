// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <limits>

/// Sums without rounding errors, by levels: a large number σ is added to each term, which rounds it
/// to a multiple of σ's unit; such multiples add up without error, and what is left of the terms is
/// next level's (Rump, Ogita and Oishi, SIAM J. Sci. Comput. 31(1), 2008; Demmel and Nguyen, IEEE
/// Trans. Comput. 64(7), 2015, who leave the sum in σ). Three additions a term and level.
namespace carroll::detail {

/// Terms of a block, up to 2^11, lie below 2^top, and so does what is added on the first level; on
/// each further one below 2^(top - 41) of the one before.
struct ExactLevel {
  static constexpr int bits = 41;
  int top;

  /// Of terms whose largest has this magnitude.
  KOKKOS_FUNCTION static ExactLevel of(int magnitude) { return {exponent_field(magnitude) - 1022}; }
  /// Is there room above for the sums?
  KOKKOS_FUNCTION bool is_possible() const { return top <= 1000; }
  KOKKOS_FUNCTION ExactLevel next() const { return {top - bits}; }
  /// 1.5·2^(top + 11), in the middle of where its unit, 2^(top - 41), does not change; below, the
  /// unit is that of subnormal numbers, and nothing is left.
  KOKKOS_FUNCTION double start() const {
    return 1.5 * power_of_two<double>(Kokkos::max(top + 11, -1022));
  }
};

/// Products below this may have bits below the smallest number: an error of theirs is not a number.
inline constexpr double least_exact_product = 0x1p-960;

}  // namespace carroll::detail
