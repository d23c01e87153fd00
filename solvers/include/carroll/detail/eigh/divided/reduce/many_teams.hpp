// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/memory.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/column.hpp>
#include <carroll/detail/eigh/divided/reduce/crew.hpp>
#include <carroll/detail/eigh/divided/reduce/load.hpp>
#include <carroll/detail/eigh/divided/reduce/tiles.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>

namespace carroll::detail {

/// The same as DividedReduceKernel, to the bit, by many teams for a matrix and a launch for a
/// column, between which nobody waits: for few matrices, of which each has the tiles of one
/// multiprocessor and more. A team has side×side tiles of what is left of the triangle. It finds
/// for itself what it needs of the column, in the rows and the columns of these tiles; teams on
/// the diagonal leave it for the next launch.
///
/// side = 1 while there are not more tiles than multiprocessors. A team reads n/32 + 32 numbers for
/// each of its 64·side rows, beside its tiles.
template <class ExecSpace, class Real>
class DividedReduceColumnKernel {
  using Crew = WarpCrew<TeamMember<ExecSpace>>;
  using Tiles = SymmetricTiles<Real>;
  static constexpr int order = Tiles::order;

 public:
  static constexpr int most_side = 4;
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<64 * most_side>>;

  /// What a launch does: both, but where a panel is full: then it is brought into the tiles when
  /// all of the column is there.
  enum class Part { both, finish, multiply };

  int r, older;  ///< see ReduceColumn
  Part part;
  int side, teams_each;

  DividedReduceColumnKernel(EighBatch<Real> const& batch, int row, int older_columns, Part what,
                            int tiles)
      : r(row),
        older(older_columns),
        part(what),
        side(tiles <= 16   ? 1
             : tiles <= 32 ? 2
                           : most_side),
        teams_each(std::max(Tiles::count((tiles + side - 1) / side), 1)),
        batch_(batch) {}

  [[nodiscard]] TeamLaunch teams(int members) const {
    return {.count = members * teams_each, .threads = 64 * side, .scratch = scratch_bytes() + 16};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Crew const crew(team);
    int const member = team.league_rank() / teams_each, number = team.league_rank() % teams_each;
    EighProblem<Real> const problem = batch_(batch_.index(member));
    DividedStorage<Real> const at(problem);
    if (r >= at.n || at.message[DividedStorage<Real>::is_finite] == 0) return;
    ReduceWork<Real> const work(at.n, at.P.data);
    Block const block(number, (r + 1) / order, work.tiles, side);
    if (number > 0 && block.rows >= work.tiles) return;
    if (part == Part::finish && !block.on_diagonal) return;
    Real* const x = static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes(), 16));
    if (part != Part::finish)
      crew.units(side * side, [&](int unit) { block.prefetch(crew, work, unit); });
    if (part != Part::multiply) {
      crew.units(2 * side + 1, [&](int slot) { finish(crew, at, work, block, slot, x); });
      crew.barrier();
    }
    if (part != Part::finish && r + 1 < at.n)
      crew.units(side * side, [&](int unit) { multiply(crew, work, block, unit, x); });
  }

 private:
  /// A team's tiles: from row `rows` of them and column `columns` on.
  struct Block {
    int number, begin, tiles, side, rows, columns;
    bool on_diagonal;

    KOKKOS_FUNCTION Block(int team, int first, int past, int tiles_of_side)
        : number(team), begin(first), tiles(past), side(tiles_of_side) {
      TileIndex const at(team);
      rows = begin + at.row * side;
      columns = begin + at.column * side;
      on_diagonal = at.row == at.column;
    }

    KOKKOS_FUNCTION int row(int unit) const { return rows + unit / side; }
    KOKKOS_FUNCTION int column(int unit) const { return columns + unit % side; }
    KOKKOS_FUNCTION bool has(int unit) const {
      return row(unit) < tiles && column(unit) <= row(unit);
    }
    KOKKOS_FUNCTION void prefetch(Crew const& crew, ReduceWork<Real> const& work, int unit) const {
      constexpr int line = 128 / static_cast<int>(sizeof(Real));
      if (!has(unit)) return;
      Real const* const tile = work.A.tile(row(unit), column(unit));
      crew.lanes(Tiles::size / line, [&](int l) { prefetch_line(tile + l * line); });
    }

    /// Rows that the team needs, in groups of 32: those of its tiles' rows, then of their columns,
    /// then the one that row r is alone in. -1: none.
    KOKKOS_FUNCTION int group(int slot, int r) const {
      if (slot == 2 * side) return number == 0 && r / order < begin ? r / order : -1;
      int const of_rows = rows + slot, of_columns = columns + slot - side;
      int const group = slot < side ? of_rows : on_diagonal ? tiles : of_columns;
      return group < tiles ? group : -1;
    }
    KOKKOS_FUNCTION int slot_of_column(int unit) const {
      return unit % side + (on_diagonal ? 0 : side);
    }
  };

  /// Of a team: x in its rows, and for each warp the dots of ReduceWork.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(2 * side * (order + 4 * divided_panel)) * sizeof(Real);
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish(Crew const& crew, DividedStorage<Real> const& at,
                                          ReduceWork<Real> work, Block const& block, int slot,
                                          Real* x) const {
    int const group = block.group(slot, r);
    if (group < 0) return;
    bool const owned = block.on_diagonal;
    work.dots = x + 2 * side * order + crew.worker() * 4 * divided_panel;
    sum_dots(crew, work);
    int const i = order * group + crew.warp.lane;
    ReduceColumn<Real, Crew> const column(crew, at, work, r, older);
    auto const row = column.gather(i);
    bool const tells = block.number == 0 && slot == (block.rows < block.tiles ? 0 : 2 * side);
    auto const entry = column.entry(i, row, column.reflector(tells));
    if (slot < 2 * side) x[order * slot + crew.warp.lane] = entry.x;
    if (!owned) return;
    column.keep(i, entry);
    Real const square = lanes_sum_up(crew.warp, rounded_product(entry.x, entry.x));
    crew.once([&] { work.squares_of(r)[group] = square; });
    leave_sums(crew, work, group, i, entry.x);
  }

  /// The dots of column k = r - 1, from their parts.
  KOKKOS_FORCEINLINE_FUNCTION void sum_dots(Crew const& crew, ReduceWork<Real> const& work) const {
    int const c = crew.warp.lane % divided_panel, of_v = crew.warp.lane / divided_panel;
    crew.warp.sync();  // who reads those of the group before
    if (c < older) {
      Real total = 0;
      for (int first = r / order; first < work.tiles; first += 4) {
        Real parts[4] = {};
        CARROLL_UNROLL
        for (int g = 0; g < 4; ++g)
          if (first + g < work.tiles) parts[g] = work.sums_of(r - 1, first + g)[crew.warp.lane];
        total += sum_of_groups(parts);
      }
      work.dots[4 * c + of_v] = total;
      work.dots[4 * c + 2 + of_v] = (of_v ? work.v(c) : work.w(c))[r];
    }
    crew.warp.sync();
  }

  /// A group's parts of the dots of column r.
  KOKKOS_FORCEINLINE_FUNCTION void leave_sums(Crew const& crew, ReduceWork<Real> const& work,
                                              int group, int i, Real x) const {
    int const in_panel = r > 0 ? older + 1 : 0;
    Real terms[2 * divided_panel];
    CARROLL_UNROLL
    for (int c = 0; c < divided_panel; ++c) {
      terms[c] = c < in_panel ? rounded_product(work.w(c)[i], x) : Real(0);
      terms[divided_panel + c] = c < in_panel ? rounded_product(work.v(c)[i], x) : Real(0);
    }
    work.sums_of(r, group)[crew.warp.lane] = scattered_sums(crew.warp, terms);
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply(Crew const& crew, ReduceWork<Real> const& work,
                                            Block const& block, int unit, Real const* x) const {
    if (!block.has(unit)) return;
    int const I = block.row(unit), J = block.column(unit);
    bool const brings_in = part == Part::multiply;
    Real const* const all = work.x(r);
    WarpTiles<TeamMember<ExecSpace>, Real>::take(
        crew, {.C = work.A.tile(I, J),
               .v_rows = brings_in ? work.v(0) + order * I : nullptr,
               .v_columns = work.v(0) + order * J,
               .distance = work.rows,
               .x_rows = brings_in ? all + order * I : x + order * (unit / side),
               .x_columns = brings_in ? all + order * J : x + order * block.slot_of_column(unit),
               .by_rows = work.part(r, J) + order * I,
               .by_columns = I == J ? nullptr : work.part(r, I) + order * J,
               .product = work.products_of(r) + Tiles::count(I - block.begin) + J - block.begin});
  }

  EighBatch<Real> batch_;
};

/// Before the first column, in two launches: columns are measured, and tiles come to be.
template <class ExecSpace, class Real, bool Loads>
class DividedReduceLoadKernel {
 public:
  static constexpr int warps = 4, units_each = 8;

  DividedReduceLoadKernel(EighBatch<Real> const& batch, int n) : batch_(batch) {
    int const units = Loads ? SymmetricTiles<Real>::count(SymmetricTiles<Real>::across(n)) : n;
    teams_each_ = (units + units_each - 1) / units_each;
  }

  [[nodiscard]] TeamLaunch teams(int members) const {
    return {.count = members * teams_each_, .threads = 32 * warps};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    WarpCrew<TeamMember<ExecSpace>> const crew(team);
    int const member = team.league_rank() / teams_each_, number = team.league_rank() % teams_each_;
    EighProblem<Real> const problem = batch_(batch_.index(member));
    DividedStorage<Real> const at(problem);
    ReduceWork<Real> const work(at.n, at.P.data);
    ReduceLoad<Real, WarpCrew<TeamMember<ExecSpace>>> const loader(crew, problem, work);
    int const units = Loads ? SymmetricTiles<Real>::count(work.tiles) : at.n;
    int const first = number * units_each;
    int exponent = 0;
    if constexpr (Loads)
      if (!loader.scale_of(at, crew.leads() && number == 0, exponent)) return;
    crew.units(units - first < units_each ? units - first : int{units_each}, [&](int u) {
      if constexpr (Loads)
        loader.load(first + u, exponent);
      else
        loader.measure(first + u);
    });
  }

 private:
  EighBatch<Real> batch_;
  int teams_each_;
};

/// T and the reflectors of the first `members` members of a batch, or of its selection, of order n
/// at most: n and n/16 launches.
template <class ExecSpace, class Real>
void enqueue_divided_reduce_columns(ExecSpace const& exec, EighBatch<Real> const& batch,
                                    int members, int n) {
  char const* const load = "carroll::eigh::reduce_load";
  DividedReduceLoadKernel<ExecSpace, Real, false> const measures(batch, n);
  launch_teams(load, exec, measures, measures.teams(members));
  DividedReduceLoadKernel<ExecSpace, Real, true> const loads(batch, n);
  launch_teams(load, exec, loads, loads.teams(members));
  using Kernel = DividedReduceColumnKernel<ExecSpace, Real>;
  using Part = typename Kernel::Part;
  using Tiles = SymmetricTiles<Real>;
  int older = 0;
  for (int r = 0; r < n; ++r) {
    int const in_panel = r > 0 ? older + 1 : 0;
    bool const full = in_panel == divided_panel;
    int const tiles = Tiles::across(n) - (r + 1) / Tiles::order;
    auto const launch = [&](Part part) {
      Kernel const kernel(batch, r, older, part, tiles);
      launch_teams("carroll::eigh::reduce_column", exec, kernel, kernel.teams(members));
    };
    launch(full ? Part::finish : Part::both);
    if (full) launch(Part::multiply);
    older = full ? 0 : in_panel;
  }
}

}  // namespace carroll::detail
