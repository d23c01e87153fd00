// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>

/// What becomes of a row panel's pivots: their columns' places, the sign of these, the product.
namespace carroll::detail {

/// What becomes of m columns when `count` <= 32 of them held pivots: the first m - count remain,
/// the rest is forgotten. A pivot's column among the first is a hole, which a column from behind
/// fills, in ascending order of these, and in that in which the pivots were found, so that nothing
/// else moves. One lane's share of it, with one warp.
struct ColumnMoves {
  int hole = -1;    ///< the column that this lane's pivot leaves behind, or -1
  int filler = -1;  ///< what fills it

  /// `pivot`: the column of the lane's pivot; `tail`: room for count columns, of this warp.
  KOKKOS_FUNCTION ColumnMoves(DeviceWarp const& warp, int pivot, int count, int m, int* tail) {
    int const rest = m - count;
    bool const used = warp.lane < count;
    bool const is_hole = used && pivot < rest;
    std::uint32_t const one = 1;
    std::uint32_t const before = (one << warp.lane) - 1;
    std::uint32_t const taken =
        warp.any_bits(used && pivot >= rest ? one << (pivot - rest) : std::uint32_t{0});
    std::uint32_t const holes = warp.ballot(is_hole);
    std::uint32_t const free = warp.ballot(used && (taken >> warp.lane & 1) == 0);
    if (free >> warp.lane & 1) tail[Kokkos::popcount(free & before)] = rest + warp.lane;
    warp.sync();
    if (!is_hole) return;
    hole = pivot;
    filler = tail[Kokkos::popcount(holes & before)];
  }
};

/// Is (pivots in their order, remaining columns where ColumnMoves puts them) an odd permutation? To
/// all lanes of one warp; arguments as there, count <= R.
template <int R>
KOKKOS_INLINE_FUNCTION bool are_odd(DeviceWarp const& warp, int pivot, int count, int m) {
  int const rest = m - count;
  bool const used = warp.lane < count;
  bool const is_hole = used && pivot < rest;
  int less = 0, greater_before = 0, holes = 0, greater_holes_before = 0;
  CARROLL_UNROLL
  for (int l = 0; l < R; ++l) {
    int const other = warp.from(pivot, l);
    bool const greater_one_before = l < warp.lane && other > pivot;
    if (l >= count) continue;
    less += other < pivot ? 1 : 0;
    holes += other < rest ? 1 : 0;
    greater_before += greater_one_before ? 1 : 0;
    greater_holes_before += greater_one_before && other < rest ? 1 : 0;
  }
  // Inversions: a pivot passes all smaller columns that stay and all greater pivots before it; a
  // filler passes the columns between its hole and the last that stays, and fillers pass others
  // that belong behind them.
  int inversions = used ? pivot - less + greater_before : 0;
  if (is_hole) inversions += rest - 1 - pivot - (holes - 1 - less) + greater_holes_before;
  return Kokkos::popcount(warp.ballot(inversions % 2 != 0)) % 2 != 0;
}

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
