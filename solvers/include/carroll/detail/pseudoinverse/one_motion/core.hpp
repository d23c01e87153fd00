// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/pseudoinverse/common/depth_group.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/common/rank_cutoff.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/scattered_sums.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>

namespace carroll::detail {

/// What follows the windows of a problem of a GPU with one motion column, where it is independent:
/// y and ξ as ArrowCore has them, sooner. A team's lanes have a window each, with all that they
/// need of it on its way at a time, and all of them solve the core. ArrowCore does the rest:
/// dependent columns, and covariance and variances, to which y and ξ of this kernel belong, too, so
/// that they do not depend on what else is wanted.
template <class Real>
class OneMotionCore {
 public:
  static constexpr int warps = 4;  ///< of a team, on which the order of sums depends
  struct Scratch {
    double sums[warps][4];
  };

  static constexpr int ahead = 4;
  /// Of depths that a lane writes next.
  struct Depths {
    double gamma[ahead], beta[ahead];
  };
  /// What every lane knows of a problem.
  struct Solution {
    bool is_independent;  ///< otherwise there is none
    double y, pivot, cutoff, depths;
    Depths first;
  };

  KOKKOS_FUNCTION explicit OneMotionCore(ArrowBatch<Real> const& batch) : batch_(batch) {}

  /// Leaves the windows as they were.
  template <class Member>
  KOKKOS_FUNCTION Solution solve(Member const& team, DeviceWarp const& warp, int problem,
                                 Scratch& scratch) const {
    int const frame = batch_.frame_of(problem), thread = 32 * team.team_rank() + warp.lane;
    Sums<double, 4> own;
    for (int w = thread; w < batch_.windows; w += 32 * warps) add_window(problem, frame, w, own);
    ScatteredSums<4>(warp, own).for_each(
        [&](int e, double sum) { scratch.sums[team.team_rank()][e] = sum; });
    team.team_barrier();

    Solution solution;
    solution.first = depths_of(problem, thread);  // while the lane solves the core
    double const lambda = batch_.damping_of(frame, 0);
    double const square = sum_of(scratch, 0) + lambda;
    double const norm = Kokkos::sqrt(sum_of(scratch, 2) + lambda);
    double const found = sum_of(scratch, 3);
    double const r = Kokkos::sqrt(square / (norm * norm));
    solution.y = 1 / r / norm * (sum_of(scratch, 1) / norm / r);
    solution.pivot = Kokkos::min(r, 1.0);
    solution.cutoff = rank_cutoff(batch_);
    solution.depths = found;
    solution.is_independent = norm > 0 && Kokkos::isfinite(norm) && Kokkos::isfinite(square) &&
                              found < unusable && Kokkos::isfinite(sum_of(scratch, 1)) &&
                              r > solution.cutoff;
    return solution;
  }

  /// `again`: after ArrowCore, of whose results an overflow of the others is kept.
  template <class Member>
  KOKKOS_FUNCTION void write(Member const& team, DeviceWarp const& warp, int problem,
                             Solution const& solution, bool again) const {
    int const thread = 32 * team.team_rank() + warp.lane;
    Depths depths = again ? depths_of(problem, thread) : solution.first;
    auto& info = batch_.info_of(problem);
    if (thread == 0)
      info = {again ? info.status : Status::success, 1 + static_cast<int>(solution.depths),
              static_cast<Real>(solution.cutoff), static_cast<Real>(solution.pivot)};
    team.team_barrier();  // an overflow is told after this
    if (thread == 0 && batch_.y.data && !put(solution.y, place_of(batch_.y, problem)))
      Kokkos::atomic_store(&info.status, Status::overflow);
    if (!batch_.xi.data) return;
    Real* const xi = place_of(batch_.xi, problem);
    std::ptrdiff_t const stride = batch_.xi.strides[1];
    bool fits = true;
    for (int first = thread; first < batch_.m; first += ahead * 32 * warps) {
      CARROLL_UNROLL
      for (int a = 0; a < ahead; ++a)
        if (int const i = first + a * 32 * warps; i < batch_.m)
          fits = put(depths.gamma[a] - depths.beta[a] * solution.y, xi + i * stride) && fits;
      if (first + ahead * 32 * warps < batch_.m)
        depths = depths_of(problem, first + ahead * 32 * warps);
    }
    if (!fits) Kokkos::atomic_store(&info.status, Status::overflow);
  }

 private:
  static constexpr double unusable = 4294967296.0;  ///< what counts beside depths

  /// Adds what a window tells: Σe², Σef, Σb², and how many depth columns are not zero; with what is
  /// left of the pieces of the segment that begins in it and goes on behind it.
  KOKKOS_FUNCTION void add_window(int problem, int frame, int w, Sums<double, 4>& sums) const {
    int const last = batch_.windows - 1, next = Kokkos::min(w + 1, last);
    WindowEdges const edges = batch_.edges_of(problem, w);
    WindowEdges const beyond = batch_.edges_of(problem, next);
    double const* const partial = batch_.partial(problem, w);
    double const* const other = batch_.partial(problem, next) + 3;
    double left[3], group[3], piece[3];
    CARROLL_UNROLL
    for (int e = 0; e < 3; ++e) left[e] = partial[e];
    CARROLL_UNROLL
    for (int c = 0; c < 3; ++c) group[c] = partial[6 + c];
    CARROLL_UNROLL
    for (int c = 0; c < 3; ++c) piece[c] = other[c];
    double found = edges.depths;
    // Walks that do not follow each other have passed over offsets that are not in order.
    if (edges.invalid != 0 || (edges.next >= 0 && w < last && beyond.first != edges.next))
      found += unusable;
    if (int const segment = edges.tail; segment >= 0) {
      bool const more = w < last && beyond.head == segment;
      auto const merge = [&] {
        merge_groups(group, piece, 1);
        left[0] = multiply_add(piece[2], piece[2], left[0]);
        left[1] = multiply_add(piece[2], piece[1], left[1]);
      };
      if (more) merge();
      bool const further = more && beyond.next == segment;
      for (int v = w + 2; further && v <= last && batch_.edges_of(problem, v).head == segment;
           ++v) {
        CARROLL_UNROLL
        for (int c = 0; c < 3; ++c) piece[c] = batch_.partial(problem, v)[3 + c];
        merge();
      }
      double const mu = batch_.damping_of(frame, 1 + segment);
      if (mu > 0 && more) {
        piece[0] = mu;
        piece[1] = piece[2] = 0;
        merge();
      }
      CARROLL_UNROLL
      for (int c = 0; c < 3; ++c) batch_.group(problem, c, segment) = group[c];
      found += group[0] > 0 ? 1 : 0;
    }
    CARROLL_UNROLL
    for (int e = 0; e < 3; ++e) sums.value[e] += left[e];
    sums.value[3] += found;
  }

  KOKKOS_FUNCTION static double sum_of(Scratch const& scratch, int e) {
    double sum = 0;
    CARROLL_UNROLL
    for (int w = 0; w < warps; ++w) sum += scratch.sums[w][e];
    return sum;
  }

  /// Of every 128th depth from `first` on.
  KOKKOS_FUNCTION Depths depths_of(int problem, int first) const {
    Depths depths = {};
    if (batch_.m == 0) return depths;
    double const* const gamma = &batch_.group(problem, 1, 0);
    double const* const beta = gamma + batch_.m;
    CARROLL_UNROLL
    for (int a = 0; a < ahead; ++a) {
      int const i = Kokkos::min(first + a * 32 * warps, batch_.m - 1);
      depths.gamma[a] = gamma[i];
      depths.beta[a] = beta[i];
    }
    return depths;
  }

  /// Where the results of a problem begin.
  KOKKOS_FUNCTION Real* place_of(StridedBatch<Real> const& out, int problem) const {
    return out.data + batch_.frame_of(problem) * out.strides[0] +
           batch_.rhs_of(problem) * out.strides[2];
  }
  /// Returns whether the value is a number of this precision.
  KOKKOS_FUNCTION static bool put(double value, Real* place) {
    *place = static_cast<Real>(value);
    return Kokkos::isfinite(*place);
  }

  ArrowBatch<Real> const& batch_;
};

}  // namespace carroll::detail
