// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/problem.hpp>

/// Rows of A and of a right-hand side, in double precision, weighted, in the order of the segments.
namespace carroll::detail {

/// Square root of a row's weight for its residual r: rows are multiplied by it. NaN stays NaN.
KOKKOS_INLINE_FUNCTION double root_of_weight(RobustWeight weight, double scale, double r) {
  double const size = Kokkos::abs(r);
  if (weight == RobustWeight::huber) return size > scale ? Kokkos::sqrt(scale / size) : 1.0;
  // 1 - (r/c)² from its factors: c - |r| is exact where it is small.
  if (weight == RobustWeight::tukey)
    return size >= scale ? 0.0 : (scale - size) / scale * (1 + size / scale);
  return 1.0;
}

/// A row of a problem with one motion column.
struct OneMotionRow {
  double u;  ///< depth
  double a;  ///< motion
  double r;  ///< right-hand side
};

/// `Plain`: neither permutation nor weights, and for one motion column unit strides, so that a host
/// compiler can make vector code.
template <class Real, bool Plain>
class ArrowRows {
 public:
  KOKKOS_FUNCTION ArrowRows(ArrowBatch<Real> const& batch, int problem)
      : motion_(batch.motion.data + batch.frame_of(problem) * batch.motion.strides[0]),
        depth_(batch.depth.data + batch.frame_of(problem) * batch.depth.strides[0]),
        rhs_(batch.rhs.data + batch.frame_of(problem) * batch.rhs.strides[0] +
             batch.rhs_of(problem) * batch.rhs.strides[2]),
        rows_(batch.rows.data ? batch.rows.data + batch.frame_of(problem) * batch.rows.strides[0]
                              : nullptr),
        motion_row_(batch.motion.strides[1]),
        motion_col_(batch.motion.strides[2]),
        depth_stride_(batch.depth.strides[1]),
        rhs_stride_(batch.rhs.strides[1]),
        rows_stride_(batch.rows.strides[1]),
        n_(batch.n),
        weight_(batch.options.weight),
        scale_(batch.options.weight_scale) {}

  /// The row at place p; 0 for a row number that is none.
  KOKKOS_FUNCTION int row_at(int p) const {
    if (Plain || !rows_) return p;
    int const row = rows_[p * rows_stride_];
    return valid(row) ? row : 0;
  }
  KOKKOS_FUNCTION bool valid_at(int p) const {
    return Plain || !rows_ || valid(rows_[p * rows_stride_]);
  }
  KOKKOS_FUNCTION double weight_root(int row) const {
    return Plain ? 1.0 : root_of_weight(weight_, scale_, residual(row));
  }
  KOKKOS_FUNCTION double motion(int row, int j) const {
    return static_cast<double>(motion_[row * motion_row_ + j * motion_col_]);
  }
  KOKKOS_FUNCTION double depth(int row) const {
    return static_cast<double>(depth_[row * depth_stride_]);
  }
  KOKKOS_FUNCTION double residual(int row) const {
    return static_cast<double>(rhs_[row * rhs_stride_]);
  }

  /// The entries at place p: put(0, u), put(1 + j, motion j), put(k + 1, d).
  template <class Put>
  KOKKOS_FUNCTION void read(int p, int k, Put const& put) const {
    int const row = row_at(p);
    double const w = weight_root(row);
    put(0, w * depth(row));
    for (int j = 0; j < k; ++j) put(1 + j, w * motion(row, j));
    put(k + 1, w * residual(row));
  }

  /// Plain rows with one motion column, as they stand in memory.
  KOKKOS_FUNCTION int size() const { return n_; }
  KOKKOS_FUNCTION Real const* depths() const { return depth_; }
  KOKKOS_FUNCTION Real const* motions() const { return motion_; }
  KOKKOS_FUNCTION Real const* residuals() const { return rhs_; }

  /// Column c of (u | B | r), of plain rows.
  struct Column {
    Real const* data;
    std::ptrdiff_t stride;
  };
  KOKKOS_FUNCTION Column column(int c, int k) const {
    if (c == 0) return {depth_, depth_stride_};
    if (c == k + 1) return {rhs_, rhs_stride_};
    return {motion_ + (c - 1) * motion_col_, motion_row_};
  }

  /// The row at place p, with one motion column.
  KOKKOS_FUNCTION OneMotionRow single(int p) const {
    if constexpr (Plain) {
      return {static_cast<double>(depth_[p]), static_cast<double>(motion_[p]),
              static_cast<double>(rhs_[p])};
    } else {
      int const row = row_at(p);
      double const w = weight_root(row);
      return {w * depth(row), w * motion(row, 0), w * residual(row)};
    }
  }

 private:
  KOKKOS_FUNCTION bool valid(int row) const { return 0 <= row && row < n_; }

  Real const* motion_;
  Real const* depth_;
  Real const* rhs_;
  int const* rows_;
  std::ptrdiff_t motion_row_, motion_col_, depth_stride_, rhs_stride_, rows_stride_;
  int n_;
  RobustWeight weight_;
  double scale_;
};

/// Can the rows of a batch be read as plain ones?
template <class Real>
bool has_plain_rows(ArrowBatch<Real> const& batch) {
  return !batch.rows.data && batch.options.weight == RobustWeight::uniform &&
         (batch.k > 1 || (batch.motion.strides[1] == 1 && batch.depth.strides[1] == 1 &&
                          batch.rhs.strides[1] == 1));
}

}  // namespace carroll::detail
