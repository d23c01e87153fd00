// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <cstdint>

namespace carroll::detail {

/// A rating, where the rows of its user and of its item stand in the workspace.
template <class Real>
struct SgdRating {
  std::int32_t user, item;
  Real value;
};

/// Where the factors of a row stand: a warp's lane l has factors l, l + 32, …, of which `vector`
/// each stand side by side, so that the lane reads them at once. Hosts have 1: factors in order.
struct SgdLayout {
  int vector = 1;

  /// The widest for a lane's so many factors, up to 16 bytes.
  template <class Real>
  static constexpr KOKKOS_FUNCTION int vector_of(int chunks) {
    return chunks % 4 == 0 && sizeof(Real) == 4 ? 4 : chunks % 2 == 0 ? 2 : 1;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t place(std::int64_t factor) const {
    std::int64_t const chunk = factor / 32, lane = factor % 32;
    return (chunk / vector * 32 + lane) * vector + chunk % vector;
  }
  /// Whose factor stands there.
  [[nodiscard]] KOKKOS_FUNCTION int lane_at(std::int64_t place) const {
    return static_cast<int>(place / vector % 32);
  }
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
  SgdLayout layout;
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
    return with_biases ? base(user_bias[rating.user], item_bias[rating.item]) : mean;
  }
  [[nodiscard]] KOKKOS_FUNCTION Real base(Real of_user, Real of_item) const {
    return mean + of_user + of_item;
  }
  /// By one thread, for one rating after the other: `norms` is ‖u‖² + ‖v‖².
  KOKKOS_FUNCTION void measure(SgdRating<Real> const& rating, Real error, Real norms,
                               double* sums) const {
    auto const e = static_cast<double>(error);
    sums[0] = Kokkos::fma(e, e, sums[0]);
    sums[1] = Kokkos::fma(penalty, static_cast<double>(norms), sums[1]);
    if (!with_biases) return;
    auto const of_user = static_cast<double>(user_bias[rating.user]);
    auto const of_item = static_cast<double>(item_bias[rating.item]);
    sums[1] = Kokkos::fma(bias_penalty, rounded_product(of_user, of_user), sums[1]);
    sums[1] = Kokkos::fma(bias_penalty, rounded_product(of_item, of_item), sums[1]);
  }
  /// A bias behind the step, `error` from before it.
  [[nodiscard]] KOKKOS_FUNCTION Real moved_bias(Real bias, Real error) const {
    return Kokkos::fma(step, error, rounded_product(bias_keep, bias));
  }
  KOKKOS_FUNCTION void move_biases(SgdRating<Real> const& rating, Real error) const {
    Real& of_user = user_bias[rating.user];
    Real& of_item = item_bias[rating.item];
    of_user = moved_bias(of_user, error);
    of_item = moved_bias(of_item, error);
  }
};

}  // namespace carroll::detail
