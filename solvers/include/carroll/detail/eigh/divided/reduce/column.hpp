// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/tiles.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// A column of a symmetric matrix on its way to that of a tridiagonal one, as in LAPACK's xLATRD:
/// the tiles lack what up to `divided_panel` reflectors do to them,
///
///   A' = A - V·Wᵀ - W·Vᵀ,   w = τ·(A'v) - (τ²·vᵀA'v/2)·v,
///
/// but everybody waits for the others twice a column only. Let x be column k of A' below its
/// subdiagonal entry α in row r = k + 1. The vector of the reflector that takes it to β·e_r, with
/// β = -sign(α)·√(α² + xᵀx), is v = e_r + x/f, f = α - β, and with u = A'x and b = A'e_r
///
///   A'v = (u + f·b)/f,   vᵀA'v = (xᵀu + 2f·u_r + f²·b_r)/f²,   τ/f = -1/β,
///
/// so that A·x, Vᵀx and Wᵀx need not wait for x's norm, and column r of A' is wanted next, anyway.
/// xᵀA·x comes in parts from the tiles; all other sums that everybody needs are found by everybody.
///
/// Here is what is done when A·x, Vᵀx and Wᵀx are there: w of column k = r - 1, and column r of A'.
/// Every rounding is written down, so that it does not matter which kernel this is a part of.
template <class Real, class Crew>
class ReduceColumn {
  static constexpr int order = SymmetricTiles<Real>::order;

 public:
  /// `older`: columns in the panel without that of k; none of them is where r = 0.
  KOKKOS_FUNCTION ReduceColumn(Crew const& crew, DividedStorage<Real> const& at,
                               ReduceWork<Real> const& work, int r, int older)
      : crew_(crew), at_(at), work_(work), r_(r), older_(older) {}

  /// What all rows need.
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
  /// Of a row: entries of v and w, of column r of A', and of that what the next x has.
  struct Entry {
    Real v, w, a, x;
  };

  KOKKOS_FUNCTION Row gather(int i) const {
    Real const a = work_.A(i, r_);
    if (r_ == 0) return {0, 0, a};
    constexpr int at_once = 8, columns = 4;  // reads that are on their way
    Real const x = work_.x(r_ - 1)[i];
    Real part = 0, u = 0, b = 0;
    for (int first = r_ / order; first < work_.tiles; first += at_once) {
      Real parts[at_once];
      CARROLL_UNROLL
      for (int t = 0; t < at_once; ++t)
        parts[t] = first + t < work_.tiles ? work_.part(r_ - 1, first + t)[i] : Real(0);
      CARROLL_UNROLL
      for (int t = 0; t < at_once; ++t) part += parts[t];
    }
    for (int first = 0; first < older_; first += columns) {
      Real v[columns], w[columns];
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) {
        bool const is_there = first + c < older_;
        v[c] = is_there ? work_.v(first + c)[i] : Real(0);
        w[c] = is_there ? work_.w(first + c)[i] : Real(0);
      }
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) {
        if (first + c >= older_) break;
        Real const* const dots = work_.dots + 4 * (first + c);
        u = Kokkos::fma(w[c], dots[1], Kokkos::fma(v[c], dots[0], u));
        b = Kokkos::fma(w[c], dots[3], Kokkos::fma(v[c], dots[2], b));
      }
    }
    return {x, part - u, a - b};
  }

  /// The reflector of column k = r - 1. `tells`: its part of T is to be left.
  KOKKOS_FUNCTION Reflector reflector(bool tells) const {
    Reflector H;
    if (r_ == 0) return H;
    int const k = r_ - 1, begin = r_ / order, squares_begin = k / order;
    int const groups = work_.tiles - squares_begin, parts = work_.tiles - begin;
    int const products = SymmetricTiles<Real>::count(parts);
    int const most = Kokkos::max(groups, Kokkos::max(products, older_));
    Real const* const squares = work_.squares_of(k) + squares_begin;
    auto const sums = crew_.template sums<Real, 6>(most, [&](int i) {
      Sums<Real, 6> term;
      if (i < groups) term.value[0] = squares[i];
      if (i < products) term.value[1] = work_.products_of(k)[i];
      if (i < parts) term.value[2] = work_.part(k, begin + i)[r_];
      if (i < older_) {
        Real const* const dots = work_.dots + 4 * i;
        Real const of_w = dots[0], of_v = dots[1], w = dots[2], v = dots[3];
        term.value[3] = rounded_product(of_w, of_v);
        term.value[4] = Kokkos::fma(of_w, v, rounded_product(of_v, w));
        term.value[5] = rounded_product(v, w);
      }
      return term;
    });
    Real const square = sums[0], alpha = work_.first[k % 2];
    Real const xu = sums[1] - 2 * sums[3], u_r = sums[2] - sums[4];
    Real const b_r = work_.A(r_, r_) - 2 * sums[5];
    Real beta = alpha, tau = 0;
    if (square > power_of_two<Real>(2 * negligible_coupling<Real>)) {
      Real const norm = Kokkos::sqrt(Kokkos::fma(alpha, alpha, square));
      beta = alpha < Real(0) ? norm : -norm;
      H.f = alpha - beta;
      H.inverse = Real(1) / H.f;
      H.of_product = Real(-1) / beta;
      tau = rounded_product(H.f, H.of_product);
      Real const product = Kokkos::fma(H.f, Kokkos::fma(H.f, b_r, 2 * u_r), xu);
      H.of_x = rounded_product(-tau / 2 * H.of_product * (product * H.inverse), H.inverse);
      H.w_r = Kokkos::fma(H.of_product, Kokkos::fma(H.f, b_r, u_r), rounded_product(H.of_x, H.f));
    }
    if (tells)
      crew_.once([&] {
        at_.e[k] = beta;
        at_.tau[k] = tau;
      });
    return H;
  }

  KOKKOS_FUNCTION Entry entry(int i, Row const& row, Reflector const& H) const {
    Entry entry{0, 0, row.b, 0};
    if (r_ > 0 && i >= r_) {
      Real const x = i == r_ ? H.f : row.x;
      entry.v = i == r_ ? Real(1) : rounded_product(row.x, H.inverse);
      entry.w =
          Kokkos::fma(H.of_product, Kokkos::fma(H.f, row.b, row.u), rounded_product(H.of_x, x));
      entry.a = Kokkos::fma(-entry.v, H.w_r, row.b - entry.w);
    }
    if (i > r_ + 1) entry.x = entry.a;
    return entry;
  }

  /// Leaves an entry where it belongs.
  KOKKOS_FUNCTION void keep(int i, Entry const& entry) const {
    if (r_ > 0) {
      work_.v(older_)[i] = entry.v;
      work_.w(older_)[i] = entry.w;
      if (i >= r_ && i < at_.n) at_.A(i, r_ - 1) = entry.v;
    }
    if (i == r_) at_.d[r_] = entry.a;
    if (i == r_ + 1) work_.first[r_ % 2] = entry.a;
    work_.x(r_)[i] = entry.x;
  }

 private:
  Crew const& crew_;
  DividedStorage<Real> const& at_;
  ReduceWork<Real> const& work_;
  int r_, older_;
};

}  // namespace carroll::detail
