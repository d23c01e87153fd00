// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/qr/warp/reflector.hpp>
#include <carroll/detail/qr/warp/shape.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

namespace carroll::detail {

/// R and Q by Householder reflectors H (QrScaledReflector), lane j of a group with column j. Q is
/// made of Hᴴ.
///
/// The lane whose turn it is puts its column where all lanes read it, each the same words, and each
/// finds the reflector for itself: one meeting a step, and sums are a lane's own. Rows that are
/// done with drop out four at a time, so that four steps share their code.
template <class Value, class Shape, bool Pivots>
class QrWarpReflectors {
  using Real = RealOf<Value>;
  static constexpr int order = Shape::order;

 public:
  using Group = LaneGroup<Shape>;
  using Scratch = QrWarpScratch<Value, Shape>;
  using Column = QrWarpColumn<Value, Shape>;

  KOKKOS_FUNCTION QrWarpReflectors(Group const& group, Scratch& scratch, int steps)
      : group_(group), scratch_(scratch), steps_(steps) {}

  /// R from all columns; `most`: steps of all matrices of the warp. 2mn² - 2n³/3 flops (m >= n),
  /// and as many again for norms: lanes are there.
  KOKKOS_FORCEINLINE_FUNCTION void factorise(Column& own, int most) { step_from<0>(own, most); }

  /// x := H₀ᴴ⋯H_{most-1}ᴴ·x, in every lane. 2mn² - 2n³/3 flops for thin Q.
  KOKKOS_FORCEINLINE_FUNCTION void apply(Value (&x)[order], int most) const {
    apply_from<order - 4>(x, most);
  }

  /// By which row i of R and column i of Q are multiplied, so that R's diagonal is not negative.
  KOKKOS_FUNCTION Real sign(int i) const { return negative_ >> i & 1U ? Real(-1) : Real(1); }

 private:
  /// Entries of v from `i` on, four of them, of reflector k; of the rows of `Begin` those that
  /// the reflector does not have are left out.
  template <int Begin>
  KOKKOS_FORCEINLINE_FUNCTION void read(int k, int i, Value const& head, Value (&v)[4]) const {
    read_chunks<4>(scratch_.column(k) + i, v);
    if (i != Begin) return;
    CARROLL_UNROLL
    for (int l = 0; l < 4; ++l) v[l] = Begin + l > k ? v[l] : Begin + l == k ? head : Value(0);
  }

  template <int Begin>
  KOKKOS_FORCEINLINE_FUNCTION void step_from(Column& own, int most) {
    if constexpr (Begin < order) {
      int const end = Kokkos::min(Begin + 4, most);
      CARROLL_NO_UNROLL
      for (int k = Begin; k < end; ++k) step<Begin>(own, k);
      step_from<Begin + 4>(own, most);
    }
  }

  template <int Begin>
  KOKKOS_FORCEINLINE_FUNCTION void step(Column& own, int k) {
    int const pivot = Pivots ? choose_qr_column(group_, own.left, own.place, k, steps_) : k;
    if (group_.row == pivot) write_chunks<order - Begin>(own.x + Begin, scratch_.column(k) + Begin);
    Value const top = entry_of_four<Begin>(own.x, k);
    Value const alpha = group_.from(top, pivot);
    group_.warp.sync();
    Real square[2] = {};
    Value product[2] = {};
    CARROLL_UNROLL
    for (int i = Begin; i < order; i += 4) {
      Value v[4];
      read<Begin>(k, i, Value(0), v);
      CARROLL_UNROLL
      for (int l = 0; l < 4; ++l) {
        square[l % 2] = fused_square_sum(v[l], square[l % 2]);
        product[l % 2] = fused_conjugate_sum(v[l], own.x[i + l], product[l % 2]);
      }
    }
    auto const [beta, head, inverse] = make_scaled_reflector(alpha, square[0] + square[1]);
    Value const minus_w = -fused_conjugate_sum(head, top, product[0] + product[1]) * inverse;
    Real left[2] = {};
    CARROLL_UNROLL
    for (int i = Begin; i < order; i += 4) {
      Value v[4];
      read<Begin>(k, i, head, v);
      CARROLL_UNROLL
      for (int l = 0; l < 4; ++l) {
        Value const x = fused_sum(minus_w, v[l], own.x[i + l]);
        own.x[i + l] = x;
        bool const below = i != Begin || Begin + l > k;
        if constexpr (Pivots) left[l % 2] = fused_square_sum(below ? x : Value(0), left[l % 2]);
      }
    }
    if constexpr (Pivots) own.left = (left[0] + left[1]) * own.weight;
    if (group_.row == pivot) {
      own.diagonal = beta;
      scratch_.heads[k] = head;
      scratch_.inverses[k] = inverse;
    }
    if (beta < Real(0)) negative_ |= 1U << k;
  }

  template <int Begin>
  KOKKOS_FORCEINLINE_FUNCTION void apply_from(Value (&x)[order], int most) const {
    CARROLL_NO_UNROLL
    for (int k = Kokkos::min(Begin + 4, most) - 1; k >= Begin; --k) {
      Value const head = scratch_.heads[k];
      Value sum[2] = {};
      CARROLL_UNROLL
      for (int i = Begin; i < order; i += 4) {
        Value v[4];
        read<Begin>(k, i, head, v);
        CARROLL_UNROLL
        for (int l = 0; l < 4; ++l) sum[l % 2] = fused_conjugate_sum(v[l], x[i + l], sum[l % 2]);
      }
      Value const minus_w = -(sum[0] + sum[1]) * conjugate(scratch_.inverses[k]);
      CARROLL_UNROLL
      for (int i = Begin; i < order; i += 4) {
        Value v[4];
        read<Begin>(k, i, head, v);
        CARROLL_UNROLL
        for (int l = 0; l < 4; ++l) x[i + l] = fused_sum(minus_w, v[l], x[i + l]);
      }
    }
    if constexpr (Begin > 0) apply_from<Begin - 4>(x, most);
  }

  Group const& group_;
  Scratch& scratch_;
  int steps_;
  std::uint32_t negative_ = 0;  ///< bit k: R's diagonal entry
};

}  // namespace carroll::detail
