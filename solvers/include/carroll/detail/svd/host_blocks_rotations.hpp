// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/host_blocks_tiles.hpp>
#include <carroll/detail/svd/problem.hpp>

/// The rotations' product recovered, as in right_vectors.hpp, in tiles.
namespace carroll::detail::blocks {

/// Columns that make a tile of dot products.
inline constexpr int tile = 4;

/// `tile` columns of M from j on; beyond the last one, n - 1, that one again.
template <class Real>
struct TileColumns {
  Real* at[tile];
  Real const* read[tile];
  TileColumns(Columns<Real> const& M, int j, int n) {
    for (int c = 0; c < tile; ++c) read[c] = at[c] = M.col(j + c < n ? j + c : n - 1);
  }
};

/// J from L·J = W, four columns of J per thread at a time, four rows per step. n³ flops.
template <class Real, class Member>
void solve_rotations(Member const& team, Columns<Real> const& F, int const* exponents,
                     Columns<Real> const& X, int const* x_exponents, Columns<Real> const& J) {
  int const n = X.rows;
  share_out(team, (n + tile - 1) / tile, [&](int b) {
    TileColumns<Real> const solutions(J, b * tile, n);
    int const count = n - b * tile < tile ? n - b * tile : tile;
    for (int i = 0; i < n; i += tile) {
      TileColumns<Real> const rows(F, i, n);
      Real known[tile][tile];
      dot_tile(rows.read, solutions.read, i, known);
      for (int c = 0; c < count; ++c) {
        int const j = b * tile + c;
        Real* const solution = solutions.at[c];
        for (int a = 0; a < tile && i + a < n; ++a) {
          Real right = scale(X(i + a, j), x_exponents[j] - exponents[i + a]) - known[a][c];
          for (int k = i; k < i + a; ++k) right -= rows.at[a][k] * solution[k];
          solution[i + a] = right / rows.at[a][i + a];
        }
      }
    }
  });
  team.team_barrier();
}

/// Is ‖JᵀJ - I‖₁ <= 6·n·eps? `sums` holds n entries of scratch. 2n³ flops.
template <class Real, class Member>
bool is_orthonormal(Member const& team, Columns<Real> const& J, int n, Real* sums) {
  share_out(team, (n + tile - 1) / tile, [&](int b) {
    int const j = b * tile;
    TileColumns<Real> const y(J, j, n);
    Real deviations[tile] = {};
    for (int i = 0; i < n; i += tile) {
      Real dots[tile][tile];
      dot_tile(TileColumns<Real>(J, i, n).read, y.read, n, dots);
      for (int a = 0; a < tile && i + a < n; ++a)
        for (int c = 0; c < tile; ++c)
          deviations[c] += Kokkos::abs(dots[a][c] - (i + a == j + c ? Real(1) : Real(0)));
    }
    for (int c = 0; c < tile && j + c < n; ++c) sums[j + c] = deviations[c];
  });
  team.team_barrier();
  Real const limit = 6 * n * Kokkos::Experimental::epsilon_v<Real>;
  bool fine = true;
  for (int j = 0; j < n; ++j) fine = fine && sums[j] <= limit;  // NaN fails
  team.team_barrier();
  return fine;
}

}  // namespace carroll::detail::blocks
