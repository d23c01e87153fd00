// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/properties.hpp>
#include <carroll/detail/device/read_only.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/common/output.hpp>
#include <carroll/detail/eigh/divided/classes.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <carroll/occupancy/residency.hpp>

namespace carroll::detail {

/// V = Q·S = H_0·H_1⋯H_{n-2}·S in the registers of warps: a warp has some columns of S, its lanes
/// their rows, row 32·r + t in register r of lane t. A step x -= tau·(vᴴx)·v reads v once for all
/// of a warp's columns, from the nearest cache after the first warp of a team, a step ahead, and
/// sums the products of all of them in one butterfly. Warps wait for nobody. Registers above the
/// reflector are left out, `Shape::step` at a time; those that a matrix is too small for are above.
/// Where there are no registers for v, it is read once for the sum and once more for the step.
///
/// 2n³ flops, 8n³ for complex matrices; of memory S is read and V written once, and A's reflectors,
/// n²/2, once for each team.
template <class ExecSpace, class T, class Shape>
class DividedBackKernel {
  using Real = RealOf<T>;
  static constexpr int registers = Shape::registers, columns = Shape::template columns<T>;
  using Rows = T[columns][registers];
  using Storage = DividedStorage<T>;

 public:
  static constexpr int most_warps = 4;  ///< of a team
  using Policy = BoundedTeams<ExecSpace, 32 * most_warps, Shape::template teams<T>, 0>;

  DividedBackKernel(EighBatch<T> const& batch, int teams_each)
      : batch_(batch), teams_each_(teams_each) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DeviceWarp const warp = warp_of_threads(team);
    int const member = team.league_rank() / teams_each_, part = team.league_rank() % teams_each_;
    EighProblem<T> const problem = batch_(batch_.index(member));
    Storage const at(problem);
    int const first = (part * (team.team_size() / 32) + team.team_rank() / 32) * columns;
    if (first >= at.n || at.message[Storage::is_finite] == 0) return;
    Place const place{warp, at.n, 32 * ((at.n + 31) / 32 - registers) + warp.lane};
    Rows x;
    CARROLL_UNROLL
    for (int c = 0; c < columns; ++c) {
      CARROLL_UNROLL
      for (int r = 0; r < registers; ++r) {
        int const i = place.row(r);
        x[c][r] = i >= 0 && i < at.n && first + c < at.n ? T(at.S(i, first + c)) : T(0);
      }
    }
    reflect_from<registers - Shape::step>(place, at, x);
    CARROLL_UNROLL
    for (int c = 0; c < columns; ++c)
      if (first + c < at.n) write(place, x[c], problem.v.col(first + c));
  }

 private:
  struct Place {
    DeviceWarp warp;
    int n;
    int first;  ///< row of register 0; below 0 where the matrix has none there

    KOKKOS_FUNCTION int row(int r) const { return first + 32 * r; }
  };

  /// The reflectors that begin in register `First` or a later one, the last first, then the others.
  template <int First>
  KOKKOS_FORCEINLINE_FUNCTION static void reflect_from(Place const& place, Storage const& at,
                                                       Rows& x) {
    int const top = place.row(First) - place.warp.lane;  // row of lane 0
    int const past = top + 32 * Shape::step < at.n ? top + 32 * Shape::step : at.n;
    reflect<First>(place, at, past - 2, top > 0 ? top - 1 : 0, x);
    if constexpr (First > 0) reflect_from<First - Shape::step>(place, at, x);
  }

  /// Those of columns `last` down to `least`, zero above register `First`.
  template <int First>
  KOKKOS_FORCEINLINE_FUNCTION static void reflect(Place const& place, Storage const& at, int last,
                                                  int least, Rows& x) {
    if (last < least) return;
    if constexpr (!Shape::template has_reflectors<T>)
      return reflect_from_cache<First>(place, at, last, least, x);
    T const* column = at.A.col(last) + place.first;
    T v[registers - First], ahead[registers - First], tau_ahead;
    read<First>(place, column, last, ahead);
    tau_ahead = at.tau[last];
    CARROLL_NO_UNROLL
    for (int k = last; k >= least; --k) {
      CARROLL_UNROLL
      for (int r = 0; r < registers - First; ++r) v[r] = ahead[r];
      T const tau = tau_ahead;
      if (k > least) {
        column -= at.n;
        read<First>(place, column, k - 1, ahead);
        tau_ahead = at.tau[k - 1];
      }
      T products[columns];
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) {
        T even = 0, odd = 0;
        CARROLL_UNROLL
        for (int r = First; r < registers; ++r) {
          T& sum = r % 2 == 0 ? even : odd;
          sum = fused_conjugate_sum(v[r - First], x[c][r], sum);
        }
        products[c] = even + odd;
      }
      T const scaled = rounded_product(-tau, scattered_sums(place.warp, products));
      CARROLL_UNROLL
      for (int c = 0; c < columns; ++c) {
        T const y = columns == 1 ? scaled : place.warp.from(scaled, c * (32 / columns));
        CARROLL_UNROLL
        for (int r = First; r < registers; ++r) x[c][r] = fused_sum(y, v[r - First], x[c][r]);
      }
    }
  }

  template <int First>
  KOKKOS_FORCEINLINE_FUNCTION static void reflect_from_cache(Place const& place, Storage const& at,
                                                             int last, int least, Rows& x) {
    static_assert(columns == 1);
    T const* column = at.A.col(last) + place.first;
    CARROLL_NO_UNROLL
    for (int k = last; k >= least; --k, column -= at.n) {
      auto const of_v = [&](int r) { return is_there<First>(place, k, r) ? column[32 * r] : T(0); };
      T sums[2] = {};
      CARROLL_UNROLL
      for (int r = First; r < registers; ++r) {
        T& sum = sums[r % 2];
        sum = fused_conjugate_sum(of_v(r), x[0][r], sum);
      }
      T const y = rounded_product(-at.tau[k], lanes_sum_down(place.warp, sums[0] + sums[1]));
      place.warp.sync();  // or a compiler would keep all of v for what follows
      CARROLL_UNROLL
      for (int r = First; r < registers; ++r) x[0][r] = fused_sum(y, of_v(r), x[0][r]);
    }
  }

  /// Has v of column k, from register `First` on, an entry in register r?
  template <int First>
  KOKKOS_FORCEINLINE_FUNCTION static bool is_there(Place const& place, int k, int r) {
    bool const below = r >= First + Shape::step || place.row(r) > k;
    return below && (r + 1 < registers || place.row(r) < place.n);
  }
  /// v of column k from register `First` on; `column`: the entry of register 0.
  template <int First>
  KOKKOS_FORCEINLINE_FUNCTION static void read(Place const& place, T const* column, int k,
                                               T (&v)[registers - First]) {
    CARROLL_UNROLL
    for (int r = First; r < registers; ++r) {
      T one[1] = {0};
      if (is_there<First>(place, k, r)) read_together(one, column + 32 * r);
      v[r - First] = one[0];
    }
  }

  /// v := x, turned so that the first of its largest entries is positive.
  KOKKOS_FORCEINLINE_FUNCTION static void write(Place const& place, T const (&x)[registers],
                                                StridedVector<T> const& v) {
    Real largest = 0;
    CARROLL_UNROLL
    for (int r = 0; r < registers; ++r) largest = Kokkos::max(largest, ordering_size(x[r]));
    largest = lanes_max(place.warp, largest);
    int first = place.n;  // of its own such entries
    T entry = 0;
    CARROLL_UNROLL
    for (int r = registers - 1; r >= 0; --r) {
      bool const is_largest = ordering_size(x[r]) == largest && place.row(r) >= 0;
      first = is_largest ? place.row(r) : first;
      entry = is_largest ? x[r] : entry;
    }
    int const first_of_all = -place.warp.max(-first);
    int const owner =
        Kokkos::Experimental::countr_zero_builtin(place.warp.ballot(first == first_of_all));
    UnitTurn<T> const turn(place.warp.from(entry, owner), largest);
    CARROLL_UNROLL
    for (int r = 0; r < registers; ++r) {
      int const i = place.row(r);
      T const y = place.n == 1 ? T(1) : turn(x[r], i == first_of_all);
      if (i >= 0 && i < place.n) v(i) = y;
    }
  }

  EighBatch<T> batch_;
  int teams_each_;
};

/// By all warps of as many teams as it takes; few matrices get small teams, on as many
/// multiprocessors as there are.
template <class Shape, class ExecSpace, class T>
void enqueue_divided_back_warps(ExecSpace const& exec, EighBatch<T> const& batch, int members,
                                int n) {
  using Kernel = DividedBackKernel<ExecSpace, T, Shape>;
  constexpr int columns = Shape::template columns<T>;
  int const warps = (n + columns - 1) / columns;
  int threads = Kernel::most_warps;
  while (threads > 1 &&
         std::int64_t{members} * warps < std::int64_t{2} * threads * processors(exec))
    threads /= 2;
  int const teams_each = (warps + threads - 1) / threads;
  launch_teams("carroll::eigh::divided_back", exec, Kernel(batch, teams_each),
               {.count = members * teams_each, .threads = 32 * threads});
}

}  // namespace carroll::detail
