// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/warp/balance.hpp>
#include <carroll/detail/determinant/warp/group.hpp>
#include <carroll/detail/determinant/warp/load.hpp>
#include <carroll/detail/determinant/warp/pivots.hpp>
#include <carroll/detail/determinant/warp/rest.hpp>
#include <carroll/detail/determinant/warp/steps.hpp>
#include <carroll/detail/determinant/warp/thread.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// The part of a condensation that is done by groups of one shape, until a matrix of order Left is
/// left. One call per warp, a matrix per group.
template <class Warp, class Shape, int Left>
class RegisterStage {
 public:
  using T = typename Shape::Scalar;
  static constexpr int order = Shape::order, cols = Shape::cols, width = Shape::width;

  /// What pivots tell. While a group's lanes have not yet put theirs together, each its part.
  struct Outcome {
    PivotProduct<T> product;
    int highest = 0;
  };

  /// `scratch`: Shape::scratch entries of the group's own. They may lie where its rest is: one that
  /// it goes on with is read before, one that it leaves is written after.
  KOKKOS_FUNCTION RegisterStage(Warp const& warp, T* scratch) : group_(warp), scratch_(scratch) {}

  /// Which matrix of the warp is the calling lane's.
  KOKKOS_FUNCTION static int slot_of(Warp const& warp) { return warp.lane / width; }
  /// The one lane of a group that writes a result.
  KOKKOS_FUNCTION bool leads() const { return group_.place == 0; }

  /// Begins with a matrix of order n. `when_here()` once its entries are in registers.
  template <class WhenHere>
  KOKKOS_FORCEINLINE_FUNCTION Outcome begin(StridedMatrix<T const> const& A, EntryAccess access,
                                            int n, RegisterRest<T, Left>* to,
                                            WhenHere const& when_here) const {
    T a[order][cols];
    int tops[own_rows];
    RegisterBalance<Warp, Shape> const balance(group_, n, scratch_);
    balance.load(A, access, a);
    Outcome outcome;
    outcome.product.exponent = balance.balance(A, a, tops);
    when_here();
    condense(a, n, tops, outcome, to);
    return outcome;
  }

  /// Goes on with what another stage has left.
  KOKKOS_FORCEINLINE_FUNCTION Outcome go_on(RegisterRest<T, order>& from,
                                            RegisterRest<T, Left>* to) const {
    T a[order][cols];
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c) CARROLL_UNROLL
    for (int i = 0; i < order; i += chunk) {
      RegisterChunk<T> const part = from.chunk(i, group_.col(c));
      CARROLL_UNROLL
      for (int q = 0; q < chunk; ++q) a[i + q][c] = part.entry[q];
    }
    Outcome outcome;
    if (leads()) {
      outcome.product.mantissa = from.mantissa;
      outcome.product.growth = from.growth;
      outcome.product.exponent = from.exponent;
    }
    outcome.highest = from.highest;
    if constexpr (width == 1) {
      T tops[order];
      CARROLL_UNROLL
      for (int i = 0; i < order; ++i) tops[i] = of_magnitude<T>(from.top[i]);
      typename RegisterThreadSolver<T, order>::Outcome steps;
      steps.product = outcome.product;
      RegisterThreadSolver<T, order>::template condense<order>(a, tops, steps);
      outcome.product = steps.product;
      outcome.highest = Kokkos::max(outcome.highest, steps.highest);
      rescale_rows(outcome, steps.negative);
    } else {
      int tops[own_rows];
      CARROLL_UNROLL
      for (int t = 0; t < own_rows; ++t)
        tops[t] = group_.own_row(t) < order ? from.top[group_.own_row(t)] : 0;
      group_.warp.sync();
      // As if it were not known: the loops over steps stay loops.
      condense(a, opaque_register(order), tops, outcome, to);
    }
    return outcome;
  }

 private:
  static constexpr int own_rows = Shape::own_rows;
  static constexpr int chunk = RegisterChunk<T>::size;
  using Steps = RegisterSteps<Warp, Shape>;

  KOKKOS_FORCEINLINE_FUNCTION void condense(T (&a)[order][cols], int n, int const (&tops)[own_rows],
                                            Outcome& outcome, RegisterRest<T, Left>* to) const {
    Steps const steps(group_, n, scratch_);
    typename Steps::State state;
    typename Steps::Search pivot = steps.search(a[0]);
    steps.template condense<order, Left>(a, 0, pivot, state);

    group_.warp.sync();
    auto& product = outcome.product;
    CARROLL_UNROLL
    for (int t = 0; t < own_rows; ++t)
      if (group_.own_row(t) < n - Left)
        product.take(steps.pivot(group_.own_row(t)), of_magnitude<T>(tops[t]));
    auto const& warp = group_.warp;
    butterfly_up<1, width>([&](int step) {
      product.mantissa *= warp.across(product.mantissa, step);
      product.growth = Kokkos::fmax(product.growth, warp.across(product.growth, step));
      product.exponent += warp.across(product.exponent, step);
    });
    product.exponent -= state.lifted;
    product.zero = group_.any(product.zero);
    outcome.highest = Kokkos::max(outcome.highest, state.highest);
    if constexpr (Left != 0) {
      group_.warp.sync();
      leave(a, n, tops, state.left, outcome, *to);
    }
    rescale_rows(outcome, Kokkos::popcount(state.before) % 2 != 0);
    if constexpr (Left != 0) {
      if (leads()) {
        to->mantissa = product.mantissa;
        to->growth = product.growth;
        to->exponent = product.exponent;
        to->highest = outcome.highest;
      }
    }
  }

  /// The product's sign, and 0 if a pivot was.
  KOKKOS_FUNCTION static void rescale_rows(Outcome& outcome, bool negative) {
    T& mantissa = outcome.product.mantissa;
    if (negative) mantissa = -mantissa;
    if (outcome.product.zero) mantissa = 0;
    outcome.product.zero = mantissa == T(0);
  }

  /// Writes the columns that held no pivot, side by side in their order, and the rows' largest
  /// entries.
  KOKKOS_FORCEINLINE_FUNCTION void leave(T const (&a)[order][cols], int n,
                                         int const (&tops)[own_rows], unsigned left,
                                         Outcome& outcome, RegisterRest<T, Left>& to) const {
    // After a pivot of 0, more columns are left than rows, and one that finds no room might hold
    // what is not finite.
    left &= ~0U << (32 - n);
    bool const crowded = Kokkos::popcount(left) > Left;
    if (group_.warp.ballot(crowded) != 0) {
      CARROLL_UNROLL
      for (int i = 0; i < Left; ++i) CARROLL_UNROLL
      for (int c = 0; c < cols; ++c)
        if (crowded) outcome.highest = Kokkos::max(outcome.highest, magnitude(a[i][c]));
      outcome.highest = group_.max(outcome.highest);
    }
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c) {
      unsigned const bit = 0x80000000U >> group_.col(c);
      int const to_col = Kokkos::popcount(left & -(2 * bit));
      if ((left & bit) == 0 || to_col >= Left) continue;
      CARROLL_UNROLL
      for (int i = 0; i < Left; i += chunk) {
        RegisterChunk<T> part;
        CARROLL_UNROLL
        for (int q = 0; q < chunk; ++q) part.entry[q] = a[i + q][c];
        to.chunk(i, to_col) = part;
      }
    }
    CARROLL_UNROLL
    for (int t = 0; t < own_rows; ++t) {
      int const row = group_.own_row(t) - (n - Left);
      if (row >= 0 && row < Left) to.top[row] = tops[t];
    }
  }

  RegisterGroup<Warp, Shape> group_;
  T* scratch_;
};

}  // namespace carroll::detail
