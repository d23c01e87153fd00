// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/patch_factors/cosine.hpp>
#include <carroll/detail/patch_factors/rates.hpp>
#include <carroll/patch_factors/types.hpp>
#include <cstdint>

namespace carroll::detail {

/// One sweep of block coordinate descent over the factors of each patch: with all others fixed,
/// u_r becomes the integer that makes
///
///   ‖c − step·Σ u_s W_s/16‖² + λ·step²·bits(u)
///
/// least, among 0 and the integers around the best real number (QMF's descent, Pashtari et al.,
/// arXiv 2408.12691, with the rate added). Patches are independent. Counts factors that are not 0,
/// by component. With `first` there are no rates yet, and up goes what is 5/8 of a step or more
/// above an integer. What is nearest to 0 becomes 0 unseen.
///
/// Reads and writes 512 bytes a patch. All is exact (see `nearest`): the bits are those of every
/// device. The kernels that go through patches are in `sweep.hpp`.
template <class Table, class Rates>
struct ChooseFactors {
  Table coefficients;
  Table basis;  ///< (r, s), r and s from 1
  Table gram;   ///< W_r·W_s
  Table factors;
  Rates rates;
  int vectors;  ///< of the basis; 0: cosines
  double step;
  double weight;  ///< 256·λ, an integer
  bool first;

  KOKKOS_FUNCTION void mean(std::int64_t patch) const {
    factors(patch, 0) = static_cast<std::int32_t>(bounded(nearest(coefficients(patch, 0) / step)));
  }

  /// Component r in the basis of the cosines, 12 operations; true where it is not 0.
  KOKKOS_FUNCTION bool cosine(std::int64_t patch, int r) const {
    std::int32_t const c = coefficients(patch, r);
    // As `choose` has it, without a double.
    double const u = 2 * (c < 0 ? -c : c) <= static_cast<std::int32_t>(step)
                         ? 0
                         : choose(r, 256.0 * c, 256 * step);
    factors(patch, r) = static_cast<std::int32_t>(u);
    return u != 0;
  }

  /// All components of a patch in a basis of R singular vectors, 2·64·R + R² + 12·R operations;
  /// `count`(r) is called for each that is not 0.
  template <class Count>
  KOKKOS_FUNCTION void vector_patch(std::int64_t patch, Count const& count) const {
    double projected[64];
    for (int r = 1; r <= vectors; ++r) {
      double sum = 0;
      for (int s = 1; s < 64; ++s) sum += static_cast<double>(basis(r, s)) * coefficients(patch, s);
      projected[r] = 16 * sum;
    }
    for (int r = 1; r <= vectors; ++r) {
      double others = 0;
      int const known = first ? r : vectors + 1;
      for (int s = 1; s < known; ++s)
        if (s != r) others += static_cast<double>(gram(r, s)) * factors(patch, s);
      double const u = choose(r, projected[r] - step * others, gram(r, r) * step);
      factors(patch, r) = static_cast<std::int32_t>(u);
      if (u != 0) count(r);
    }
    for (int r = vectors + 1; r < 64; ++r) factors(patch, r) = 0;
  }

 private:
  KOKKOS_FUNCTION static double bounded(double u) {
    constexpr double bound = patch_factor_bound;
    return u > bound ? bound : u < -bound ? -bound : u;
  }

  /// The best factor of a component whose norm is `norm` and which the rest is `along`, both times
  /// 256 over what they are, in steps: squares beyond those of 0 are k·(k·norm − 2·|along|).
  KOKKOS_FUNCTION double choose(int r, double along, double norm) const {
    double const size = along < 0 ? -along : along;
    if (2 * size <= norm) return 0;  // nearest to 0: most are, and go no further
    double best = 0;
    double const down = below(size / norm);
    if (first) {
      best = size - down * norm < 0.625 * norm ? down : down + 1;
    } else {
      double least = weight * step * rates().zero[r];
      for (double k = down > 1 ? down - 1 : 1; k <= down + 1; k += 1) {
        int const place = k < FactorRates::sizes ? static_cast<int>(k) : FactorRates::sizes - 1;
        double const bits = rates().other[r] + rates().size[place];
        double const cost = 64 * k * (k * norm - 2 * size) + weight * step * bits;
        if (cost < least) {
          least = cost;
          best = k;
        }
      }
    }
    best = bounded(best);
    return along < 0 ? -best : best;
  }

  /// The largest integer that is not above x >= 0.
  KOKKOS_FUNCTION static double below(double x) {
    double const near = nearest(x);
    return near > x ? near - 1 : near;
  }
};

}  // namespace carroll::detail
