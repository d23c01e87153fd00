// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/divided/merge.hpp>
#include <carroll/detail/eigh/divided/secular.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>
#include <carroll/detail/unroll.hpp>

/// From roots to what a merge's vectors are formed of.
namespace carroll::detail {

/// The third step of a merge, a thread for each pole: the z that the roots are exact for (Löwner;
/// Gu and Eisenstat), up to a factor that all share,
///
///   ẑ_i² = (λ_i - d_i)·Π_{j≠i} (λ_j - d_i)/(d_j - d_i),
///
/// so that vectors formed of it are orthogonal however near poles and roots are. Products of any
/// of the quotients stay within the largest quotient of two distances of poles. `poles` quotients
/// each.
struct DividedWeight {
  static constexpr char const* label = "carroll::eigh::divided_weights";
  static constexpr bool of_poles = true;

  template <class Real, class Member>
  KOKKOS_FUNCTION static void find(Member const& team, DividedMerge<Real> const& merge, int i) {
    constexpr int together = 4;  // quotients that do not wait for one another
    int const poles = merge.poles();
    Real const own = merge.pole[i];
    Real square = 1;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, (poles + together - 1) / together),
        [&](int turn, Real& product) {
          Real quotient[together];
          CARROLL_UNROLL
          for (int k = 0; k < together; ++k) {
            int const j = Kokkos::min(together * turn + k, poles - 1);
            bool const counts = together * turn + k < poles;
            Real const distance = merge.distance(i, j);
            quotient[k] = !counts ? Real(1) : i == j ? distance : distance / (own - merge.pole[j]);
          }
          product *= (quotient[0] * quotient[1]) * (quotient[2] * quotient[3]);
        },
        Kokkos::Prod<Real>(square));
    Real const size = Kokkos::sqrt(Kokkos::abs(square));
    once_per_thread(team, [&] { merge.weight[i] = merge.z[i] < Real(0) ? -size : size; });
  }
};

/// The fourth step of a merge, a thread for each of the block's eigenvalues: its place in ascending
/// order, and the length of its vector ẑ_i/(d_i - λ). `poles` quotients and `rows` comparisons
/// each.
struct DividedPlace {
  static constexpr char const* label = "carroll::eigh::divided_places";
  static constexpr bool of_poles = false;

  template <class Real, class Member>
  KOKKOS_FUNCTION static void find(Member const& team, DividedMerge<Real> const& merge, int j) {
    Real const own = merge.value[j];
    int const place = count_of(team, merge.rows, [&](int i) {
      return merge.value[i] < own || (merge.value[i] == own && i < j);
    });
    once_per_thread(team, [&] {
      merge.target[j] = place;
      merge.d[place] = own;
    });
    if (j >= merge.poles()) return;
    Real const origin = merge.origin(j), root = merge.root[j];
    Real const square = lane_sum<Real>(team, merge.poles(), [&](int i) {
      Real const x = quick_quotient<lanes<typename Member::execution_space> != 1>(
          merge.weight[i], (merge.pole[i] - origin) - root);
      return x * x;
    });
    once_per_thread(team, [&] { merge.factor[j] = 1 / Kokkos::sqrt(square); });
  }
};

}  // namespace carroll::detail
