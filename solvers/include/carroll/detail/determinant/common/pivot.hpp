// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/team.hpp>

namespace carroll::detail {

/// x/p, and 1 where x = p, which the division of complex numbers does not promise: equal columns
/// have to leave nothing of each other.
template <class T>
KOKKOS_INLINE_FUNCTION T divided(T const& x, T const& p) {
  return is_complex<T> && x == p ? T(1) : x / p;
}

/// The first of the largest entries of row[first] … row[n-1], found by the whole team. All threads
/// get the same answer. Size 0 means that all are zero.
template <class T>
struct Pivot {
  RealOf<T> size;
  int column;

  template <class Member>
  KOKKOS_FUNCTION static Pivot find(Member const& team, StridedVector<T> const& row, int first,
                                    int n) {
    using Largest = Kokkos::MaxFirstLoc<RealOf<T>, int>;
    typename Largest::value_type found{};
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, first, n),
        [&](int j, typename Largest::value_type& partial) {
          RealOf<T> const size = pivot_size(row(j));
          if (size > partial.val || (size == partial.val && j < partial.loc)) {
            partial.val = size;
            partial.loc = j;
          }
        },
        Largest(found));
    return {found.val, found.loc};
  }
};

}  // namespace carroll::detail
