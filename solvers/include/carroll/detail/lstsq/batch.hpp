// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/complex_svd/either.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/matrix_product/problem.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/lstsq/types.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

/// What kernels see of the problems of a call: the caller's matrices, and what a member has of the
/// workspace.
namespace carroll::detail {

/// The caller's matrices. `b` without data: the identity, which makes X the pseudoinverse.
template <class T>
struct LstsqViews {
  StridedBatch<T const> a, b;
  StridedBatch<T> x;
};

/// Exponents that things are brought to by powers of two, which are exact. A and B go as far up as
/// sums allow, so that nothing of them is lost below; X is made at the scale that it has, or, where
/// that is near the ends of the range, nearer to 1, and moved at the end. Of complex numbers parts
/// are looked at, moduli are up to √2 times as large: two binary places are left above.
template <class Real>
struct LstsqScales {
  int a, b;             ///< largest entries are below 2^a, of a column 2^b
  int x_least, x_most;  ///< coefficients of a column of X are below 2^x for an x from here to here

  LstsqScales(int m, int n) {
    constexpr int top = std::numeric_limits<Real>::max_exponent - 2;
    a = top - (bits(m) + bits(n) + 1) / 2;  // the largest singular value is below √(mn)·2^a
    b = top - (bits(m) + 1) / 2;
    x_most = top - (bits(m < n ? m : n) + 1) / 2;
    x_least = std::numeric_limits<Real>::min_exponent / 2;
  }

 private:
  /// The least e with count <= 2^e.
  static int bits(int count) {
    int e = 0;
    while (e < 31 && (std::int64_t{1} << e) < count) ++e;
    return e;
  }
};

/// All problems of a call, X = V·Σ⁺·Uᴴ·B. The workspace holds, of each member, A, U, V, Σ and,
/// where there is B, that and Uᴴ·B, all of them column by column but A, which lies as the caller's
/// does; of complex members X, too.
template <class T>
struct LstsqBatch : LstsqViews<T> {
  using Real = RealOf<T>;
  using LstsqViews<T>::a, LstsqViews<T>::b, LstsqViews<T>::x;
  int members, m, n, k, p;  ///< k = min(m, n); p columns of X
  bool inverse;             ///< no B
  Real rcond;
  LstsqScales<Real> scales{0, 0};
  T* entries;
  std::int64_t distance;  ///< between members
  int* ints;
  SvdInfo<Real> const* factors;
  LstsqInfo<Real>* infos;
  std::ptrdiff_t info_stride;

  /// Of a member in units of 32 numbers, so that each piece begins where cache lines do.
  [[nodiscard]] std::int64_t entries_per_member() const {
    return x_place() + (is_complex<T> ? whole(n, p) : 0);
  }
  [[nodiscard]] std::int64_t ints_per_member() const { return std::int64_t{2} + p; }

  KOKKOS_FUNCTION T* A(int i) const { return entries + i * distance; }
  KOKKOS_FUNCTION T* U(int i) const { return A(i) + u_place(); }
  KOKKOS_FUNCTION T* V(int i) const { return A(i) + v_place(); }
  KOKKOS_FUNCTION Real* S(int i) const { return reinterpret_cast<Real*>(A(i) + s_place()); }
  KOKKOS_FUNCTION T* B(int i) const { return A(i) + b_place(); }
  /// Uᴴ·B, then Σ⁺ times it; without B in U itself, transposed and, if complex, not conjugated.
  KOKKOS_FUNCTION StridedMatrix<T> coefficients(int i) const {
    if (inverse) return {U(i), static_cast<std::ptrdiff_t>(m), 1};
    return {A(i) + c_place(), 1, static_cast<std::ptrdiff_t>(k)};
  }
  /// Is X made in the workspace? A complex product that lies by rows would have other bits.
  [[nodiscard]] KOKKOS_FUNCTION bool is_apart() const {
    return is_complex<T> && x.strides[1] > x.strides[2];
  }
  /// Where X is made: there, or where the caller has it.
  [[nodiscard]] KOKKOS_FUNCTION MatrixBatch<T> found() const {
    if (is_apart()) return {A(0) + x_place(), distance, 1, static_cast<std::ptrdiff_t>(n)};
    return {x.data, x.strides[0], x.strides[1], x.strides[2]};
  }
  /// A is A·2^shift here.
  KOKKOS_FUNCTION int& a_shift(int i) const { return ints[i * (2 + std::int64_t{p})]; }
  /// Not 0: B is not finite.
  KOKKOS_FUNCTION int& refused(int i) const { return (&a_shift(i))[1]; }
  /// Column j of B is that of B·2^shift here; later column j of X is to be multiplied by 2^shift.
  KOKKOS_FUNCTION int& shift(int i, int j) const { return (&a_shift(i))[2 + j]; }
  /// Instead of such a shift: the column becomes NaN.
  static constexpr int no_number = std::numeric_limits<int>::max();

  KOKKOS_FUNCTION LstsqInfo<Real>& info(int i) const { return infos[i * info_stride]; }

  template <class Entry>
  KOKKOS_FUNCTION static StridedMatrix<Entry> member(StridedBatch<Entry> const& of, int i) {
    return {of.data + i * of.strides[0], of.strides[1], of.strides[2]};
  }

  /// Does A lie row by row?
  [[nodiscard]] KOKKOS_FUNCTION bool by_rows() const { return a.strides[1] > a.strides[2]; }

 private:
  KOKKOS_FUNCTION static std::int64_t whole(std::int64_t rows, std::int64_t cols) {
    return SvdWorkspaceSizes::round_up(rows * cols);
  }
  KOKKOS_FUNCTION std::int64_t u_place() const { return whole(m, n); }
  KOKKOS_FUNCTION std::int64_t v_place() const { return u_place() + whole(m, k); }
  KOKKOS_FUNCTION std::int64_t s_place() const { return v_place() + whole(n, k); }
  KOKKOS_FUNCTION std::int64_t b_place() const { return s_place() + whole(k, 1); }
  KOKKOS_FUNCTION std::int64_t c_place() const { return b_place() + whole(m, p); }
  KOKKOS_FUNCTION std::int64_t x_place() const {
    return inverse ? b_place() : c_place() + whole(k, p);
  }
};

/// A batch of matrices of the workspace, column by column without gaps.
template <class T>
StridedBatch<T> lstsq_matrices(LstsqBatch<T> const& batch, T* data, std::int64_t rows,
                               std::int64_t cols) {
  return {data, {batch.members, rows, cols}, {batch.distance, 1, rows}};
}
template <class T>
StridedBatch<T> scaled_matrices(LstsqBatch<T> const& batch) {
  std::int64_t const m = batch.m, n = batch.n;
  return {batch.A(0),
          {batch.members, m, n},
          {batch.distance, batch.by_rows() ? n : 1, batch.by_rows() ? 1 : m}};
}

/// What the decomposition works on.
template <class T>
SvdViewsOf<T> lstsq_factors(LstsqBatch<T> const& batch) {
  std::int64_t const members = batch.members, m = batch.m, n = batch.n, k = batch.k;
  SvdViewsOf<T> views;
  std::ptrdiff_t const reals = sizeof(T) / sizeof(RealOf<T>);
  views.s = {batch.S(0), {members, k, 1}, {reals * batch.distance, 1, k}};
  auto const A = scaled_matrices(batch);
  views.a = {A.data, A.extents, A.strides};
  views.u = lstsq_matrices(batch, batch.U(0), m, k);
  views.v = lstsq_matrices(batch, batch.V(0), n, k);
  return views;
}

/// Uᴴ·B.
template <class T>
MatrixProduct<T> lstsq_coefficients(LstsqBatch<T> const& batch) {
  std::ptrdiff_t const m = batch.m;
  auto const into = batch.coefficients(0);
  return {.m = batch.k,
          .n = batch.p,
          .k = batch.m,
          .batch = batch.members,
          .alpha = 1,
          .a = {batch.U(0), batch.distance, m, 1},
          .b = {batch.B(0), batch.distance, 1, m},
          .c = {into.data, batch.distance, into.row_stride, into.col_stride},
          .conjugate_a = is_complex<T>};
}

/// X = V·Σ⁺·Uᴴ·B from the coefficients.
template <class T>
MatrixProduct<T> lstsq_solution(LstsqBatch<T> const& batch) {
  auto const from = batch.coefficients(0);
  return {.m = batch.n,
          .n = batch.p,
          .k = batch.k,
          .batch = batch.members,
          .alpha = 1,
          .a = {batch.V(0), batch.distance, 1, batch.n},
          .b = {from.data, batch.distance, from.row_stride, from.col_stride},
          .c = batch.found(),
          .conjugate_b = is_complex<T> && batch.inverse};
}

}  // namespace carroll::detail
