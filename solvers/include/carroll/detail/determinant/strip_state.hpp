// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/warp.hpp>

namespace carroll::detail {

/// A determinant on its way, as one warp multiplies pivots: the product is held in double precision
/// for single precision, too.
template <class Real>
struct StripState {
  double mantissa = 1;
  std::int64_t exponent = 0;
  Real growth = 0;

  /// One more strip: a pivot per lane, multiplied in a fixed tree. `tops`: the rows' largest
  /// entries in A, as the rows are scaled now; `odd`: columns changed places an odd number of
  /// times.
  KOKKOS_FUNCTION void take_pivots(DeviceWarp const& warp, Real const* pivots, Real const* tops,
                                   int count, bool odd) {
    bool const used = warp.lane < count;
    double const pivot = used ? double(pivots[warp.lane]) : 1;
    int powers = exponent_of(pivot);
    double product = scale(pivot, -powers);
    Real largest = used ? Real(Kokkos::abs(pivot)) / tops[warp.lane] : Real(0);
    for (int step = 16; step > 0; step /= 2) {
      product *= warp.from(product, warp.lane ^ step);  // at least 2^-32 in the end
      powers += warp.from(powers, warp.lane ^ step);
      largest = Kokkos::max(largest, warp.from(largest, warp.lane ^ step));
    }
    mantissa *= odd ? -product : product;
    int const e = exponent_of(mantissa);
    mantissa = scale(mantissa, -e);
    exponent += powers + e;
    growth = Kokkos::max(growth, largest);
  }

  /// The result, `scaling` being log₂ of what scaling has taken out.
  [[nodiscard]] KOKKOS_FUNCTION DeterminantInfo<Real> info(Status status,
                                                           std::int64_t scaling) const {
    DeterminantInfo<Real> result;
    result.status = status;
    result.growth = growth;
    if (status == Status::success) {
      auto const rounded = static_cast<Real>(mantissa);
      result.value = ScaledNumber<Real>(rounded, exponent + scaling);
    } else {
      DeterminantState<Real> state;
      state.info.growth = growth;
      state.finish(status);
      result = state.info;
    }
    return result;
  }
};

}  // namespace carroll::detail
