// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/row_equations/device/stage.hpp>
#include <carroll/detail/row_equations/device/tensor/triangle.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Where columns of L stand in scratch: by panels of eight, without the rows above a panel. From
/// one column to the next it is 8 or 24 modulo the 32 banks.
template <int Order>
struct TensorPanels {
  static constexpr int numbers(int panels) {
    return 8 * (panels * Order - 4 * panels * (panels - 1) + (panels + 1) / 2 * 8);
  }
  KOKKOS_FUNCTION static int apart(int panel) {
    return Order - 8 * panel + (panel % 2 == 0 ? 8 : 0);
  }
  /// Where entry (8·panel, 8·panel) stands.
  KOKKOS_FUNCTION static int begin(int panel) {
    return 8 * (panel * Order - 4 * panel * (panel - 1) + (panel + 1) / 2 * 8);
  }
};

/// What a team shares while it solves a row's equations: vectors, and columns of L, which take the
/// place of the ratings' factors.
template <int Blocks>
struct TensorShared {
  static constexpr int order = TensorTriangle<Blocks>::order;
  using Panels = TensorPanels<order>;
  static constexpr std::size_t column_bytes = sizeof(float) * Panels::numbers(order / 8);
  static constexpr std::size_t other_bytes = sizeof(float) * (3 * order + 2 * 64) + 16;

  float *right, *inverse, *diagonal;
  float* block;  ///< two of 8×8 numbers on the diagonal, by columns, by turns
  std::int64_t* ticket;
  std::uint32_t* flags;
  float* columns;

  KOKKOS_FUNCTION TensorShared(unsigned char* others, unsigned char* columns_of_l)
      : columns(reinterpret_cast<float*>(columns_of_l)) {
    right = reinterpret_cast<float*>(others);
    inverse = right + order;
    diagonal = inverse + order;
    block = diagonal + order;
    ticket = reinterpret_cast<std::int64_t*>(block + 2 * 64);
    flags = reinterpret_cast<std::uint32_t*>(ticket + 1);
  }
};

/// Eight numbers that are read at once.
struct alignas(16) EightFloats {
  float entry[8];

  KOKKOS_FORCEINLINE_FUNCTION static EightFloats read(float const* from) {
    return *reinterpret_cast<EightFloats const*>(from);
  }
};

/// A row's equations, their triangle in a team's registers; thread r has entry r of the right hand
/// side, too.
///
/// Right-looking by panels of eight columns. A panel goes to scratch; every thread factors the
/// block on the diagonal for itself, which is sooner done than told, and solves for its row of the
/// panel; tensor cores subtract the products of these. Two barriers in all; d³/3 flops, thrice on
/// tensor cores.
template <int Blocks, class Member>
struct TensorSystem {
  using Triangle = TensorTriangle<Blocks>;
  using Shared = TensorShared<Blocks>;
  using Panels = typename Shared::Panels;
  static constexpr int order = Triangle::order;

  RowEquations<float> const& problem;
  Member const& team;
  Shared const& shared;

  /// Solves for row `row`, whose ratings' part is in the triangle and `right`. Its regularization
  /// is computed before the triangle, as that leaves no registers.
  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int32_t row, float regularization,
                                          Triangle& triangle, float right) const {
    int const d = problem.unknowns(), r = team.team_rank();
    if (problem.gram) return hand_over(triangle, right);
    if (problem.is_cold(row)) {
      if (r < d) problem.clear(row, r);
      return;
    }
    if (r < d && (problem.common_rhs || problem.adds)) right += problem.rhs(row, r);
    add_common(regularization, triangle);
    if (r == 0) *shared.flags = 0;
    int const panels = (d + 7) / 8;
    for (int p = 0; p < panels; ++p) factor_panel(p, triangle, right);
    if (problem.sampled && r < d) right += problem.normal(row, r);
    for (int p = panels - 1; p >= 0; --p) solve_panel(p, right);
    if (r < d) problem.store(row, r, right);
    bool const all = all_of_team(team, r >= d || Kokkos::isfinite(right));
    if (r == 0) {
      std::uint32_t const flags = *shared.flags | (all ? 0U : std::uint32_t{row_not_finite});
      if (flags) problem.report(flags);
    }
  }

 private:
  /// += s·C + λ·I, and 1 on the diagonal for unknowns that are none.
  KOKKOS_FORCEINLINE_FUNCTION void add_common(float regularization, Triangle& triangle) const {
    int const d = problem.unknowns(), factors = problem.factors;
    if (problem.common)
      triangle.for_each([&](float& a, int i, int j) {
        if (i < factors && j < factors)
          a = Kokkos::fma(problem.common_scale,
                          problem.common[static_cast<std::ptrdiff_t>(i) * problem.common_pitch + j],
                          a);
      });
    triangle.for_each([&](float& a, int i, int j) {
      if (i != j) return;
      a = i < d ? a + regularization : 1.0F;
      shared.diagonal[i] = a;
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void factor_panel(int p, Triangle& triangle, float& right) const {
    int const r = team.team_rank(), at = 8 * p, apart = Panels::apart(p);
    float* const columns = shared.columns + Panels::begin(p) - at;  // from row 0, if it were there
    float* const block = shared.block + p % 2 * 64;
    triangle.for_columns(p, [&](float a, int eight, int i, int c) {
      if (eight >= p) columns[c * apart + 8 * eight + i] = a;
      if (eight == p) block[c * 8 + i] = a;
    });
    if (r / 8 == p) shared.right[r] = right;
    meet(team);
    if (r / 32 * 32 + 31 >= at) right = solve_row(at, block, columns, apart, right);
    meet(team);
    triangle.subtract_columns(columns, apart, p + 1);
  }

  /// The thread's row of the panel becomes one of L, the block on the diagonal being factored along
  /// with it, left-looking; its entry of the right hand side. What stands right of the diagonal is
  /// not looked at again.
  KOKKOS_FORCEINLINE_FUNCTION float solve_row(int at, float const* block, float* columns, int apart,
                                              float right) const {
    int const r = team.team_rank();
    bool const used = r >= at && r < order;
    float l[8][8], x[8], y[8];  // l by columns
    float solved = 0, own_scale = 0;
    bool sound = true;
    CARROLL_UNROLL
    for (int c = 0; c < 8; ++c) {
      auto column = EightFloats::read(block + 8 * c);
      x[c] = used ? columns[c * apart + r] : 0.0F;
      y[c] = shared.right[at + c];
      CARROLL_UNROLL
      for (int e = 0; e < c; ++e) {
        CARROLL_UNROLL
        for (int q = c; q < 8; ++q)
          column.entry[q] = Kokkos::fma(-l[e][q], l[e][c], column.entry[q]);
        x[c] = Kokkos::fma(-l[e][c], x[e], x[c]);
        y[c] = Kokkos::fma(-l[e][c], y[e], y[c]);
      }
      bool const good = column.entry[c] > least_pivot_share<float>() * shared.diagonal[at + c];
      float const root = inverse_root(good ? column.entry[c] : 1.0F);
      float const scale = good ? root : 0.0F;
      sound = sound && good;
      CARROLL_UNROLL
      for (int q = c + 1; q < 8; ++q) l[c][q] = column.entry[q] * scale;
      x[c] *= scale;
      y[c] *= scale;
      right = Kokkos::fma(-x[c], y[c], right);
      solved = r == at + c ? y[c] : solved;
      own_scale = r == at + c ? scale : own_scale;
    }
    if (used) {
      CARROLL_UNROLL
      for (int c = 0; c < 8; ++c) columns[c * apart + r] = x[c];
    }
    if (r / 8 != at / 8) return right;
    shared.inverse[r] = own_scale;
    if (r == at && !sound) *shared.flags = row_singular;
    return solved;
  }
  /// 1/√x, of subnormal x, too, to a bit or two: what the factorisation makes of it is L with some
  /// columns that much longer or shorter, and the diagonal with them.
  KOKKOS_FORCEINLINE_FUNCTION static float inverse_root(float x) {
    bool const tiny = x < Kokkos::Experimental::norm_min_v<float>;
    float const scaled = tiny ? x * 0x1p48F : x;
    float const y = rough_rsqrt(scaled);
    return tiny ? y * 0x1p24F : y;
  }

  /// Lᵀ·x = right, for panel p, those behind being solved.
  KOKKOS_FORCEINLINE_FUNCTION void solve_panel(int p, float& right) const {
    int const r = team.team_rank(), at = 8 * p;
    if (r / 8 == p) shared.right[r] = right;
    meet(team);
    if (r / 32 * 32 >= at + 8) return;
    float const* const block = shared.columns + Panels::begin(p);
    EightFloats z = EightFloats::read(shared.right + at);
    EightFloats const inverse = EightFloats::read(shared.inverse + at);
    CARROLL_UNROLL
    for (int c = 7; c >= 0; --c) {
      auto const l = EightFloats::read(block + c * Panels::apart(p));
      CARROLL_UNROLL
      for (int q = 7; q > c; --q) z.entry[c] = Kokkos::fma(-l.entry[q], z.entry[q], z.entry[c]);
      z.entry[c] *= inverse.entry[c];
    }
    if (r < at) {
      int const panel = r / 8;
      auto const l = EightFloats::read(shared.columns + Panels::begin(panel) +
                                       r % 8 * Panels::apart(panel) + at - 8 * panel);
      CARROLL_UNROLL
      for (int q = 7; q >= 0; --q) right = Kokkos::fma(-l.entry[q], z.entry[q], right);
    }
    CARROLL_UNROLL
    for (int c = 0; c < 8; ++c) right = r == at + c ? z.entry[c] : right;
  }

  /// Into both triangles of a matrix of order d.
  KOKKOS_FORCEINLINE_FUNCTION void hand_over(Triangle& triangle, float right) const {
    int const d = problem.unknowns(), r = team.team_rank();
    triangle.for_each([&](float a, int i, int j) {
      if (i >= d || j > i) return;
      problem.gram[static_cast<std::ptrdiff_t>(i) * d + j] = a;
      problem.gram[static_cast<std::ptrdiff_t>(j) * d + i] = a;
    });
    if (problem.sum && r < d) problem.sum[r] = right;
  }
};

}  // namespace carroll::detail
