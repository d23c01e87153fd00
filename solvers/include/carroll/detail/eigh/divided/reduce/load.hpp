// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/tiles.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/power_of_two.hpp>

namespace carroll::detail {

/// A matrix comes into its tiles, scaled by 2^-exponent to largest entries near 1: what a crew
/// does for a column or a tile.
template <class Real, class Crew>
class ReduceLoad {
  using Tiles = SymmetricTiles<Real>;

 public:
  KOKKOS_FUNCTION ReduceLoad(Crew const& crew, EighProblem<Real> const& problem,
                             ReduceWork<Real> const& work)
      : crew_(crew), problem_(problem), work_(work) {}

  /// The largest entry of a column of the lower triangle, or infinity for what is not finite.
  KOKKOS_FUNCTION void measure(int j) const {
    Real const infinity = Kokkos::Experimental::infinity_v<Real>;
    Real const largest = crew_.template max<Real>(problem_.n - j, [&](int i) {
      Real const size = Kokkos::abs(problem_.lower(j + i, j));
      return size < infinity ? size : infinity;
    });
    crew_.once([&] { work_.x(0)[j] = largest; });
  }

  /// When all columns are measured: is the matrix finite, and the exponent? `tells` the later
  /// steps.
  KOKKOS_FUNCTION bool scale_of(DividedStorage<Real> const& at, bool tells, int& exponent) const {
    Real const largest = crew_.template max<Real>(problem_.n, [&](int j) { return work_.x(0)[j]; });
    bool const finite = largest < Kokkos::Experimental::infinity_v<Real>;
    exponent = finite && largest > Real(0) ? exponent_of(largest) : 0;
    if (tells)
      crew_.once([&] {
        using Storage = DividedStorage<Real>;
        at.message[Storage::is_finite] = finite ? 1 : 0;
        at.message[Storage::exponent] = exponent;
        at.message[Storage::steps] = 0;
        at.message[Storage::done] = 1;
      });
    return finite;
  }

  KOKKOS_FUNCTION void load(int unit, int exponent) const {
    TileIndex const at(unit);
    Real* const tile = work_.A.tile(at.row, at.column);
    int const first = Tiles::order * at.column, n = problem_.n;
    for (int j = 0; j < Tiles::order; ++j)
      crew_.lanes(Tiles::order, [&](int lane) {
        int const i = Tiles::order * at.row + lane;
        bool const inside = i < n && first + j < n;
        tile[Tiles::column(j) + lane] =
            inside ? scale(problem_.entry(i, first + j), -exponent) : Real(0);
      });
  }

 private:
  Crew const& crew_;
  EighProblem<Real> const& problem_;
  ReduceWork<Real> const& work_;
};

}  // namespace carroll::detail
