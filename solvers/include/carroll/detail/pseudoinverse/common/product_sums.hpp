// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/scattered_sums.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

/// Sums of products over the rows of a window, as a lane of a GPU has them in registers: the upper
/// half of S = EᵀE row by row, each row with its entry of Eᵀf. Entry e is that of (j, l), j <= l.
namespace carroll::detail {

/// Products of K columns with each other and with a right-hand side.
template <int K>
inline constexpr int product_count = K*(K + 3) / 2;

/// Calls f(e, j, l) for all of them.
template <int K, class F>
KOKKOS_INLINE_FUNCTION void for_products(F const& f) {
  CARROLL_UNROLL
  for (int j = 0, e = 0; j < K; ++j) CARROLL_UNROLL
  for (int l = j; l <= K; ++l, ++e) f(e, j, l);
}

/// Where product e stands in a window's system: row j has j entries more before it there.
template <int K>
KOKKOS_INLINE_FUNCTION int product_place(int e) {
  int place = e;
  CARROLL_UNROLL
  for (int j = 1; j < K; ++j)
    if (e >= j * (K + 1) - j * (j - 1) / 2) place += j;
  return place;
}

/// Are the sums of K motion columns of Real to be wide ones? Those of float lose nothing in double
/// precision down to a condition of 1/√eps, 7·10⁷, far beyond the cutoff; Σe² of one column is the
/// square of R.
template <class Real, int K>
inline constexpr bool has_wide_sums = K > 1 && sizeof(Real) == sizeof(double);

/// Sums in double precision.
template <int K>
struct PlainProducts {
  double high[product_count<K>] = {};

  KOKKOS_FUNCTION void add(int e, double x, double y) { high[e] = multiply_add(x, y, high[e]); }
};

/// Sums with twice its digits, for E of double, so that R of S = RᵀR is as good as one that came of
/// E itself: an error of 2^-95 in S is one of eps/cond in E, and what counts of it is eps, down to
/// a condition that the cutoff does not let pass.
///
/// A sum begins with an offset, 6·2^h, that is larger than it ever gets, |Σ| <= 2·2^h. So `high`
/// never leaves its binade, high + x·y - high is exact, and what an addition cuts off is at hand
/// with one more fma: four instructions a product, where two-sums of any numbers take ten. All
/// lanes have the same offsets, and the sum over lanes of high less offset is exact, too.
template <int K>
struct WideProducts {
  double high[product_count<K>] = {};
  double low[product_count<K>] = {};
  int exponents[K + 1] = {};  ///< column c's norm over the window is below 2^exponents[c]

  /// `square` of lane c <= K: Σb² of column c, the last one r, over the window.
  KOKKOS_FUNCTION void begin(DeviceWarp const& warp, double square) {
    int const own = (exponent_field(magnitude(square)) - 1021) >> 1;
    CARROLL_UNROLL
    for (int c = 0; c <= K; ++c) exponents[c] = warp.from(own, c);
    for_products<K>([&](int e, int j, int l) {
      high[e] = offset(j, l);
      low[e] = 0;
    });
  }
  KOKKOS_FUNCTION void add(int e, double x, double y) {
    double const sum = Kokkos::fma(x, y, high[e]);
    low[e] += Kokkos::fma(x, y, high[e] - sum);
    high[e] = sum;
  }
  KOKKOS_FUNCTION void end() {
    for_products<K>([&](int e, int j, int l) { high[e] -= offset(j, l); });
  }

 private:
  KOKKOS_FUNCTION double offset(int j, int l) const {
    constexpr int bias = 1023, largest = 2046;
    int const field = Kokkos::min(exponents[j] + exponents[l] + 2 + bias, largest);
    return Kokkos::bit_cast<double>((static_cast<std::uint64_t>(field) << 52) | (1ULL << 51));
  }
};

}  // namespace carroll::detail
