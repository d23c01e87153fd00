// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/device/math.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/double_word.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/pseudoinverse/common/multiply_add.hpp>
#include <carroll/detail/pseudoinverse/core/solve.hpp>
#include <carroll/detail/unroll.hpp>
#include <type_traits>

namespace carroll::detail {

/// Core::solve of K independent motion columns by a warp, S and Eᵀf in its registers: a lane has a
/// column of [S | Eᵀf | I]. Cholesky's factorisation with the pivots of Core::solve makes
/// [R | z | R⁻ᵀ] of it, from which X and y are read. With it, and sums that many warps read, a step
/// of 20 000 rows and six columns of float takes 25 us, with Core::solve and four warps 50 (H200,
/// 2026-11-22). `Wide`: in twice the digits, on sums that have low words.
template <int K, bool Wide>
class CoreByWarp {
  using Word = std::conditional_t<Wide, DoubleWord<double>, double>;
  static_assert(2 * K + 1 <= 32);

 public:
  /// `low`: the low words of the system, like it; null without.
  KOKKOS_FUNCTION CoreByWarp(DeviceWarp const& warp, Core const& core, double const* low)
      : warp_(warp), core_(core), low_(low) {}

  KOKKOS_FUNCTION bool finite() const {
    bool all = true;
    for (int e = warp_.lane; e < K * (K + 1); e += 32) {
      int const row = e / (K + 1), col = e % (K + 1);
      if (col >= row) all = all && Kokkos::isfinite(core_.system[e]);
    }
    if (warp_.lane < K) all = all && Kokkos::isfinite(core_.scale[warp_.lane]);
    return warp_.ballot(!all) == 0;
  }

  /// False, and nothing is written, where columns count as dependent.
  KOKKOS_FUNCTION bool solve(double cutoff, double& smallest) const {
    int const lane = warp_.lane;
    double const norm = lane < K ? core_.scale[lane] : 0;
    // Of columns that are multiplied by powers of two, so that no square leaves the range.
    double const unit = Wide && norm > 0 ? power_of_two<double>(-exponent_of(norm)) : 1;
    double const weight = norm > 0 ? 1 / (norm * unit * (norm * unit)) : 1;
    Word entries[K];
    CARROLL_UNROLL
    for (int i = 0; i < K; ++i) {
      entries[i] = entry(i);
      if constexpr (Wide) {
        double const row_unit = warp_.from(unit, i);
        entries[i] = Word{entries[i].high * row_unit * unit, entries[i].low * row_unit * unit};
      }
    }
    int taken[K], own_rank = -1;
    double least = 1;
    CARROLL_UNROLL
    for (int rank = 0; rank < K; ++rank) {
      double const own = own_rank < 0 ? leading(pick(entries, lane)) * weight : -1;
      double left = warp_.from(own, 0);
      int pivot = 0;
      CARROLL_UNROLL
      for (int c = 1; c < K; ++c) {  // by every lane: none waits for what another one finds
        double const other = warp_.from(own, c);
        if (!(other > left)) continue;
        left = other;
        pivot = c;
      }
      if (!(left > cutoff * cutoff)) return false;
      least = Kokkos::min(least, left);
      taken[rank] = pivot;
      Word column[K];
      CARROLL_UNROLL
      for (int i = 0; i < K; ++i) column[i] = from(entries[i], pivot);
      Word const inverse = inverse_root(pick(column, pivot));
      Word const row = pick(entries, pivot) * inverse;
      CARROLL_UNROLL
      for (int i = 0; i < K; ++i) {
        bool later = i != pivot;
        CARROLL_UNROLL
        for (int before = 0; before < rank; ++before) later = later && i != taken[before];
        Word const reduced = less(entries[i], column[i] * inverse, row);
        entries[i] = i == pivot ? row : later ? reduced : entries[i];
      }
      if (lane == pivot) own_rank = rank;
    }
    smallest = Kokkos::sqrt(least);
    write(entries, taken, norm);
    return true;
  }

 private:
  /// Entry i of the lane's column, from the upper half of S.
  KOKKOS_FUNCTION Word entry(int i) const {
    int const lane = warp_.lane;
    if (lane > K) return i == lane - K - 1 ? 1.0 : 0.0;
    int const place = Kokkos::min(i, lane) * (K + 1) + Kokkos::max(i, lane);
    if constexpr (Wide)
      return {core_.system[place], low_[place]};
    else
      return core_.system[place];
  }

  KOKKOS_FUNCTION static Word pick(Word const (&entries)[K], int wanted) {
    Word x = entries[0];
    CARROLL_UNROLL
    for (int i = 1; i < K; ++i)
      if (i == wanted) x = entries[i];
    return x;
  }
  KOKKOS_FUNCTION Word from(Word const& x, int lane) const {
    if constexpr (Wide)
      return {warp_.from(x.high, lane), warp_.from(x.low, lane)};
    else
      return warp_.from(x, lane);
  }
  KOKKOS_FUNCTION static Word less(Word const& x, Word const& a, Word const& b) {
    if constexpr (Wide)
      return x - a * b;
    else
      return multiply_add(-a, b, x);
  }
  /// 1/√x; of a double word by a step of Newton's.
  KOKKOS_FUNCTION static Word inverse_root(Word const& x) {
    double const y = refined_rsqrt(leading(x), rough_rsqrt(leading(x)));
    if constexpr (Wide) {
      Word const rest = Word(1.0) - x * Word::product(y, y);
      return Word::ordered_sum(y, 0.5 * y * rest.high);
    } else {
      return y;
    }
  }

  /// What Core::solve leaves.
  KOKKOS_FUNCTION void write(Word const (&entries)[K], int const (&taken)[K], double norm) const {
    int const lane = warp_.lane;
    Word y(0.0);
    double X[K];
    CARROLL_UNROLL
    for (int rank = 0; rank < K; ++rank) {
      Word const x = pick(entries, taken[rank]);
      Word const z = from(x, K);
      y = less(y, -z, x);
      X[rank] = leading(x);
    }
    if (int const c = lane - K - 1; 0 <= c && c < K) {
      CARROLL_UNROLL
      for (int rank = 0; rank < K; ++rank) {
        int const at = c * K + rank;
        core_.X[at] = core_.N[at] = X[rank];
      }
      core_.y[c] = leading(y);
    }
    if (lane < K) {
      core_.scale[lane] = norm > 0 ? norm : 1;
      int own = taken[0];
      CARROLL_UNROLL
      for (int rank = 1; rank < K; ++rank)
        if (lane == rank) own = taken[rank];
      core_.pivots[lane] = own;
    }
    if (lane == 0) *core_.nullity = 0;
  }

  DeviceWarp const& warp_;
  Core const& core_;
  double const* low_;
};

}  // namespace carroll::detail
