// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/simd/pack.hpp>
#include <carroll/detail/simd/sums.hpp>
#include <cstddef>

/// One reflector at work on several columns at a time, on a host: its vector is loaded once for all
/// of them.
namespace carroll::distributed::detail {

/// Columns that a reflector is applied to at once: their sums stay in registers, twice.
inline constexpr int reflected_columns = 4;

/// With [t; y] each of `C` columns and h = [1; v] or, without tops, v alone:
///
///   w = tau·(t + vᵀy),  t -= w,  y -= w·v
///
/// v and y have n entries, whole vectors. 4·n·C flops; a column's bits do not depend on C.
template <class V, int C, class Real>
void reflect_group(Real const* v, int n, Real tau, Real* const* y, Real* const* tops) {
  constexpr int L = V::width;
  V even[C] = {}, odd[C] = {};
  int i = 0;
  for (; i + 2 * L <= n; i += 2 * L) {
    V const a = V::load(v + i), b = V::load(v + i + L);
    for (int c = 0; c < C; ++c) {
      even[c].add_product(a, V::load(y[c] + i));
      odd[c].add_product(b, V::load(y[c] + i + L));
    }
  }
  if (i < n) {
    V const a = V::load(v + i);
    for (int c = 0; c < C; ++c) even[c].add_product(a, V::load(y[c] + i));
  }
  V w[C];
  for (int c = 0; c < C; ++c) {
    Real sum = carroll::detail::sum_of(even[c] + odd[c]);
    if (tops) sum += *tops[c];
    Real const weight = tau * sum;
    if (tops) *tops[c] -= weight;
    w[c] = -weight;
  }
  for (i = 0; i < n; i += L) {
    V const a = V::load(v + i);
    for (int c = 0; c < C; ++c) store(y[c] + i, accumulate(V::load(y[c] + i), a, w[c]));
  }
}

/// The same for columns [first, last): column j is y + j·pitch, its top tops + j·top_pitch.
template <class V, class Real>
void reflect_columns(Real const* v, int n, Real tau, int first, int last, Real* y,
                     std::ptrdiff_t pitch, Real* tops = nullptr, std::ptrdiff_t top_pitch = 0) {
  constexpr int most = reflected_columns;
  auto const group = [&]<int C>(int j) {
    Real *columns[C], *heads[C];
    for (int c = 0; c < C; ++c) {
      columns[c] = y + (j + c) * pitch;
      heads[c] = tops + (j + c) * top_pitch;
    }
    reflect_group<V, C>(v, n, tau, columns, tops ? heads : nullptr);
  };
  int j = first;
  for (; j + most <= last; j += most) group.template operator()<most>(j);
  if (j + 2 <= last) {
    group.template operator()<2>(j);
    j += 2;
  }
  if (j < last) group.template operator()<1>(j);
}

}  // namespace carroll::distributed::detail
