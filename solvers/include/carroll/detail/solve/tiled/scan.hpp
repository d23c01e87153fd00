// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/solve/batch.hpp>
#include <carroll/detail/solve/sizes.hpp>
#include <carroll/detail/solve/tiled/storage.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>

/// What has to be known of matrices before they are scaled.
namespace carroll::detail {

/// Threads of a team that reads matrices, and the rows or columns, whichever lie apart in memory,
/// that it reads.
inline constexpr int solve_scan_threads = 256;
inline constexpr int solve_slab = 32;

/// What the teams of a system gather := what it is before the first of them.
template <class ExecSpace, class Value>
class SolveTileStartKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<solve_scan_threads>>;

  explicit SolveTileStartKernel(SolveBatch<Value> const& batch) : batch_(batch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SolveTileStorage<Value> const at(batch_(team.league_rank()));
    for (int i = team.team_rank(); i < at.n; i += team.team_size()) {
      at.col_tops[i] = at.row_tops[i] = 0;
      at.row_exponents[i] = least_exponent;
      at.order[i] = i;
    }
    if (team.team_rank() == 0) *at.state = {};
  }

 private:
  SolveBatch<Value> batch_;
};

/// Maxima of f(i, j, a(i, j)) over rows and columns of a slab, added to what is known of them.
/// `of_cols` may be null. Lanes read neighbours in memory, many at a time.
template <class T, class Value, class Member, class F>
KOKKOS_INLINE_FUNCTION void raise_maxima(Member const& team, int first,
                                         StridedMatrix<Value const> const& a, int n, T least,
                                         F const& f, T* of_rows, T* of_cols) {
  DeviceWarp const warp = warp_of_threads(team);
  constexpr int wide = 2, warps = solve_scan_threads / 32, deep = solve_slab / warps;
  bool const by_cols = a.row_stride <= a.col_stride;  // rows are neighbours
  T *const of_lanes = by_cols ? of_rows : of_cols, *const of_slab = by_cols ? of_cols : of_rows;
  int const from = first + team.team_rank() / 32;
  for (int begin = 0; begin < n; begin += 32 * wide) {
    T found[deep][wide];
    CARROLL_UNROLL
    for (int d = 0; d < deep; ++d) CARROLL_UNROLL
    for (int q = 0; q < wide; ++q) {
      int const s = from + warps * d, l = begin + 32 * q + warp.lane;
      int const i = by_cols ? l : s, j = by_cols ? s : l;
      found[d][q] = i < n && j < n ? f(i, j, a(i, j)) : least;
    }
    CARROLL_UNROLL
    for (int q = 0; q < wide; ++q) {
      T top = least;
      CARROLL_UNROLL
      for (int d = 0; d < deep; ++d) top = Kokkos::max(top, found[d][q]);
      int const l = begin + 32 * q + warp.lane;
      if (l < n && of_lanes) Kokkos::atomic_max(of_lanes + l, top);
    }
    if (!of_slab) continue;
    CARROLL_UNROLL
    for (int d = 0; d < deep; ++d) {
      T top = found[d][0];
      CARROLL_UNROLL
      for (int q = 1; q < wide; ++q) top = Kokkos::max(top, found[d][q]);
      top = lanes_max(warp, top);
      int const s = from + warps * d;
      if (warp.lane == 0 && s < n) Kokkos::atomic_max(of_slab + s, top);
    }
  }
}

/// The largest entries of rows and columns. n² words.
template <class ExecSpace, class Value>
class SolveTileScanKernel {
 public:
  using Real = RealOf<Value>;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<solve_scan_threads>>;

  SolveTileScanKernel(SolveBatch<Value> const& batch, int slabs) : batch_(batch), slabs_(slabs) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SolveProblem<Value> const problem = batch_(team.league_rank() / slabs_);
    SolveTileStorage<Value> const at(problem);
    raise_maxima(
        team, team.league_rank() % slabs_ * solve_slab, problem.a, at.n, BitsOf<Real>{0},
        [](int, int, Value const& x) {
          return Kokkos::bit_cast<BitsOf<Real>>(size_or_infinity(x));
        },
        at.row_tops, at.col_tops);
  }

 private:
  SolveBatch<Value> batch_;
  int slabs_;
};

/// Which powers of two there will be. Where rows, or columns, are of different sizes another look
/// at all entries for those of the rows, otherwise none.
template <class ExecSpace, class Value>
class SolveTileWeighKernel {
 public:
  using Real = RealOf<Value>;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<solve_scan_threads>>;

  SolveTileWeighKernel(SolveBatch<Value> const& batch, int slabs) : batch_(batch), slabs_(slabs) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    SolveProblem<Value> const problem = batch_(team.league_rank() / slabs_);
    SolveTileStorage<Value> const at(problem);
    int const first = team.league_rank() % slabs_ * solve_slab;
    DeviceWarp const warp = warp_of_threads(team);
    Range const cols = range_of(warp, at.n, at.col_tops), rows = range_of(warp, at.n, at.row_tops);
    bool const even = cols.top - cols.low < uneven_places && rows.top - rows.low < uneven_places;
    if (first == 0 && team.team_rank() == 0) {
      at.state->even = even ? 1 : 0;
      at.state->common = Kokkos::abs(cols.top) < near_one_places ? 0 : cols.top;
      if (!cols.finite) Kokkos::atomic_or(&at.state->flags, int{matrix_not_finite});
    }
    if (even) return;
    auto const exponent = [&](int, int j, Value const& x) {
      return x != Value(0) ? exponent_of(largest_part(x)) -
                                 exponent_or_one(Kokkos::bit_cast<Real>(at.col_tops[j]))
                           : least_exponent;
    };
    raise_maxima(team, first, problem.a, at.n, int{least_exponent}, exponent, at.row_exponents,
                 static_cast<int*>(nullptr));
  }

 private:
  struct Range {
    int top, low;  ///< exponents
    bool finite;
  };
  /// Of sizes, by each warp.
  KOKKOS_FUNCTION static Range range_of(DeviceWarp const& warp, int n, BitsOf<Real> const* sizes) {
    int top = least_exponent, low = -least_exponent;
    bool finite = true;
    for (int i = warp.lane; i < n; i += 32) {
      Real const size = Kokkos::bit_cast<Real>(sizes[i]);
      int const e = exponent_or_one(size);
      top = Kokkos::max(top, e);
      low = Kokkos::min(low, e);
      finite = finite && size < Kokkos::Experimental::infinity_v<Real>;
    }
    return {lanes_max(warp, top), -lanes_max(warp, -low), warp.ballot(!finite) == 0};
  }

  SolveBatch<Value> batch_;
  int slabs_;
};

}  // namespace carroll::detail
