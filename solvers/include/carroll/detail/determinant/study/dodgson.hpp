// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/common/balance.hpp>

namespace carroll::detail {

/// Dodgson's condensation (Proc. R. Soc. Lond. 15, 1866), by one team per matrix. D_1 = A, and
///
///   D_{t+1}(i,j) = (D_t(i,j)·D_t(i+1,j+1) − D_t(i,j+1)·D_t(i+1,j)) / D_{t-1}(i+1,j+1)
///
/// are the minors of t+1 connected rows and columns; D_n is the determinant. Divides by entries of
/// the interior: where one is zero, or has lost more than half of its digits to cancellation, the
/// method breaks down. D_{t+1} takes the place of D_{t-1}'s interior, entry by entry, so that two
/// arrays do; each order's minors are scaled by one power of two. 4n³/3 flops.
struct Dodgson {
  template <class T, class Member>
  KOKKOS_FUNCTION static void condense(Member const& team, StridedMatrix<T> const& A,
                                       StridedMatrix<T> const& B, int n,
                                       DeterminantState<T>& state) {
    state.info.growth = 0;
    StridedMatrix<T> older = B;  // of D_{t-1}, by which nobody divides while t = 1
    StridedMatrix<T> newer = A;
    std::int64_t older_exponent = 0, newer_exponent = 0;
    if (interior_vanishes(team, A, n)) return state.finish(Status::breakdown);
    for (int order = n - 1; order >= 1; --order) {
      bool const first = order == n - 1;
      StridedMatrix<T> const into{first ? older.data : &older(1, 1), older.row_stride,
                                  older.col_stride};
      auto const range = step(team, newer, into, order, first);
      if (range.bad) return state.finish(Status::breakdown);
      if (range.high == 0) return state.finish(Status::singular);
      std::int64_t next_exponent = 2 * newer_exponent - older_exponent;
      int const e = exponent_of(range.high);
      if (e < -most_drift || e > most_drift) {
        for_each_entry(team, into, order, order,
                       [&](int i, int j) { into(i, j) = scale_parts(into(i, j), -e); });
        next_exponent += e;
        team.team_barrier();
      }
      older = newer;
      newer = into;
      older_exponent = newer_exponent;
      newer_exponent = next_exponent;
    }
    T const determinant = newer(0, 0);
    if (determinant == T(0)) return state.finish(Status::singular);
    state.info.value *= ScaledNumber<T>(determinant, newer_exponent);
  }

 private:
  /// The largest entry is kept between 2^-most_drift and 2^most_drift.
  static constexpr int most_drift = 8;

  template <class T>
  KOKKOS_FUNCTION static bool vanishes(T const& divisor) {
    return exponent_of(largest_part(divisor)) < -exponent_bias<RealOf<T>> / 3;
  }

  template <class T, class Member>
  KOKKOS_FUNCTION static bool interior_vanishes(Member const& team, StridedMatrix<T> const& A,
                                                int n) {
    int bad = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, Kokkos::max(n - 2, 0)),
        [&](int i, int& found) {
          int in_row = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, n - 2),
              [&](int j, int& partial) {
                T const entry = A(i + 1, j + 1);
                partial |= entry == T(0) || vanishes(entry);
              },
              Kokkos::BOr<int>(in_row));
          found |= in_row;
        },
        Kokkos::BOr<int>(bad));
    return bad != 0;
  }

  /// D_{t+1} of the given order over D_{t-1}. `bad` where an entry of its interior, by which a
  /// later step divides, is not to be trusted.
  template <class T, class Member>
  KOKKOS_FUNCTION static EntryRange<RealOf<T>> step(Member const& team, StridedMatrix<T> const& D,
                                                    StridedMatrix<T> const& into, int order,
                                                    bool first) {
    using Real = RealOf<T>;
    EntryRange<Real> all;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, order),
        [&](int i, EntryRange<Real>& found) {
          EntryRange<Real> in_row;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, order),
              [&](int j, EntryRange<Real>& partial) {
                T const u = D(i, j) * D(i + 1, j + 1);
                T const v = D(i, j + 1) * D(i + 1, j);
                T const minor = u - v;
                T const entry = first ? minor : T(minor / into(i, j));
                bool const divides = 0 < i && i < order - 1 && 0 < j && j < order - 1;
                Real const lost = pivot_size(u) + pivot_size(v);
                if (divides && (cancels(pivot_size(minor), lost) || vanishes(entry)))
                  partial.bad = 1;
                into(i, j) = entry;
                partial.add(largest_part(entry));
              },
              in_row);
          found += in_row;
        },
        all);
    team.team_barrier();
    return all;
  }

  template <class Real>
  KOKKOS_FUNCTION static bool cancels(Real rest, Real terms) {
    return !(rest * rest > Kokkos::Experimental::epsilon_v<Real> * terms * terms);
  }
};

}  // namespace carroll::detail
