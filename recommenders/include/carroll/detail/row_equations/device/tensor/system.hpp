// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/row_equations/device/tensor/triangle.hpp>
#include <carroll/detail/row_equations/problem.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// What a team shares while it solves a row's equations: columns of L, which take the place of the
/// ratings' factors, and vectors.
template <int Blocks>
struct TensorShared {
  static constexpr int order = TensorTriangle<Blocks>::order;
  static constexpr int pitch = TensorTriangle<Blocks>::pitch;
  static constexpr std::size_t column_bytes = sizeof(float) * order * pitch;
  static constexpr std::size_t bytes = column_bytes + sizeof(float) * (3 * order + 2 * 64) + 16;

  float* columns;  ///< column c of L from c·pitch on
  float *right, *inverse, *diagonal;
  float* block;  ///< two of 8×8 numbers on the diagonal, by columns, by turns
  std::int64_t* ticket;
  std::uint32_t* flags;

  KOKKOS_FUNCTION explicit TensorShared(unsigned char* scratch) {
    columns = reinterpret_cast<float*>(scratch);
    right = columns + order * pitch;
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
  /// Entry i, which is known to the running program only.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float pick(int i) const {
    float x = entry[0];
    CARROLL_UNROLL
    for (int c = 1; c < 8; ++c) x = i == c ? entry[c] : x;
    return x;
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
  static constexpr int pitch = Triangle::pitch, order = Triangle::order;

  RowEquations<float> const& problem;
  Member const& team;
  Shared const& shared;

  /// Solves for row `row`, whose ratings' part is in the triangle and `right`.
  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int32_t row, Triangle& triangle, float right) const {
    int const d = problem.unknowns(), r = team.team_rank();
    if (problem.gram) return hand_over(triangle, right);
    if (problem.is_cold(row)) {
      if (r < d) problem.clear(row, r);
      return;
    }
    if (r < d && (problem.common_rhs || problem.adds)) right += problem.rhs(row, r);
    add_common(row, triangle);
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
  KOKKOS_FORCEINLINE_FUNCTION void add_common(std::int32_t row, Triangle& triangle) const {
    int const d = problem.unknowns(), factors = problem.factors;
    if (problem.common)
      triangle.for_each([&](float& a, int i, int j) {
        if (i < factors && j < factors)
          a = Kokkos::fma(problem.common_scale,
                          problem.common[static_cast<std::ptrdiff_t>(i) * problem.common_pitch + j],
                          a);
      });
    float const regularization = problem.row_regularization(row);
    triangle.for_each([&](float& a, int i, int j) {
      if (i != j) return;
      a = i < d ? a + regularization : 1.0F;
      shared.diagonal[i] = a;
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void factor_panel(int p, Triangle& triangle, float& right) const {
    int const r = team.team_rank(), at = 8 * p;
    float* const columns = shared.columns + at * pitch;
    float* const block = shared.block + p % 2 * 64;
    triangle.for_columns(p, [&](float a, int i, int c) {
      columns[c * pitch + i] = a;
      if (i / 8 == p) block[c * 8 + i - at] = a;
    });
    if (r / 8 == p) shared.right[r] = right;
    fast_team_barrier(team);
    if (r / 32 * 32 + 31 >= at && r < order) right = solve_row(p, block, columns, right);
    fast_team_barrier(team);
    triangle.subtract_columns(columns, p + 1);
  }

  /// The block on the diagonal becomes L, and the thread's row of the panel one of L; its entry of
  /// the right hand side.
  KOKKOS_FORCEINLINE_FUNCTION float solve_row(int p, float const* block, float* columns,
                                              float right) const {
    int const r = team.team_rank(), at = 8 * p;
    EightFloats l[8];  // by columns
    float x[8], scale[8];
    bool sound = true;
    CARROLL_UNROLL
    for (int c = 0; c < 8; ++c) {
      l[c] = EightFloats::read(block + 8 * c);
      x[c] = columns[c * pitch + r];
    }
    EightFloats y = EightFloats::read(shared.right + at);
    EightFloats const diagonal = EightFloats::read(shared.diagonal + at);
    CARROLL_UNROLL
    for (int c = 0; c < 8; ++c) {
      float const pivot = l[c].entry[c];
      bool const good = pivot > least_pivot_share<float>() * diagonal.entry[c];
      sound = sound && good;
      scale[c] = good ? inverse_root(pivot) : 0.0F;
      y.entry[c] *= scale[c];
      x[c] *= scale[c];
      CARROLL_UNROLL
      for (int q = c + 1; q < 8; ++q) {
        l[c].entry[q] *= scale[c];
        y.entry[q] = Kokkos::fma(-l[c].entry[q], y.entry[c], y.entry[q]);
        x[q] = Kokkos::fma(-l[c].entry[q], x[c], x[q]);
        CARROLL_UNROLL
        for (int s = c + 1; s <= q; ++s)
          l[s].entry[q] = Kokkos::fma(-l[c].entry[q], l[c].entry[s], l[s].entry[q]);
      }
    }
    if (r < at) return right;
    CARROLL_UNROLL
    for (int c = 0; c < 8; ++c) {
      columns[c * pitch + r] = r - at < c ? 0.0F : x[c];
      if (r - at == c) shared.inverse[r] = scale[c];
    }
    if (r < at + 8) {
      if (r == at && !sound) *shared.flags = row_singular;
      return y.pick(r - at);
    }
    CARROLL_UNROLL
    for (int c = 0; c < 8; ++c) right = Kokkos::fma(-x[c], y.entry[c], right);
    return right;
  }
  KOKKOS_FORCEINLINE_FUNCTION static float inverse_root(float x) {
    if (x < Kokkos::Experimental::norm_min_v<float>) return 1 / Kokkos::sqrt(x);
    return refined_rsqrt(x, rough_rsqrt(x));
  }

  /// Lᵀ·x = right, for panel p, those behind being solved.
  KOKKOS_FORCEINLINE_FUNCTION void solve_panel(int p, float& right) const {
    int const r = team.team_rank(), at = 8 * p;
    if (r / 8 == p) shared.right[r] = right;
    fast_team_barrier(team);
    if (r / 32 * 32 >= at + 8) return;
    EightFloats z = EightFloats::read(shared.right + at);
    EightFloats const inverse = EightFloats::read(shared.inverse + at);
    CARROLL_UNROLL
    for (int c = 7; c >= 0; --c) {
      auto const l = EightFloats::read(shared.columns + (at + c) * pitch + at);
      CARROLL_UNROLL
      for (int q = 7; q > c; --q) z.entry[c] = Kokkos::fma(-l.entry[q], z.entry[q], z.entry[c]);
      z.entry[c] *= inverse.entry[c];
    }
    if (r < at) {
      auto const l = EightFloats::read(shared.columns + r * pitch + at);
      CARROLL_UNROLL
      for (int q = 7; q >= 0; --q) right = Kokkos::fma(-l.entry[q], z.entry[q], right);
    } else if (r < at + 8) {
      right = z.pick(r - at);
    }
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
