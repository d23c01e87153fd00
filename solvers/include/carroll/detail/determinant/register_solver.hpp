// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/balance.hpp>
#include <carroll/detail/determinant/register_load.hpp>
#include <carroll/detail/determinant/register_pivots.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/detail/warp.hpp>

namespace carroll::detail {

/// `Width` lanes hold a matrix of order up to `order`, `Cols` neighbouring columns each.
template <class T, int Width, int Cols>
struct RegisterShape {
  using Scalar = T;
  static constexpr int width = Width, cols = Cols, order = Width * Cols;
  static constexpr int matrices = 32 / Width;  ///< of a warp
  /// Entries of scratch per matrix: two columns and the pivots. Matrices are an odd number of
  /// chunks apart, so that their lanes read from different banks.
  static constexpr int scratch =
      3 * order + (3 * order / RegisterChunk<T>::size % 2 == 0 ? RegisterChunk<T>::size : 0);
  static_assert(order % 4 == 0 && 32 % Width == 0);
};

/// Condensation (condensation.hpp) of small matrices in the registers of a warp, one call per warp,
/// a group of lanes per matrix.
///
/// A lane holds whole columns, so that a step is: the group's largest entry of row 0 by shuffles,
/// the pivot's column to all lanes through scratch, row 0 divided by the pivot, all other rows
/// reduced and moved up by one, which keeps registers at constant places in a loop. No column is
/// exchanged: that of the pivot becomes zero, and the sign is that of the permutation, told by how
/// many of the columns left stand before each pivot's. Rows shrink by four at a time.
///
/// 2n³/3 flops, n² entries read; per matrix n²/2 entries through scratch, each written by one lane
/// and read once per group.
template <class Warp, class Shape>
class RegisterSolver {
 public:
  using T = typename Shape::Scalar;

  KOKKOS_FUNCTION RegisterSolver(Warp const& warp, DeterminantBatch<T> const& batch,
                                 EntryAccess access, T* scratch)
      : warp_(warp),
        batch_(batch),
        access_(access),
        n_(batch.n),
        slot_(warp.lane / width),
        place_(warp.lane % width),
        columns_(scratch + slot_ * Shape::scratch),
        pivots_(columns_ + 2 * order) {}

  /// The members from `first` on, as many as the warp has room for.
  KOKKOS_FUNCTION void solve(int first) const {
    bool const exists = first + slot_ < batch_.members;
    int const member = exists ? first + slot_ : batch_.members - 1;
    StridedMatrix<T const> const A = batch_.source_of(member);
    T a[order][cols];
    load(A, a);

    PivotProduct<T> product;
    int tops[own_rows] = {};
    Scaling const scaling = balance(A, a, tops);
    State state;
    condense<(order)>(a, 0, state);

    warp_.sync();
    CARROLL_UNROLL
    for (int t = 0; t < own_rows; ++t)
      if (place_ + t * width < n_)
        product.take(pivots_[place_ + t * width], RowScale<T>::scaled(tops[t]));
    int exponent = product.exponent + scaling.exponent;
    CARROLL_UNROLL
    for (int step = 1; step < width; step *= 2) {
      product.mantissa *= warp_.from(product.mantissa, warp_.lane ^ step);
      product.growth = Kokkos::fmax(product.growth, warp_.from(product.growth, warp_.lane ^ step));
      exponent += warp_.from(exponent, warp_.lane ^ step);
    }
    product.exponent = exponent;
    product.zero = any(product.zero);
    bool const negative =
        Kokkos::popcount(warp_.ballot(Kokkos::popcount(state.before) % 2 != 0) & group()) % 2 != 0;
    if (exists && place_ == 0)
      store_info(batch_.info_of(member), product.info(-state.lifted, negative, scaling.finite));
  }

 private:
  static constexpr int order = Shape::order, cols = Shape::cols, width = Shape::width;
  /// Rows whose pivots and tops a lane looks after: those of its place modulo `width`.
  static constexpr int own_rows = cols;
  static constexpr unsigned all_columns = (1U << cols) - 1;

  struct Scaling {
    int exponent = 0;  ///< log₂ of what was taken out of this lane's rows
    bool finite = true;
  };
  struct State {
    unsigned left = all_columns;  ///< columns of this lane that held no pivot yet
    unsigned before = 0;          ///< one bit per column left that stood before a pivot's, modulo 2
    int lifted = 0;
  };

  struct Place {
    bool here;  ///< in this lane
    int col;
  };

  KOKKOS_FUNCTION unsigned group() const {
    return (width == 32 ? 0xffffffffU : (1U << width % 32) - 1) << (slot_ * width);
  }
  KOKKOS_FUNCTION bool any(bool yes) const { return (warp_.ballot(yes) & group()) != 0; }
  template <class X>
  KOKKOS_FUNCTION X max(X x) const {
    CARROLL_UNROLL
    for (int step = 1; step < width; step *= 2)
      x = Kokkos::max(x, warp_.from(x, warp_.lane ^ step));
    return x;
  }

  /// Rows and columns beyond the last one repeat it.
  KOKKOS_FORCEINLINE_FUNCTION void load(StridedMatrix<T const> const& A,
                                        T (&a)[order][cols]) const {
    constexpr int size = RegisterChunk<T>::size;
    int const j0 = place_ * cols;
    if (cols % size == 0 && access_ == EntryAccess::rows) {
      CARROLL_UNROLL
      for (int c = 0; c < cols; c += size) {
        T const* const from = &A(0, Kokkos::min(j0 + c + size, n_) - 1);
        CARROLL_UNROLL
        for (int i = 0; i < order; ++i) {
          RegisterChunk<T> const chunk = chunk_at(from + Kokkos::min(i, n_ - 1) * A.row_stride);
          CARROLL_UNROLL
          for (int q = 0; q < size; ++q) a[i][(c + q) % cols] = chunk.entry[size - 1 - q];
        }
      }
      return;
    }
    T const* from[cols];
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c) from[c] = &A(0, Kokkos::min(j0 + c, n_ - 1));
    if (access_ == EntryAccess::cols) {
      CARROLL_UNROLL
      for (int i = 0; i < order; i += size) CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) {
        RegisterChunk<T> const chunk =
            chunk_at(from[c] + (Kokkos::min(i + size, n_) - 1) * A.row_stride);
        CARROLL_UNROLL
        for (int q = 0; q < size; ++q) a[i + q][c] = chunk.entry[size - 1 - q];
      }
    } else {
      CARROLL_UNROLL
      for (int i = 0; i < order; ++i) CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) a[i][c] = from[c][Kokkos::min(i, n_ - 1) * A.row_stride];
    }
  }

  /// Brings the largest entry of every row into [1/2, 1); `tops` are magnitudes before the last
  /// pass. Rows at the ends of the exponents' range take a second pass, wide rows columns first.
  KOKKOS_FORCEINLINE_FUNCTION Scaling balance(StridedMatrix<T const> const& A, T (&a)[order][cols],
                                              int (&tops)[own_rows]) const {
    Scaling scaling;
    CARROLL_NO_UNROLL
    for (int pass = 0; pass < 3; ++pass) {
      LeastMagnitude<T> least;
      int highest = 0, lowest = 0x7fffffff;
      CARROLL_UNROLL
      for (int i = 0; i < order; ++i) {
        int top = magnitude(a[i][0]);
        CARROLL_UNROLL
        for (int c = 1; c < cols; ++c) top = Kokkos::max(top, magnitude(a[i][c]));
        CARROLL_UNROLL
        for (int c = 0; c < cols; ++c) least.add(a[i][c]);
        top = max(top);
        if (place_ == i % width) tops[i / width] = top;
        highest = Kokkos::max(highest, top);
        lowest = Kokkos::min(lowest, top);
        T const factor = RowScale<T>(top).factor();
        CARROLL_UNROLL
        for (int c = 0; c < cols; ++c) a[i][c] *= factor;
      }
      CARROLL_UNROLL
      for (int t = 0; t < own_rows; ++t)
        if (place_ + t * width < n_) scaling.exponent += RowScale<T>(tops[t]).exponent();
      bool again = !RowScale<T>::is_exact(highest) || !RowScale<T>::is_exact(lowest);
      if (pass == 0) {
        scaling.finite = RowScale<T>::is_finite(highest);
        if (warp_.ballot(least.far_below(highest)) != 0) {
          again = true;
          scale_wide(A, a, scaling);
        }
      }
      if (warp_.ballot(again) == 0) break;
    }
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c)
      if (place_ * cols + c >= n_) {
        CARROLL_UNROLL
        for (int i = 0; i < order; ++i) a[i][c] = 0;
      }
    return scaling;
  }

  /// Does A have a wide row? Then columns are scaled, and rows with them.
  KOKKOS_FORCEINLINE_FUNCTION void scale_wide(StridedMatrix<T const> const& A, T (&a)[order][cols],
                                              Scaling& scaling) const {
    int const j0 = place_ * cols;
    bool wide = false;
    CARROLL_NO_UNROLL
    for (int i = 0; i < n_; ++i) {
      EntryRange<T> range;
      CARROLL_NO_UNROLL
      for (int j = j0; j < j0 + cols && j < n_; ++j) range.add(Kokkos::abs(A(i, j)));
      T const high = max(range.high), low = -max(-range.low);
      wide = wide || is_wide(high, low);
    }
    wide = wide && scaling.finite;
    if (wide) scaling.exponent = 0;

    int col_exponent[cols];
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c) {
      T high = 0;
      CARROLL_NO_UNROLL
      for (int i = 0; i < n_ && j0 + c < n_; ++i)
        high = Kokkos::fmax(high, Kokkos::abs(A(i, j0 + c)));
      col_exponent[c] = high > 0 && wide ? exponent_of(high) : 0;
      scaling.exponent += col_exponent[c];
    }
    int* const row_exponents = reinterpret_cast<int*>(pivots_);
    CARROLL_NO_UNROLL
    for (int i = 0; i < n_; ++i) {
      int e = -4 * exponent_bias<T>;
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) {
        T const size = j0 + c < n_ ? Kokkos::abs(A(i, j0 + c)) : T(0);
        if (size > 0 && wide) e = Kokkos::max(e, exponent_of(size) - col_exponent[c]);
      }
      e = max(e);
      if (place_ == i % width && wide) scaling.exponent += e;
      if (place_ == 0) row_exponents[i] = e;
    }
    warp_.sync();
    if (!wide) return;
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) CARROLL_UNROLL
    for (int c = 0; c < cols; ++c)
      if (i < n_ && j0 + c < n_)
        a[i][c] = scale_within_one(A(i, j0 + c), -(row_exponents[i] + col_exponent[c]));
  }

  /// Steps k … n-1 on what is left of a, in up to Rows rows.
  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION void condense(T (&a)[order][cols], int k, State& state) const {
    if (n_ > Rows - 4) {
      int const end = Kokkos::min(k + 4, n_);
      CARROLL_NO_UNROLL
      for (; k < end; ++k) step<Rows>(a, k, state);
    }
    if constexpr (Rows > 4) condense<Rows - 4>(a, k, state);
  }

  template <int Rows>
  KOKKOS_FORCEINLINE_FUNCTION void step(T (&a)[order][cols], int k, State& state) const {
    constexpr int size = RegisterChunk<T>::size;
    Place const at = find_pivot(a[0], state);
    auto* const column = reinterpret_cast<RegisterChunk<T>*>(columns_ + (k % 2) * order);
    if (at.here) {
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c)
        if (at.col == c) {
          CARROLL_UNROLL
          for (int i = 0; i < Rows; i += size) {
            RegisterChunk<T> chunk;
            CARROLL_UNROLL
            for (int q = 0; q < size; ++q) chunk.entry[q] = a[i + q][c];
            column[i / size] = chunk;
          }
        }
    }
    warp_.sync();
    RegisterChunk<T> factors = column[0];
    T const pivot = factors.entry[0];
    if (place_ == 0) pivots_[k] = pivot;
    PivotDivision<T> const over_pivot(pivot);
    T row[cols];
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c) row[c] = over_pivot(a[0][c]);
    CARROLL_UNROLL
    for (int i = 0; i < Rows; i += size) {
      if (i > 0) factors = column[i / size];
      CARROLL_UNROLL
      for (int q = i == 0 ? 1 : 0; q < size; ++q) CARROLL_UNROLL
      for (int c = 0; c < cols; ++c)
        a[i + q - 1][c] = Kokkos::fma(-factors.entry[q], row[c], a[i + q][c]);
    }
  }

  /// The largest entry of a lane's part of a row, the first of equals.
  KOKKOS_FORCEINLINE_FUNCTION static T largest(T const (&row)[cols], int& col) {
    T size = Kokkos::abs(row[0]);
    col = 0;
    CARROLL_UNROLL
    for (int c = 1; c < cols; ++c) {
      T const other = Kokkos::abs(row[c]);
      col = other > size ? c : col;
      size = Kokkos::fmax(size, other);
    }
    return size;
  }

  /// Where the largest entry of a row is, the first of equals.
  KOKKOS_FORCEINLINE_FUNCTION Place find_pivot(T (&row)[cols], State& state) const {
    Place at;
    int const mine = magnitude(largest(row, at.col));
    int const top = max(mine);
    unsigned lanes = warp_.ballot(mine == top) & group();
    bool rare = top < least_pivot<T>;
    // Where the upper halves of doubles are equal, the lower ones decide.
    if constexpr (sizeof(T) == sizeof(double)) rare = rare || (lanes & (lanes - 1)) != 0;
    if (warp_.ballot(rare) != 0) {
      if (top < least_pivot<T>) {
        CARROLL_UNROLL
        for (int c = 0; c < cols; ++c) row[c] *= power_of_two<T>(pivot_lift<T>);
        state.lifted += pivot_lift<T>;
      }
      T const size = largest(row, at.col);
      lanes = warp_.ballot(size == max(size)) & group();
    }
    int const first = Kokkos::countr_zero(lanes);
    at.here = warp_.lane == first;
    unsigned before = warp_.lane < first ? unsigned{all_columns} : 0;
    if (at.here) before = (1U << at.col) - 1;
    state.before ^= state.left & before;
    if (at.here) state.left &= ~(before + 1);
    return at;
  }

  Warp const& warp_;
  DeterminantBatch<T> const& batch_;
  EntryAccess access_;
  int n_, slot_, place_;
  T* columns_;
  T* pivots_;
};

}  // namespace carroll::detail
