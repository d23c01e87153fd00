// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// Is norms[i]·2^exponents[i] before norms[j]·2^exponents[j], the larger first and i < j on equal
/// ones? Neither norm is zero.
template <class Real>
KOKKOS_INLINE_FUNCTION bool comes_before(Real const* norms, int const* exponents, int i, int j) {
  int const ei = exponents[i] + exponent_of(norms[i]);
  int const ej = exponents[j] + exponent_of(norms[j]);
  if (ei != ej) return ei > ej;
  Real const xi = scale(norms[i], exponents[i] - ei);
  Real const xj = scale(norms[j], exponents[j] - ej);
  return xi != xj ? xi > xj : i < j;
}

/// Calls place(k, j), on one lane, for the column j, begin <= j < end, with the k-th largest of n
/// norms[j]·2^exponents[j], first come first on equal ones, zeros last. One team, a column per
/// thread; n comparisons each.
template <class Real, class Member, class Place>
KOKKOS_INLINE_FUNCTION void rank_by_norm(Member const& team, int begin, int end, int n,
                                         Real const* norms, int const* exponents,
                                         Place const& place) {
  auto const before = [&](int i, int j) {
    if (norms[i] == Real(0) || norms[j] == Real(0))
      return norms[i] != norms[j] ? norms[i] > norms[j] : i < j;
    return comes_before(norms, exponents, i, j);
  };
  thread_for(team, Kokkos::max(0, end - begin), [&](int column) {
    int const j = begin + column;
    int k = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, n),
        [&](int i, int& count) { count += i != j && before(i, j) ? 1 : 0; }, k);
    once_per_thread(team, [&] { place(k, j); });
  });
}

/// How many norms are not zero.
template <class Real, class Member>
KOKKOS_INLINE_FUNCTION int count_nonzero(Member const& team, int n, Real const* norms) {
  int nonzero = 0;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, n),
      [&](int i, int& count) { count += norms[i] > Real(0) ? 1 : 0; }, nonzero);
  return nonzero;
}

/// rank_by_norm of all columns; on return all have been placed. Returns how many are not zero.
template <class Real, class Member, class Place>
KOKKOS_INLINE_FUNCTION int order_by_norm(Member const& team, int n, Real const* norms,
                                         int const* exponents, Place const& place) {
  rank_by_norm(team, 0, n, n, norms, exponents, place);
  int const nonzero = count_nonzero(team, n, norms);
  team.team_barrier();
  return nonzero;
}

}  // namespace carroll::detail
