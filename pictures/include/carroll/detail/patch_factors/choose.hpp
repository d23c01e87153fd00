// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/patch_factors/cosine.hpp>
#include <carroll/patch_factors/types.hpp>
#include <cstdint>

namespace carroll::detail {

/// Bits of a factor, in 64ths: whether it is 0, by component, and how large it is.
struct FactorRates {
  static constexpr int sizes = 64;
  std::int32_t zero[64];
  std::int32_t other[64];
  std::int32_t size[sizes];  ///< the last one for all that are larger
};

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
/// A patch per work item; 2·64·R + R² + 12·R operations, R = 64 without the first two terms for
/// cosines; reads and writes 512 bytes. All is exact (see `nearest`): the bits are those of every
/// device.
template <class Coefficients, class Basis, class Factors>
struct ChooseFactors {
  using value_type = std::int32_t[];
  using size_type = std::int64_t;

  Coefficients coefficients;
  Basis basis;  ///< (r, s), r and s from 1
  Basis gram;   ///< W_r·W_s
  Factors factors;
  Kokkos::View<FactorRates, typename Factors::memory_space> rates;
  int vectors;  ///< of the basis; 0: cosines
  double step;
  double weight;  ///< 256·λ, an integer
  bool first;
  std::int64_t value_count = 64;

  KOKKOS_FUNCTION void operator()(std::int64_t patch, std::int32_t* counts) const {
    double const mean = nearest(coefficients(patch, 0) / step);
    factors(patch, 0) = static_cast<std::int32_t>(bounded(mean));
    if (vectors == 0) {
      for (int r = 1; r < 64; ++r) {
        double const c = coefficients(patch, r);
        put(patch, r, choose(r, 256 * c, 256 * step), counts);
      }
      return;
    }
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
      put(patch, r, choose(r, projected[r] - step * others, gram(r, r) * step), counts);
    }
    for (int r = vectors + 1; r < 64; ++r) factors(patch, r) = 0;
  }

 private:
  KOKKOS_FUNCTION static double bounded(double u) {
    constexpr double bound = patch_factor_bound;
    return u > bound ? bound : u < -bound ? -bound : u;
  }

  KOKKOS_FUNCTION void put(std::int64_t patch, int r, double u, std::int32_t* counts) const {
    factors(patch, r) = static_cast<std::int32_t>(u);
    if (u != 0) ++counts[r];
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
