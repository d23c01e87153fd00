// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/column.hpp>
#include <carroll/detail/eigh/divided/reduce/crew.hpp>
#include <carroll/detail/eigh/divided/reduce/load.hpp>
#include <carroll/detail/eigh/divided/reduce/tiles.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// A = Q·T·Qᴴ by Householder reflections, T real and tridiagonal, a team for each matrix.
///
/// The matrix is brought into tiles of its lower triangle, scaled by a power of two to entries of
/// at most 1. A column reads each of them once, for both of its triangles: n³/6 numbers altogether,
/// and an eighth of that for panels that are brought in. Least of memory: the lower triangle read,
/// the reflectors written, n² numbers, where nearer caches have the tiles.
///
/// 4n³/3 flops, 16n³/3 for complex matrices, two barriers a column. Sums have the same order in
/// every team.
template <class ExecSpace, class T>
class DividedReduceKernel {
  using Crew = CrewOf<ExecSpace>;
  using Step = TilesOf<ExecSpace, T>;
  static constexpr int order = SymmetricTiles<T>::order;

 public:
  static constexpr int most_warps = 16;
  using Policy =
      std::conditional_t<has_warps<ExecSpace>,
                         Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<32 * most_warps>>,
                         Kokkos::TeamPolicy<ExecSpace>>;

  DividedReduceKernel(EighBatch<T> const& batch, std::size_t scratch)
      : batch_(batch), scratch_(scratch) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Crew const crew(team);
    EighProblem<T> const problem = batch_(batch_.index(team.league_rank()));
    DividedStorage<T> const at(problem);
    T* const scratch = scratch_ > 0
                           ? static_cast<T*>(team.team_scratch(0).get_shmem_aligned(scratch_, 16))
                           : nullptr;
    ReduceWork<T> const work(at.n, at.scratch(), scratch, static_cast<std::int64_t>(scratch_));
    ReduceLoad<T, Crew> const loader(crew, problem, work);
    crew.units(at.n, [&](int j) { loader.measure(j); });
    crew.barrier();
    int exponent = 0;
    if (!loader.scale_of(at, crew.leads(), exponent)) return;
    crew.units(SymmetricTiles<T>::count(work.tiles),
               [&](int tile) { loader.load(tile, exponent); });
    crew.barrier();
    int in_panel = 0;
    for (int r = 0; r < at.n; ++r) {
      finish(crew, at, work, r, in_panel);
      if (r > 0) ++in_panel;
      if (r + 1 == at.n) break;
      crew.barrier();
      multiply(crew, work, r, in_panel);
      if (in_panel == divided_panel) in_panel = 0;
      crew.barrier();
    }
  }

 private:
  /// w of column r - 1, and column r: rows apart, a group of 32 a worker.
  KOKKOS_FORCEINLINE_FUNCTION static void finish(Crew const& crew, DividedStorage<T> const& at,
                                                 ReduceWork<T> const& work, int r, int older) {
    using Column = ReduceColumn<T, Crew, 4>;
    Column const column(crew, at, work, r, older);
    crew.rows(
        r / order, work.tiles, [&](int i) { return column.gather(i); },
        [&] { return column.reflector(crew.leads()); },
        [&](int i, typename Column::Row const& row, typename Column::Reflector const& H) {
          column.keep(i, column.entry(i, row, H));
        });
  }

  /// A·x, Vᴴx, Wᴴx, tiles and columns of the panel apart. A panel that is full is brought in.
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(Crew const& crew, ReduceWork<T> const& work,
                                                   int r, int in_panel) {
    int const begin = (r + 1) / order, across = work.tiles - begin;
    bool const full = in_panel == divided_panel;
    int const dots = full ? 0 : in_panel;
    T const* const x = work.x(r);
    crew.units(dots + SymmetricTiles<T>::count(across), [&](int unit) {
      if (unit >= dots) {
        TileIndex const at(unit - dots);
        int const I = begin + at.row, J = begin + at.column;
        return Step::take(crew, {.C = work.A.tile(I, J),
                                 .v_rows = full ? work.v(0) + order * I : nullptr,
                                 .v_columns = work.v(0) + order * J,
                                 .distance = work.rows,
                                 .x_rows = x + order * I,
                                 .x_columns = x + order * J,
                                 .by_rows = work.part(r, J) + order * I,
                                 .by_columns = I == J ? nullptr : work.part(r, I) + order * J,
                                 .product = work.products_of(r) + unit - dots,
                                 .square = work.squares_of(r) + I});
      }
      T const *const v = work.v(unit), *const w = work.w(unit);
      Sums<T, 2> const sums = Step::dots(crew, w, v, x, begin, work.tiles);
      crew.once([&] {
        T* const to = work.dots + 4 * unit;
        to[0] = sums[0];
        to[1] = sums[1];
        to[2] = conjugate(w[r + 1]);
        to[3] = conjugate(v[r + 1]);
      });
    });
  }

  EighBatch<T> batch_;
  std::size_t scratch_;
};

}  // namespace carroll::detail
