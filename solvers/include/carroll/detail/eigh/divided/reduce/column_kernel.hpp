// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/column.hpp>
#include <carroll/detail/eigh/divided/reduce/crew.hpp>
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
/// the diagonal leave it for the next launch. Some warps read what they need of the column, all at
/// once, others the tiles; then they meet at the only barrier.
///
/// side = 1 while there are not more tiles than multiprocessors. A team reads n/32 + 32 numbers for
/// each of its 64·side rows, beside its tiles.
template <class ExecSpace, class Real>
class DividedReduceColumnKernel {
  using Crew = WarpCrew<TeamMember<ExecSpace>>;
  using Column = ReduceColumn<Real, Crew, 8>;
  using Tiles = SymmetricTiles<Real>;
  using Step = WarpTiles<TeamMember<ExecSpace>, Real>;
  static constexpr int order = Tiles::order;

 public:
  static constexpr int most_side = 2;
  static constexpr int most_threads = 32 * (2 * most_side + most_side * most_side);
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<most_threads>>;

  /// What a launch does: both, but where a panel is full: then it is brought into the tiles when
  /// all of the column is there.
  enum class Part { both, finish, multiply };

  int r, older;  ///< see ReduceColumn
  Part part;
  int side, teams_each;

  /// `across`: tiles that are left of the largest matrix, `blocks`: as many as there may be of a
  /// side's.
  DividedReduceColumnKernel(EighBatch<Real> const& batch, int row, int older_columns, Part what,
                            int across, int blocks)
      : r(row),
        older(older_columns),
        part(what),
        side(across <= blocks ? 1 : most_side),
        teams_each(std::max(Tiles::count((across + side - 1) / side), 1)),
        batch_(batch) {}

  [[nodiscard]] TeamLaunch teams(int members) const {
    return {.count = members * teams_each,
            .threads = 32 * (2 * side + side * side),
            .scratch = scratch_bytes() + 16};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    Crew const crew(team);
    int const member = team.league_rank() / teams_each, number = team.league_rank() % teams_each;
    EighProblem<Real> const problem = batch_(batch_.index(member));
    DividedStorage<Real> const at(problem);
    if (r >= at.n) return;
    int const finite = at.message[DividedStorage<Real>::is_finite];
    ReduceWork<Real> work(at.n, at.P.data);
    Block const block(number, (r + 1) / order, work.tiles, side);
    if (number > 0 && block.rows >= work.tiles) return;
    if (part == Part::finish && !block.on_diagonal) return;
    Real* const x = static_cast<Real*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes(), 16));
    int const worker = crew.worker(), tile = worker - 2 * side;
    work.dots = x + 2 * side * order + worker * 4 * divided_panel;
    if (part == Part::multiply) {
      if (finite != 0 && block.has(tile)) Step::take(crew, this->step(work, block, tile, x));
      return;
    }
    Entries entries{};
    Real own = 0;
    int group = -1;
    if (tile >= 0) {
      if (part == Part::both && block.has(tile))
        entries = Step::read(crew.warp, work.A.tile(block.row(tile), block.column(tile)));
    } else {
      // A row that is alone in its group goes first.
      CARROLL_NO_UNROLL
      for (int slot = worker == 0 && block.has_single_row(r) ? 2 * side : worker;; slot = worker) {
        group = block.group(slot, r);
        if (group >= 0) own = finish(crew, at, work, block, slot, group, finite != 0, x);
        if (slot == worker) break;
      }
    }
    if (finite == 0) return;
    crew.barrier();
    if (tile >= 0) {
      if (part == Part::both && block.has(tile))
        Step::multiply(crew, entries, this->step(work, block, tile, x));
    } else if (group >= 0 && block.on_diagonal) {
      leave_sums(crew, work, group, own);
    }
  }

 private:
  using Entries = typename Step::Entries;

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

    KOKKOS_FUNCTION int row(int tile) const { return rows + tile / side; }
    KOKKOS_FUNCTION int column(int tile) const { return columns + tile % side; }
    KOKKOS_FUNCTION bool has(int tile) const {
      return tile >= 0 && row(tile) < tiles && column(tile) <= row(tile);
    }
    KOKKOS_FUNCTION bool has_single_row(int r) const { return number == 0 && r / order < begin; }

    /// Rows that the team needs, in groups of 32: those of its tiles' rows, then of their columns,
    /// then the one of row r alone. -1: none.
    KOKKOS_FUNCTION int group(int slot, int r) const {
      if (slot == 2 * side) return r / order;
      int const of_rows = rows + slot, of_columns = columns + slot - side;
      int const group = slot < side ? of_rows : on_diagonal ? tiles : of_columns;
      return group < tiles ? group : -1;
    }
    KOKKOS_FUNCTION int slot_of_column(int tile) const {
      return tile % side + (on_diagonal ? 0 : side);
    }
  };

  /// Of a team: x in its rows, and for each warp that finds it the dots of ReduceWork.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(2 * side * (order + 4 * divided_panel)) * sizeof(Real);
  }

  /// Parts of dots, by groups, four of them summed at a time.
  KOKKOS_FORCEINLINE_FUNCTION Real sum_of_parts(ReduceWork<Real> const& work, int lane,
                                                Real (&read)[16]) const {
    constexpr int at_once = 16;
    Real total = 0;
    int first = r / order;
    CARROLL_NO_UNROLL
    while (true) {
      CARROLL_UNROLL
      for (int g = 0; g < at_once; g += 4)
        total += (read[g] + read[g + 1]) + (read[g + 2] + read[g + 3]);
      first += at_once;
      if (first >= work.tiles) return total;
      read_parts(work, lane, first, read);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void read_parts(ReduceWork<Real> const& work, int lane, int first,
                                              Real (&read)[16]) const {
    CARROLL_UNROLL
    for (int g = 0; g < 16; ++g)
      read[g] = first + g < work.tiles ? work.sums_of(r - 1, first + g)[lane] : Real(0);
  }

  /// A group's rows of the column: returns the lane's entry of x.
  KOKKOS_FORCEINLINE_FUNCTION Real finish(Crew const& crew, DividedStorage<Real> const& at,
                                          ReduceWork<Real> const& work, Block const& block,
                                          int slot, int group, bool finite, Real* x) const {
    int const lane = crew.warp.lane, i = order * group + lane;
    Column const column(crew, at, work, r, older);
    typename Column::Row row{0, 0, work.A(i, r)};
    typename Column::Reflector H;
    if (r > 0) {
      // All that is read is on its way before any of it is used.
      int const k = r - 1, begin = r / order, groups = work.tiles - begin;
      int const products = Tiles::count(groups);
      int const c = lane % divided_panel;
      bool const of_v = lane >= divided_panel, has_dot = c < older;
      row.x = work.x(k)[i];
      Real v[divided_panel], w[divided_panel], dots[16];
      CARROLL_UNROLL
      for (int j = 0; j < divided_panel; ++j) {
        v[j] = j < older ? work.v(j)[i] : Real(0);
        w[j] = j < older ? work.w(j)[i] : Real(0);
      }
      read_parts(work, lane, begin, dots);
      Real const next = has_dot ? (of_v ? work.v(c) : work.w(c))[r] : Real(0);
      StridedReads<Real, 16> by_tiles(work.part(k, begin) + i, groups, work.rows);
      StridedReads<Real, 5> of_product(work.products_of(k) + lane,
                                       (products - lane + order - 1) / order, order);
      StridedReads<Real, 1> of_square(work.squares_of(k) + begin + lane,
                                      (groups - lane + order - 1) / order, order);
      StridedReads<Real, 1> of_r(work.part(k, begin + lane) + r,
                                 (groups - lane + order - 1) / order, order * work.rows);
      Real const alpha = work.first[k % 2], a_r = work.A(r, r);

      crew.warp.sync();  // who reads those of the group before
      Real const dot = has_dot ? sum_of_parts(work, lane, dots) : Real(0);
      if (has_dot) {
        work.dots[4 * c + (of_v ? 1 : 0)] = dot;
        work.dots[4 * c + (of_v ? 3 : 2)] = next;
      }
      crew.warp.sync();
      auto const sums = crew.template sums<Real, 6>(order, [&](int) {
        Sums<Real, 6> term{{of_square.sum(), of_product.sum(), of_r.sum()}};
        if (lane < older) column.add_dots(lane, term);
        return term;
      });
      Real u = 0, b = 0;
      CARROLL_UNROLL
      for (int j = 0; j < divided_panel; ++j)
        if (j < older) column.add_panel(j, v[j], w[j], u, b);
      row.u = by_tiles.sum() - u;
      row.b -= b;
      H = column.reflector(
          sums, alpha, a_r,
          finite && block.number == 0 && slot == (block.rows < block.tiles ? 0 : 2 * side));
    }
    auto const entry = column.entry(i, row, H);
    if (slot < 2 * side) x[order * slot + lane] = entry.x;
    if (finite && block.on_diagonal) column.keep(i, entry);
    return entry.x;
  }

  /// A group's parts of the dots of column r.
  KOKKOS_FORCEINLINE_FUNCTION void leave_sums(Crew const& crew, ReduceWork<Real> const& work,
                                              int group, Real x) const {
    int const lane = crew.warp.lane, i = order * group + lane;
    int const in_panel = r > 0 ? older + 1 : 0;
    Real terms[2 * divided_panel];
    CARROLL_UNROLL
    for (int c = 0; c < divided_panel; ++c) {
      terms[c] = c < in_panel ? rounded_product(work.w(c)[i], x) : Real(0);
      terms[divided_panel + c] = c < in_panel ? rounded_product(work.v(c)[i], x) : Real(0);
    }
    work.sums_of(r, group)[lane] = scattered_sums(crew.warp, terms);
  }

  KOKKOS_FORCEINLINE_FUNCTION TileStep<Real> step(ReduceWork<Real> const& work, Block const& block,
                                                  int tile, Real const* x) const {
    int const I = block.row(tile), J = block.column(tile);
    bool const brings_in = part == Part::multiply;
    Real const* const all = work.x(r);
    return {.C = work.A.tile(I, J),
            .v_rows = brings_in ? work.v(0) + order * I : nullptr,
            .v_columns = work.v(0) + order * J,
            .distance = work.rows,
            .x_rows = brings_in ? all + order * I : x + order * (tile / side),
            .x_columns = brings_in ? all + order * J : x + order * block.slot_of_column(tile),
            .by_rows = work.part(r, J) + order * I,
            .by_columns = I == J ? nullptr : work.part(r, I) + order * J,
            .product = work.products_of(r) + Tiles::count(I - block.begin) + J - block.begin,
            .square = work.squares_of(r) + I};
  }

  EighBatch<Real> batch_;
};

}  // namespace carroll::detail
