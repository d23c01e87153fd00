// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>

namespace carroll::detail {

/// `T` numbers that are read at once, by 16 bytes.
template <class Real, int T>
struct alignas(T * sizeof(Real) < 16 ? T * sizeof(Real) : 16) TileRow {
  Real entry[T];
};

/// A T×T block of a row's lower triangle in the registers of one of a device's threads, and what
/// the thread does with it in a Cholesky factorisation by columns of such tiles.
template <class Real, int T>
struct EquationTile {
  using Row = TileRow<Real, T>;
  Real a[T][T];

  KOKKOS_FORCEINLINE_FUNCTION void clear() {
    CARROLL_UNROLL
    for (int r = 0; r < T; ++r) {
      CARROLL_UNROLL
      for (int c = 0; c < T; ++c) a[r][c] = 0;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static Row read(Real const* from) {
    return *reinterpret_cast<Row const*>(from);
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(Real const* image) {
    CARROLL_UNROLL
    for (int r = 0; r < T; ++r) {
      Row const row = read(image + r * T);
      CARROLL_UNROLL
      for (int c = 0; c < T; ++c) a[r][c] = row.entry[c];
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(Real const* image) {
    CARROLL_UNROLL
    for (int r = 0; r < T; ++r) {
      Row const row = read(image + r * T);
      CARROLL_UNROLL
      for (int c = 0; c < T; ++c) a[r][c] += row.entry[c];
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(Real* image) const {
    CARROLL_UNROLL
    for (int r = 0; r < T; ++r) {
      Row row;
      CARROLL_UNROLL
      for (int c = 0; c < T; ++c) row.entry[c] = a[r][c];
      *reinterpret_cast<Row*>(image + r * T) = row;
    }
  }

  /// += x·yᵀ
  KOKKOS_FORCEINLINE_FUNCTION void add_product(Row const& x, Row const& y) {
    CARROLL_UNROLL
    for (int r = 0; r < T; ++r) {
      CARROLL_UNROLL
      for (int c = 0; c < T; ++c) a[r][c] = Kokkos::fma(x.entry[r], y.entry[c], a[r][c]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void subtract_product(Row const& x, Row const& y) {
    CARROLL_UNROLL
    for (int r = 0; r < T; ++r) {
      CARROLL_UNROLL
      for (int c = 0; c < T; ++c) a[r][c] = Kokkos::fma(-x.entry[r], y.entry[c], a[r][c]);
    }
  }

  /// On the diagonal: L·Lᵀ; `inverse` := 1/diag(L), 0 for an unknown whose pivot is rounding error
  /// of what stood on the `diagonal`, and right := L⁻¹·right.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t factor(Real const* diagonal, Real* inverse,
                                                   Real* right) {
    std::uint32_t flags = 0;
    Real y[T];
    CARROLL_UNROLL
    for (int c = 0; c < T; ++c) y[c] = right[c];
    CARROLL_UNROLL
    for (int c = 0; c < T; ++c) {
      Real const pivot = a[c][c];
      bool const sound = pivot > least_pivot_share<Real>() * diagonal[c];
      Real const scale = sound ? Real(1) / Kokkos::sqrt(pivot) : Real(0);
      if (!sound) flags |= row_singular;
      inverse[c] = scale;
      y[c] *= scale;
      right[c] = y[c];
      CARROLL_UNROLL
      for (int r = c + 1; r < T; ++r) {
        a[r][c] *= scale;
        y[r] = Kokkos::fma(-a[r][c], y[c], y[r]);
        CARROLL_UNROLL
        for (int q = c + 1; q <= r; ++q) a[r][q] = Kokkos::fma(-a[r][c], a[q][c], a[r][q]);
      }
    }
    return flags;
  }
  /// Below it: A·L⁻ᵀ, L being the block on the diagonal, row by row in `l`; right -= A·y.
  KOKKOS_FORCEINLINE_FUNCTION void solve(Real const* l, Real const* inverse, Real const* y,
                                         Real* right) {
    CARROLL_UNROLL
    for (int c = 0; c < T; ++c) {
      Real const scale = inverse[c];
      CARROLL_UNROLL
      for (int p = 0; p < c; ++p) {
        Real const factor = l[c * T + p];
        CARROLL_UNROLL
        for (int r = 0; r < T; ++r) a[r][c] = Kokkos::fma(-a[r][p], factor, a[r][c]);
      }
      CARROLL_UNROLL
      for (int r = 0; r < T; ++r) a[r][c] *= scale;
    }
    CARROLL_UNROLL
    for (int r = 0; r < T; ++r) {
      Real rest = right[r];
      CARROLL_UNROLL
      for (int c = 0; c < T; ++c) rest = Kokkos::fma(-a[r][c], y[c], rest);
      right[r] = rest;
    }
  }

  /// On the diagonal: x := L⁻ᵀ·x.
  KOKKOS_FORCEINLINE_FUNCTION void solve_transposed(Real const* inverse, Real* x) const {
    Real rest[T];
    CARROLL_UNROLL
    for (int c = 0; c < T; ++c) rest[c] = x[c];
    CARROLL_UNROLL
    for (int c = T - 1; c >= 0; --c) {
      CARROLL_UNROLL
      for (int r = T - 1; r > c; --r) rest[c] = Kokkos::fma(-a[r][c], rest[r], rest[c]);
      rest[c] *= inverse[c];
      x[c] = rest[c];
    }
  }
  /// Below it: right -= Aᵀ·x.
  KOKKOS_FORCEINLINE_FUNCTION void subtract_transposed(Real const* x, Real* right) const {
    CARROLL_UNROLL
    for (int c = 0; c < T; ++c) {
      Real rest = right[c];
      CARROLL_UNROLL
      for (int r = T - 1; r >= 0; --r) rest = Kokkos::fma(-a[r][c], x[r], rest);
      right[c] = rest;
    }
  }

  /// += s·C + λ·I, and 1 on the diagonal for unknowns that are none; of the tile from (i, j) on.
  KOKKOS_FORCEINLINE_FUNCTION void add_common(RowEquations<Real> const& p, std::int32_t row, int i,
                                              int j) {
    if (p.common) {
      CARROLL_UNROLL
      for (int r = 0; r < T; ++r) {
        CARROLL_UNROLL
        for (int c = 0; c < T; ++c)
          if (i + r < p.factors && j + c < p.factors)
            a[r][c] = Kokkos::fma(
                p.common_scale,
                p.common[static_cast<std::ptrdiff_t>(i + r) * p.common_pitch + j + c], a[r][c]);
      }
    }
    if (i != j) return;
    Real const regularization = p.row_regularization(row);
    CARROLL_UNROLL
    for (int r = 0; r < T; ++r) a[r][r] = i + r < p.unknowns() ? a[r][r] + regularization : Real(1);
  }
  /// Into both triangles of a matrix of order d.
  KOKKOS_FORCEINLINE_FUNCTION void hand_over(Real* gram, int d, int i, int j) const {
    CARROLL_UNROLL
    for (int r = 0; r < T; ++r) {
      CARROLL_UNROLL
      for (int c = 0; c < T; ++c)
        if (i + r < d && j + c <= i + r) {
          gram[static_cast<std::ptrdiff_t>(i + r) * d + j + c] = a[r][c];
          gram[static_cast<std::ptrdiff_t>(j + c) * d + i + r] = a[r][c];
        }
    }
  }
};

/// Where tile t of a triangle stands, tiles being counted row by row.
struct TilePlace {
  int row, col;
  KOKKOS_FUNCTION explicit TilePlace(int t) {
    row = static_cast<int>((Kokkos::sqrt(8.0F * static_cast<float>(t) + 1.0F) - 1.0F) * 0.5F);
    while (before(row + 1) <= t) ++row;
    while (before(row) > t) --row;
    col = t - before(row);
  }
  /// Tiles of the rows before.
  KOKKOS_FUNCTION static int before(int row) { return row * (row + 1) / 2; }
};

}  // namespace carroll::detail
