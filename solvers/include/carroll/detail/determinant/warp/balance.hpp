// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/determinant/warp/group.hpp>
#include <carroll/detail/determinant/warp/load.hpp>
#include <carroll/detail/determinant/warp/pivots.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Reads a matrix of order n into the registers of a group, and brings its entries into range.
/// `scratch`: Shape::scratch entries of the group's own.
template <class Warp, class Shape>
class RegisterBalance {
 public:
  using Group = RegisterGroup<Warp, Shape>;
  using T = typename Shape::Scalar;
  static constexpr int order = Shape::order, cols = Shape::cols, width = Shape::width;
  static constexpr int own_rows = Shape::own_rows;

  KOKKOS_FUNCTION RegisterBalance(Group const& group, int n, T* scratch)
      : group_(group), n_(n), scratch_(scratch) {}

  /// Rows and columns beyond the last one repeat it.
  KOKKOS_FORCEINLINE_FUNCTION void load(StridedMatrix<T const> const& A, EntryAccess access,
                                        T (&a)[order][cols]) const {
    if (Shape::neighbours && access == EntryAccess::rows && n_ == order && A.row_stride == -order) {
      // Packed: all addresses at constant distances from one.
      T const* const last = &A(0, group_.col(0) + chunk - 1);
      CARROLL_UNROLL
      for (int i = 0; i < order; ++i) CARROLL_UNROLL
      for (int c = 0; c < cols; c += chunk) {
        RegisterChunk<T> const part = chunk_at(last - i * order - c);
        CARROLL_UNROLL
        for (int q = 0; q < chunk; ++q) a[i][(c + q) % cols] = part.entry[chunk - 1 - q];
      }
    } else if (Shape::neighbours && access == EntryAccess::rows) {
      CARROLL_UNROLL
      for (int c = 0; c < cols; c += chunk) {
        T const* from = &A(0, Kokkos::min(group_.col(c) + chunk, n_) - 1);
        CARROLL_UNROLL
        for (int i = 0; i < order; ++i) {
          RegisterChunk<T> const part = chunk_at(from);
          CARROLL_UNROLL
          for (int q = 0; q < chunk; ++q) a[i][(c + q) % cols] = part.entry[chunk - 1 - q];
          if (i + 1 < n_) from += A.row_stride;
        }
      }
    } else if (access == EntryAccess::cols) {
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) {
        T const* from = &A(chunk - 1, Kokkos::min(group_.col(c), n_ - 1));
        CARROLL_UNROLL
        for (int i = 0; i < order; i += chunk) {
          RegisterChunk<T> const part = chunk_at(from);
          CARROLL_UNROLL
          for (int q = 0; q < chunk; ++q) a[i + q][c] = part.entry[chunk - 1 - q];
          if (i + chunk < n_) from += chunk * A.row_stride;
        }
      }
    } else {
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) {
        T const* from = &A(0, Kokkos::min(group_.col(c), n_ - 1));
        CARROLL_UNROLL
        for (int i = 0; i < order; ++i) {
          a[i][c] = *from;
          if (i + 1 < n_) from += A.row_stride;
        }
      }
    }
  }

  /// Scales by powers of two what needs it: the largest entry of a row into [1/2, 1), unless it is
  /// moderate, zero, NaN or infinite; where a row is wide, columns before. Returns log₂ of what
  /// that takes out of this lane's rows and columns. `tops`: magnitudes of the scaled rows' largest
  /// entries.
  KOKKOS_FORCEINLINE_FUNCTION int balance(StridedMatrix<T const> const& A, T (&a)[order][cols],
                                          int (&tops)[own_rows]) const {
    int exponent = 0;
    bool may_be_wide = true;
    bool has_tiny = false;  // then rows of magnitude 0 need not be zero, in double precision
    auto const fits = [&](int top) {
      return RowScale<T>::is_moderate(top) && (top != 0 || !has_tiny);
    };
    CARROLL_NO_UNROLL
    for (;;) {
      int const least = largest_of_rows(a, tops);
      int highest = tops[0];
      CARROLL_UNROLL
      for (int t = 1; t < own_rows; ++t) highest = Kokkos::max(highest, tops[t]);
      if (may_be_wide) {
        may_be_wide = false;
        if (group_.warp.ballot(is_far_below<T>(least, group_.max(highest))) != 0) {
          LeastMagnitude<T> exact;
          CARROLL_UNROLL
          for (int i = 0; i < order; ++i) CARROLL_UNROLL
          for (int c = 0; c < cols; ++c) exact.add(a[i][c]);
          if (group_.warp.ballot(exact.far_below(group_.max(highest))) != 0) {
            exponent = scale_wide(A, a);
            has_tiny = true;
            continue;
          }
        }
      }
      bool moderate = true;
      CARROLL_UNROLL
      for (int t = 0; t < own_rows; ++t) moderate = moderate && fits(tops[t]);
      if (group_.warp.ballot(!moderate) == 0) break;
      CARROLL_UNROLL
      for (int t = 0; t < own_rows; ++t) {
        if (group_.own_row(t) >= order) continue;
        RowScale<T> const scale(tops[t]);
        scratch_[group_.own_row(t)] = fits(tops[t]) ? T(1) : scale.factor();
        if (!fits(tops[t]) && group_.own_row(t) < n_) exponent += scale.exponent();
      }
      has_tiny = false;
      group_.warp.sync();
      CARROLL_UNROLL
      for (int i = 0; i < order; ++i) {
        T const factor = scratch_[i];
        CARROLL_UNROLL
        for (int c = 0; c < cols; ++c) a[i][c] *= factor;
      }
      group_.warp.sync();
    }
    if (n_ == order) return exponent;
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c)
      if (group_.col(c) >= n_) {
        CARROLL_UNROLL
        for (int i = 0; i < order; ++i) a[i][c] = 0;
      }
    return exponent;
  }

 private:
  static constexpr int chunk = RegisterChunk<T>::size;

  /// The magnitudes of the largest entries of this lane's rows: every lane writes those of its
  /// columns to scratch, and reads all that are there of its rows. Returns the least magnitude in
  /// this lane's columns.
  KOKKOS_FORCEINLINE_FUNCTION int largest_of_rows(T const (&a)[order][cols],
                                                  int (&tops)[own_rows]) const {
    using Ints = RegisterChunk<int>;
    int* const of_lanes = reinterpret_cast<int*>(scratch_);
    auto* const mine = reinterpret_cast<Ints*>(of_lanes + group_.place * Shape::tops);
    Magnitudes<T> all;
    CARROLL_UNROLL
    for (int i = 0; i < order; i += Ints::size) {
      Ints rows;
      CARROLL_UNROLL
      for (int q = 0; q < Ints::size; ++q) {
        Magnitudes<T> row;
        CARROLL_UNROLL
        for (int c = 0; c < cols; ++c) {
          row.raise(a[i + q][c]);
          all.lower(a[i + q][c]);
        }
        rows.entry[q] = row.highest();
      }
      mine[i / Ints::size] = rows;
    }
    group_.warp.sync();
    constexpr int size = own_rows < Ints::size ? own_rows : Ints::size;
    struct alignas(4 * size) Part {
      int entry[size];
    };
    int const first = group_.own_row(0) < order ? group_.own_row(0) : 0;
    CARROLL_UNROLL
    for (int t = 0; t < own_rows; ++t) tops[t] = 0;
    CARROLL_UNROLL
    for (int lane = 0; lane < width; ++lane) CARROLL_UNROLL
    for (int t = 0; t < own_rows; t += size) {
      Part const part = *reinterpret_cast<Part const*>(of_lanes + lane * Shape::tops + first + t);
      CARROLL_UNROLL
      for (int q = 0; q < size; ++q) tops[t + q] = Kokkos::max(tops[t + q], part.entry[q]);
    }
    group_.warp.sync();
    return all.lowest();
  }

  /// Reads A once more. If it has a wide row, columns are scaled, and rows with them. Returns log₂
  /// of what that takes out.
  KOKKOS_FORCEINLINE_FUNCTION int scale_wide(StridedMatrix<T const> A, T (&a)[order][cols]) const {
    // Seldom needed: no address of this shall be computed, and held in registers, before.
    A.data = opaque_register(A.data);
    int const n = opaque_register(n_);
    A.row_stride = opaque_register(A.row_stride);
    A.col_stride = opaque_register(A.col_stride);

    bool wide = false, finite = true;
    CARROLL_NO_UNROLL
    for (int i = 0; i < n; ++i) {
      EntryRange<T> range;
      CARROLL_NO_UNROLL
      for (int c = 0; c < cols; ++c)
        if (group_.col(c) < n) range.add(Kokkos::abs(A(i, group_.col(c))));
      T const high = group_.max(range.high), low = -group_.max(-range.low);
      wide = wide || is_wide(high, low);
      finite = finite && range.bad == 0;
    }
    bool const bad = group_.any(!finite);
    wide = wide && !bad;

    int exponent = 0;
    int col_exponent[cols];
    CARROLL_UNROLL
    for (int c = 0; c < cols; ++c) {
      T high = 0;
      CARROLL_NO_UNROLL
      for (int i = 0; i < n && group_.col(c) < n; ++i)
        high = Kokkos::fmax(high, Kokkos::abs(A(i, group_.col(c))));
      col_exponent[c] = high > 0 && wide ? exponent_of(high) : 0;
      exponent += col_exponent[c];
    }
    int* const row_exponents = reinterpret_cast<int*>(scratch_);
    CARROLL_NO_UNROLL
    for (int i = 0; i < n; ++i) {
      int e = -4 * exponent_bias<T>;
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) {
        T const size = group_.col(c) < n ? Kokkos::abs(A(i, group_.col(c))) : T(0);
        if (size > 0 && wide) e = Kokkos::max(e, exponent_of(size) - col_exponent[c]);
      }
      e = group_.max(e);
      if (group_.place == i % width && wide) exponent += e;
      if (group_.place == 0) row_exponents[i] = e;
    }
    group_.warp.sync();
    CARROLL_UNROLL
    for (int i = 0; i < order; ++i) {
      int const row = opaque_register(Kokkos::min(i, n - 1));
      CARROLL_UNROLL
      for (int c = 0; c < cols; ++c) {
        T const entry = group_.col(c) < n ? A(row, group_.col(c)) : T(0);
        a[i][c] = wide ? scale_within_one(entry, -(row_exponents[row] + col_exponent[c])) : entry;
      }
    }
    group_.warp.sync();
    return exponent;
  }

  Group const& group_;
  int n_;
  T* scratch_;
};

}  // namespace carroll::detail
