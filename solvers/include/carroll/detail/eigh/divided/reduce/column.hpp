// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/tiles.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/common/chunk.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// x[i·distance] for 0 <= i < count, in order, N of them on their way as soon as this is there.
template <class Real, int N>
struct StridedReads {
  Real read[N];
  Real const* x;
  int count, distance;

  KOKKOS_FORCEINLINE_FUNCTION StridedReads(Real const* from, int numbers, int stride)
      : x(from), count(numbers), distance(stride) {
    next();
  }
  KOKKOS_FORCEINLINE_FUNCTION void next() {
    CARROLL_UNROLL
    for (int i = 0; i < N; ++i) {
      read[i] = i < count ? *x : Real(0);
      x += distance;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION Real sum() {
    Real sum = 0;
    CARROLL_NO_UNROLL
    while (true) {
      CARROLL_UNROLL
      for (int i = 0; i < N; ++i) sum += read[i];
      count -= N;
      if (count <= 0) return sum;
      next();
    }
  }
};

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
/// Every rounding is written down, so that it does not matter which kernel this is a part of, nor
/// how many `Reads` of a lane are on their way at a time.
template <class Real, class Crew, int Reads>
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

  /// What column c of the panel, of which the row has v and w, takes from u and b.
  KOKKOS_FORCEINLINE_FUNCTION void add_panel(int c, Real v, Real w, Real& u, Real& b) const {
    Real dots[4];
    read_chunks<4>(work_.dots + 4 * c, dots);
    u = Kokkos::fma(w, dots[1], Kokkos::fma(v, dots[0], u));
    b = Kokkos::fma(w, dots[3], Kokkos::fma(v, dots[2], b));
  }
  /// And what it adds to the last three sums of `reflector`.
  KOKKOS_FORCEINLINE_FUNCTION void add_dots(int c, Sums<Real, 6>& sums) const {
    Real dots[4];
    read_chunks<4>(work_.dots + 4 * c, dots);
    Real const of_w = dots[0], of_v = dots[1], w = dots[2], v = dots[3];
    sums.value[3] = rounded_product(of_w, of_v);
    sums.value[4] = Kokkos::fma(of_w, v, rounded_product(of_v, w));
    sums.value[5] = rounded_product(v, w);
  }

  KOKKOS_FUNCTION Row gather(int i) const {
    Real const a = work_.A(i, r_);
    if (r_ == 0) return {0, 0, a};
    Real const x = work_.x(r_ - 1)[i];
    Real const part =
        strided_sum(work_.part(r_ - 1, r_ / order) + i, work_.tiles - r_ / order, work_.rows);
    Real u = 0, b = 0;
    constexpr int columns = Reads / 2;
    CARROLL_NO_UNROLL
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
        if (first + c < older_) add_panel(first + c, v[c], w[c], u, b);
      }
    }
    return {x, part - u, a - b};
  }

  /// The reflector of column k = r - 1. `tells`: its part of T is to be left.
  KOKKOS_FUNCTION Reflector reflector(bool tells) const {
    Reflector H;
    if (r_ == 0) return H;
    int const k = r_ - 1, begin = r_ / order, groups = work_.tiles - begin;
    int const products = SymmetricTiles<Real>::count(groups);
    Real const* const squares = work_.squares_of(k) + begin;
    auto const sums = crew_.template sums<Real, 6>(order, [&](int i) {
      Sums<Real, 6> term;
      term.value[0] = strided_sum(squares + i, (groups - i + order - 1) / order, order);
      term.value[1] =
          strided_sum(work_.products_of(k) + i, (products - i + order - 1) / order, order);
      term.value[2] = strided_sum(work_.part(k, begin + i) + r_, (groups - i + order - 1) / order,
                                  order * work_.rows);
      if (i < older_) add_dots(i, term);
      return term;
    });
    return reflector(sums, work_.first[k % 2], work_.A(r_, r_), tells);
  }

  /// Of xᵀx, xᵀAx, (Ax)_r, and with y = Wᵀx, z = Vᵀx and rows p of W and q of V, yᵀz, yᵀq + zᵀp
  /// and pᵀq; α; and entry (r, r) of A.
  KOKKOS_FORCEINLINE_FUNCTION Reflector reflector(Sums<Real, 6> const& sums, Real alpha, Real a_r,
                                                  bool tells) const {
    Reflector H;
    if (r_ == 0) return H;
    int const k = r_ - 1;
    Real const square = sums[0];
    Real const xu = sums[1] - 2 * sums[3], u_r = sums[2] - sums[4];
    Real const b_r = a_r - 2 * sums[5];
    Real beta = alpha, tau = 0;
    if (square > power_of_two<Real>(2 * negligible_coupling<Real>)) {
      Real const all = Kokkos::fma(alpha, alpha, square);
      Real const inverse = refined_rsqrt(all, rough_rsqrt(all)), rough = all * inverse;
      Real const norm = Kokkos::fma(Kokkos::fma(-rough, rough, all), inverse / 2, rough);
      beta = alpha < Real(0) ? norm : -norm;
      H.f = alpha - beta;
      H.inverse = refined_reciprocal(H.f, rough_reciprocal(H.f));
      H.of_product = alpha < Real(0) ? -inverse : inverse;
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
  KOKKOS_FORCEINLINE_FUNCTION static Real strided_sum(Real const* x, int count, int distance) {
    return StridedReads<Real, Reads>(x, count, distance).sum();
  }

  Crew const& crew_;
  DividedStorage<Real> const& at_;
  ReduceWork<Real> const& work_;
  int r_, older_;
};

}  // namespace carroll::detail
