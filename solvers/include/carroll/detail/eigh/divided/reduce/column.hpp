// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/tiles.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/common/chunk.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// x[i·distance] for 0 <= i < count, in order, N of them on their way as soon as this is there.
template <class T, int N>
struct StridedReads {
  T read[N];
  T const* x;
  int count, distance;

  KOKKOS_FORCEINLINE_FUNCTION StridedReads(T const* from, int numbers, int stride)
      : x(from), count(numbers), distance(stride) {
    next();
  }
  KOKKOS_FORCEINLINE_FUNCTION void next() {
    CARROLL_UNROLL
    for (int i = 0; i < N; ++i) {
      read[i] = i < count ? *x : T(0);
      x += distance;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION T sum() {
    T sum = 0;
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

/// A column of a symmetric or Hermitian matrix on its way to that of a real tridiagonal one, as in
/// LAPACK's xLATRD: the tiles lack what up to `divided_panel` reflectors I - τ·v·vᴴ do to them,
///
///   A' = A - V·Wᴴ - W·Vᴴ,   w = τ·(A'v) - (|τ|²·vᴴA'v/2)·v,
///
/// but everybody waits for the others twice a column only. Let x be column k of A' below its
/// subdiagonal entry α in row r = k + 1. The vector of the reflector whose adjoint takes it to
/// β·e_r, with a real β = -sign(re α)·√(|α|² + xᴴx), is v = e_r + x/f, f = α - β, and with u = A'x
/// and b = A'e_r
///
///   A'v = (u + f·b)/f,   vᴴA'v = (xᴴu + 2·re(f̄·u_r) + |f|²·b_r)/|f|²,   τ/f = -1/β,
///
/// so that A·x, Vᴴx and Wᴴx need not wait for x's norm, and column r of A' is wanted next, anyway.
/// xᴴA·x comes in parts from the tiles; all other sums that everybody needs are found by everybody.
/// The last column, which has no x, has a reflector where α is not real.
///
/// Here is what is done when A·x, Vᴴx and Wᴴx are there: w of column k = r - 1, and column r of A'.
/// Every rounding is written down, so that it does not matter which kernel this is a part of, nor
/// how many `Reads` of a lane are on their way at a time.
template <class T, class Crew, int Reads>
class ReduceColumn {
  using Real = RealOf<T>;
  static constexpr int order = SymmetricTiles<T>::order;

 public:
  static constexpr int dot_count = is_complex<T> ? 8 : 6;
  /// Of |x|², xᴴAx, (Ax)_r, and with y = Wᴴx, z = Vᴴx and rows p of W and q of V, re(ȳᵀz),
  /// qᵀy + pᵀz and re(q̄ᵀp); then the imaginary parts of the two that have one.
  using Dots = Sums<Real, dot_count>;

  /// `older`: columns in the panel without that of k; none of them is where r = 0.
  KOKKOS_FUNCTION ReduceColumn(Crew const& crew, DividedStorage<T> const& at,
                               ReduceWork<T> const& work, int r, int older)
      : crew_(crew), at_(at), work_(work), r_(r), older_(older) {}

  /// What all rows need.
  struct Reflector {
    T f = 0, inverse = 0;  ///< and 1/f
    Real of_product = 0;   ///< w = of_product·(u + f·b) + of_x·(x + f·e_r)
    T of_x = 0;
    T w_r = 0;
  };
  /// Of a row: entries of x, u and b.
  struct Row {
    T x, u, b;
  };
  /// Of a row: entries of v and w, of column r of A', and of that what the next x has.
  struct Entry {
    T v, w, a, x;
  };

  /// What column c of the panel, of which the row has v and w, takes from u and b.
  KOKKOS_FORCEINLINE_FUNCTION void add_panel(int c, T v, T w, T& u, T& b) const {
    T dots[4];
    read_chunks<4>(work_.dots + 4 * c, dots);
    u = fused_sum(w, dots[1], fused_sum(v, dots[0], u));
    b = fused_sum(w, dots[3], fused_sum(v, dots[2], b));
  }
  /// And what it adds to the last three sums of `reflector`.
  KOKKOS_FORCEINLINE_FUNCTION void add_dots(int c, Dots& sums) const {
    T dots[4];
    read_chunks<4>(work_.dots + 4 * c, dots);
    T const of_w = dots[0], of_v = dots[1], w = dots[2], v = dots[3];
    sums.value[3] = rounded_real_product(of_w, of_v);
    set<4>(sums, fused_sum(of_w, conjugate(v), rounded_product(of_v, conjugate(w))));
    sums.value[5] = rounded_real_product(v, w);
  }

  /// The first three sums of `reflector`.
  KOKKOS_FORCEINLINE_FUNCTION static void set_products(Dots& sums, Real square, Real product,
                                                       T const& of_row) {
    sums.value[0] = square;
    sums.value[1] = product;
    set<2>(sums, of_row);
  }

  KOKKOS_FUNCTION Row gather(int i) const {
    T const a = work_.A(i, r_);
    if (r_ == 0) return {0, 0, a};
    T const x = work_.x(r_ - 1)[i];
    T const part =
        strided_sum(work_.part(r_ - 1, r_ / order) + i, work_.tiles - r_ / order, work_.rows);
    T u = 0, b = 0;
    constexpr int columns = Reads / 2;
    CARROLL_NO_UNROLL
    for (int first = 0; first < older_; first += columns) {
      T v[columns], w[columns];
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) {
        bool const is_there = first + c < older_;
        v[c] = is_there ? work_.v(first + c)[i] : T(0);
        w[c] = is_there ? work_.w(first + c)[i] : T(0);
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
    int const products = SymmetricTiles<T>::count(groups);
    Real const* const squares = work_.squares_of(k) + begin;
    auto const sums = crew_.template sums<Real, dot_count>(order, [&](int i) {
      Dots term;
      term.value[0] = strided_sum(squares + i, (groups - i + order - 1) / order, order);
      term.value[1] =
          strided_sum(work_.products_of(k) + i, (products - i + order - 1) / order, order);
      set<2>(term, strided_sum(work_.part(k, begin + i) + r_, (groups - i + order - 1) / order,
                               order * work_.rows));
      if (i < older_) add_dots(i, term);
      return term;
    });
    return reflector(sums, work_.first[k % 2], real_part(work_.A(r_, r_)), tells);
  }

  /// Of all sums, α, and entry (r, r) of A.
  KOKKOS_FORCEINLINE_FUNCTION Reflector reflector(Dots const& sums, T alpha, Real a_r,
                                                  bool tells) const {
    Reflector H;
    if (r_ == 0) return H;
    int const k = r_ - 1;
    Real const square = sums[0];
    Real const xu = sums[1] - 2 * sums[3], b_r = a_r - 2 * sums[5];
    T const u_r = get<2>(sums) - get<4>(sums);
    Real const re = real_part(alpha);
    Real beta = re;
    T tau = 0;
    if (reflects(alpha, square)) {
      Real const all = fused_square_sum(alpha, square);
      Real const inverse = refined_rsqrt(all, rough_rsqrt(all)), rough = all * inverse;
      Real const norm = Kokkos::fma(Kokkos::fma(-rough, rough, all), inverse / 2, rough);
      beta = re < Real(0) ? norm : -norm;
      H.of_product = re < Real(0) ? -inverse : inverse;
      set_vector(H, alpha - beta);
      tau = rounded_product(H.of_product, H.f);
      set_product(H, tau, xu, u_r, b_r);
      H.w_r = fused_multiple_sum(H.of_product, fused_multiple_sum(b_r, H.f, u_r),
                                 rounded_product(H.of_x, H.f));
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
      T const x = i == r_ ? H.f : row.x;
      entry.v = i == r_ ? T(1) : rounded_product(row.x, H.inverse);
      entry.w = fused_multiple_sum(H.of_product, fused_sum(H.f, row.b, row.u),
                                   rounded_product(H.of_x, x));
      entry.a = fused_sum(-entry.v, conjugate(H.w_r), row.b - entry.w);
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
    if (i == r_) at_.d[r_] = real_part(entry.a);
    if (i == r_ + 1) work_.first[r_ % 2] = entry.a;
    work_.x(r_)[i] = entry.x;
  }

 private:
  template <class X>
  KOKKOS_FORCEINLINE_FUNCTION static X strided_sum(X const* x, int count, int distance) {
    return StridedReads<X, Reads>(x, count, distance).sum();
  }

  /// Sum k, of which an imaginary part is in place 6 or 7.
  template <int k>
  KOKKOS_FORCEINLINE_FUNCTION static void set(Dots& sums, T const& x) {
    sums.value[k] = real_part(x);
    if constexpr (is_complex<T>) sums.value[5 + k / 2] = x.imag();
  }
  template <int k>
  KOKKOS_FORCEINLINE_FUNCTION static T get(Dots const& sums) {
    if constexpr (is_complex<T>)
      return {sums[k], sums[5 + k / 2]};
    else
      return sums[k];
  }

  /// Are there x, or an imaginary part of α, that count?
  KOKKOS_FORCEINLINE_FUNCTION static bool reflects(T const& alpha, Real square) {
    constexpr int exponent = 2 * negligible_coupling<Real>;
    if constexpr (is_complex<T>)
      return Kokkos::fma(alpha.imag(), alpha.imag(), square) > power_of_two<Real>(exponent);
    else
      return square > power_of_two<Real>(exponent);
  }

  /// f and 1/f.
  KOKKOS_FORCEINLINE_FUNCTION static void set_vector(Reflector& H, T const& f) {
    H.f = f;
    if constexpr (is_complex<T>) {
      Real const square = fused_square_sum(f, Real(0));
      H.inverse =
          rounded_product(refined_reciprocal(square, rough_reciprocal(square)), conjugate(f));
    } else {
      H.inverse = refined_reciprocal(f, rough_reciprocal(f));
    }
  }
  /// What v and w have to do with each other: of_x = -|τ|²·(vᴴA'v)/(2f).
  KOKKOS_FORCEINLINE_FUNCTION static void set_product(Reflector& H, T const& tau, Real xu,
                                                      T const& u_r, Real b_r) {
    if constexpr (is_complex<T>) {
      Real const product = Kokkos::fma(fused_square_sum(H.f, Real(0)), b_r,
                                       Kokkos::fma(Real(2), rounded_real_product(H.f, u_r), xu));
      H.of_x = rounded_product(-H.of_product * H.of_product / 2 * product, H.inverse);
    } else {
      Real const product = Kokkos::fma(H.f, Kokkos::fma(H.f, b_r, 2 * u_r), xu);
      H.of_x = rounded_product(-tau / 2 * H.of_product * (product * H.inverse), H.inverse);
    }
  }

  Crew const& crew_;
  DividedStorage<T> const& at_;
  ReduceWork<T> const& work_;
  int r_, older_;
};

}  // namespace carroll::detail
