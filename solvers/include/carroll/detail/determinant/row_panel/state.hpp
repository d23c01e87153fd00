// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/warp.hpp>

namespace carroll::detail {

/// One lane's share of a product of pivots: every 32nd.
template <class Real>
struct RowPanelProduct {
  double product = 1;
  int powers = 0;
  Real largest = 0;  ///< of the pivots next to the largest entries of their rows

  KOKKOS_FUNCTION void take(Real pivot, Real top) {
    int const e = exponent_of(double(pivot));
    product *= scale(double(pivot), -e);
    bool const halved = Kokkos::abs(product) < 0.5;
    product = halved ? 2 * product : product;
    powers += halved ? e - 1 : e;
    largest = Kokkos::max(largest, Kokkos::abs(pivot) / top);
  }
};

/// A determinant on its way, as one warp multiplies pivots: the product is held in double precision
/// for single precision, too.
template <class Real>
struct RowPanelState {
  double mantissa = 1;
  std::int64_t exponent = 0;
  Real growth = 0;

  /// More pivots, dealt out to the lanes, and multiplied in a fixed tree. `tops`: the rows' largest
  /// entries in A, as the rows are scaled now; `odd`: columns changed places an odd number of
  /// times.
  KOKKOS_FUNCTION void take_pivots(DeviceWarp const& warp, Real const* pivots, Real const* tops,
                                   int count, bool odd) {
    RowPanelProduct<Real> product;
    for (int i = warp.lane; i < count; i += 32) product.take(pivots[i], tops[i]);
    take(warp, product, odd);
  }
  /// All lanes' products.
  KOKKOS_FUNCTION void take(DeviceWarp const& warp, RowPanelProduct<Real> lane, bool odd) {
    butterfly_down<16>([&](int step) {
      lane.product *= warp.from(lane.product, warp.lane ^ step);  // at least 2^-32 in the end
      lane.powers += warp.from(lane.powers, warp.lane ^ step);
      lane.largest = Kokkos::max(lane.largest, warp.from(lane.largest, warp.lane ^ step));
    });
    mantissa *= odd ? -lane.product : lane.product;
    int const e = exponent_of(mantissa);
    mantissa = scale(mantissa, -e);
    exponent += lane.powers + e;
    growth = Kokkos::max(growth, lane.largest);
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
