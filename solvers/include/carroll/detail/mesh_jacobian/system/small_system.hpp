// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/mesh_jacobian/system/slots.hpp>
#include <cstddef>

namespace carroll::detail {

/// Sy = c of order K by Cholesky's factorisation with pivots, S = PRᵀRPᵀ, by the lanes of one
/// thread. Rows and columns are first divided by `scale`, the norms of the columns that S stems
/// from, so that a pivot is the square of what is left of its column; where that is at most the
/// cutoff's square, the columns that are left count as dependent and have y = 0. K³/3 flops.
struct SmallSystem {
  int K;
  double* S;       ///< K×(K+1), row-major, upper half, c behind it; overwritten
  double* scale;   ///< K; 0 for a zero column
  double* y;       ///< K
  double* C;       ///< K×K: S⁻¹, where it is wanted
  double* pivots;  ///< K: columns in the order in which they were taken

  KOKKOS_FUNCTION static constexpr std::ptrdiff_t size(int K) {
    return static_cast<std::ptrdiff_t>(K) * (2 * K + 4);
  }
  KOKKOS_FUNCTION SmallSystem(int columns, double* data) : K(columns), S(data) {
    C = S + static_cast<std::ptrdiff_t>(K) * (K + 1);
    scale = C + static_cast<std::ptrdiff_t>(K) * K;
    y = scale + K;
    pivots = y + K;
  }

  KOKKOS_FUNCTION double& at(int i, int j) const {
    return S[static_cast<std::ptrdiff_t>(i) * (K + 1) + j];
  }
  KOKKOS_FUNCTION int pivot(int r) const { return static_cast<int>(pivots[r]); }

  template <class Member>
  KOKKOS_FUNCTION bool finite(Member const& team) const {
    return lane_max<int>(team, K * (K + 1), [&](int e) {
             int const i = e / (K + 1), j = e % (K + 1);
             return j < i || (Kokkos::isfinite(S[e]) && Kokkos::isfinite(scale[i])) ? 0 : 1;
           }) == 0;
  }

  /// Returns the rank.
  template <class Member>
  KOKKOS_FUNCTION int solve(Member const& team, double cutoff) const {
    if (K == 1) return solve_one(team, cutoff);
    prepare(team);
    int rank = 0;
    for (; rank < K; ++rank) {
      // Every lane looks at all of the diagonal.
      double largest = 0;
      int found = rank;
      for (int r = rank; r < K; ++r) {
        double const left = at(pivot(r), pivot(r));
        if (left > largest) {
          largest = left;
          found = r;
        }
      }
      if (!(largest > cutoff * cutoff)) break;
      int const column = pivot(found);
      await_lanes(team);  // they have read the pivots
      lane_for(team, 1, [&](int) {
        pivots[found] = pivots[rank];
        pivots[rank] = column;
      });
      eliminate(team, rank, column, Kokkos::sqrt(largest));
    }
    for (int r = rank - 1; r >= 0; --r) {
      int const column = pivot(r);
      double const value = at(column, K) / at(column, column);
      lane_for(team, r + 1, [&](int i) {
        if (i < r)
          at(pivot(i), K) -= at(pivot(i), column) * value;
        else
          y[column] = value / scale[column];
      });
    }
    return rank;
  }

  /// S⁻¹, or of the columns that count that of their part of S, zeros elsewhere; after solve().
  template <class Member>
  KOKKOS_FUNCTION void invert(Member const& team, int rank) const {
    lane_for(team, K, [&](int j) {
      int const column = pivot(j);
      for (int i = 0; i < K; ++i) C[static_cast<std::ptrdiff_t>(i) * K + column] = 0;
      if (j >= rank) return;
      auto const x = [&](int r) -> double& {
        return C[static_cast<std::ptrdiff_t>(pivot(r)) * K + column];
      };
      for (int r = j; r < rank; ++r) {
        double sum = r == j ? 1 : 0;
        for (int i = j; i < r; ++i) sum -= at(pivot(i), pivot(r)) * x(i);
        x(r) = sum / at(pivot(r), pivot(r));
      }
      for (int r = rank - 1; r >= 0; --r) {
        double sum = x(r);
        for (int i = r + 1; i < rank; ++i) sum -= at(pivot(r), pivot(i)) * x(i);
        x(r) = sum / at(pivot(r), pivot(r));
      }
      for (int r = 0; r < rank; ++r) x(r) /= scale[pivot(r)] * scale[column];
    });
  }

 private:
  /// The same for one column, by every lane.
  template <class Member>
  KOKKOS_FUNCTION int solve_one(Member const& team, double cutoff) const {
    double const norm = scale[0] == 0 ? 1 : scale[0];
    double const left = S[0] / (norm * norm);
    int const rank = left > cutoff * cutoff ? 1 : 0;
    double const root = Kokkos::sqrt(rank == 1 ? left : 1);
    double const value = rank == 1 ? S[1] / norm / root / root / norm : 0;
    await_lanes(team);  // they have read all
    lane_for(team, 1, [&](int) {
      S[0] = root;
      scale[0] = norm;
      pivots[0] = 0;
      y[0] = value;
    });
    return rank;
  }

  /// No lane goes on before all have come here: what Kokkos does at the end of every loop.
  template <class Member>
  KOKKOS_FUNCTION static void await_lanes(Member const& team) {
    lane_for(team, 1, [](int) {});
  }

  template <class Member>
  KOKKOS_FUNCTION void prepare(Member const& team) const {
    lane_for(team, K, [&](int i) {
      pivots[i] = i;
      y[i] = 0;
      if (scale[i] == 0) scale[i] = 1;
    });
    lane_for(team, K * (K + 1), [&](int e) {
      int const i = e / (K + 1), j = e % (K + 1);
      if (j >= i) S[e] /= j < K ? scale[i] * scale[j] : scale[i];
    });
    lane_for(team, K * K, [&](int e) {
      int const i = e / K, j = e % K;
      if (j < i) at(i, j) = at(j, i);
    });
  }

  /// Row r of R, and what it takes off the rows that are left.
  template <class Member>
  KOKKOS_FUNCTION void eliminate(Member const& team, int r, int column, double root) const {
    int const left = K - r - 1;
    lane_for(team, left + 2, [&](int i) {
      if (i == left + 1)
        at(column, column) = root;
      else
        at(column, i < left ? pivot(r + 1 + i) : K) /= root;
    });
    lane_for(team, left * (left + 1), [&](int e) {
      int const row = pivot(r + 1 + e / (left + 1));
      int const i = e % (left + 1);
      int const col = i < left ? pivot(r + 1 + i) : K;
      at(row, col) -= at(column, row) * at(column, col);
    });
  }
};

}  // namespace carroll::detail
