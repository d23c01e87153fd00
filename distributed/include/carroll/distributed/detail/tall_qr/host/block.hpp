// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/svd/host_block/reflectors.hpp>
#include <carroll/detail/svd/host_block/tiles.hpp>
#include <carroll/distributed/detail/tall_qr/host/reflect.hpp>

/// Householder QR of one block of rows on a host, by one thread. The block stands in a tile:
/// padded columns that stay in cache. The words are those of svd/host_block: panels of 32 columns,
/// strips of 8, V·T·Vᵀ.
namespace carroll::distributed::detail::host {

namespace blocks = carroll::detail::blocks;
using blocks::BlockReflectors;
using carroll::detail::Columns;

/// The reflector of column k, as make_reflector makes it; of a column of which nothing is left it
/// is the identity. Returns tau.
template <class V, class Real>
Real reflector_of(BlockReflectors<Real> const& Q, int k, Columns<Real> const& R) {
  Real tau;
  if (blocks::make_reflector<V>(Q, k, R, tau)) return tau;
  R(k, k) = 0;
  return 0;
}

/// V, T := the reflectors of the columns that stand in V, upper triangle of R := R. 2mn² - 2n³/3
/// flops, of which 4m·8n are products of a reflector and a column, and mn·32 more for T.
template <class V, class Real>
void factorise_block(BlockReflectors<Real> const& Q, Columns<Real> const& R) {
  using blocks::panel, blocks::strip;
  alignas(64) Real strip_T[panel * strip];
  for (int k = 0; k < Q.n; k += panel) {
    int const K = std::min(panel, Q.n - k);
    Real* const T = Q.factor(k / panel);
    for (int s = k; s < k + K; s += strip) {
      int const behind = std::min(s + strip, k + K);
      for (int j = s; j < behind; ++j) {
        Real const tau = reflector_of<V>(Q, j, R);
        T[(j - k) * (panel + 1)] = strip_T[(j - s) * (panel + 1)] = tau;
        int const begin = Q.first_row(j);
        reflect_columns<V>(Q.V.col(j) + begin, Q.end_row() - begin, tau, j + 1, behind,
                           Q.V.data + begin, Q.V.rows);
      }
      if (behind == k + K) break;
      blocks::form_factor<V>(Q, s, behind - s, strip_T);
      blocks::apply_block<V, true>(Q, s, behind - s, strip_T, Q.V, behind, k + K - behind);
    }
    blocks::form_factor<V>(Q, k, K, T);
    for (int j = k + K; j < Q.n; j += panel)
      blocks::apply_block<V, true>(Q, k, K, T, Q.V, j, std::min(panel, Q.n - j));
  }
}

/// X := Q·[C; 0] with C n×count; of one panel of reflectors X may be Q.V. For each panel but the
/// last 4·m·32·count flops, for that one half of it: C has zeros where most of its products are.
template <class V, class Real>
void expand_block(BlockReflectors<Real> const& Q, Columns<Real> const& C, int count,
                  Columns<Real> const& X) {
  using blocks::panel;
  int const last = (Q.panels() - 1) * panel, K = Q.n - last;
  int const begin = Q.first_row(last), end = Q.end_row();
  int const top = carroll::detail::blocks::whole_tiles_of<Real>(Q.n);
  blocks::ColumnList<Real, panel> const v(Q.V, last, K);
  // Where X is V, all of V has been read for the weights before any of it is overwritten.
  alignas(64) Real weights[panel * panel];
  for (int j = 0; j < count; j += panel) {
    int const cols = std::min(panel, count - j);
    blocks::block_weights<V, false>(Q, last, K, Q.factor(Q.panels() - 1), C, j, cols,
                                    std::min(top, end), weights);
    for (Real& w : weights) w = -w;
    blocks::ColumnList<Real, panel> const x(X, j, cols);
    blocks::multiply<V, false>(v.at, K, weights, panel, x.at, cols, begin, end);
    for (int c = 0; c < cols; ++c) {
      Real const* const from = C.col(j + c);
      Real* const to = x.at[c];
      for (int i = 0; i < begin; ++i) to[i] = from[i];
      for (int i = begin; i < Q.n; ++i) to[i] += from[i];
    }
  }
  for (int p = Q.panels() - 2; p >= 0; --p)
    for (int j = 0; j < count; j += panel)
      blocks::apply_block<V, false>(Q, p * panel, panel, Q.factor(p), X, j,
                                    std::min(panel, count - j));
}

}  // namespace carroll::distributed::detail::host
