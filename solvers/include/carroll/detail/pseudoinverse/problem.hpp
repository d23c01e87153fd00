// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/pseudoinverse/types.hpp>
#include <cstddef>
#include <cstdint>

/// What the pseudoinverse's kernels share: where inputs and outputs are, and the results that one
/// kernel leaves for the next.
///
/// Rows are cut into windows of a fixed length, whatever the segments are, so that an empty segment
/// and one of all rows are no special load. A segment within one window is eliminated there, a
/// piece of one that goes on becomes a DepthGroup, and the groups are merged by the core kernel.
/// All sums are in double precision: with rows of `float` every product is then exact, and a GPU
/// with few double-precision units still waits for memory.
namespace carroll::detail {

/// The doubles that a window leaves: what it knows of the motion columns, k×(k+1), the sums of
/// squares of their entries, k, the groups of its first and its last segment, and, for several
/// columns, the low words of sums that have some.
KOKKOS_INLINE_FUNCTION constexpr std::ptrdiff_t partial_size(int k) {
  std::ptrdiff_t const K = k;
  return (K + 2) * (K + 2) + (k > 1 ? K * (K + 3) / 2 : 0);
}
KOKKOS_INLINE_FUNCTION double* low_words(double* partial, int k) {
  return partial + static_cast<std::ptrdiff_t>(k + 2) * (k + 2);
}
/// A group: d, γ and β₁ … β_k; see common/depth_group.hpp.
KOKKOS_INLINE_FUNCTION constexpr std::ptrdiff_t group_size(int k) {
  return k + 2;
}
/// The doubles of one problem's core; see core/kernel.hpp.
KOKKOS_INLINE_FUNCTION constexpr std::ptrdiff_t core_size(int k) {
  return static_cast<std::ptrdiff_t>(k) * (8 * k + 8) + 8;
}

/// The pieces of segments at the ends of a window, and what it has found out beside.
struct WindowEdges {
  int head = -1;    ///< segment that began before the window; -1: none
  int tail = -1;    ///< segment that begins in it and goes on behind it
  int invalid = 0;  ///< not 0: a row number of a permutation is none, or offsets are unusable
  int depths = 0;   ///< depth columns that are not zero, where the window has counted them
  int first = -1;   ///< segment of its first row, and of the first one behind it, where the window
  int next = -1;    ///< has looked at all offsets between them
};

/// What kernels take for an offset, whatever the caller's is: -1 <= result <= n + 1, so that no
/// difference of it and a row leaves the range of int. Offsets that rise from 0 to n stay as they
/// are, and no others become such.
KOKKOS_INLINE_FUNCTION int held_offset(int offset, int n) {
  return Kokkos::min(Kokkos::max(offset, -1), n + 1);
}

/// A batch of least-squares problems as kernels see it. A problem is a frame with one of its
/// right-hand sides: problem = frame·right_hand_sides + right-hand side.
template <class Real>
struct ArrowBatch {
  StridedBatch<Real const> motion;   ///< frames, n, k
  StridedBatch<Real const> depth;    ///< frames, n
  StridedBatch<Real const> rhs;      ///< frames, n, right-hand sides; absent for rows of a functor
  StridedBatch<int const> offsets;   ///< frames, m+1
  StridedBatch<int const> rows;      ///< frames, n; may be absent
  StridedBatch<Real const> damping;  ///< frames, k+m; may be absent
  StridedBatch<Real> y;              ///< frames, k, right-hand sides
  StridedBatch<Real> xi;             ///< frames, m, right-hand sides
  StridedBatch<Real> covariance;     ///< frames, k, k; may be absent
  StridedBatch<Real> variances;      ///< frames, m; may be absent
  StridedBatch<Real> inverse;        ///< frames, k+m, n; may be absent

  int n = 0;
  int k = 0;
  int m = 0;
  int frames = 0;
  int right_hand_sides = 0;
  int windows = 0;  ///< of a problem; of a workspace, those that there is room for
  int window_rows = 0;
  bool ends = true;  ///< a kernel of windows may go on with the core
  PseudoinverseOptions options;

  double* partials = nullptr;  ///< partial_size(k) per window
  WindowEdges* edges = nullptr;
  double* groups = nullptr;  ///< per problem group_size(k) arrays of m: d, γ, β₁ …
  double* cores = nullptr;
  int* pivots = nullptr;   ///< k per problem
  int* tickets = nullptr;  ///< of problems: windows that have been taken; 0 between steps
  PseudoinverseInfo<Real>* infos = nullptr;
  std::ptrdiff_t info_strides[2] = {1, 1};  ///< from frame to frame, from one rhs to the next

  KOKKOS_FUNCTION int problems() const { return frames * right_hand_sides; }
  /// Is E of one motion column to be formed row by row, also where sums would do?
  KOKKOS_FUNCTION bool needs_rows_of_E() const {
    return options.method == PseudoinverseMethod::structured_qr ||
           options.method == PseudoinverseMethod::cholesky_qr;
  }
  KOKKOS_FUNCTION int frame_of(int problem) const { return problem / right_hand_sides; }
  KOKKOS_FUNCTION int rhs_of(int problem) const { return problem % right_hand_sides; }

  /// Offset 0 <= i <= m; see held_offset. They may be in any order: who makes a row or a segment of
  /// one sees to it that there is such a one.
  KOKKOS_FUNCTION int offset(int frame, int i) const {
    return held_offset(offsets.data[frame * offsets.strides[0] + i * offsets.strides[1]], n);
  }
  /// λ of column c of A, motion columns first.
  KOKKOS_FUNCTION double damping_of(int frame, int c) const {
    double lambda = options.damping;
    if (damping.data)
      lambda +=
          static_cast<double>(damping.data[frame * damping.strides[0] + c * damping.strides[1]]);
    return lambda;
  }
  KOKKOS_FUNCTION double* partial(int problem, int window) const {
    return partials + (static_cast<std::ptrdiff_t>(problem) * windows + window) * partial_size(k);
  }
  KOKKOS_FUNCTION WindowEdges& edges_of(int problem, int window) const {
    return edges[static_cast<std::ptrdiff_t>(problem) * windows + window];
  }
  /// Entry c of the group of segment i.
  KOKKOS_FUNCTION double& group(int problem, int c, int i) const {
    return groups[(problem * group_size(k) + c) * m + i];
  }
  KOKKOS_FUNCTION double* core(int problem) const { return cores + problem * core_size(k); }
  KOKKOS_FUNCTION int* pivots_of(int problem) const {
    return pivots + static_cast<std::ptrdiff_t>(problem) * k;
  }
  KOKKOS_FUNCTION PseudoinverseInfo<Real>& info_of(int problem) const {
    return infos[frame_of(problem) * info_strides[0] + rhs_of(problem) * info_strides[1]];
  }
};

/// The segment that holds place p: the last one that begins at or before p. Empty segments before
/// it are passed over. 0 <= result < m, whatever the offsets are.
template <class Real>
KOKKOS_INLINE_FUNCTION int segment_at(ArrowBatch<Real> const& batch, int frame, int p) {
  int low = 0;
  int high = batch.m - 1;
  while (low < high) {
    int const middle = low + (high - low + 1) / 2;
    if (batch.offset(frame, middle) <= p)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// The same, by the lanes of a thread together on a GPU, for all of them.
template <class ExecSpace, class Member, class Real>
KOKKOS_INLINE_FUNCTION int segment_by_lanes(Member const& team, ArrowBatch<Real> const& batch,
                                            int frame, int p) {
  if constexpr (lanes<ExecSpace> == 1) {
    return segment_at(batch, frame, p);
  } else {
    int low = 0;
    for (int left = batch.m; left > 1;) {
      int const stride = (left + lanes<ExecSpace> - 1) / lanes<ExecSpace>;
      low += stride * lane_max<int>(team, (left + stride - 1) / stride, [&](int i) {
               return batch.offset(frame, low + i * stride) <= p ? i : 0;
             });
      left = Kokkos::min(stride, batch.m - low);
    }
    return low;
  }
}

}  // namespace carroll::detail
