// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/team.hpp>
#include <type_traits>

/// Sums over the rows of a matrix, which may have very many: the error of a plain sum grows with
/// their number where its terms are alike, as those of a column of ones are. A reflector of 100 000
/// equal entries lost three digits so.
namespace carroll::detail {

/// K sums of f(i), finite, for 0 <= i < n by a thread's lanes; every lane gets them. Those of
/// stretches are added up in double words.
template <class T, int K, class Member, class F>
KOKKOS_INLINE_FUNCTION Sums<T, K> column_sums(Member const& team, int n, F const& f) {
  constexpr int stretch = lanes<typename Member::execution_space> == 1 ? 256 : 2048;
  Sums<T, K> sums = lane_sums<T, K>(team, Kokkos::min(n, stretch), f);
  if (n <= stretch) return sums;
  using Total = std::conditional_t<std::is_floating_point_v<T>, DoubleWord<T>, T>;
  Total totals[K];
  for (int k = 0; k < K; ++k) totals[k] = Total(sums.value[k]);
  for (int first = stretch; first < n; first += stretch) {
    auto const part =
        lane_sums<T, K>(team, Kokkos::min(n - first, stretch), [&](int i) { return f(first + i); });
    for (int k = 0; k < K; ++k) totals[k] += Total(part.value[k]);
  }
  for (int k = 0; k < K; ++k)
    if constexpr (std::is_floating_point_v<T>)
      sums.value[k] = leading(totals[k]);
    else
      sums.value[k] = totals[k];
  return sums;
}

/// One such sum.
template <class T, class Member, class F>
KOKKOS_INLINE_FUNCTION T column_sum(Member const& team, int n, F const& f) {
  return column_sums<T, 1>(team, n, [&](int i) { return Sums<T, 1>{{f(i)}}; })[0];
}

}  // namespace carroll::detail
