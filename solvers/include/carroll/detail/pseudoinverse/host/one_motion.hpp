// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/pseudoinverse/common/depth_group.hpp>
#include <carroll/detail/pseudoinverse/core/kernel.hpp>
#include <carroll/detail/pseudoinverse/host/one_motion_sums.hpp>
#include <carroll/detail/pseudoinverse/windows/segment_merge.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

namespace carroll::detail {

/// The step of problems with one motion column a on a host. Of the piece of a segment in a window,
/// with d, β and γ as in common/depth_group.hpp:
///
///   normal_equations:  Σ a² - d·β², Σ a·r - d·β·γ;
///   structured_qr:     Σ e², Σ e·f with e = a - uβ, f = r - uγ, row by row;
///   automatic:         as the first where a quarter of Σ a² or more is left, which costs two bits,
///                      elsewhere as the second.
///
/// With `automatic` a window's pieces go by sums until some have less left, and on by rows. R of E
/// = QR is the root of the first, Qᵀr the second over it; taking γ off r costs nothing and makes
/// the error of Σ e·r that e and u are not quite orthogonal one of second order (Björck, BIT 7,
/// 1967, of modified Gram-Schmidt).
///
/// One launch, each thread with windows that follow each other; the thread that ends a problem's
/// last window goes on with its core. 3n entries are read, a second time where sums cancel, then
/// from the nearest cache; 10 flops per row, or 14.
template <class ExecSpace, class Real, bool Plain>
class OneMotionHostKernel {
 public:
  /// `ends`: with the core.
  OneMotionHostKernel(ArrowBatch<Real> const& batch, bool ends) : batch_(batch), ends_(ends) {}

  /// Rows of a window: enough of them to pay for what a window leaves.
  static constexpr int window_rows = host_window_rows;

  /// Rows of more than one piece that tell, at the beginning of a window, whether sums will do:
  /// where they will not, these are summed in vain. With less there is one more group of pieces.
  static constexpr int probe_rows = 256;

  [[nodiscard]] TeamLaunch teams(ExecSpace const& exec) const {
    return {.count = exec.concurrency()};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    KOKKOS_IF_ON_HOST(
        (choose_host_vectors(RunOfTeam<OneMotionHostKernel, TeamMember<ExecSpace>>{*this, team});))
  }

  /// By registers of so many bytes.
  template <int Bytes>
  void run(TeamMember<ExecSpace> const& team) const {
    std::int64_t const items = static_cast<std::int64_t>(batch_.problems()) * batch_.windows;
    auto const bound = [&](int share) { return items * share / team.league_size(); };
    std::int64_t const end = bound(team.league_rank() + 1);
    HostPieces<Bytes> sides[2];
    for (std::int64_t item = bound(team.league_rank()); item < end;) {
      auto const problem = static_cast<int>(item / batch_.windows);
      auto const first = static_cast<int>(item % batch_.windows);
      int const last =
          static_cast<int>(Kokkos::min<std::int64_t>(batch_.windows, first + (end - item)));
      int segment = batch_.m > 0
                        ? segment_at(batch_, batch_.frame_of(problem), first * batch_.window_rows)
                        : 0;
      by_itself<Bytes>([&] {
        for (int window = first; window < last; ++window)
          segment = eliminate(problem, window, segment, sides);
      });
      if (ends_) {
        check_offsets(problem, first, last);
        // Whether the windows of the problem have all been eliminated with these.
        int const count = last - first;
        if (count == batch_.windows ||
            is_last_arriver(batch_.tickets + problem, batch_.windows, count)) {
          ArrowCore<Real, 1, false, true> const core(batch_, batch_.core(problem),
                                                     batch_.pivots_of(problem));
          core(team, problem, {});
        }
      }
      item += last - first;
    }
  }

 private:
  /// The share of windows first <= w < last in the offsets of a problem.
  void check_offsets(int problem, int first, int last) const {
    auto const bound = [&](int w) {
      return static_cast<int>((std::int64_t{batch_.m} + 1) * w / batch_.windows);
    };
    auto const found =
        SegmentMerge<Real>(batch_, true).check_offsets(problem, bound(first), bound(last));
    WindowEdges& edges = batch_.edges_of(problem, first);
    edges.invalid += found.invalid;
    edges.depths += found.depths;
  }

  /// `segment`: one that begins at or before the window's first row; returns the same of the next.
  template <int Bytes>
  int eliminate(int problem, int window, int segment, HostPieces<Bytes> (&sides)[2]) const {
    using Pieces = HostPieces<Bytes>;
    int const frame = batch_.frame_of(problem);
    int const begin = window * batch_.window_rows;
    int const end = Kokkos::min(begin + batch_.window_rows, batch_.n);
    ArrowRows<Real, Plain> const rows(batch_, problem);
    bool const gram = batch_.options.method == PseudoinverseMethod::normal_equations;
    bool const damps = batch_.options.damping > 0 || batch_.damping.data;

    int const* const offsets = batch_.offsets.data + frame * batch_.offsets.strides[0];
    std::ptrdiff_t const stride = batch_.offsets.strides[1];
    // As they are: they are only compared, and whatever they are rows stay inside the window.
    auto const offset = [=](int i) { return offsets[i * stride]; };
    // The thread that went on with the core of the last step has read what others write again now:
    // by two threads, 5 us of 34 (Xeon of the Emerald Rapids generation, 2026-11-23).
    expect_write(batch_.partial(problem, window + 1));
    expect_write(batch_.partial(problem, window + 2) - 1);
    expect_write(&batch_.edges_of(problem, window + 1));
    WindowEdges edges;
    RemainderSums<Bytes> remainder;
    // Rows of the segment; each offset is read once.
    int from = offset(segment), behind = segment < batch_.m ? offset(segment + 1) : end;
    Pieces* pieces = &sides[0];
    Pieces* before = nullptr;  // their second pass goes on while quotients are formed
    bool cancels = batch_.needs_rows_of_E();  // or too little is left of some pieces by sums
    for (int at = begin; at < end;) {
      int const most_rows = cancels                ? rows_at_once<Bytes, Real>
                            : at == begin && !gram ? probe_rows
                                                   : window_rows;
      pieces->row[0] = at;
      pieces->squares = pieces->products = {};
      for (pieces->count = 0; pieces->count < Pieces::most && at < end; ++pieces->count) {
        while (segment < batch_.m && behind <= at) {
          ++segment;
          from = behind;
          if (segment < batch_.m) behind = offset(segment + 1);
        }
        if (segment == batch_.m) break;  // the offsets end before n: they are not valid
        int const stop = Kokkos::min(behind, end);
        if (pieces->count > 0 && stop - pieces->row[0] > most_rows) break;
        int const p = pieces->count;
        pieces->segment[p] = segment;
        pieces->whole[p] = behind <= end && from >= begin;
        pieces->row[p + 1] = at = stop;
        if (damps)
          pieces->mu[p] = pieces->whole[p] ? batch_.damping_of(frame, batch_.k + segment) : 0;
        if (!cancels) sum_piece<true>(rows, *pieces, p);
      }
      if (pieces->count == 0) break;
      bool const has_sums = !cancels;
      if (has_sums && remainder.eliminate(*pieces, damps, true, gram)) {
        keep(problem, window, begin, *pieces, edges);
        continue;
      }
      cancels = true;
      if (!has_sums || !stays<ArrowRows<Real, Plain>>) {
        pieces->blocks = 0;
        for (int p = 0; p < pieces->count; ++p) sum_piece<false>(rows, *pieces, p);
      }
      remainder.eliminate(*pieces, damps, false, false);
      if (before) remainder.add(rows, *before);
      keep(problem, window, begin, *pieces, edges);
      before = pieces;
      pieces = &sides[pieces == &sides[0] ? 1 : 0];
    }
    if (before) remainder.add(rows, *before);
    double* const partial = batch_.partial(problem, window);
    partial[0] = remainder.square();
    partial[1] = remainder.product();
    partial[2] = remainder.whole(partial[0]);
    if constexpr (!Plain)
      for (int i = begin; i < end; ++i) edges.invalid |= rows.valid_at(i) ? 0 : 1;
    batch_.edges_of(problem, window) = edges;
    return segment;
  }

  /// Puts whole segments into their groups, and the others to the edges. Only a window's first and
  /// last piece can be parts of segments.
  template <int Bytes>
  void keep(int problem, int window, int begin, HostPieces<Bytes> const& pieces,
            WindowEdges& edges) const {
    using Numbers = HostNumbers<Bytes>;
    using Pieces = HostPieces<Bytes>;
    std::ptrdiff_t const m = batch_.m;
    double* const group = &batch_.group(problem, 0, 0);
    auto const put = [&](int first, int last) {  // pieces of segments that follow each other
      double* const target = group + (pieces.segment[first] - first);
      Numbers::copy_some(target, pieces.damped, first, last);
      Numbers::copy_some(target + m, pieces.gamma, first, last);
      Numbers::copy_some(target + 2 * m, pieces.beta, first, last);
      edges.depths += Numbers::count_positive(pieces.damped, first, last);
      for (int c = 0; c < 3; ++c) expect_write(target + c * m + first + 3 * Pieces::most);
    };
    auto const leave = [&](int p) {
      int const segment = pieces.segment[p];
      bool const tail = batch_.offset(batch_.frame_of(problem), segment) >= begin;
      double* const edge = batch_.partial(problem, window) + (tail ? 6 : 3);
      edge[0] = pieces.d[p];
      edge[1] = pieces.gamma[p];
      edge[2] = pieces.beta[p];
      (tail ? edges.tail : edges.head) = segment;
    };
    int first = 0, last = pieces.count;
    if (!pieces.whole[0]) leave(first++);
    if (first < last && !pieces.whole[last - 1]) leave(--last);
    if (first == last) return;
    if (pieces.segment[last - 1] - pieces.segment[first] == last - 1 - first) {
      put(first, last);
    } else {
      for (int p = first; p < last; ++p) put(p, p + 1);
    }
  }

  ArrowBatch<Real> batch_;
  bool ends_;
};

}  // namespace carroll::detail
