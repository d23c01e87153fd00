// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/determinant/row_panel/candidate.hpp>
#include <carroll/detail/determinant/row_panel/pivot_exchange.hpp>
#include <carroll/detail/determinant/row_panel/threads.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/unroll.hpp>

/// A row panel: up to R rows [A1 A2] of the matrix, condensed by themselves in the registers of one
/// team, or of several that have a share of the columns each. With A1 the columns in which pivots
/// are found, it becomes
///
///   W = A1⁻¹·A2,   so that   det [A1 A2; A3 A4] = ± det A1 · det(A4 - A3·W),
///
/// by Gauss–Jordan elimination: rows that are done are reduced along with the others, which costs
/// as much again as elimination of the row panel but saves the triangular system with A3, and makes
/// all steps alike. GPUs only.
namespace carroll::detail {

/// A thread's entries: R rows of C columns, as many columns apart as the team has threads.
///
/// The row at hand is always a[0]: as rows are reduced they move up by one, and the one that is
/// done becomes the last. So each step is the same code with the same registers, which is what
/// keeps it in the instruction cache; after R steps the rows are in their order again. The row's
/// largest entry becomes the pivot. Its column stays where it is: the row is divided by the pivot,
/// which makes that entry 1, and all others of its column become 0, so that it is never chosen
/// again.
template <class T, int R, int C, int W>
class RowPanel {
 public:
  using Scratch = RowPanelScratch<T, R, W>;
  T a[R][C];

  /// Condenses the first `rows` rows of the matrix, the team's columns beginning with `first`.
  /// Pivots and their columns are in `scratch` after the next barrier, with `rows` = R the rows are
  /// W. False, to all threads, if a row has become zero (or next to it, for a team that leads). One
  /// barrier per row, three with other teams. 2·R·rows·m flops.
  template <class Member, class Exchange>
  KOKKOS_FUNCTION bool condense(RowPanelThreads<Member> const& threads, Scratch& scratch, int rows,
                                int first, Exchange const& exchange) {
    if (threads.thread < 2 * W) (&scratch.keys[0][0])[threads.thread] = 0;
    threads.barrier();
    propose(threads, scratch.keys[0], scratch.candidates[0], first, [] {});
    CARROLL_NO_UNROLL
    for (int k = 0; k < rows; ++k) {
      auto& keys = scratch.keys[k % 2];
      auto& candidates = scratch.candidates[k % 2];
      threads.barrier();
      Candidate const* own = &candidates[W == 1 ? 0 : PivotKey::owner(largest_key(keys))];
      // All of it at once: what comes back later is asked for again.
      Candidate const winner = *exchange.template among_teams<R>(k, threads, own);
      T factor[C];
      // Away from the ends of the range the reciprocal does.
      if (is_ordinary(winner.pivot)) {
        find_factors(threads, winner, first, factor, [&](T x) { return x * winner.reciprocal; });
      } else {
        if (winner.pivot == T(0) || exchange.leads()) return false;
        find_factors(threads, winner, first, factor, [&](T x) { return x / winner.pivot; });
      }
      if ((threads.warp_index | threads.warp.lane) == 0) {
        scratch.pivots[k] = winner.pivot;
        scratch.columns[k] = winner.index;
      }
      reduce<1, 2>(winner, factor);
      // The row behind the last one's, too, which nobody asks for: no branch is sooner done.
      propose(threads, scratch.keys[(k + 1) % 2], scratch.candidates[(k + 1) % 2], first,
              [&] { reduce<2, R>(winner, factor); });
    }
    return true;
  }

  /// The same with the pivots of the team that leads. False, to some threads, if one of them does
  /// not do for the columns at hand; then they are no longer what they were. One barrier per row.
  template <class Member, class Lead>
  KOKKOS_FUNCTION bool follow(RowPanelThreads<Member> const& threads, Scratch& scratch, int rows,
                              int first, Lead const& lead) {
    bool kept = true;
    std::uint64_t word = lead.template ask<Candidate>(0, threads.thread);
    CARROLL_NO_UNROLL
    for (int k = 0; k < rows; ++k) {
      Candidate& winner = scratch.candidates[k % 2][0];
      lead.receive(k, threads.thread, word, &winner);
      if (k + 1 < rows) word = lead.template ask<Candidate>(k + 1, threads.thread);
      threads.barrier();
      if (!is_ordinary(winner.pivot)) return false;  // it stops there, too
      if (threads.thread == 0) scratch.columns[k] = winner.index;
      kept = keeps(winner.pivot) && kept;
      take(threads, winner, first);
    }
    return kept;
  }

  /// Does a pivot of other columns do for the row at hand?
  KOKKOS_FORCEINLINE_FUNCTION bool keeps(T pivot) const {
    bool kept = true;
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c)
      kept = kept && Kokkos::abs(a[0][c]) <= T(row_panel_threshold) * Kokkos::abs(pivot);
    return kept;
  }

  /// A step with it.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void take(RowPanelThreads<Member> const& threads,
                                        RowPanelCandidate<T, R> const& winner, int first) {
    T factor[C];
    if (is_ordinary(winner.pivot))
      find_factors(threads, winner, first, factor, [&](T x) { return x * winner.reciprocal; });
    else
      find_factors(threads, winner, first, factor, [&](T x) { return x / winner.pivot; });
    reduce<1, R>(winner, factor);
  }

  /// The team's candidate for the row at hand. One barrier, behind which it is there.
  template <class Member>
  KOKKOS_FUNCTION RowPanelCandidate<T, R> const* best_column(
      RowPanelThreads<Member> const& threads, int (&keys)[W],
      RowPanelCandidate<T, R> (&candidates)[W], int first) {
    propose(threads, keys, candidates, first, [] {});
    threads.barrier();
    return &candidates[W == 1 ? 0 : PivotKey::owner(largest_key(keys))];
  }

 private:
  using Candidate = RowPanelCandidate<T, R>;

  KOKKOS_FUNCTION static bool is_ordinary(T pivot) {
    return Kokkos::abs(pivot) > smallest_ordinary();
  }
  KOKKOS_FUNCTION static T smallest_ordinary() { return power_of_two<T>(-exponent_bias<T> + 8); }

  KOKKOS_FORCEINLINE_FUNCTION static int largest_key(int const (&keys)[Scratch::most_warps]) {
    if constexpr (W < 4) return W == 1 ? keys[0] : Kokkos::max(keys[0], keys[1]);
    RowPanelQuad<int> largest = *reinterpret_cast<RowPanelQuad<int> const*>(keys);
    CARROLL_UNROLL
    for (int w = 4; w < W; w += 4) {
      auto const four = *reinterpret_cast<RowPanelQuad<int> const*>(keys + w);
      CARROLL_UNROLL
      for (int u = 0; u < 4; ++u) largest.x[u] = Kokkos::max(largest.x[u], four.x[u]);
    }
    return Kokkos::max(Kokkos::max(largest.x[0], largest.x[1]),
                       Kokkos::max(largest.x[2], largest.x[3]));
  }

  /// Each warp's largest entry of the row at hand, with its column. That row is up to date, the
  /// others are when `others` has been called, which goes on while lanes are compared.
  template <class Member, class Others>
  KOKKOS_FORCEINLINE_FUNCTION void propose(RowPanelThreads<Member> const& threads,
                                           int (&keys)[Scratch::most_warps],
                                           Candidate (&candidates)[Scratch::most_warps], int first,
                                           Others const& others) {
    static_assert(C <= PivotKey::most_columns);
    T mine = a[0][0];
    int best = 0;
    CARROLL_UNROLL
    for (int c = 1; c < C; ++c) {
      if (!(Kokkos::abs(a[0][c]) > Kokkos::abs(PivotKey::last_equal(mine)))) continue;
      mine = a[0][c];
      best = c;
    }
    T const reciprocal = row_panel_reciprocal(mine);
    int const key = threads.warp.max(PivotKey::of(mine, best, threads.warp.lane));
    others();
    if (W > 1 && threads.warp.lane == 0)
      keys[threads.warp_index] = PivotKey::of_warp(key, threads.warp_index);
    offer(threads, candidates, first, PivotKey::owner(key), mine, reciprocal, best);
  }

  /// The warp's candidate: the owner's column `best`.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void offer(RowPanelThreads<Member> const& threads,
                                         Candidate (&candidates)[Scratch::most_warps], int first,
                                         int owner, T mine, T reciprocal, int best) const {
    Candidate& candidate = candidates[threads.warp_index];
    bool const is_owner = threads.warp.lane == owner;
    if (is_owner) {
      candidate.pivot = mine;
      candidate.reciprocal = reciprocal;
      candidate.index = first + threads.column(best);
    }
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      if (!is_owner || best != c) continue;
      CARROLL_UNROLL
      for (int r = 0; r < R; r += 4)
        candidate.column[r / 4] = {{a[r][c], a[r + 1][c], a[r + 2][c], a[r + 3][c]}};
    }
  }

  /// The row at hand, divided by the pivot.
  template <class Member, class Divide>
  KOKKOS_FORCEINLINE_FUNCTION void find_factors(RowPanelThreads<Member> const& threads,
                                                Candidate const& winner, int first, T (&factor)[C],
                                                Divide const& divided) const {
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) {
      bool const is_pivot = first + threads.column(c) == winner.index;
      factor[c] = is_pivot ? T(1) : divided(a[0][c]);
    }
  }

  /// Takes it off rows Begin … End - 1, which move up.
  template <int Begin, int End>
  KOKKOS_FORCEINLINE_FUNCTION void reduce(Candidate const& winner, T const (&factor)[C]) {
    CARROLL_UNROLL
    for (int r = Begin; r < End; ++r) {
      CARROLL_UNROLL
      for (int c = 0; c < C; ++c)
        a[r - 1][c] = Kokkos::fma(-winner.column[r / 4].x[r % 4], factor[c], a[r][c]);
    }
    if (End < R) return;
    CARROLL_UNROLL
    for (int c = 0; c < C; ++c) a[R - 1][c] = factor[c];
  }
};

/// Terms that are added up before they are subtracted: sums of few terms are small next to the
/// entry, and so are their rounding errors.
inline constexpr int row_panel_terms = 8;

/// held[r][c] -= Σ_k x[k][r]·W[k][c] for some rows r of a thread's columns. x is in scratch, where
/// all threads read the same entries, 16 bytes at a time.
template <int Rows, class T, int R, int C, int W_>
KOKKOS_FORCEINLINE_FUNCTION void subtract_row_panel(T const* x, int pitch,
                                                    RowPanel<T, R, C, W_> const& W,
                                                    T (&held)[Rows][C]) {
  static_assert(Rows % 4 == 0 && R % row_panel_terms == 0);
  CARROLL_UNROLL
  for (int k0 = 0; k0 < R; k0 += row_panel_terms) {
    T sum[Rows][C] = {};
    CARROLL_UNROLL
    for (int k = k0; k < k0 + row_panel_terms; ++k) {
      CARROLL_UNROLL
      for (int r = 0; r < Rows; r += 4) {
        auto const four = *reinterpret_cast<RowPanelQuad<T> const*>(x + k * pitch + r);
        CARROLL_UNROLL
        for (int u = 0; u < 4; ++u) CARROLL_UNROLL
        for (int c = 0; c < C; ++c)
          sum[r + u][c] = Kokkos::fma(four.x[u], W.a[k][c], sum[r + u][c]);
      }
    }
    CARROLL_UNROLL
    for (int r = 0; r < Rows; ++r) CARROLL_UNROLL
    for (int c = 0; c < C; ++c) held[r][c] -= sum[r][c];
  }
}

}  // namespace carroll::detail
