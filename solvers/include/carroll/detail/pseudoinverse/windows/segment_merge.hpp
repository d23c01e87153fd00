// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/pseudoinverse/common/depth_group.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/common/product_sums.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// Puts the pieces of segments that cross windows together. What that leaves for the motion columns
/// goes into the window in which the segment begins. `sums`: windows hold S and Eᵀf, not (R | z).
/// `Known`: k, where the compiler knows it and there are sums; otherwise 0. Then a GPU's lane has
/// what it puts together in registers, and for several columns what is left of it goes into the
/// pieces themselves, from which WindowSums::sum_systems takes it: systems are read once, and in
/// order.
template <class Real, int Known = 0>
class SegmentMerge {
 public:
  KOKKOS_FUNCTION SegmentMerge(ArrowBatch<Real> const& batch, bool sums)
      : batch_(batch), sums_(sums) {}

  struct Found {
    int invalid;  ///< not 0: offsets or row numbers are unusable
    int depths;   ///< depth columns that are not zero, of those looked at
  };

  /// Segments that cross windows, each by the lane that has the window in which it begins. Returns,
  /// on every lane, what the windows tell, with those segments.
  template <class Member>
  KOKKOS_FUNCTION Found merge(Member const& team, int problem) const {
    int const frame = batch_.frame_of(problem);
    Sums<int, 2> found;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, batch_.windows),
        [&](int w, Sums<int, 2>& sum) {
          WindowEdges const edges = batch_.edges_of(problem, w);
          sum.value[0] += edges.invalid;
          // Walks that do not follow each other have passed over offsets that are not in order.
          if (edges.next >= 0 && w + 1 < batch_.windows &&
              batch_.edges_of(problem, w + 1).first != edges.next)
            ++sum.value[0];
          sum.value[1] += edges.depths;
          if constexpr (Known > 1) {
            if (leave_rows(problem, frame, w, edges)) ++sum.value[1];
            return;
          }
          if (edges.tail < 0) return;
          bool counts = false;
          if constexpr (Known == 1)
            counts = merge_in_registers(problem, frame, w, edges.tail);
          else
            counts = merge_segment(problem, frame, w, edges.tail);
          sum.value[1] += counts ? 1 : 0;
        },
        Kokkos::Sum<Sums<int, 2>>(found));
    return {found[0], found[1]};
  }

  /// Offset i <= m: whether it is in order with the next one, the first one 0 and the last one n.
  /// Puts segment i into its group if it is empty.
  KOKKOS_FUNCTION Found check_offset(int problem, int i) const {
    int const frame = batch_.frame_of(problem);
    int const offset = batch_.offset(frame, i);
    int const next = i < batch_.m ? batch_.offset(frame, i + 1) : batch_.n;
    bool const valid =
        offset <= next && (i > 0 || offset == 0) && (i < batch_.m || offset == batch_.n);
    if (i == batch_.m || offset != next) return {valid ? 0 : 1, 0};
    double const damping = batch_.damping_of(frame, batch_.k + i);
    for (int c = 0; c < batch_.k + 2; ++c) batch_.group(problem, c, i) = c == 0 ? damping : 0;
    return {valid ? 0 : 1, damping > 0 ? 1 : 0};
  }

  /// All of them. Returns, on every lane, whether one is unusable.
  template <class Member>
  KOKKOS_FUNCTION int check_offsets(Member const& team, int problem) const {
    int invalid = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, batch_.m + 1),
        [&](int i, int& sum) { sum += check_offset(problem, i).invalid; }, invalid);
    return invalid;
  }

  /// Offsets first <= i < last, by one thread of a host.
  Found check_offsets(int problem, int first, int last) const {
    int const frame = batch_.frame_of(problem);
    int const inner_first = Kokkos::max(first, 1), inner_last = Kokkos::min(last, batch_.m);
    int odd = 0;
    if (batch_.offsets.strides[1] == 1) {
      int const* const offsets = batch_.offsets.data + frame * batch_.offsets.strides[0];
      for (int i = inner_first; i < inner_last; ++i) odd |= offsets[i + 1] <= offsets[i] ? 1 : 0;
    }
    Found all{0, 0};
    bool const each = odd != 0 || batch_.offsets.strides[1] != 1;
    for (int i = first; i < last; ++i) {
      if (!each && inner_first <= i && i < inner_last) i = inner_last;
      if (i >= last) break;
      Found const found = check_offset(problem, i);
      all.invalid += found.invalid;
      all.depths += found.depths;
    }
    return all;
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
  /// Puts the segment together that begins in the window and goes on behind it. The window's first
  /// piece becomes the row (γ | β) that is left of it where it was put to the one before, the last
  /// one that of the damping; 0 where there is none. Returns whether there is such a segment and
  /// its depth column is not zero.
  KOKKOS_FUNCTION bool leave_rows(int problem, int frame, int window,
                                  WindowEdges const& edges) const {
    constexpr int K = Known, size = K + 2, head = K * (K + 2), tail = head + size;
    double* const partial = batch_.partial(problem, window);
    auto const put = [](double* piece, double const(&row)[size]) {
      CARROLL_UNROLL
      for (int c = 1; c < size; ++c) piece[c] = row[c];
    };
    double group[size], row[size] = {};
    if (edges.head < 0) put(partial + head, row);
    if (edges.tail < 0) {
      put(partial + tail, row);
      return false;
    }
    CARROLL_UNROLL
    for (int c = 0; c < size; ++c) group[c] = partial[tail + c];
    bool more = false;
    for (int w = window + 1; w < batch_.windows && batch_.edges_of(problem, w).head == edges.tail;
         ++w) {
      double* const piece = batch_.partial(problem, w) + head;
      CARROLL_UNROLL
      for (int c = 0; c < size; ++c) row[c] = piece[c];
      merge_groups(group, row, K);
      put(piece, row);
      more = true;
    }
    double const mu = more ? batch_.damping_of(frame, K + edges.tail) : 0;
    CARROLL_UNROLL
    for (int c = 0; c < size; ++c) row[c] = c == 0 ? mu : 0;
    if (mu > 0) merge_groups(group, row, K);
    put(partial + tail, row);
    CARROLL_UNROLL
    for (int c = 0; c < size; ++c) batch_.group(problem, c, edges.tail) = group[c];
    return group[0] > 0;
  }

  /// The same for one column in registers: all that is read is on its way at a time.
  KOKKOS_FUNCTION bool merge_in_registers(int problem, int frame, int window, int segment) const {
    constexpr int K = Known, size = K + 2, products = product_count<K>;
    constexpr int head = K * (K + 2);
    double* const partial = batch_.partial(problem, window);
    double group[size], row[size];
    double sums[products];
    CARROLL_UNROLL
    for (int c = 0; c < size; ++c) group[c] = partial[head + size + c];
    for_products<K>([&](int e, int j, int l) { sums[e] = partial[j * (K + 1) + l]; });
    auto const merge = [&] {
      merge_groups(group, row, K);
      for_products<K>([&](int e, int j, int l) {
        double const x = row[2 + j], y = l == K ? row[1] : row[2 + (l == K ? 0 : l)];
        sums[e] = multiply_add(x, y, sums[e]);
      });
    };
    bool more = false;
    for (int w = window + 1; w < batch_.windows && batch_.edges_of(problem, w).head == segment;
         ++w) {
      double const* const piece = batch_.partial(problem, w) + head;
      CARROLL_UNROLL
      for (int c = 0; c < size; ++c) row[c] = piece[c];
      merge();
      more = true;
    }
    double const mu = batch_.damping_of(frame, K + segment);
    if (mu > 0 && more) {
      CARROLL_UNROLL
      for (int c = 0; c < size; ++c) row[c] = c == 0 ? mu : 0;
      merge();
    }
    for_products<K>([&](int e, int j, int l) { partial[j * (K + 1) + l] = sums[e]; });
    CARROLL_UNROLL
    for (int c = 0; c < size; ++c) batch_.group(problem, c, segment) = group[c];
    return group[0] > 0;
  }

  /// Whether the depth column is not zero.
  KOKKOS_FUNCTION bool merge_segment(int problem, int frame, int window, int segment) const {
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
    return group[0] > 0;
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
