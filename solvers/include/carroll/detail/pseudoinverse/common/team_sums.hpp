// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace carroll::detail {

inline constexpr int team_sum_parts = 32;

/// Doubles of scratch that team_sums needs.
KOKKOS_INLINE_FUNCTION constexpr int team_sums_size(int sums) {
  return sums * (team_sum_parts + 1);  // one more, so that neighbours are in different banks
}

/// put(e, Σ term(e, i) over 0 <= i < count), 0 <= e < sums, by a whole team: 32 partial sums each,
/// whatever the team's size is. The caller sees to a barrier before, where `scratch` or what the
/// terms read has been in use, and behind.
template <class Member, class Term, class Put>
KOKKOS_INLINE_FUNCTION void team_sums(Member const& team, double* scratch, int sums, int count,
                                      Term const& term, Put const& put) {
  constexpr int parts = team_sum_parts;
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, sums * parts), [&](int item) {
    int const e = item % sums, part = item / sums;  // neighbours: in memory most often, too
    double sum = 0;
    for (int i = part; i < count; i += parts) sum += term(e, i);
    scratch[e * (parts + 1) + part] = sum;
  });
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, sums), [&](int e) {
    double sum = 0;
    for (int part = 0; part < parts; ++part) sum += scratch[e * (parts + 1) + part];
    put(e, sum);
  });
}

}  // namespace carroll::detail
