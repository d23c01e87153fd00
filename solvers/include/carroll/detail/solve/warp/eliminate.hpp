// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/solve/sizes.hpp>
#include <carroll/detail/solve/warp/eliminate_row.hpp>
#include <carroll/detail/solve/warp/pivot.hpp>
#include <carroll/detail/solve/warp/shape.hpp>
#include <carroll/detail/unroll.hpp>

/// Elimination with partial pivoting by the lanes of a warp, a row to each, and what follows for
/// vectors that are spread over the lanes as rows are.
namespace carroll::detail {

/// L and U. Rows stay in their lanes until all steps are done: the lane of the pivot, the first of
/// the largest entries that are left, puts its row where all lanes read it, each the same words,
/// and each lane takes its multiple from its own. One meeting a step. Columns that are done with
/// drop out four at a time, so that four steps share their code.
template <class Value, class Shape>
class SolveWarpElimination {
  static constexpr int order = Shape::order;

 public:
  using Real = RealOf<Value>;
  using Group = LaneGroup<Shape>;
  using Scratch = SolveWarpMatrix<Value, Shape>;
  using Row = SolveWarpRow<Value, Shape>;

  KOKKOS_FUNCTION SolveWarpElimination(Group const& group, Scratch& scratch, int n)
      : group_(group), scratch_(scratch), n_(n) {}

  /// In the end lane k has pivot row k, of L and of U, and scratch has all of them. False if a
  /// pivot is 0. `largest` := that of U's entries. 2n³/3 flops.
  KOKKOS_FORCEINLINE_FUNCTION bool factorise(Row& own, Real& largest) {
    int const t = group_.row;
    own.place = t < n_ ? -1 : t;
    step_from<0>(own);
    Real most = 0;
    CARROLL_UNROLL
    for (int k = 0; k < order; ++k)
      most = Kokkos::max(most, t < n_ && k >= own.place ? size_or_infinity(own.a[k]) : Real(0));
    largest = group_.max(most);
    put_in_order(own);
    return regular_;
  }

 private:
  template <int Begin>
  KOKKOS_FORCEINLINE_FUNCTION void step_from(Row& own) {
    if constexpr (Begin < order) {
      int const end = Kokkos::min(Begin + 4, n_);
      CARROLL_NO_UNROLL
      for (int k = Begin; k < end; ++k) step<Begin>(own, k);
      step_from<Begin + 4>(own);
    }
  }

  template <int Begin>
  KOKKOS_FORCEINLINE_FUNCTION void step(Row& own, int k) {
    Value* const shared = scratch_.row(k);
    Value const x = entry_of_four<Begin>(own.a, k);
    int const pivot = row_of_largest(group_, pivot_size(x), own.place < 0);
    if (group_.row == pivot) {
      write_chunks<order - Begin>(own.a + Begin, shared + Begin);
      own.place = k;
    }
    if (group_.row == k) own.origin = pivot;
    group_.warp.sync();
    Value const u = shared[k];
    regular_ = regular_ && u != Value(0);
    Value const inverse = inverse_of_pivot(u == Value(0) ? Value(1) : u);
    if (group_.row == pivot) own.inverse = inverse;
    bool const left = own.place < 0;
    Value const factor = left ? fused_product(x, inverse) : Value(0);
    eliminate_row<Begin>(shared, k, factor, left, own.a);
  }

  KOKKOS_FORCEINLINE_FUNCTION void put_in_order(Row& own) const {
    int const t = group_.row;
    group_.warp.sync();
    if (t < order) write_chunks<order>(own.a, scratch_.row(own.place));
    own.origin = t < n_ ? own.origin : t;
    own.inverse = group_.from(own.inverse, own.origin);
    if (t < order) scratch_.inverses[t] = own.inverse;
    group_.warp.sync();
    if (t < order) read_chunks<order>(scratch_.row(t), own.a);
  }

  Group const& group_;
  Scratch& scratch_;
  int n_;
  bool regular_ = true;
};

/// y := A⁻¹·y for C vectors, entry t in lane t. 2n² flops each, and 2n exchanges.
template <int C, class Value, class Shape>
KOKKOS_FORCEINLINE_FUNCTION void solve(LaneGroup<Shape> const& group, int n,
                                       SolveWarpRow<Value, Shape> const& own, Value (&y)[C]) {
  CARROLL_UNROLL
  for (int c = 0; c < C; ++c) y[c] = group.from(y[c], own.origin);
  CARROLL_UNROLL
  for (int k = 0; k + 1 < Shape::order; ++k) {
    if (k + 1 >= n) break;
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      Value const by = group.from(y[c], k);
      if (group.row > k) y[c] = fused_sum(-own.a[k], by, y[c]);
    }
  }
  CARROLL_UNROLL
  for (int k = Shape::order - 1; k > 0; --k) {
    if (k >= n) continue;
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      Value const by = group.from(fused_product(y[c], own.inverse), k);
      if (group.row < k) y[c] = fused_sum(-own.a[k], by, y[c]);
    }
  }
  CARROLL_UNROLL
  for (int c = 0; c < C; ++c) y[c] = fused_product(y[c], own.inverse);
}

/// y := A⁻ᵀ·y. Lanes read neighbours in a row of L or U: nothing is summed over lanes.
template <class Value, class Shape>
KOKKOS_FORCEINLINE_FUNCTION Value solve_transposed(LaneGroup<Shape> const& group, int n,
                                                   SolveWarpMatrix<Value, Shape> const& factors,
                                                   SolveWarpRow<Value, Shape> const& own, Value y) {
  int const t = group.row;
  for (int k = 0; k + 1 < n; ++k) {
    Value const by = group.from(fused_product(y, own.inverse), k);
    if (t > k && t < n) y = fused_sum(-factors.row(k)[t], by, y);
  }
  y = fused_product(y, own.inverse);
  for (int k = n - 1; k > 0; --k) {
    Value const by = group.from(y, k);
    if (t < k) y = fused_sum(-factors.row(k)[t], by, y);
  }
  return group.from(y, own.place);
}

/// y := A⁻¹·y for a vector of each lane's own, whose entries stand in the order of the pivots, with
/// rows of L and U that all lanes read together. 2n² flops, no exchange; entry by entry the same
/// operations in the same order as above.
template <class Value, class Shape>
KOKKOS_FORCEINLINE_FUNCTION void solve_own(SolveWarpMatrix<Value, Shape> const& scratch, int n,
                                           Value (&y)[Shape::order]) {
  constexpr int order = Shape::order;
  CARROLL_UNROLL
  for (int i = 0; i < order; i += 4) {
    if (i >= n) break;
    CARROLL_UNROLL
    for (int k = 0; k <= i; k += 4) {
      CARROLL_UNROLL
      for (int r = 0; r < 4; ++r) {
        Value v[4];
        read_chunks<4>(scratch.row(i + r) + k, v);
        CARROLL_UNROLL
        for (int l = 0; l < (k < i ? 4 : r); ++l) y[i + r] = fused_sum(-v[l], y[k + l], y[i + r]);
      }
    }
  }
  CARROLL_UNROLL
  for (int i = order - 4; i >= 0; i -= 4) {
    if (i >= n) continue;
    CARROLL_UNROLL
    for (int k = order - 4; k >= i; k -= 4) {
      if (k >= n) continue;
      CARROLL_UNROLL
      for (int r = 3; r >= 0; --r) {
        Value v[4];
        read_chunks<4>(scratch.row(i + r) + k, v);
        CARROLL_UNROLL
        for (int l = 3; l > (k > i ? -1 : r); --l) y[i + r] = fused_sum(-v[l], y[k + l], y[i + r]);
        if (k == i) y[i + r] = fused_product(y[i + r], scratch.inverses[i + r]);
      }
    }
  }
}

}  // namespace carroll::detail
