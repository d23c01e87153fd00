// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/sizes.hpp>
#include <carroll/detail/solve/warp/eliminate.hpp>
#include <carroll/detail/solve/warp/pivot.hpp>
#include <carroll/detail/solve/warp/shape.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// What host_batch/condition.hpp does, Hager's and Higham's lower bound of ‖A⁻¹‖₁, by the lanes of
/// a matrix, an entry of the vectors in each. Matrices that have arrived stay as they are while
/// others of the warp go on. About 2n² flops for each of some five solutions, of complex numbers
/// four times as many.
template <class Value, class Shape>
KOKKOS_FORCEINLINE_FUNCTION RealOf<Value> estimate_inverse_norm(
    LaneGroup<Shape> const& group, int n, SolveWarpMatrix<Value, Shape> const& factors,
    SolveWarpRow<Value, Shape> const& own) {
  using Real = RealOf<Value>;
  int const t = group.row;
  bool const mine = t < n;
  Real const size = Real(1) + static_cast<Real>(t) / static_cast<Real>(n > 1 ? n - 1 : 1);
  Value both[2] = {mine ? Real(1) / static_cast<Real>(n) : Real(0), !mine        ? Real(0)
                                                                    : t % 2 == 0 ? size
                                                                                 : -size};
  solve(group, n, own, both);
  Value x[1] = {both[0]};
  auto at = size_and_sign(x[0]);
  Real estimate = group.sum(mine ? at.size : Real(0));
  Real const beside =
      group.sum(mine ? modulus(both[1]) : Real(0)) * (Real(2) / static_cast<Real>(3 * n));
  bool active = true;
  Value sign = 0;
  int where = 0;
  CARROLL_NO_UNROLL
  for (int step = 0; step < most_condition_steps; ++step) {
    active = group.ballot(mine && at.against != sign) != 0 && active;
    if (!group.any_matrix(active)) break;
    sign = at.against;
    Value const slope = solve_transposed(group, n, factors, own, mine ? sign : Value(0));
    int const steepest = row_of_largest(group, pivot_size(slope), mine);
    Real const best = modulus(group.from(slope, steepest));
    Real const here = real_part(group.from(slope, where));  // with its sign, as LAPACK has it
    active = active && (step == 0 || best > here);
    where = steepest;
    x[0] = t == where ? Real(1) : Real(0);
    solve(group, n, own, x);
    at = size_and_sign(x[0]);
    Real const found = group.sum(mine ? at.size : Real(0));
    active = active && found > estimate;
    estimate = active ? found : estimate;
    if (!group.any_matrix(active)) break;
  }
  return beside > estimate ? beside : estimate;
}

}  // namespace carroll::detail
