// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/eigh/divided/tiles.hpp>
#include <carroll/detail/eigh/divided/work.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Columns of a symmetric matrix, one after the other, to those of a tridiagonal one, as in
/// LAPACK's xLATRD: the tiles lack what up to `divided_panel` reflectors do to them,
///
///   A' = A - V·Wᵀ - W·Vᵀ,   w = τ·(A'v) - (τ²·vᵀA'v/2)·v,
///
/// but a column waits for others at two barriers only. Let x be column k of A' below its
/// subdiagonal entry α in row r = k + 1. The vector of the reflector that takes it to β·e_r, with
/// β = -sign(α)·√(α² + xᵀx), is v = e_r + x/f, f = α - β, and with u = A'x and b = A'e_r
///
///   A'v = (u + f·b)/f,   vᵀA'v = (xᵀu + 2f·u_r + f²·b_r)/f²,   τ/f = -1/β,
///
/// so that A·x, Vᵀx and Wᵀx need not wait for x's norm, and column r of A' is wanted next, anyway.
/// xᵀA·x comes in parts from the tiles; all other sums that everybody needs are found by everybody.
///
///   finish(r)   w of column k = r - 1, and column r of A': rows apart, a group of 32 a worker
///   multiply(r) A·x, Vᵀx, Wᵀx; once a panel is full, it is brought into the tiles on the way
template <class Real, class Crew, class Tiles>
class DividedColumns {
  static constexpr int order = SymmetricTiles<Real>::order;

 public:
  KOKKOS_FUNCTION DividedColumns(Crew const& crew, DividedStorage<Real> const& at,
                                 ReduceWork<Real> const& work)
      : crew_(crew), at_(at), work_(work) {}

  KOKKOS_FUNCTION void reduce() {
    int in_panel = 0;
    for (int r = 0; r < at_.n; ++r) {
      finish(r, in_panel);
      if (r > 0) ++in_panel;
      if (r + 1 == at_.n) break;
      crew_.barrier();
      multiply(r, in_panel);
      if (in_panel == divided_panel) in_panel = 0;
      crew_.barrier();
    }
  }

 private:
  /// What all rows of a column need.
  struct Reflector {
    Real f = 0, inverse = 0;  ///< and 1/f
    Real of_product = 0;      ///< w = of_product·(u + f·b) + of_x·(x + f·e_r)
    Real of_x = 0;
    Real w_r = 0;
  };
  /// Of a row: entries of x, u and b.
  struct Row {
    Real x, u, b;
  };

  KOKKOS_FUNCTION Row gather(int i, int r, int older) const {
    Real part = 0, u = 0, b = 0;
    if (r > 0)
      for (int t = r / order; t < work_.tiles; ++t) part += work_.part(t)[i];
    Real const *v = work_.v(0) + i, *w = work_.w(0) + i, *dots = work_.dots;
    Real const a = work_.A(i, r), x = r > 0 ? work_.column[i] : Real(0);
    for (int c = 0; c < older; ++c) {
      u += *v * dots[0] + *w * dots[1];
      b += *v * dots[2] + *w * dots[3];
      v += work_.rows;
      w += work_.rows;
      dots += 4;
    }
    return {x, part - u, a - b};
  }

  /// The reflector of column k = r - 1; leaves its part of T.
  KOKKOS_FUNCTION Reflector reflector(int r, int older) const {
    Reflector H;
    if (r == 0) return H;
    int const k = r - 1, begin = r / order, squares_begin = k / order;
    int const groups = work_.tiles - squares_begin, parts = work_.tiles - begin;
    int const products = SymmetricTiles<Real>::count(parts);
    int const most = Kokkos::max(groups, Kokkos::max(products, older));
    Real const* const squares = work_.squares_of(k) + squares_begin;
    auto const sums = crew_.template sums<Real, 6>(most, [&](int i) {
      Sums<Real, 6> term;
      if (i < groups) term.value[0] = squares[i];
      if (i < products) term.value[1] = work_.products[i];
      if (i < parts) term.value[2] = work_.part(begin + i)[r];
      if (i < older) {
        Real const* const dots = work_.dots + 4 * i;
        Real const of_w = dots[0], of_v = dots[1], w = dots[2], v = dots[3];
        term.value[3] = of_w * of_v;
        term.value[4] = of_w * v + of_v * w;
        term.value[5] = v * w;
      }
      return term;
    });
    Real const square = sums[0], alpha = work_.first[k % 2];
    Real const xu = sums[1] - 2 * sums[3], u_r = sums[2] - sums[4];
    Real const b_r = work_.A(r, r) - 2 * sums[5];
    Real beta = alpha, tau = 0;
    if (square > power_of_two<Real>(2 * negligible_coupling<Real>)) {
      Real const norm = Kokkos::sqrt(square + alpha * alpha);
      beta = alpha < Real(0) ? norm : -norm;
      H.f = alpha - beta;
      H.inverse = Real(1) / H.f;
      H.of_product = Real(-1) / beta;
      tau = H.f * H.of_product;
      Real const product = xu + H.f * (2 * u_r + H.f * b_r);
      H.of_x = -tau / 2 * H.of_product * (product * H.inverse) * H.inverse;
      H.w_r = H.of_product * (u_r + H.f * b_r) + H.of_x * H.f;
    }
    if (crew_.leads())
      crew_.once([&] {
        at_.e[k] = beta;
        at_.tau[k] = tau;
      });
    return H;
  }

  KOKKOS_FUNCTION void finish(int r, int older) const {
    int const n = at_.n, k = r - 1;
    Real *const v = work_.v(older), *const w = work_.w(older);
    Real* const squares = work_.squares_of(r);
    crew_.rows(
        r / order, work_.tiles, [&](int i) { return gather(i, r, older); },
        [&] { return reflector(r, older); },
        [&](int i, Row const& row, Reflector const& H) {
          Real a = row.b;
          if (r > 0) {
            bool const is_first = i == r;
            Real const v_i = is_first ? Real(1) : row.x * H.inverse;
            Real const x_i = is_first ? H.f : row.x;
            Real const w_i = i < r ? Real(0) : H.of_product * (row.u + H.f * row.b) + H.of_x * x_i;
            v[i] = v_i;
            w[i] = w_i;
            if (i >= r && i < n) at_.A(i, k) = v_i;
            a -= v_i * H.w_r + w_i;
          }
          if (i == r) at_.d[r] = a;
          if (i == r + 1) work_.first[r % 2] = a;
          Real const x = i > r + 1 ? a : Real(0);
          work_.column[i] = x;
          return x * x;
        },
        [&](int group, Real sum) { squares[group] = sum; });
  }

  KOKKOS_FUNCTION void multiply(int r, int in_panel) const {
    int const begin = (r + 1) / order, across = work_.tiles - begin;
    bool const full = in_panel == divided_panel;
    int const dots = full ? 0 : in_panel;
    crew_.units(dots + SymmetricTiles<Real>::count(across), [&](int unit) {
      if (unit < dots) return dot(r, unit);
      TileIndex const at(unit - dots);
      int const I = begin + at.row, J = begin + at.column;
      Tiles::take(crew_, {.C = work_.A.tile(I, J),
                          .v_rows = full ? work_.v(0) + order * I : nullptr,
                          .v_columns = work_.v(0) + order * J,
                          .distance = work_.rows,
                          .x_rows = work_.column + order * I,
                          .x_columns = work_.column + order * J,
                          .by_rows = work_.part(J) + order * I,
                          .by_columns = I == J ? nullptr : work_.part(I) + order * J,
                          .product = work_.products + unit - dots});
    });
  }

  /// Column c of the panel on x.
  KOKKOS_FUNCTION void dot(int r, int c) const {
    int const begin = (r + 1) / order * order;
    Real const *const v = work_.v(c), *const w = work_.w(c), *const x = work_.column;
    auto const sums = crew_.template sums<Real, 2>(work_.rows - begin, [&](int i) {
      Real const x_i = x[begin + i];
      return Sums<Real, 2>{{w[begin + i] * x_i, v[begin + i] * x_i}};
    });
    crew_.once([&] {
      Real* const dots = work_.dots + 4 * c;
      dots[0] = sums[0];
      dots[1] = sums[1];
      dots[2] = w[r + 1];
      dots[3] = v[r + 1];
    });
  }

  Crew const& crew_;
  DividedStorage<Real> const& at_;
  ReduceWork<Real> const& work_;
};

}  // namespace carroll::detail
