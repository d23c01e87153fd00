// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/fused/shape.hpp>
#include <carroll/detail/unroll.hpp>
#include <type_traits>

namespace carroll::detail {

/// A team that holds a matrix in its registers, seen from one lane.
template <class Member, class Warp, class Real, class Shape_>
struct FusedTeam {
  using Shape = Shape_;
  using Group = WarpGroup<Warp, Shape>;
  static constexpr int K = Shape::row_parts;
  using Column = Real[K];
  static constexpr int staged_columns = FusedScratch<Real, Shape>::staged_columns;
  static constexpr int no_exponent = -(1 << 30);
  static constexpr int no_column = 1 << 20;

  Member const& member;
  FusedScratch<Real, Shape> scratch;
  FusedWork<Real, Shape> work;
  Group group;
  int warp;  ///< of the team
  int warps;
  int first;  ///< of the warp's columns
  int p, q;   ///< the lane's columns; beyond all where it has none

  KOKKOS_FORCEINLINE_FUNCTION FusedTeam(Member const& team, void* memory)
      : member(team),
        scratch{static_cast<Real*>(memory)},
        work{scratch.work()},
        group(warp_of_threads(team)),
        warp(team.team_rank() / 32),
        warps(team.team_size() / 32),
        first(warp * Shape::cols),
        p(group.pair < Shape::pairs ? first + 2 * group.pair : int{no_column}),
        q(p + 1) {}

  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { member.team_barrier(); }
  KOKKOS_FORCEINLINE_FUNCTION bool is_first() const { return member.team_rank() == 0; }
  KOKKOS_FORCEINLINE_FUNCTION bool writes() const { return group.part == 0; }
  KOKKOS_FORCEINLINE_FUNCTION int row(int t) const { return fused_row<Real, Shape>(group.part, t); }

  /// The largest x of the lanes that share a pair.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T max_parts(T x) const {
    return lanes_max<1, Shape::split>(group.warp, x);
  }

  /// Does any lane of the team say yes? Begins and ends with a barrier.
  KOKKOS_FORCEINLINE_FUNCTION bool any(bool yes) const {
    bool const in_warp = group.any_in_warp(yes);
    if (group.warp.lane == 0) scratch.tallies()[warp] = in_warp;
    barrier();
    bool found = false;
    for (int w = 0; w < warps; ++w) found = found || scratch.tallies()[w] != 0;
    barrier();
    return found;
  }

  /// How many of n things are so, counted by each warp for itself.
  template <class Predicate>
  KOKKOS_FORCEINLINE_FUNCTION int count(int n, Predicate const& is_so) const {
    int found = 0;
    for (int k = group.warp.lane; k < n; k += 32) found += is_so(k) ? 1 : 0;
    return group.sum(found);
  }

  /// The exponents of n columns, apart from those of zero columns.
  struct Range {
    int top, bottom;
    KOKKOS_FORCEINLINE_FUNCTION int spread() const { return top > no_exponent ? top - bottom : 0; }
  };
  KOKKOS_FORCEINLINE_FUNCTION Range range_of(int const* exponents, int n) const {
    Range range{no_exponent, -no_exponent};
    for (int k = group.warp.lane; k < n; k += 32) {
      int const e = exponents[k];
      if (e == no_exponent) continue;
      range.top = Kokkos::max(range.top, e);
      range.bottom = Kokkos::min(range.bottom, e);
    }
    return {group.max(range.top), group.min(range.bottom)};
  }

  /// What columns are sorted by: norm·2^exponent as one integer; 0 for a zero column.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t sort_key(Real norm, int exponent) {
    if (!(norm > Real(0))) return 0;
    constexpr int bias = 2047, most = 2000, fraction_bits = 52;
    int const e = Kokkos::clamp(exponent + exponent_of(norm), -most, most) + bias;
    auto const bits = static_cast<std::uint64_t>(Kokkos::bit_cast<BitsOf<Real>>(norm));
    auto const fraction =
        (bits << (fraction_bits - mantissa_bits<Real>)) & ((std::uint64_t{1} << fraction_bits) - 1);
    return (static_cast<std::uint64_t>(e) << fraction_bits) | fraction;
  }

  /// Place of column j among n columns in descending order of their keys, first come first on equal
  /// ones. The lanes of a pair call it together.
  KOKKOS_FORCEINLINE_FUNCTION int place_of(int j, int n) const {
    std::uint64_t const* const keys = scratch.keys();
    int before = 0;
    if (j < n) {
      std::uint64_t const key = keys[j];
      for (int i = group.part; i < n; i += Shape::split)
        before += keys[i] > key || (keys[i] == key && i < j) ? 1 : 0;
    }
    return group.sum_parts(before);
  }

  /// x·2^e for |x·2^e| below 2 or so; what would be subnormal may become 0.
  KOKKOS_FORCEINLINE_FUNCTION static Real scale_down(Real x, int e) {
    constexpr int most = exponent_bias<Real> - 1;
    return e < -most ? Real(0) : x * power_of_two<Real>(Kokkos::min(e, int{most}));
  }

  /// Columns that the lane holds, near norm 1, with their exponents in working_exponents: sorts
  /// them by norm. exponents() become those in the new order, permutation()[k] is the column that
  /// has come to place k.
  KOKKOS_FORCEINLINE_FUNCTION void place_columns(int n, Column& x, Column& y) const {
    auto const write_key = [&](int j, Column const& column) {
      Real const norm = Kokkos::sqrt(group.sum_parts(lane_dot(column, column)));
      if (j < n && writes()) scratch.keys()[j] = sort_key(norm, scratch.working_exponents()[j]);
    };
    write_key(p, x);
    write_key(q, y);
    barrier();
    auto const move = [&](int j, Column const& column) {
      int const k = place_of(j, n);
      if (j >= n) return;
      store(k, n, column);
      if (!writes()) return;
      int const e = scratch.working_exponents()[j];
      scratch.exponents()[k] = e == no_exponent ? 0 : e;
      scratch.permutation()[k] = j;
    };
    move(p, x);
    move(q, y);
    barrier();
    load(p, n, x);
    load(q, n, y);
  }

  /// The lane's columns of the lower triangle in the work matrix.
  KOKKOS_FORCEINLINE_FUNCTION void load_triangle(int n, Column& x, Column& y) const {
    auto const read = [&](int j, Column& column) {
      load(j, n, column);
      CARROLL_UNROLL
      for (int t = 0; t < K; ++t) column[t] = j <= row(t) && row(t) < n ? column[t] : Real(0);
    };
    read(p, x);
    read(q, y);
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(int j, int n, Column& x) const {
    CARROLL_UNROLL
    for (int t = 0; t < K; ++t) x[t] = 0;
    if (j < n) load_column<Shape>(work.col(j), group.part, x);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(int j, int n, Column const& x) const {
    if (j < n) store_column<Shape>(work.col(j), group.part, x);
  }
};

}  // namespace carroll::detail
