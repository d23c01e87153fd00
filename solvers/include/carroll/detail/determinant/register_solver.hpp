// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/register_balance.hpp>
#include <carroll/detail/determinant/register_group.hpp>
#include <carroll/detail/determinant/register_load.hpp>
#include <carroll/detail/determinant/register_pivots.hpp>
#include <carroll/detail/determinant/register_steps.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/detail/warp.hpp>

namespace carroll::detail {

/// Condensation of small matrices in the registers of a warp, one call per warp, a group of lanes
/// per matrix (register_steps.hpp).
///
/// 2n³/3 flops, of which a group with all its columns does n³; n² entries read; per matrix n²/2
/// entries through scratch, each written by one lane and read once per group.
template <class Warp, class Shape>
class RegisterSolver {
 public:
  using T = typename Shape::Scalar;

  KOKKOS_FUNCTION RegisterSolver(Warp const& warp, DeterminantBatch<T> const& batch,
                                 EntryAccess access, T* scratch)
      : group_(warp),
        batch_(batch),
        access_(access),
        n_(batch.n),
        scratch_(scratch + group_.slot * Shape::scratch) {}

  /// The members from `first` on, as many as the warp has room for.
  KOKKOS_FUNCTION void solve(int first) const {
    bool const exists = first + group_.slot < batch_.members;
    int const member = exists ? first + group_.slot : batch_.members - 1;
    StridedMatrix<T const> const A = batch_.source_of(member);
    T a[order][cols];
    RegisterBalance<Warp, Shape> const balance(group_, n_, scratch_);
    balance.load(A, access_, a);

    int tops[own_rows];
    int exponent = balance.balance(A, a, tops);
    using Steps = RegisterSteps<Warp, Shape>;
    Steps const steps(group_, n_, scratch_);
    typename Steps::State state;
    typename Steps::Search pivot = steps.search(a[0]);
    steps.template condense<order>(a, 0, pivot, state);

    group_.warp.sync();
    PivotProduct<T> product;
    CARROLL_UNROLL
    for (int t = 0; t < own_rows; ++t)
      if (group_.own_row(t) < n_)
        product.take(steps.pivot(group_.own_row(t)), of_magnitude<T>(tops[t]));
    exponent += product.exponent;
    CARROLL_UNROLL
    for (int step = 1; step < width; step *= 2) {
      product.mantissa *= across(group_.warp, product.mantissa, step);
      product.growth = Kokkos::fmax(product.growth, across(group_.warp, product.growth, step));
      exponent += across(group_.warp, exponent, step);
    }
    product.exponent = exponent;
    product.zero = group_.any(product.zero);
    if (exists && group_.place == 0)
      store_info(batch_.info_of(member),
                 product.info(-state.lifted, Kokkos::popcount(state.before) % 2 != 0,
                              RowScale<T>::is_finite(state.highest)));
  }

 private:
  static constexpr int order = Shape::order, cols = Shape::cols, width = Shape::width;
  static constexpr int own_rows = Shape::own_rows;

  RegisterGroup<Warp, Shape> group_;
  DeterminantBatch<T> const& batch_;
  EntryAccess access_;
  int n_;
  T* scratch_;
};

}  // namespace carroll::detail
