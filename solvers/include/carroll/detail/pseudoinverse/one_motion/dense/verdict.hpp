// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/common/rank_cutoff.hpp>
#include <carroll/detail/pseudoinverse/dense/factors.hpp>
#include <carroll/detail/pseudoinverse/one_motion/dense/shares.hpp>
#include <carroll/detail/pseudoinverse/problem.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// What the teams of a frame have left.
template <class Real>
KOKKOS_FUNCTION double* shares_of(DenseFactors<Real> const& factors, SegmentShares const& shares,
                                  int frame) {
  return factors.shares + static_cast<std::ptrdiff_t>(frame) * shares.teams * SegmentShares::sums;
}

/// The end of OneMotionSegments: what the sums of a frame's teams say of the motion column, which
/// it tells the writers and the caller.
template <class Real>
class OneMotionVerdict {
 public:
  static constexpr std::uint64_t groups_are_there = 1;  ///< told before X and -t, which are normal
  /// Told in place of X or -t, which is no less than -1, where a factor of A⁺ may leave the range
  /// of Real: InverseKind::entries. What it stands for is the third number of the core then.
  static constexpr double entries_are_wanted = -4;

  KOKKOS_FUNCTION OneMotionVerdict(ArrowBatch<Real> const& batch, DenseFactors<Real> const& factors,
                                   SegmentShares const& shares)
      : batch_(batch), factors_(factors), shares_(shares) {}

  /// What all teams' sums say of the motion column, by one warp. The writers wait: they are told
  /// first, the caller then.
  KOKKOS_FUNCTION void operator()(DeviceWarp const& warp, int frame) const {
    constexpr int sums = SegmentShares::sums;
    double const* const shares = shares_of(factors_, shares_, frame);
    double const lambda = batch_.damping_of(frame, 0);
    double const cutoff = rank_cutoff(batch_);
    Sums<double, sums> all;
    CARROLL_NO_UNROLL
    for (int begin = 0; begin < shares_.teams; begin += 128) CARROLL_UNROLL
    for (int a = 0; a < 4; ++a) {  // all on their way at once
      int const i = begin + 32 * a + warp.lane;
      double const* const share = shares + Kokkos::min(i, shares_.teams - 1) * sums;
      CARROLL_UNROLL
      for (int c = 0; c < sums; ++c)
        all.value[c] = with_share(c, all.value[c], i < shares_.teams ? share[c] : 0);
    }
    if (warp.lane == 0) publish(factors_.told + frame, groups_are_there);
    rolled_butterfly_up([&](int step) {
      CARROLL_UNROLL
      for (int c = 0; c < sums; ++c)
        all.value[c] = with_share(c, all.value[c], warp.from(all.value[c], warp.lane ^ step));
    });
    double const left = all[0] + lambda, square = all[1] + lambda;
    bool const usable = all[2] < SegmentShares::unusable;
    // Numbers that are far from the ends of the range first: they are most likely, and soon done.
    bool const far = is_far(all[SegmentShares::largest]), long_eta = is_far_inverse(left);
    bool const usual =
        usable && 1e-200 < left && left <= square && square < 1e200 && !far && !long_eta;
    bool const soon = usual && left > cutoff * cutoff * square;
    double told = refined_rsqrt(left, rough_rsqrt(left));
    if (soon && warp.lane == 0)
      publish(factors_.told + frame, Kokkos::bit_cast<std::uint64_t>(told));
    double const share = square > 0 ? left / square : 0;
    bool const independent = soon || (!usual && share > cutoff * cutoff);
    Status const status = !usable                                              ? Status::breakdown
                          : Kokkos::isfinite(left) && Kokkos::isfinite(square) ? Status::success
                                                                               : Status::non_finite;
    int const rank = static_cast<int>(all[2]) + (independent ? 1 : 0);
    double const smallest = independent ? Kokkos::min(Kokkos::sqrt(share), 1.0) : 1;
    bool const success = status == Status::success;
    // η of a dependent column is no longer than 1/√d.
    bool const entries = success && (far || (independent && long_eta));
    auto const tell_caller = [&] {
      if (warp.lane > 0) return;
      tell_inverse_kind(batch_, batch_.core(frame),
                        !success  ? InverseKind::none
                        : entries ? InverseKind::entries
                                  : InverseKind::motions);
      batch_.info_of(frame) = {status, success ? rank : 0, static_cast<Real>(cutoff),
                               static_cast<Real>(success ? smallest : 1)};
    };
    if (!soon) {
      tell_caller();  // first: writers may have an overflow to tell
      told = Kokkos::Experimental::quiet_NaN_v<double>;
      if (status == Status::success)
        told = independent ? 1 / Kokkos::sqrt(left) : -null_entry(warp, frame);
      if (entries) {
        if (warp.lane == 0) batch_.core(frame)[2] = told;
        told = entries_are_wanted;
      }
      if (warp.lane == 0) publish(factors_.told + frame, Kokkos::bit_cast<std::uint64_t>(told));
      return;
    }
    tell_caller();
  }

 private:
  /// Whether the square of β, 1/√d or X is such that what is made of it may leave the range of
  /// Real.
  KOKKOS_FUNCTION static bool is_far(double square) {
    if constexpr (sizeof(Real) == sizeof(double)) return false;
    return !(square < most());
  }
  KOKKOS_FUNCTION static bool is_far_inverse(double square) {
    if constexpr (sizeof(Real) == sizeof(double)) return false;
    return !(square * most() > 1);
  }
  KOKKOS_FUNCTION static double most() { return usual_factor<Real>(1) * usual_factor<Real>(1); }

  /// t of a dependent column. Depths may be so short that squares of β leave the range.
  KOKKOS_FUNCTION double null_entry(DeviceWarp const& warp, int frame) const {
    double largest = 1;
    CARROLL_NO_UNROLL  // nobody waits for this often, but for its instructions all do
    for (int i = warp.lane; i < batch_.m; i += 32)
      largest = Kokkos::max(largest, Kokkos::abs(batch_.group(frame, 2, i)));
    rolled_butterfly_up(
        [&](int step) { largest = Kokkos::max(largest, warp.from(largest, warp.lane ^ step)); });
    double const unit = power_of_two<double>(-Kokkos::min(exponent_of(largest), 1000));
    double const t = unit / Kokkos::sqrt(unit * unit + sum_of_squares(warp, frame, unit, -1));
    find_null_depth(warp, frame, t);
    return t;
  }

  /// The depth, if there is one, that has more than half of the square of the null vector, (t,
  /// -βt); and what the others and the motion column have of that, divided by t²β, β the depth's.
  KOKKOS_FUNCTION void find_null_depth(DeviceWarp const& warp, int frame, double t) const {
    int found = -1;
    CARROLL_NO_UNROLL
    for (int i = warp.lane; i < batch_.m; i += 32) {
      double const z = batch_.group(frame, 2, i) * t;
      if (z * z > 0.5) found = i;
    }
    found = warp.max(found);
    double const own = found >= 0 ? batch_.group(frame, 2, found) : 1, inverse = 1 / own;
    double const rest = sum_of_squares(warp, frame, inverse, found);
    if (warp.lane > 0) return;
    batch_.core(frame)[0] = found;
    batch_.core(frame)[1] = inverse + own * rest;
  }

  /// Of unit·β, but for that of depth `but`.
  KOKKOS_FUNCTION double sum_of_squares(DeviceWarp const& warp, int frame, double unit,
                                        int but) const {
    double sum = 0;
    CARROLL_NO_UNROLL
    for (int i = warp.lane; i < batch_.m; i += 32) {
      double const beta = batch_.group(frame, 2, i) * unit;
      if (i != but) sum = multiply_add(beta, beta, sum);
    }
    rolled_butterfly_up([&](int step) { sum += warp.from(sum, warp.lane ^ step); });
    return sum;
  }

  ArrowBatch<Real> const& batch_;
  DenseFactors<Real> const& factors_;
  SegmentShares const& shares_;
};

}  // namespace carroll::detail
