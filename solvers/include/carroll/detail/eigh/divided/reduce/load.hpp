// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/tiles.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/unroll.hpp>

namespace carroll::detail {

/// A matrix comes into its tiles, scaled by 2^-exponent to largest entries near 1: what a crew
/// does for a column or a tile.
template <class T, class Crew>
class ReduceLoad {
  using Real = RealOf<T>;
  using Tiles = SymmetricTiles<T>;

 public:
  KOKKOS_FUNCTION ReduceLoad(Crew const& crew, EighProblem<T> const& problem,
                             ReduceWork<T> const& work)
      : crew_(crew), problem_(problem), work_(work) {}

  /// The largest entry of a column of the lower triangle, or infinity for what is not finite.
  KOKKOS_FUNCTION void measure(int j) const {
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    Real const largest = crew_.template max<Real>(problem_.n - j, [&](int i) {
      Real const size = largest_part(problem_.lower(j + i, j));
      return size < infinity ? size : infinity;
    });
    crew_.once([&] { work_.x(0)[j] = largest; });
  }

  /// When all columns are measured: is the matrix finite, and the exponent? `tells` the later
  /// steps.
  KOKKOS_FUNCTION bool scale_of(DividedStorage<T> const& at, bool tells, int& exponent) const {
    Real const largest =
        crew_.template max<Real>(problem_.n, [&](int j) { return real_part(work_.x(0)[j]); });
    bool const finite = largest < Kokkos::Experimental::infinity_v<Real>;
    exponent = finite && largest > Real(0) ? exponent_of(largest) : 0;
    if (tells)
      crew_.once([&] {
        using Storage = DividedStorage<T>;
        at.message[Storage::is_finite] = finite ? 1 : 0;
        at.message[Storage::exponent] = exponent;
        at.message[Storage::steps] = 0;
        at.message[Storage::done] = 1;
      });
    return finite;
  }

  KOKKOS_FUNCTION void load(int unit, int exponent) const {
    TileIndex const at(unit);
    T* const tile = work_.A.tile(at.row, at.column);
    int const first = Tiles::order * at.column, n = problem_.n;
    constexpr int at_once = 8;  // columns that are on their way
    crew_.lanes(Tiles::order, [&](int lane) {
      int const i = Tiles::order * at.row + lane;
      CARROLL_NO_UNROLL
      for (int j = 0; j < Tiles::order; j += at_once) {
        T x[at_once];
        CARROLL_UNROLL
        for (int c = 0; c < at_once; ++c)
          x[c] = i < n && first + j + c < n ? problem_.entry(i, first + j + c) : T(0);
        CARROLL_UNROLL
        for (int c = 0; c < at_once; ++c)
          tile[Tiles::column(j + c) + lane] = scale_parts_within_one(x[c], -exponent);
      }
    });
  }

 private:
  Crew const& crew_;
  EighProblem<T> const& problem_;
  ReduceWork<T> const& work_;
};

}  // namespace carroll::detail
