// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/random.hpp>
#include <carroll/detail/sgd/problem.hpp>
#include <cstdint>

/// Factors between the model and the workspace, where rows stand group after group, filled up with
/// zeros to a multiple of 32 numbers. A thread for each four numbers of a row.
namespace carroll::detail {

template <class ExecSpace, class Real, class Factors>
struct SgdFactorsIn {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  Factors from;
  std::int32_t const* places;
  Real* to;
  std::int64_t width;
  SgdLayout layout;
  bool given;  ///< else random
  Real scale;  ///< the largest random number
  std::uint64_t seed;
  std::uint32_t stream;

  /// Random numbers are uniform: of whole numbers and one product, the same bits on all devices,
  /// which logarithms are not.
  KOKKOS_FUNCTION void operator()(std::int64_t part) const {
    std::int64_t const parts = width / 4, row = part / parts, first = part % parts * 4;
    auto const bits =
        philox(seed, {static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row >> 32),
                      static_cast<std::uint32_t>(first), stream});
    for (int k = 0; k < 4; ++k) {
      std::int64_t const f = first + k;
      auto const whole = static_cast<std::int32_t>(bits[k] >> 8U) - (1 << 23);
      Real const random =
          scale * ((static_cast<Real>(whole) + Real(0.5)) * power_of_two<Real>(-23));
      bool const inside = f < static_cast<std::int64_t>(from.extent(1));
      to[places[row] * width + layout.place(f)] = !inside ? Real(0) : given ? from(row, f) : random;
    }
  }
};

template <class ExecSpace, class Real, class Factors>
struct SgdFactorsOut {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  Real const* from;
  std::int32_t const* places;
  Factors to;
  std::int64_t width;
  SgdLayout layout;
  bool finite;  ///< else NaN

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const {
    auto const cols = static_cast<std::int64_t>(to.extent(1));
    std::int64_t const row = entry / cols, f = entry % cols;
    to(row, f) = finite ? from[places[row] * width + layout.place(f)]
                        : Kokkos::Experimental::quiet_NaN_v<Real>;
  }
};

/// Biases either way.
template <class ExecSpace, class Real, class Biases>
struct SgdBiases {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

  Biases model;
  std::int32_t const* places;
  Real* kept;
  bool in, given, finite;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    if (in)
      kept[places[row]] = given ? model(row) : Real(0);
    else
      model(row) = finite ? kept[places[row]] : Kokkos::Experimental::quiet_NaN_v<Real>;
  }
};

}  // namespace carroll::detail
