// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/lane_groups.hpp>

/// Complex matrices in the registers of a warp: who holds what.
namespace carroll::detail {

/// Matrices with up to `Order` rows and columns; a lane holds a column. Partners differ by bits of
/// their numbers, so that of 24 columns some meet lanes that have none.
using ComplexWarpShapes =
    LaneShapeList<LaneShape<4>, LaneShape<8>, LaneShape<16>, LaneShape<24>, LaneShape<32>>;

/// What the lanes of a matrix share. F holds reflectors and R, later W; J the rotations' product,
/// later the left vectors. A column has its imaginary parts behind the real ones; columns are an
/// odd number of words apart, so that lanes that go down columns of their own meet in no bank.
template <class Real, class Shape>
struct ComplexWarpScratch {
  static constexpr int order = Shape::order, stride = 2 * order + 1;

  Real F[order * stride];
  Real J[order * stride];
  Real tau[order];
  int permutation[order];
  int columns[order];  ///< by singular value, descending
};

/// A column of either.
template <class Real, int order>
struct ComplexWarpColumn {
  Real* x;
  KOKKOS_FUNCTION Real& re(int i) const { return x[i]; }
  KOKKOS_FUNCTION Real& im(int i) const { return x[order + i]; }
  KOKKOS_FUNCTION Kokkos::complex<Real> operator()(int i) const { return {re(i), im(i)}; }
  KOKKOS_FUNCTION void set(int i, Kokkos::complex<Real> const& z) const {
    re(i) = z.real();
    im(i) = z.imag();
  }
};

}  // namespace carroll::detail
