// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/tiled/storage.hpp>
#include <carroll/detail/svd/tiled/panel.hpp>
#include <carroll/detail/unroll.hpp>

/// From A to a team's 16 columns in registers, and from there to the reflectors, R and Q.
namespace carroll::detail {

/// Are all of A's exponents those of finite columns? The team asks together.
template <class Member, class Real>
KOKKOS_INLINE_FUNCTION bool has_finite_columns(Member const& team,
                                               QrTileStorage<Real> const& storage) {
  bool finite = true;
  for (int j = team.team_rank(); j < storage.cols; j += team.team_size())
    finite = finite && storage.exponents[j] != no_finite_exponent;
  return all_of_team(team, finite);
}

/// Columns first to first + cols - 1 with their powers of two taken out.
template <class Real, int R>
KOKKOS_INLINE_FUNCTION void load_columns(TilePanelThreads const& threads,
                                         QrProblem<Real> const& problem,
                                         QrTileStorage<Real> const& storage,
                                         TilePanel<Real, R>& panel, int first, int cols) {
  auto const row = [](int i) { return i; };
  load_panel(threads, panel, problem.m, cols, row, [&](int c) {
    auto const a = problem.a.col(first + c);
    // Entries may be as large as numbers can be, or subnormal: each factor is a normal number.
    int const e = problem.scaled ? 0 : -storage.exponents[first + c], half = e / 2;
    Real const factor = power_of_two<Real>(half), rest = power_of_two<Real>(e - half);
    return TilePanelColumn{[=](int i) { return &a(i); },
                           [=](Real x, int) { return x * factor * rest; }};
  });
}

/// What others read of a tile's reflectors, but for the diagonal block.
template <class Real, int R>
KOKKOS_INLINE_FUNCTION void store_reflectors(TilePanelThreads const& threads,
                                             QrTileStorage<Real> const& storage,
                                             TilePanel<Real, R> const& panel, int tile, int cols) {
  int const first = tile * tile_columns, below = first + tile_columns;
  store_panel(threads, panel, storage.rows, cols, [&](int c) {
    Real* const column = opaque_register(storage.F.col(first + c));
    return [=](int i, Real x) {
      if (i >= below) column[i] = x;
    };
  });
}

/// Columns of R, or of Q, := the panel's.
template <class Real, int R>
KOKKOS_INLINE_FUNCTION void store_columns(TilePanelThreads const& threads,
                                          TilePanel<Real, R> const& panel,
                                          StridedMatrix<Real> const& to, int rows, int first,
                                          int cols) {
  store_panel(threads, panel, rows, cols, [&](int c) {
    auto const column = to.col(first + c);
    return [=](int i, Real x) { column(i) = x; };
  });
}

/// Columns of R or of Q of a matrix that is refused.
template <class Real, int R>
KOKKOS_INLINE_FUNCTION void store_nan(TilePanelThreads const& threads, TilePanel<Real, R>& panel,
                                      StridedMatrix<Real> const& to, int rows, int first,
                                      int cols) {
  fill_panel(threads, panel, [](int, int) { return Kokkos::Experimental::quiet_NaN_v<Real>; });
  store_columns(threads, panel, to, rows, first, cols);
}

/// R's columns with their powers of two and the signs that its diagonal wants. Returns whether an
/// entry of the calling thread's is ±Inf.
template <class Real, int R>
KOKKOS_INLINE_FUNCTION bool store_triangle(TilePanelThreads const& threads,
                                           QrProblem<Real> const& problem,
                                           QrTileStorage<Real> const& storage,
                                           TilePanel<Real, R>& panel, int first, int cols) {
  int const steps = problem.reflectors(), last = first + cols - 1;
  int const own = first + threads.side() * panel_side;
  bool infinite = false;
  CARROLL_UNROLL
  for (int r = 0; r < R; ++r) {
    int const i = threads.row(r);
    bool const reflected = i < steps && i <= last;
    Real const sign = reflected ? storage.sign(i) : Real(0);
    CARROLL_UNROLL
    for (int j = 0; j < panel_side; ++j) {
      bool const there = reflected && i <= own + j && own + j <= last;
      int const exponent = storage.exponents[Kokkos::min(own + j, last)];
      Real const x = there ? scale(sign * panel.x[j][r], exponent) + Real(0) : Real(0);
      infinite = infinite || Kokkos::isinf(x);
      panel.x[j][r] = x;
    }
  }
  store_columns(threads, panel, problem.r, problem.r_rows, first, cols);
  return infinite;
}

/// The panel := columns `first` and following of the identity.
template <class Real, int R>
KOKKOS_INLINE_FUNCTION void fill_identity(TilePanelThreads const& threads,
                                          TilePanel<Real, R>& panel, int first) {
  int const own = first + threads.side() * panel_side;
  fill_panel(threads, panel, [&](int i, int j) { return i == own + j ? Real(1) : Real(0); });
}

/// Q's columns, by the signs of R's diagonal.
template <class Real, int R>
KOKKOS_INLINE_FUNCTION void store_basis(TilePanelThreads const& threads,
                                        QrProblem<Real> const& problem,
                                        QrTileStorage<Real> const& storage,
                                        TilePanel<Real, R> const& panel, int first, int cols) {
  store_panel(threads, panel, problem.m, cols, [&](int c) {
    int const j = first + c;
    auto const q = problem.q.col(j);
    Real const sign = j < problem.reflectors() ? storage.sign(j) : Real(1);
    return [=](int i, Real x) { q(i) = sign * x + Real(0); };
  });
}

}  // namespace carroll::detail
