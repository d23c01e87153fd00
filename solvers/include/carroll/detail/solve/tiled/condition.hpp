// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/sizes.hpp>
#include <carroll/detail/solve/tiled/blocks.hpp>
#include <carroll/detail/solve/tiled/storage.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// What host_batch/condition.hpp does, Hager's and Higham's lower bound of ‖A⁻¹‖₁, by one team.
/// What all threads decide by each warp finds for itself, the same way: no barrier, and sums in an
/// order that depends on n alone. About 2n² flops for each of some five solutions.
template <class Real, class Member>
class SolveTileEstimate {
 public:
  using Storage = SolveTileStorage<Real>;

  static constexpr std::size_t scratch_reals(std::int64_t n) {
    return static_cast<std::size_t>(2 * n + solve_block);
  }

  /// `room`: scratch_reals().
  KOKKOS_FUNCTION SolveTileEstimate(Member const& team, Storage const& at, Real* room)
      : team_(team),
        warp_(warp_of_threads(team)),
        at_(at),
        x_(room),
        factors_(team, at, room, room + 2 * at.n) {}

  /// On all threads.
  KOKKOS_FUNCTION Real find() const {
    int const n = at_.n;
    factors_.invert_blocks();
    fill([&](int i) {
      int const row = at_.order[i];
      Real const size = Real(1) + static_cast<Real>(row) / static_cast<Real>(n > 1 ? n - 1 : 1);
      x_[n + i] = row % 2 == 0 ? size : -size;
      x_[i] = Real(1) / static_cast<Real>(n);
    });
    factors_.template solve<2>();
    Real estimate = sum_of_sizes(x_);
    Real const beside = sum_of_sizes(x_ + n) * (Real(2) / static_cast<Real>(3 * n));
    int where = 0;
    for (int step = 0; step < most_condition_steps; ++step) {
      if (step > 0 && !any_sign_turned()) break;
      fast_team_barrier(team_);
      fill([&](int i) { x_[i] = at_.signs[i] = sign(i); });
      factors_.solve_transposed();
      Real const here = entry_of_row(where);  // with its sign: the way back is another way
      Real best = 0;
      for (int i = warp_.lane; i < n; i += 32) best = Kokkos::max(best, size_or_infinity(x_[i]));
      best = lanes_max(warp_, best);
      where = first_row_of_size(best);
      fast_team_barrier(team_);
      if (step > 0 && !(best > here)) break;
      fill([&](int i) { x_[i] = at_.order[i] == where ? Real(1) : Real(0); });
      factors_.template solve<1>();
      Real const found = sum_of_sizes(x_);
      if (!(found > estimate)) break;
      estimate = found;
    }
    return beside > estimate ? beside : estimate;
  }

 private:
  /// f(i) for all i by all threads, behind a barrier; ends with one.
  template <class F>
  KOKKOS_FUNCTION void fill(F const& f) const {
    for (int i = team_.team_rank(); i < at_.n; i += team_.team_size()) f(i);
    fast_team_barrier(team_);
  }
  KOKKOS_FUNCTION Real sign(int i) const { return x_[i] > Real(0) ? Real(1) : Real(-1); }

  KOKKOS_FUNCTION Real sum_of_sizes(Real const* x) const {
    Real sum = 0;
    for (int i = warp_.lane; i < at_.n; i += 32) sum += Kokkos::abs(x[i]);
    return lanes_sum_down(warp_, sum);
  }
  KOKKOS_FUNCTION bool any_sign_turned() const {
    bool turned = false;
    for (int i = warp_.lane; i < at_.n; i += 32) turned = turned || sign(i) != at_.signs[i];
    return warp_.ballot(turned) != 0;
  }
  /// The entry that belongs to a row of the caller's.
  KOKKOS_FUNCTION Real entry_of_row(int row) const {
    Real x = 0;
    for (int i = warp_.lane; i < at_.n; i += 32)
      if (at_.order[i] == row) x = x_[i];
    return lanes_sum_down(warp_, x);
  }
  /// The first of the caller's rows with an entry of this size.
  KOKKOS_FUNCTION int first_row_of_size(Real size) const {
    int row = at_.n - 1;
    for (int i = warp_.lane; i < at_.n; i += 32)
      if (size_or_infinity(x_[i]) == size) row = Kokkos::min(row, at_.order[i]);
    return -warp_.max(-row);
  }

  Member const& team_;
  DeviceWarp const warp_;
  Storage const& at_;
  Real* x_;
  SolveTileBlocks<Real, Member> factors_;
};

}  // namespace carroll::detail
