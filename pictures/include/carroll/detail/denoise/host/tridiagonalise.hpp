// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/denoise/host/symmetric.hpp>
#include <carroll/detail/simd/pack.hpp>
#include <utility>

namespace carroll::detail {

/// A = Q·T·Qᵀ with T tridiagonal (Householder 1958), of as many symmetric matrices as a register
/// has lanes, entry by entry side by side: from the last row up, reflection i, 1 ≤ i < order, is
/// 1 − factor[i]·v·vᵀ with v, 0 beyond i, left in row i of A.
///
/// Lower triangles alone. Each reflection's update, A −= v·wᵀ + w·vᵀ, is made while the triangle is
/// multiplied by the next v, two rows at a time: 2/3·order³ products, and each entry is read and
/// written once a reflection.
template <int Bytes>
class LaneTridiagonalisation {
  using P = Pack<float, Bytes>;

 public:
  /// `A`: a triangle of packs. `work`: 2·order packs.
  LaneTridiagonalisation(P* A, int order, P* work)
      : A_(A), order_(order), product_(work), update_(work + order) {}

  void run(P* diagonal, P* coupling, P* factor) {
    for (int i = order_ - 1; i > 0; --i) {
      P* const row = A_ + triangle(i);
      bool const pending = i + 1 < order_;
      if (pending) update_row(row, i);
      diagonal[i] = row[i];
      coupling[i - 1] = reflect(row, i, factor[i]);
      for (int j = 0; j < i; ++j) product_[j] = P(0.0F);
      pending ? multiply<true>(row, i) : multiply<false>(row, i);
      finish(row, i, factor[i]);
      before_ = row;
      std::swap(product_, update_);
    }
    if (order_ > 1) update_row(A_, 0);
    diagonal[0] = A_[0];
    coupling[order_ - 1] = factor[0] = P(0.0F);
  }

 private:
  /// Row i less what the last reflection takes: v of it is before_, w is update_.
  void update_row(P* row, int i) const {
    P const v = before_[i], w = update_[i];
    for (int c = 0; c <= i; ++c)
      row[c] = subtract_product(subtract_product(row[c], v, update_[c]), w, before_[c]);
  }

  /// v over x, the first i of a row; returns what the reflection leaves at i − 1.
  static P reflect(P* x, int i, P& factor) {
    P const alpha = x[i - 1], zero(0.0F), one(1.0F);
    P sum[4] = {zero, zero, zero, zero};
    for (int j = 0; j + 1 < i; ++j) sum[j % 4].add_product(x[j], x[j]);
    P const rest = (sum[0] + sum[1]) + (sum[2] + sum[3]), square = alpha * alpha;
    auto const idle = (rest <= P(1e-12F) * square) | (rest < P(1e-30F));
    P const norm = sqrt(square + rest), beta = select(alpha > zero, -norm, norm);
    P const scale = select(idle, zero, one / (alpha - beta));
    for (int j = 0; j + 1 < i; ++j) x[j] = x[j] * scale;
    x[i - 1] = one;
    factor = select(idle, zero, (beta - alpha) / beta);
    return select(idle, alpha, beta);
  }

  /// product += A·v of the leading i; with `Pending`, A is first made less by the last reflection.
  template <bool Pending>
  void multiply(P const* v, int i) const {
    int r = 0;
    for (; r + 1 < i; r += 2) {
      P *const upper = A_ + triangle(r), *const lower = upper + r + 1;
      P const v0 = v[r], v1 = v[r + 1];
      P sum0 = product_[r], sum1 = product_[r + 1];
      for (int c = 0; c < r; ++c) {
        P const x = v[c], a0 = entry<Pending>(upper, r, c), a1 = entry<Pending>(lower, r + 1, c);
        P sum = product_[c];
        sum0.add_product(a0, x);
        sum1.add_product(a1, x);
        sum.add_product(a0, v0);
        sum.add_product(a1, v1);
        product_[c] = sum;
      }
      P const across = entry<Pending>(lower, r + 1, r);
      sum0.add_product(entry<Pending>(upper, r, r), v0);
      sum0.add_product(across, v1);
      sum1.add_product(across, v0);
      sum1.add_product(entry<Pending>(lower, r + 1, r + 1), v1);
      product_[r] = sum0;
      product_[r + 1] = sum1;
    }
    if (r == i) return;
    P* const row = A_ + triangle(r);
    P sum = product_[r];
    for (int c = 0; c < r; ++c) {
      P const a = entry<Pending>(row, r, c);
      sum.add_product(a, v[c]);
      product_[c].add_product(a, v[r]);
    }
    sum.add_product(entry<Pending>(row, r, r), v[r]);
    product_[r] = sum;
  }
  template <bool Pending>
  P entry(P* row, int r, int c) const {
    P a = row[c];
    if constexpr (Pending) {
      a = subtract_product(subtract_product(a, before_[r], update_[c]), update_[r], before_[c]);
      row[c] = a;
    }
    return a;
  }

  /// product := w = f·A·v − f²/2·(vᵀA·v)·v.
  void finish(P const* v, int i, P const& factor) const {
    P sum[4] = {P(0.0F), P(0.0F), P(0.0F), P(0.0F)};
    for (int j = 0; j < i; ++j) sum[j % 4].add_product(product_[j], v[j]);
    P const half = P(0.5F) * factor * factor * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (int j = 0; j < i; ++j) product_[j] = subtract_product(product_[j] * factor, half, v[j]);
  }

  P* A_;
  int order_;
  P *product_, *update_;
  P const* before_ = nullptr;
};

}  // namespace carroll::detail
