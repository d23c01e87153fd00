// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/common/balance.hpp>

namespace carroll::detail {

/// Condensation to 2×2 minors (Abdelmalek Salem and Kouachi Said, arXiv 0712.0822), in place, by
/// one team per matrix. With p the first entry of row 0 that is not zero, in column l, and A of
/// order m,
///
///   det A = ±det B / p^(m-2),  b_ij = p·a_ij − a_0j·a_il,  i >= 1, j ≠ l.
///
/// Magnitudes are squared by every step: each row of B is brought back to [1/2, 1) by a power of
/// two, small factors p and a_il before, so that what they multiply does not underflow; and powers
/// of p are scaled numbers. n³ flops. Nothing keeps p from being small, hence the loss of digits;
/// but nothing is divided by it, so that there is no breakdown.
struct SalemSaid {
  template <class T, class Member>
  KOKKOS_FUNCTION static void condense(Member const& team, StridedMatrix<T> const& A, int n,
                                       RealOf<T>*, DeterminantState<T>& state) {
    state.info.growth = 0;
    for (int k = 0; k < n; ++k) {
      StridedVector<T> const row = row_of(A, k);
      int l = n;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, k, n),
          [&](int j, int& first) { first = j < first && row(j) != T(0) ? j : first; },
          Kokkos::Min<int>(l));
      if (l >= n) return state.finish(Status::singular);
      T const p = row(l);
      int const order = n - k;
      if (order == 1) {
        state.info.value *= ScaledNumber<T>(p);
        return;
      }
      state.info.value *= ScaledNumber<T>(p).pow(2 - order);
      if (l != k) state.info.value *= ScaledNumber<T>(T(-1));
      team.team_barrier();  // all have read p
      state.info.value *= ScaledNumber<T>(T(1), condense_rows(team, A, n, k, l, p));
    }
  }

 private:
  /// Rows k+1 … n-1, whose columns k and l are exchanged on the way. Returns log₂ of what scaling
  /// takes out of the determinant.
  template <class T, class Member>
  KOKKOS_FUNCTION static std::int64_t condense_rows(Member const& team, StridedMatrix<T> const& A,
                                                    int n, int k, int l, T const& p) {
    StridedVector<T> const top = row_of(A, k);
    std::int64_t exponent = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, n - k - 1),
        [&](int offset, std::int64_t& sum) {
          StridedVector<T> const row = row_of(A, k + 1 + offset);
          T pivot = p, factor = row(l);
          auto const larger = Kokkos::max(largest_part(p), largest_part(factor));
          int const scaling = larger < RealOf<T>(0x1p-8) ? exponent_of(larger) : 0;
          if (scaling != 0) {
            pivot = scale_parts(pivot, -scaling);
            factor = scale_parts(factor, -scaling);
          }
          T const moved = row(k);
          // Column l's place is taken by column k, whose entries are read before they are gone.
          auto const high = lane_max<RealOf<T>>(team, n - k - 1, [&](int c) {
            int const j = k + 1 + c;
            T const x = pivot * (j == l ? moved : row(j)) - (j == l ? top(k) : top(j)) * factor;
            row(j) = x;
            return largest_part(x);
          });
          StridedVector<T> const rest{&row(k + 1), row.stride};
          if (high == 0) return;  // singular, found when it is this row's turn
          int const e = exponent_of(high);
          lane_for(team, n - k - 1, [&](int c) { rest(c) = scale_parts(rest(c), -e); });
          sum += e + scaling;
        },
        exponent);
    team.team_barrier();
    return exponent;
  }
};

}  // namespace carroll::detail
