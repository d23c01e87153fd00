// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <cstdint>

namespace carroll::detail {

/// A rating, where the rows of its user and of its item stand in the workspace. The highest bit of
/// `user`: it begins a wave.
template <class Real>
struct SgdRating {
  std::uint32_t user, item;
  Real value;

  static constexpr std::uint32_t first_of_wave = 0x80000000U;
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t row() const { return user & 0x7fffffffU; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t column() const { return item; }
  [[nodiscard]] KOKKOS_FUNCTION bool begins_wave() const { return (user & first_of_wave) != 0; }
};

/// One epoch's arithmetic: e = r − base − u·v, u += 2η(e·v − λu), v += 2η(e·u − λv) with the u from
/// before, and the biases.
///
/// Every rounding is written down. The inner product has 32 sums, sum l over factors l, l + 32, …
/// by fused steps, and halves of them are added until one is left: a warp's lanes, or registers of
/// a host. Factors are filled up with zeros to a multiple of 32, and stay zeros.
template <class Real>
struct SgdProblem {
  static constexpr int lanes = 32;

  Real* u;
  Real* v;
  Real* user_bias;  ///< or null, both
  Real* item_bias;
  int chunks;  ///< of 32 factors
  Real mean;
  Real step;       ///< 2η
  Real keep;       ///< 1 − 2ηλ
  Real bias_keep;  ///< 1 − 2ηλ of the biases
  SgdRating<Real> const* ratings;
  std::int64_t const* begins;  ///< of block i·p + j
  int blocks;                  ///< p
  bool with_biases;
  double penalty;       ///< λ
  double bias_penalty;  ///< λ of the biases
  double* measures;     ///< of block b: Σ e² at 2b, what is added to it at 2b + 1

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t width() const { return std::int64_t{chunks} * lanes; }
  /// The block that is the turn of block row i in a step.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t block(int i, int step_index) const {
    int const j = i + step_index;
    return std::int64_t{i} * blocks + (j < blocks ? j : j - blocks);
  }
  [[nodiscard]] KOKKOS_FUNCTION Real base(SgdRating<Real> const& rating) const {
    return with_biases ? mean + user_bias[rating.row()] + item_bias[rating.column()] : mean;
  }
  /// By one thread, for one rating after the other: `norms` is ‖u‖² + ‖v‖².
  KOKKOS_FUNCTION void measure(SgdRating<Real> const& rating, Real error, Real norms,
                               double* sums) const {
    auto const e = static_cast<double>(error);
    sums[0] = Kokkos::fma(e, e, sums[0]);
    sums[1] = Kokkos::fma(penalty, static_cast<double>(norms), sums[1]);
    if (!with_biases) return;
    auto const of_user = static_cast<double>(user_bias[rating.row()]);
    auto const of_item = static_cast<double>(item_bias[rating.column()]);
    sums[1] = Kokkos::fma(bias_penalty, rounded_product(of_user, of_user), sums[1]);
    sums[1] = Kokkos::fma(bias_penalty, rounded_product(of_item, of_item), sums[1]);
  }
  /// By one thread, of the error before the step.
  KOKKOS_FUNCTION void move_biases(SgdRating<Real> const& rating, Real error) const {
    Real& of_user = user_bias[rating.row()];
    Real& of_item = item_bias[rating.column()];
    of_user = Kokkos::fma(step, error, rounded_product(bias_keep, of_user));
    of_item = Kokkos::fma(step, error, rounded_product(bias_keep, of_item));
  }
};

}  // namespace carroll::detail
