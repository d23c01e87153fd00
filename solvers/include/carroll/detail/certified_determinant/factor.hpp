// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/certified_determinant/problem.hpp>
#include <carroll/detail/determinant/common/pivot.hpp>
#include <carroll/detail/team.hpp>
#include <type_traits>

/// Elimination and triangular inverses by one team, for matrices that fit caches. Nothing here has
/// to be right for the interval to be: only good for it to be narrow.
namespace carroll::detail {

/// A pivot that is smaller than this is replaced by it: the matrix is singular up to rounding
/// errors, and only an upper bound of the determinant can come of it.
inline constexpr double least_divisor = 0x1p-53;

/// Entries of a row whose sums a host's thread holds in vector registers.
template <class ExecSpace>
inline constexpr int certified_tile = lanes<ExecSpace> == 1 ? 16 : 1;

/// f(tile, j) for columns `begin` … n-1 in tiles of the width that tile() tells. By the lanes of
/// the calling thread.
template <class ExecSpace, class Member, class F>
KOKKOS_INLINE_FUNCTION void for_row_tiles(Member const& team, int begin, int n, F const& f) {
  if constexpr (lanes<ExecSpace> == 1) {
    constexpr int width = certified_tile<ExecSpace>;
    int j = begin;
    for (; j + width <= n; j += width) f(std::integral_constant<int, width>(), j);
    for (; j < n; ++j) f(std::integral_constant<int, 1>(), j);
  } else {
    lane_for(team, n - begin, [&](int k) { f(std::integral_constant<int, 1>(), begin + k); });
  }
}

/// sum += Σ a(k)·B(k, j + u) for `begin` <= k < `end`.
template <int Width, class Factor>
KOKKOS_INLINE_FUNCTION void add_rows(double (&sum)[Width], Factor const& a,
                                     StridedMatrix<double> const& B, int begin, int end, int j) {
  for (int k = begin; k < end; ++k) {
    double const factor = a(k);
    double const* const from = &B(k, j);
    for (int u = 0; u < Width; ++u) sum[u] += factor * from[u];
  }
}

/// Columns `first` … last-1 of F, from row `first` on, overwritten with L\U; right-looking, largest
/// entry of the column as pivot. Rows are exchanged in these columns only, and the exchanges noted.
/// (last − first)²·(n − first) flops; four barriers per column.
template <class Member>
KOKKOS_INLINE_FUNCTION void factor_columns(Member const& team, CertifiedMemory const& w, int first,
                                           int last) {
  int const n = w.n;
  auto const F = w.matrix(CertifiedMatrix::factors);
  int sign = w.state->sign;
  for (int k = first; k < last; ++k) {
    auto const found = Pivot<double>::find(team, F.col(k), k, n);
    // Without an entry that is larger than 0 (or with NaN) there is no place.
    int const p = found.size > 0 ? found.column : k;
    if (p != k) {
      sign = -sign;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, first, last),
                           [&](int j) { Kokkos::kokkos_swap(F(k, j), F(p, j)); });
    }
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      w.exchanges()[k] = p;
      double const pivot = F(k, k);
      if (Kokkos::abs(pivot) < least_divisor) F(k, k) = pivot < 0 ? -least_divisor : +least_divisor;
    });
    team.team_barrier();
    double const inverse = 1 / F(k, k);
    thread_for(team, n - k - 1, [&](int r) {
      int const i = k + 1 + r;
      double const multiplier = F(i, k) * inverse;
      double* const row = &F(i, 0);
      double const* const above = &F(k, 0);
      lane_for(team, last - k - 1, [&](int j) { row[k + 1 + j] -= multiplier * above[k + 1 + j]; });
      once_per_thread(team, [&] { row[k] = multiplier; });
    });
    team.team_barrier();
  }
  Kokkos::single(Kokkos::PerTeam(team), [&] { w.state->sign = sign; });
  team.team_barrier();
}

/// Rows of column j of a matrix exchanged as those of `first` … last-1 of F were.
KOKKOS_INLINE_FUNCTION void exchange_rows(CertifiedMemory const& w, StridedMatrix<double> const& B,
                                          int first, int last, int j) {
  for (int k = first; k < last; ++k) {
    int const p = w.exchanges()[k];
    if (p != k) Kokkos::kokkos_swap(B(k, j), B(p, j));
  }
}

/// P·C = L·U by one team. 2n³/3 flops.
template <class Member>
KOKKOS_INLINE_FUNCTION void factor(Member const& team, CertifiedMemory const& w) {
  factor_columns(team, w, 0, w.n);
  Kokkos::parallel_for(Kokkos::TeamVectorRange(team, w.n), [&](int j) {
    exchange_rows(w, w.matrix(CertifiedMatrix::balanced), 0, w.n, j);
  });
  team.team_barrier();
}

/// Z with U·Z ≈ I for an upper triangular U, any strides, whose diagonal counts as 1 if `unit`.
struct UpperInverse {
  StridedMatrix<double> U;
  StridedMatrix<double> Z;  ///< rows without gaps; zeros below the diagonal
  bool unit;

  /// Entries j … j+Width-1 of row i, by substitution, so that U·Z − I is small (not Z·U − I). The
  /// rows below must be known; with `sums` Σ u_ik·z_kj over k >= end stands in Z(i, j) already.
  template <int Width>
  KOKKOS_FUNCTION void entries(int i, int j, int end, bool sums) const {
    double const inverse = unit ? 1.0 : 1 / U(i, i);
    double sum[Width] = {};
    if (sums)
      for (int u = 0; u < Width; ++u) sum[u] = Z(i, j + u);
    add_rows(
        sum, [&](int k) { return U(i, k); }, Z, i + 1, Kokkos::min(end, j + Width), j);
    for (int u = 0; u < Width; ++u)
      Z(i, j + u) = j + u < i ? 0.0 : j + u == i ? inverse : -sum[u] * inverse;
  }
};

/// All of it by one team, row by row from the last. n³/3 flops; a barrier per row.
template <class ExecSpace, class Member>
KOKKOS_INLINE_FUNCTION void invert_upper(Member const& team, UpperInverse const& inverse, int n) {
  for (int i = n - 1; i >= 0; --i) {
    if constexpr (lanes<ExecSpace> == 1) {
      constexpr int width = certified_tile<ExecSpace>;
      int const tiles = n / width;
      thread_for(team, tiles + n % width, [&](int t) {
        if (t < tiles)
          inverse.entries<width>(i, t * width, n, false);
        else
          inverse.entries<1>(i, tiles * width + t - tiles, n, false);
      });
    } else {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n),
                           [&](int j) { inverse.entries<1>(i, j, n, false); });
    }
    team.team_barrier();
  }
}

/// The inverse of L, transposed, and that of U. The left one so that X·L − I is small: Xᵀ is the
/// inverse of Lᵀ.
KOKKOS_INLINE_FUNCTION UpperInverse left_inverse(CertifiedMemory const& w) {
  return {w.matrix(CertifiedMatrix::factors).transposed(), w.matrix(CertifiedMatrix::left), true};
}
KOKKOS_INLINE_FUNCTION UpperInverse right_inverse(CertifiedMemory const& w) {
  return {w.matrix(CertifiedMatrix::factors), w.matrix(CertifiedMatrix::right), false};
}

}  // namespace carroll::detail
