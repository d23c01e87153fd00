// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/depth_group.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/dense/factors.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/shares.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/verdict.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

namespace carroll::detail {

/// The first half of a dense A⁺ of one motion column: β and 1/d of the segments, Σe² with
/// e = b - uβ, and what these say of the motion column. 2n entries are read, twice each, the second
/// time from the cache; 8 flops a row.
///
/// A team has whole segments, each for as many warps, so that nothing is put together but sums; a
/// segment that is far longer than the others is for all its warps. The last team of a frame to
/// leave its sums tells the writers that β and 1/d are there, then: X > 0 where the column is
/// independent, η = X²e, 1/X the length of what is left of it; otherwise -t, η = t²βu/d, t the
/// first entry of the null vector (1, -β) over its length; NaN for A⁺.
///
/// All wait for this, so that it has few instructions: no cache has them when the kernel begins.
template <class Real>
class OneMotionSegments {
 public:
  static constexpr int warps = SegmentShares::warps;
  struct Scratch {
    double depth[warps][2];
    double sums[warps][SegmentShares::sums];
    int rows[warps];  ///< of the warp's segment
    int last;
  };

  KOKKOS_FUNCTION OneMotionSegments(ArrowBatch<Real> const& batch,
                                    DenseFactors<Real> const& factors, SegmentShares const& shares)
      : batch_(batch), factors_(factors), shares_(shares) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team, DeviceWarp const& warp, int frame, int share,
                                  Scratch& scratch) const {
    int const each = shares_.warps_each, w = team.team_rank();
    int const first = share * shares_.at_once();
    Totals totals;
    std::uint32_t is_long = 0;  // bit w: the segment of warp w is, and has to be taken yet
    int segment = first + w / each, rank = w % each, count = each;
    CARROLL_NO_UNROLL
    for (bool own = true;; own = false) {  // the code is there once
      Part part = part_of(frame, segment, rank, count, w - rank);
      bool exists = part.segment < batch_.m;
      if (own) {
        totals.invalid = part.invalid && rank == 0 ? 1 : 0;
        if (warp.lane == 0) scratch.rows[w] = part.to - part.from;
        if (part.to - part.from > long_rows * each) {
          part.to = part.from;
          exists = false;
        }
      }
      take(team, warp, frame, part, exists, scratch, totals);
      team.team_barrier();
      if (own)
        is_long =
            warp.ballot(warp.lane < warps && scratch.rows[warp.lane % warps] > long_rows * each);
      if (is_long == 0) break;
      int const next = Kokkos::Experimental::countr_zero_builtin(is_long);
      is_long &= ~(((1U << each) - 1) << next);
      segment = first + next / each;
      rank = w;
      count = warps;
    }
    leave(team, warp, frame, share, totals, scratch);
    team.team_barrier();
    if (is_last_team(team, batch_.tickets + frame, shares_.teams, 1, scratch.last) &&
        team.team_rank() == 0)
      OneMotionVerdict<Real>(batch_, factors_, shares_)(warp, frame);
  }

 private:
  static constexpr int ahead = 4;         ///< rows of a lane that are on their way
  static constexpr int long_rows = 2048;  ///< of a warp

  /// A warp's part of a segment: every `warps`-th 32 rows.
  struct Part {
    int segment, from, to, rank, warps, first;
    bool invalid;
  };
  /// Of a lane; all but `left` are those of the first lane of a segment's first warp.
  struct Totals {
    double left = 0, squares = 0, largest = 0;
    int depths = 0, invalid = 0;
  };

  /// Rows that are there even if offsets are unusable.
  KOKKOS_FUNCTION Part part_of(int frame, int segment, int rank, int count, int first) const {
    int const n = batch_.n, m = batch_.m;
    Part part{segment, 0, 0, rank, count, first, false};
    if (m == 0) part.invalid = batch_.offset(frame, 0) != 0 || n != 0;
    if (segment >= m) return part;
    int const from = batch_.offset(frame, segment), to = batch_.offset(frame, segment + 1);
    part.invalid = from > to || (segment == 0 && from != 0) || (segment == m - 1 && to != n);
    part.from = Kokkos::min(Kokkos::max(from, 0), n);
    part.to = Kokkos::max(Kokkos::min(to, n), int{part.from});
    return part;
  }

  /// Rows of a lane; zeros where there is none.
  struct Rows {
    Real u[ahead], b[ahead];
  };
  /// Those from `begin` on. `First`: says whose they are, too, and counts row numbers that are
  /// none.
  template <bool First>
  KOKKOS_FUNCTION void load(OneMotionColumns<Real> const& columns, DeviceWarp const& warp,
                            int frame, Part const& part, int begin, Rows& rows,
                            Totals& totals) const {
    int* const owner = factors_.segment + static_cast<std::ptrdiff_t>(frame) * batch_.n;
    CARROLL_UNROLL
    for (int a = 0; a < ahead; ++a) {
      int const p = begin + 32 * a * part.warps + warp.lane;
      int const row = p < part.to ? columns.row_at(p) : -1;
      bool const valid = columns.valid(row);
      rows.u[a] = valid ? columns.u(row) : Real(0);
      rows.b[a] = valid ? columns.b(row) : Real(0);
      if constexpr (First) {
        if (valid) owner[row] = part.segment;
        if (!valid && p < part.to) ++totals.invalid;
      }
    }
  }

  /// β and 1/d of a part's segment, and what that leaves of its rows. All threads of the team call
  /// this together.
  template <class Member>
  KOKKOS_FUNCTION void take(Member const& team, DeviceWarp const& warp, int frame, Part const& part,
                            bool exists, Scratch& scratch, Totals& totals) const {
    OneMotionColumns<Real> const columns(batch_, frame);
    int const first = part.from + 32 * part.rank, step = 32 * ahead * part.warps;
    double d = 0, product = 0;
    Rows rows;
    int begin = first;
    CARROLL_NO_UNROLL
    for (;; begin += step) {
      load<true>(columns, warp, frame, part, begin, rows, totals);
      CARROLL_UNROLL
      for (int a = 0; a < ahead; ++a) {
        auto const u = static_cast<double>(rows.u[a]);
        d = multiply_add(u, u, d);
        product = multiply_add(u, static_cast<double>(rows.b[a]), product);
      }
      if (begin + step >= part.to) break;
    }
    d = lanes_sum_up(warp, d);
    product = lanes_sum_up(warp, product);
    if (part.warps > 1) {
      if (warp.lane == 0) {
        scratch.depth[team.team_rank()][0] = d;
        scratch.depth[team.team_rank()][1] = product;
      }
      team.team_barrier();
      d = product = 0;
      for (int w = part.first; w < part.first + part.warps; ++w) {
        d += scratch.depth[w][0];
        product += scratch.depth[w][1];
      }
    }
    if (!exists) return;
    int const s = part.segment;
    double const mu = batch_.damping_of(frame, 1 + s);
    bool const is_usual = 1e-290 < d && d < 1e290;
    double inverse = d > 0 ? quick_reciprocal(d) : 0;
    double const quotient = is_usual ? product * inverse : d > 0 ? product / d : 0;
    double taken = quotient, beta = quotient;
    if (mu != 0) {  // NaN, too, is seen in all that follows
      taken *= damped_share(d, mu);
      inverse = 1 / (d + mu);
      beta *= d / (d + mu);
    }
    bool const leads = part.rank == 0 && warp.lane == 0;
    if (leads) {
      batch_.group(frame, 1, s) = inverse;
      batch_.group(frame, 2, s) = beta;
    }
    CARROLL_NO_UNROLL
    for (;;) {  // backwards: the last rows are at hand
      CARROLL_UNROLL
      for (int a = 0; a < ahead; ++a) {
        double const e =
            multiply_add(-static_cast<double>(rows.u[a]), taken, static_cast<double>(rows.b[a]));
        totals.left = multiply_add(e, e, totals.left);
      }
      if (begin == first) break;
      begin -= step;
      load<false>(columns, warp, frame, part, begin, rows, totals);
    }
    if (!leads) return;
    totals.squares = multiply_add(beta, product, totals.squares);
    totals.depths += d + mu > 0 ? 1 : 0;
    if constexpr (sizeof(Real) < sizeof(double))  // double: nothing that is in range leaves it
      totals.largest =
          with_share(SegmentShares::largest, totals.largest, Kokkos::max(beta * beta, inverse));
  }

  /// The team's sums.
  template <class Member>
  KOKKOS_FUNCTION void leave(Member const& team, DeviceWarp const& warp, int frame, int share,
                             Totals const& totals, Scratch& scratch) const {
    double const left = lanes_sum_up(warp, totals.left);
    bool const invalid = warp.ballot(totals.invalid != 0) != 0;
    if (warp.lane == 0) {
      double* const sums = scratch.sums[team.team_rank()];
      sums[0] = left;
      sums[1] = left + totals.squares;
      sums[2] = totals.depths + (invalid ? SegmentShares::unusable : 0);
      sums[SegmentShares::largest] = totals.largest;
    }
    team.team_barrier();
    if (team.team_rank() > 0) return;
    double sums[SegmentShares::sums];
    CARROLL_UNROLL
    for (int c = 0; c < SegmentShares::sums; ++c) {
      sums[c] = warp.lane < warps ? scratch.sums[warp.lane % warps][c] : 0;
      butterfly_up<1, warps>([&](int step) {
        sums[c] = with_share(c, sums[c], warp.from(sums[c], warp.lane ^ step));
      });
    }
    if (warp.lane > 0) return;
    CARROLL_UNROLL
    for (int c = 0; c < SegmentShares::sums; ++c)
      shares_of(factors_, shares_, frame)[share * SegmentShares::sums + c] = sums[c];
  }

  ArrowBatch<Real> const& batch_;
  DenseFactors<Real> const& factors_;
  SegmentShares const& shares_;
};

}  // namespace carroll::detail
