// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/svd/host_blocks_tiles.hpp>
#include <carroll/detail/svd/problem.hpp>

namespace carroll::detail::blocks {

/// Entries [i, i + L) of a column that may have gaps.
template <class Real>
Vector<Real> load(StridedVector<Real> const& y, int i) {
  if (y.stride == 1) return load<Real>(y.data + i);
  Vector<Real> v;
  for (int l = 0; l < length<Real>; ++l) v[l] = y(i + l);
  return v;
}
template <class Real>
void store(StridedVector<Real> const& y, int i, Vector<Real> v) {
  if (y.stride == 1) return store<Real>(y.data + i, v);
  for (int l = 0; l < length<Real>; ++l) y(i + l) = v[l];
}

/// The N columns from j on of B := H₀·H₁⋯H_{count-1}·B with the reflectors of `pivoted_qr`; one
/// thread. Each reflector is read once for all N. The bits of a column do not depend on N, nor on
/// the layout. 4·count·rows flops a column.
template <int N, class Real>
void apply_reflectors(Columns<Real> const& F, Real const* tau, int count,
                      StridedMatrix<Real> const& B, int j) {
  constexpr int L = length<Real>;
  int const m = F.rows;
  StridedVector<Real> y[N];
  for (int c = 0; c < N; ++c) y[c] = B.col(j + c);
  for (int k = count - 1; k >= 0; --k) {
    Real const* const v = F.col(k);
    Vector<Real> sums[N] = {};
    int i = k + 1;
    for (; i + L <= m; i += L) {
      Vector<Real> const a = load(v + i);
      for (int c = 0; c < N; ++c) sums[c] = accumulate(sums[c], a, load(y[c], i));
    }
    Vector<Real> w[N];
    for (int c = 0; c < N; ++c) {
      Real dot = y[c](k);
      for (int r = i; r < m; ++r) dot += v[r] * y[c](r);
      for (int l = 0; l < L; ++l) dot += sums[c][l];
      Real const factor = -(tau[k] * dot);
      y[c](k) += factor;
      for (int r = i; r < m; ++r) y[c](r) += factor * v[r];
      w[c] = factor - Vector<Real>{};
    }
    for (i = k + 1; i + L <= m; i += L) {
      Vector<Real> const a = load(v + i);
      for (int c = 0; c < N; ++c) store(y[c], i, accumulate(load(y[c], i), a, w[c]));
    }
  }
}

/// The same for the first `cols` columns, shared out over a team.
template <class Real, class Member>
void apply_reflectors(Member const& team, Columns<Real> const& F, Real const* tau, int count,
                      StridedMatrix<Real> const& B, int cols) {
  constexpr int together = 4;
  share_out(team, cols / together,
            [&](int g) { apply_reflectors<together>(F, tau, count, B, g * together); });
  share_out(team, cols % together,
            [&](int c) { apply_reflectors<1>(F, tau, count, B, cols / together * together + c); });
}

}  // namespace carroll::detail::blocks
