// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/none.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// What a sweep's factors predict for a pair: added up, and its square.
template <class ExecSpace, class Real, class Users, class Items>
struct PredictKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  Users users;
  Items items;
  Real const *u, *v;
  std::ptrdiff_t u_pitch, v_pitch;
  int factors;
  double mean, least, most;
  double *sums, *squares;

  KOKKOS_FUNCTION void operator()(std::int64_t pair) const {
    Real const* const x = u + users(pair) * u_pitch;
    Real const* const y = v + items(pair) * v_pitch;
    Real dot = 0;
    for (int i = 0; i < factors; ++i) dot = Kokkos::fma(x[i], y[i], dot);
    double value = mean + static_cast<double>(dot);
    if (least < most) value = Kokkos::fmin(Kokkos::fmax(value, least), most);
    // About the mean, or the squares would hide the variance.
    value -= mean;
    sums[pair] += value;
    squares[pair] += value * value;
  }
};

template <class ExecSpace, class Mean, class Variance>
struct SummariseKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  double const *sums, *squares;
  double sweeps, mean, noise, least, most;
  Mean means;
  Variance variances;

  KOKKOS_FUNCTION void operator()(std::int64_t pair) const {
    double const centre = sums[pair] / sweeps;
    if constexpr (Kokkos::is_view_v<Mean>) {
      double value = mean + centre;
      // Sums about the mean may be rounded out of the range. NaN stays.
      if (least < most) value = value < least ? least : value > most ? most : value;
      means(pair) = static_cast<typename Mean::value_type>(value);
    }
    if constexpr (Kokkos::is_view_v<Variance>)
      variances(pair) = static_cast<typename Variance::value_type>(
          Kokkos::fmax(squares[pair] / sweeps - centre * centre, 0.0) + noise);
  }
};

/// sum += x, or x := sum/count at the end.
template <class ExecSpace, class Real>
struct MeanFactorsKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;
  Real* x;
  std::ptrdiff_t pitch;
  std::int64_t factors;
  double* sums;
  double count;  ///< 0: add
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Real& entry = x[i / factors * pitch + i % factors];
    if (count == 0)
      sums[i] += static_cast<double>(entry);
    else
      entry = static_cast<Real>(sums[i] / count);
  }
};

}  // namespace carroll::detail
