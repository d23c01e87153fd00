// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/host_block/tiles.hpp>
#include <carroll/detail/svd/problem.hpp>

/// Householder QR of padded columns by panels, on a host.
///
/// The reflectors of a panel of K columns are I - V·T·Vᵀ = H₀·H₁⋯H_{K-1}, T upper triangular
/// (Schreiber and Van Loan 1989). V is kept with its ones and zeros written out, R elsewhere, so
/// that a panel's products are those of whole columns.
namespace carroll::detail::blocks {

/// Columns of a panel, and of those that are factorised reflector by reflector.
inline constexpr int panel = 32;
inline constexpr int strip = 8;

/// A QR factorisation of n columns of `rows` entries. T holds panel×panel numbers per panel.
template <class Real>
struct BlockReflectors {
  Columns<Real> V;  ///< V.rows is the distance between columns
  int rows, n;
  Real* T;

  int panels() const { return (n + panel - 1) / panel; }
  Real* factor(int p) const { return T + static_cast<std::ptrdiff_t>(p) * panel * panel; }
  static int first_row(int k) { return k & -tile_rows<Real>(); }
  int end_row() const { return whole_tiles_of<Real>(rows); }
};

/// Pointers to `count` columns, filled up with the last one to whole tiles.
template <class Real, int Most>
struct ColumnList {
  Real* at[Most];
  ColumnList(Columns<Real> const& M, int first, int count) {
    for (int j = 0; j < Most; ++j) at[j] = M.col(first + std::min(j, count - 1));
  }
};

/// TW := T·VᵀC, or TᵀVᵀC, for K reflectors from column k of Q's panel on and `count` columns of C
/// from column j on, which are zero from row `end` on, whole tiles; leading dimension `panel`.
/// 2·rows·K·count flops.
template <class V, bool transposed, class Real>
void block_weights(BlockReflectors<Real> const& Q, int k, int K, Real const* T,
                   Columns<Real> const& C, int j, int count, int end, Real* TW) {
  int const begin = Q.first_row(k);
  ColumnList<Real, panel> const v(Q.V, k, K);
  ColumnList<Real, panel> const c(C, j, count);
  alignas(64) Real W[panel * panel];
  Real *x[panel], *y[panel];
  for (int i = 0; i < panel; ++i) {
    x[i] = v.at[i] + begin;
    y[i] = c.at[i] + begin;
  }
  int const whole = (count + dot_rows - 1) / dot_rows * dot_rows;
  int const K_whole = (K + dot_rows - 1) / dot_rows * dot_rows;
  dot_products<V>(x, K_whole, y, whole, end - begin, W, panel);
  for (int b = 0; b < count; ++b)
    for (int i = 0; i < K; ++i) TW[i + b * panel] = 0;
  for (int b = 0; b < count; ++b) {
    Real const* const w = W + b * panel;
    Real* const tw = TW + b * panel;
    if constexpr (transposed) {
      for (int i = 0; i < K; ++i) {
        Real sum = 0;
        for (int l = 0; l <= i; ++l) sum += T[l + i * panel] * w[l];
        tw[i] = sum;
      }
    } else {
      for (int l = 0; l < K; ++l)
        for (int i = 0; i <= l; ++i) tw[i] += T[i + l * panel] * w[l];
    }
  }
}

/// C := (I - V·T·Vᵀ)·C, or with Tᵀ, for K reflectors from column k of Q's panel on and `count`
/// columns of C from column j on. One thread; 4·rows·K·count flops.
template <class V, bool transposed, class Real>
void apply_block(BlockReflectors<Real> const& Q, int k, int K, Real const* T,
                 Columns<Real> const& C, int j, int count) {
  by_itself<V::bytes>([&] {
    int const end = Q.end_row();
    alignas(64) Real TW[panel * panel];
    block_weights<V, transposed>(Q, k, K, T, C, j, count, end, TW);
    ColumnList<Real, panel> const v(Q.V, k, K);
    ColumnList<Real, panel> const c(C, j, count);
    multiply<V, true>(v.at, K, TW, panel, c.at, count, Q.first_row(k), end);
  });
}

/// Σ x[i]² over rows [begin, end), whole vectors.
template <class V, class Real>
Real sum_of_squares(Real const* x, int begin, int end) {
  V sums[4] = {};
  int i = begin;
  for (; i + 4 * V::width <= end; i += 4 * V::width)
    for (int u = 0; u < 4; ++u) {
      V const a = V::load(x + i + u * V::width);
      sums[u].add_product(a, a);
    }
  for (; i < end; i += V::width) {
    V const a = V::load(x + i);
    sums[0].add_product(a, a);
  }
  return sum_of((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

/// The same with this processor's registers.
template <class Real>
Real square_of(Real const* x, int begin, int end) {
  Real square;
  with_packs<Real>(
      [&]<class V>() { by_itself<V::bytes>([&] { square = sum_of_squares<V>(x, begin, end); }); });
  return square;
}

/// Makes the reflector of column k from its entries from row k on; those above are R's and go
/// there. False if nothing is left of the column.
template <class V, class Real>
bool make_reflector(BlockReflectors<Real> const& Q, int k, Columns<Real> const& R, Real& tau) {
  Real* const x = Q.V.col(k);
  int const begin = Q.first_row(k), end = Q.end_row();
  std::copy(x, x + k, R.col(k));
  std::fill(x, x + k, Real(0));
  constexpr Real small = sizeof(Real) == 4 ? Real(0x1p-90) : Real(0x1p-900);
  Real square = sum_of_squares<V>(x, begin, end);
  int up = 0;
  if (!(square > small)) {
    Real largest = 0;
    for (int i = k; i < Q.rows; ++i) largest = std::max(largest, Kokkos::abs(x[i]));
    if (!(largest > Real(0))) return false;
    up = -exponent_of(largest);
    for (int i = k; i < Q.rows; ++i) x[i] = scale(x[i], up);
    square = sum_of_squares<V>(x, begin, end);
  }
  Real const norm = Kokkos::sqrt(square);
  Real const alpha = x[k];
  Real const beta = alpha < 0 ? norm : -norm;
  V const inverse = 1 / (alpha - beta);
  for (int i = begin; i < end; i += V::width) store(x + i, V::load(x + i) * inverse);
  x[k] = 1;
  R(k, k) = scale(beta, -up);
  tau = (beta - alpha) / beta;
  return true;
}

/// y := (I - tau·v·vᵀ)·y for columns [first, last), the reflector in column k.
template <class V, class Real>
void reflect(BlockReflectors<Real> const& Q, int k, Real tau, int first, int last) {
  constexpr int L = V::width;
  Real const* const v = Q.V.col(k);
  int const begin = Q.first_row(k), end = Q.end_row();
  for (int j = first; j < last; ++j) {
    Real* const y = Q.V.col(j);
    V sums[2] = {};
    for (int i = begin; i < end; i += 2 * L)
      for (int u = 0; u < 2; ++u)
        sums[u].add_product(V::load(v + i + u * L), V::load(y + i + u * L));
    V const w = -tau * sum_of(sums[0] + sums[1]);
    for (int i = begin; i < end; i += L)
      store(y + i, accumulate(V::load(y + i), V::load(v + i), w));
  }
}

/// T(:, j) for j >= known of the reflectors in columns k to k + K - 1, given tau on its diagonal:
/// T(:j, j) = -tau·T(:j, :j)·VᵀV(:j, j). rows·K² flops.
template <class V, class Real>
void form_factor(BlockReflectors<Real> const& Q, int k, int K, Real* T) {
  int const begin = Q.first_row(k), end = Q.end_row();
  ColumnList<Real, panel> const v(Q.V, k, K);
  Real* x[panel];
  for (int i = 0; i < panel; ++i) x[i] = v.at[i] + begin;
  alignas(64) Real G[panel * panel];
  int const whole = (K + dot_rows - 1) / dot_rows * dot_rows;
  dot_products<V>(x, whole, x, whole, end - begin, G, panel, true);
  for (int j = 0; j < K; ++j) {
    Real* const t = T + j * panel;
    for (int i = 0; i < j; ++i) t[i] = 0;
    for (int l = 0; l < j; ++l) {
      Real const w = -t[j] * G[l + j * panel];
      for (int i = 0; i <= l; ++i) t[i] += T[i + l * panel] * w;
    }
  }
}

/// Factorises K columns from k on, strip by strip, and forms their T. One thread. False if a column
/// vanished.
template <class V, class Real>
bool factorise_panel(BlockReflectors<Real> const& Q, int k, int K, Columns<Real> const& R) {
  Real* const T = Q.factor(k / panel);
  alignas(64) Real strip_T[panel * strip];
  for (int s = 0; s < K; s += strip) {
    int const count = std::min(strip, K - s);
    for (int j = 0; j < count; ++j) {
      Real tau;
      if (!make_reflector<V>(Q, k + s + j, R, tau)) return false;
      T[(s + j) * (panel + 1)] = strip_T[j * (panel + 1)] = tau;
      reflect<V>(Q, k + s + j, tau, k + s + j + 1, k + s + count);
    }
    if (s + count == K) break;
    form_factor<V>(Q, k + s, count, strip_T);
    apply_block<V, true>(Q, k + s, count, strip_T, Q.V, k + s + count, K - s - count);
  }
  form_factor<V>(Q, k, K, T);
  return true;
}

/// V := Q's reflectors of the padded columns V, R's upper triangle into R, whose other entries are
/// left alone. A team: one thread factorises a panel, then all apply it to the columns behind.
/// False, on all threads, if a column vanished; `failed` is a place that they share. 2mn² - 2n³/3
/// flops; the columns behind a panel are read and written once, from cache where they fit.
template <class Real, class Member>
bool blocked_qr(Member const& team, BlockReflectors<Real> const& Q, Columns<Real> const& R,
                int* failed) {
  if (team.team_rank() == 0) *failed = 0;
  for (int k = 0; k < Q.n; k += panel) {
    int const K = std::min(panel, Q.n - k);
    if (team.team_rank() == 0)
      with_packs<Real>([&]<class V>() {
        by_itself<V::bytes>([&] {
          if (!factorise_panel<V>(Q, k, K, R)) *failed = 1;
        });
      });
    team.team_barrier();
    if (*failed) return false;
    int const behind = Q.n - k - K;
    // A group's columns stay in a second-level cache between their two products.
    int const group = behind > 8 * panel ? panel : panel / 2;
    share_out(team, (behind + group - 1) / group, [&](int g) {
      int const j = k + K + g * group;
      with_packs<Real>([&]<class V>() {
        apply_block<V, true>(Q, k, K, Q.factor(k / panel), Q.V, j, std::min(group, Q.n - j));
      });
    });
    team.team_barrier();
  }
  return true;
}

/// C := Q·C for `count` columns from j on whose entries from row `zero_from` on are zero; one
/// thread. Reflectors behind that row leave them alone. 4·rows·n·count flops at most.
template <class Real>
void apply_q(BlockReflectors<Real> const& Q, Columns<Real> const& C, int j, int count,
             int zero_from) {
  for (int p = Q.panels() - 1; p >= 0; --p) {
    int const k = p * panel;
    if (k >= zero_from) continue;
    with_packs<Real>([&]<class V>() {
      apply_block<V, false>(Q, k, std::min(panel, Q.n - k), Q.factor(p), C, j, count);
    });
  }
}

}  // namespace carroll::detail::blocks
