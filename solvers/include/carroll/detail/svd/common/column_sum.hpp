// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>
#include <type_traits>

/// Sums over the rows of a matrix, which may have very many: the error of a plain sum grows with
/// their number where its terms are alike, as those of a column of ones are. A reflector of 100 000
/// equal entries lost three digits so.
namespace carroll::detail {

/// What a kernel is compiled for. `few` leaves out what long sums take: its registers make a team's
/// work on a GPU a third slower (H200, 2026-11-24). Columns of square factors are `few`, however
/// many there are. Sums that are not long are the same bits in both.
enum class SummedRows { few, many };

/// Up to so many rows are summed plainly.
template <class ExecSpace>
inline constexpr int few_rows = lanes<ExecSpace> == 1 ? 256 : 2048;

/// Runs f with a std::integral_constant of what is to be compiled for matrices of so many rows. A
/// host has registers enough to do with one of them.
template <class ExecSpace, class F>
void with_summed_rows([[maybe_unused]] std::int64_t rows, F const& f) {
  if constexpr (lanes<ExecSpace> != 1)
    if (rows <= few_rows<ExecSpace>)
      return f(std::integral_constant<SummedRows, SummedRows::few>());
  f(std::integral_constant<SummedRows, SummedRows::many>());
}

/// K sums of f(i), finite, for 0 <= i < n by a thread's lanes; every lane gets them. Of many rows
/// stretches are added up in double words; on hosts that is so in any case.
template <SummedRows rows, class T, int K, class Member, class F>
KOKKOS_INLINE_FUNCTION Sums<T, K> column_sums(Member const& team, int n, F const& f) {
  using ExecSpace = typename Member::execution_space;
  constexpr int stretch = few_rows<ExecSpace>;
  if constexpr (rows == SummedRows::few && lanes<ExecSpace> != 1)
    return lane_sums<T, K>(team, n, f);
  Sums<T, K> sums = lane_sums<T, K>(team, Kokkos::min(n, stretch), f);
  if (n <= stretch) return sums;
  using Total = std::conditional_t<std::is_floating_point_v<T>, DoubleWord<T>, T>;
  Total totals[K];
  for (int k = 0; k < K; ++k) totals[k] = Total(sums.value[k]);
  for (int first = stretch; first < n; first += stretch) {
    auto const part =
        lane_sums<T, K>(team, Kokkos::min(n - first, stretch), [&](int i) { return f(first + i); });
    for (int k = 0; k < K; ++k) totals[k] = totals[k] + Total(part.value[k]);
  }
  for (int k = 0; k < K; ++k)
    if constexpr (std::is_floating_point_v<T>)
      sums.value[k] = leading(totals[k]);
    else
      sums.value[k] = totals[k];
  return sums;
}

/// One such sum.
template <SummedRows rows, class T, class Member, class F>
KOKKOS_INLINE_FUNCTION T column_sum(Member const& team, int n, F const& f) {
  return column_sums<rows, T, 1>(team, n, [&](int i) { return Sums<T, 1>{{f(i)}}; })[0];
}

}  // namespace carroll::detail
