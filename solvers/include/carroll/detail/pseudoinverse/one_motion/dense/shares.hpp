// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <cstddef>

namespace carroll::detail {

/// How the segments of a frame with one motion column are shared among teams. It depends on n and m
/// alone, and all sums with it.
struct SegmentShares {
  static constexpr int warps = 8;  ///< of a team
  /// What a team leaves: Σe², Σb², how many depth columns are not zero, with 2³² for offsets or row
  /// numbers that are unusable; and no sum, but the largest β² and 1/d.
  static constexpr int sums = 4;
  static constexpr int largest = 3;
  static constexpr double unusable = 4294967296.0;

  int warps_each = 1;  ///< of a segment
  int teams = 1;       ///< of a frame

  KOKKOS_INLINE_FUNCTION SegmentShares(int n, int m) {
    // 1024 warps are soon at work; a lane wants two rows.
    while (warps_each < warps && 2LL * warps_each * m <= 1024 && 64LL * warps_each * m <= n)
      warps_each *= 2;
    if (m > 0) teams = (m - 1) / at_once() + 1;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr int at_once() const { return warps / warps_each; }
};

/// A share's number c put to that of others.
KOKKOS_INLINE_FUNCTION double with_share(int c, double all, double one) {
  return c != SegmentShares::largest ? all + one : one > all ? one : all;
}

/// Columns u and b of a frame's A.
template <class Real>
struct OneMotionColumns {
  Real const *depth, *motion;
  int const* rows;
  std::ptrdiff_t depth_stride, motion_stride, rows_stride;
  int n;

  KOKKOS_FUNCTION OneMotionColumns(ArrowBatch<Real> const& batch, int frame)
      : depth(batch.depth.data + frame * batch.depth.strides[0]),
        motion(batch.motion.data + frame * batch.motion.strides[0]),
        rows(batch.rows.data ? batch.rows.data + frame * batch.rows.strides[0] : nullptr),
        depth_stride(batch.depth.strides[1]),
        motion_stride(batch.motion.strides[1]),
        rows_stride(batch.rows.strides[1]),
        n(batch.n) {}

  KOKKOS_FUNCTION int row_at(int p) const { return rows ? rows[p * rows_stride] : p; }
  KOKKOS_FUNCTION bool valid(int row) const { return 0 <= row && row < n; }
  KOKKOS_FUNCTION Real u(int row) const { return depth[row * depth_stride]; }
  KOKKOS_FUNCTION Real b(int row) const { return motion[row * motion_stride]; }
};

}  // namespace carroll::detail
