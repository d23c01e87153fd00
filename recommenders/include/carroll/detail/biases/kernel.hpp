// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstdint>

namespace carroll::detail {

/// The bias of a row, given those of columns: Σ (r − mean − other) / (ratings + damping). A thread
/// a row, 8 sums of every eighth term, then halves on halves.
template <class Real, class MemorySpace>
struct FitBiases {
  RatingRows<Real, MemorySpace> rows;
  Kokkos::View<Real const*, Kokkos::LayoutRight, MemorySpace> others;
  Kokkos::View<Real*, Kokkos::LayoutRight, MemorySpace> own;
  double mean, damping;

  KOKKOS_FUNCTION void operator()(std::int64_t r) const {
    constexpr int width = 8;
    std::int64_t const begin = rows.offsets(r), end = rows.offsets(r + 1);
    double sums[width] = {};
    for (std::int64_t e = begin; e < end; ++e)
      sums[(e - begin) % width] +=
          static_cast<double>(rows.values(e)) - mean - static_cast<double>(others(rows.columns(e)));
    for (int half = width / 2; half > 0; half /= 2)
      for (int w = 0; w < half; ++w) sums[w] += sums[w + half];
    double const weight = static_cast<double>(end - begin) + damping;
    own(r) = end > begin ? static_cast<Real>(sums[0] / weight) : Real(0);
  }
};

}  // namespace carroll::detail
