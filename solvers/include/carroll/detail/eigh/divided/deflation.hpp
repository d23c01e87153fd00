// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/divided/merge.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/team_search.hpp>

namespace carroll::detail {

/// The first step of a merge, a team each: which eigenvalues of the blocks stay as they are, and
/// the poles of the others.
///
/// Of D and z, sorted, what changes T by no more than a tolerance of 8·ε times its largest entry
/// goes (as in LAPACK's xLAED2): entries of z with ρ·|z_i| below it, and of two neighbours a
/// rotation that leaves one of them without a share in z, where the entry beside the diagonal that
/// it makes is below it:
///
///   |d_j - d_i|·c·s <= tolerance,  (c, s) = (z_j, -z_i)/√(z_i² + z_j²)
///
/// Neighbours are compared side by side; a single thread then goes along those that are near, from
/// each until a rotation is not allowed, which is what a walk along all of them would do.
///
/// Some log₂(rows) and a few dozen operations a row, and 6·rows flops a rotation.
template <class Real, class Member>
class DividedDeflation {
  using Merge = DividedMerge<Real>;

 public:
  KOKKOS_FUNCTION static void run(Member const& team, Merge const& merge, Real tolerance) {
    Walk const walk(merge, tolerance);
    sort(team, walk);
    team.team_barrier();
    drop_light(team, walk);
    list_near(team, walk);
    Kokkos::single(Kokkos::PerTeam(team), [&] { join_near(walk); });
    team.team_barrier();
    gather(team, walk);
    order_by_mask(team, merge);
    rotate(team, merge);
  }

 private:
  /// D, sorted, and z in the order of D; lists of places in that order.
  struct Walk {
    Merge merge;
    Real rho, tolerance;
    Real *value, *z;
    int *source, *live, *near;

    KOKKOS_FUNCTION Walk(Merge const& of, Real limit)
        : merge(of),
          rho(2 * Kokkos::abs(of.coupling)),
          tolerance(limit),
          value(of.root),
          z(of.weight),
          source(of.target),
          live(of.order),
          near(of.list) {}

    /// Of live places a and a + 1, the first at p now.
    KOKKOS_FUNCTION bool are_near(int p, int q) const {
      Real const x = z[p], y = z[q];
      return (value[q] - value[p]) * Kokkos::abs(x * y) <= tolerance * (x * x + y * y);
    }
  };

  /// Lists 0 <= i < n by kind_of(i), 0 to Kinds - 1, in order: put(i, place). Those of other kinds
  /// are not listed. totals[kind]: how many there are of the first `Totals` kinds. `counts`:
  /// scratch for Kinds numbers for each 32 of n. Ends with a barrier.
  template <int Kinds, int Totals, class KindOf, class Put>
  KOKKOS_FUNCTION static void list(Member const& team, int n, int* counts, int* totals,
                                   KindOf const& kind_of, Put const& put) {
    constexpr int size = 32;  // of a part, which is a thread's
    int const parts = (n + size - 1) / size;
    auto const length = [&](int part) { return Kokkos::min(n - size * part, int(size)); };
    thread_for(team, parts, [&](int part) {
      for (int kind = 0; kind < Kinds; ++kind) {
        int const count =
            count_of(team, length(part), [&](int i) { return kind_of(size * part + i) == kind; });
        once_per_thread(team, [&] { counts[kind * parts + part] = count; });
      }
    });
    team.team_barrier();
    thread_for(team, parts, [&](int part) {
      for (int kind = 0; kind < Kinds; ++kind) {
        int const earlier = sum_of(team, counts, kind * parts + part);
        Kokkos::parallel_scan(Kokkos::ThreadVectorRange(team, length(part)),
                              [&](int k, int& before, bool final) {
                                int const i = size * part + k;
                                bool const counts_here = kind_of(i) == kind;
                                if (final && counts_here) put(i, earlier + before);
                                before += counts_here ? 1 : 0;
                              });
      }
    });
    if (team.team_rank() == 0)
      for (int kind = 0; kind < Totals; ++kind) {
        int const total = sum_of(team, counts + kind * parts, parts);
        once_per_thread(team, [&] { totals[kind] = total; });
      }
    team.team_barrier();
  }
  KOKKOS_FUNCTION static int sum_of(Member const& team, int const* numbers, int n) {
    int all = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, n), [&](int k, int& sum) { sum += numbers[k]; }, all);
    return all;
  }

  /// How many of n ascending numbers are below x; `or_equal`: or equal to it.
  KOKKOS_FUNCTION static int count_below(Real const* numbers, int n, Real x, bool or_equal) {
    int begin = 0, end = n;
    while (begin < end) {
      int const middle = (begin + end) / 2;
      bool const below = or_equal ? numbers[middle] <= x : numbers[middle] < x;
      (below ? begin : end) = below ? middle + 1 : middle;
    }
    return begin;
  }

  KOKKOS_FUNCTION static void sort(Member const& team, Walk const& walk) {
    Merge const& merge = walk.merge;
    int const m = merge.rows, m1 = merge.upper_rows;
    Real const half = Kokkos::sqrt(Real(0.5));
    Real const sign = merge.coupling < Real(0) ? -half : half;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, m), [&](int i) {
      bool const is_upper = i < m1;
      Real const own = merge.d[i];
      int const place = is_upper ? i + count_below(merge.d + m1, m - m1, own, false)
                                 : i - m1 + count_below(merge.d, m1, own, true);
      walk.value[place] = own;
      walk.z[place] = is_upper ? half * merge.from(m1 - 1, i) : sign * merge.from(m1, i);
      walk.source[place] = i;
      merge.mask[i] = is_upper ? Merge::upper : Merge::lower;
    });
  }

  /// A column takes no part.
  KOKKOS_FUNCTION static void put_aside(Walk const& walk, int at, int place) {
    walk.merge.value[at] = walk.value[place];
    walk.merge.column[at] = walk.source[place];
  }

  KOKKOS_FUNCTION static void drop_light(Member const& team, Walk const& walk) {
    Merge const& merge = walk.merge;
    auto const is_light = [&](int p) {
      return !(walk.rho * Kokkos::abs(walk.z[p]) > walk.tolerance);
    };
    list<2, 1>(
        team, merge.rows, merge.list, merge.count + Merge::live,
        [&](int p) { return is_light(p) ? 1 : 0; },
        [&](int p, int place) {
          if (is_light(p))
            put_aside(walk, place, p);
          else
            walk.live[place] = p;
        });
  }

  KOKKOS_FUNCTION static void list_near(Member const& team, Walk const& walk) {
    Merge const& merge = walk.merge;
    list<1, 1>(
        team, Kokkos::max(merge.count[Merge::live] - 1, 0), merge.first, merge.count + Merge::near,
        [&](int a) { return walk.are_near(walk.live[a], walk.live[a + 1]) ? 0 : 1; },
        [&](int a, int place) { walk.near[place] = a; });
  }

  /// Of each chain of near ones the last stays. z of the others becomes 0.
  KOKKOS_FUNCTION static void join_near(Walk const& walk) {
    Merge const& merge = walk.merge;
    int const live = merge.count[Merge::live], near = merge.count[Merge::near];
    int rotations = 0, a = 0;
    for (int k = 0; k < near; ++k) {
      if (walk.near[k] < a) continue;
      a = walk.near[k];
      for (; a + 1 < live && walk.are_near(walk.live[a], walk.live[a + 1]); ++a) {
        int const p = walk.live[a], q = walk.live[a + 1];
        Real const x = walk.z[p], y = walk.z[q];
        Real const length = Kokkos::sqrt(x * x + y * y);
        Real const c = y / length, s = -x / length;
        Real const shift = (walk.value[q] - walk.value[p]) * s * s;
        walk.value[p] += shift;
        walk.value[q] -= shift;
        walk.z[p] = 0;
        walk.z[q] = length;
        int const first = walk.source[p], second = walk.source[q];
        int &mask = merge.mask[first], &other = merge.mask[second];
        merge.cosine[rotations] = c;
        merge.sine[rotations] = s;
        merge.first[rotations] = 4 * first + mask;
        merge.second[rotations] = 4 * second + other;
        mask = other = mask | other;
        ++rotations;
        put_aside(walk, live - rotations, p);
      }
    }
    merge.count[Merge::rotations] = rotations;
  }

  KOKKOS_FUNCTION static void gather(Member const& team, Walk const& walk) {
    Merge const& merge = walk.merge;
    list<1, 1>(
        team, merge.count[Merge::live], merge.list, merge.count + Merge::kept,
        [&](int a) { return walk.z[walk.live[a]] != Real(0) ? 0 : 1; },
        [&](int a, int place) {
          int const p = walk.live[a];
          merge.pole[place] = walk.value[p];
          merge.z[place] = walk.z[p];
          merge.column[place] = walk.source[p];
        });
  }

  KOKKOS_FUNCTION static void order_by_mask(Member const& team, Merge const& merge) {
    list<3, 2>(
        team, merge.count[Merge::kept], merge.list, merge.count + Merge::top,
        [&](int j) {
          int const mask = merge.mask[merge.column[j]];
          return mask == Merge::upper ? 0 : mask == Merge::dense ? 1 : 2;
        },
        [&](int j, int place) { merge.order[place] = j; });
  }

  /// 32 rows to a thread, a row to a lane.
  KOKKOS_FUNCTION static void rotate(Member const& team, Merge const& merge) {
    int const rotations = merge.count[Merge::rotations];
    if (rotations == 0) return;
    int const parts = (merge.rows + 31) / 32;
    thread_for(team, parts, [&](int part) {
      lane_for(team, Kokkos::min(32, merge.rows - 32 * part), [&](int lane) {
        int const i = 32 * part + lane, half = merge.mask_of_row(i);
        for (int k = 0; k < rotations; ++k) {
          int const first = merge.first[k], second = merge.second[k];
          if (((first | second) & half) == 0) continue;
          Real &p = merge.from(i, first / 4), &q = merge.from(i, second / 4);
          Real const c = merge.cosine[k], s = merge.sine[k];
          Real const x = first & half ? p : Real(0), y = second & half ? q : Real(0);
          p = c * x + s * y;
          q = c * y - s * x;
        }
      });
    });
  }
};

}  // namespace carroll::detail
