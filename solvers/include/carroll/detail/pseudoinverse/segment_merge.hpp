// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/depth_group.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>

namespace carroll::detail {

/// Puts the pieces of segments that cross windows together. What that leaves for the motion columns
/// goes into the window in which the segment begins. `sums`: windows hold S and Eᵀf, not (R | z).
template <class Real>
class SegmentMerge {
 public:
  KOKKOS_FUNCTION SegmentMerge(ArrowBatch<Real> const& batch, bool sums)
      : batch_(batch), sums_(sums) {}

  /// Segments that cross windows, each by the lane that has the window in which it begins; empty
  /// ones. Returns, on every lane, whether offsets or row numbers are unusable.
  template <class Member>
  KOKKOS_FUNCTION int merge(Member const& team, int problem) const {
    int const k = batch_.k;
    int const frame = batch_.frame_of(problem);
    int invalid_rows = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, batch_.windows),
        [&](int w, int& worst) {
          WindowEdges const& edges = batch_.edges_of(problem, w);
          if (edges.invalid > worst) worst = edges.invalid;
          if (edges.tail >= 0) merge_segment(problem, frame, w, edges.tail);
        },
        Kokkos::Max<int>(invalid_rows));
    int invalid_offsets = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, batch_.m + 1),
        [&](int i, int& worst) {
          int const offset = batch_.offset(frame, i);
          int const next = i < batch_.m ? batch_.offset(frame, i + 1) : batch_.n;
          if (offset > next || (i == 0 && offset != 0) || (i == batch_.m && offset != batch_.n))
            worst = 1;
          if (i < batch_.m && offset == next)
            for (int c = 0; c < k + 2; ++c)
              batch_.group(problem, c, i) = c == 0 ? batch_.damping_of(frame, k + i) : 0;
        },
        Kokkos::Max<int>(invalid_offsets));
    // Kokkos starts from the lowest number, which an empty range hands back.
    return invalid_rows > 0 || invalid_offsets > 0 ? 1 : 0;
  }

  /// Depth columns that are not zero.
  template <class Member>
  KOKKOS_FUNCTION int count_depths(Member const& team, int problem) const {
    int count = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, batch_.m),
        [&](int i, int& sum) { sum += batch_.group(problem, 0, i) > 0 ? 1 : 0; }, count);
    return count;
  }

 private:
  KOKKOS_FUNCTION void merge_segment(int problem, int frame, int window, int segment) const {
    int const k = batch_.k;
    std::ptrdiff_t const head = static_cast<std::ptrdiff_t>(k) * (k + 2);
    double* const partial = batch_.partial(problem, window);
    double* const group = partial + head + group_size(k);
    double* piece = nullptr;
    for (int w = window + 1; w < batch_.windows && batch_.edges_of(problem, w).head == segment;
         ++w) {
      piece = batch_.partial(problem, w) + head;
      merge_groups(group, piece, k);
      add_row(partial, piece);
    }
    double const mu = batch_.damping_of(frame, k + segment);
    if (mu > 0 && piece) {
      piece[0] = mu;
      for (int c = 1; c < k + 2; ++c) piece[c] = 0;
      merge_groups(group, piece, k);
      add_row(partial, piece);
    }
    for (int c = 0; c < k + 2; ++c) batch_.group(problem, c, segment) = group[c];
  }

  /// Adds the row (β | γ), where merge_groups has left it, to a window's system.
  KOKKOS_FUNCTION void add_row(double* system, double* row) const {
    int const k = batch_.k;
    auto const value = [&](int c) -> double& { return c == k ? row[1] : row[2 + c]; };
    for (int j = 0; j < k; ++j) {
      double* const R = system + static_cast<std::ptrdiff_t>(j) * (k + 1);
      if (sums_) {
        for (int l = j; l <= k; ++l) R[l] += value(j) * value(l);
        continue;
      }
      double const x = value(j);
      if (x == 0) continue;
      double const r = Kokkos::sqrt(R[j] * R[j] + x * x);
      double const c = R[j] / r, s = x / r;
      for (int l = j; l <= k; ++l) {
        double const upper = R[l];
        R[l] = c * upper + s * value(l);
        value(l) = c * value(l) - s * upper;
      }
    }
  }

  ArrowBatch<Real> const& batch_;
  bool sums_;
};

}  // namespace carroll::detail
