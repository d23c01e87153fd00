// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/collectives.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/eigh/divided/reduce/column.hpp>
#include <carroll/detail/eigh/divided/reduce/crew.hpp>
#include <carroll/detail/eigh/divided/reduce/shares.hpp>
#include <carroll/detail/eigh/divided/reduce/tiles.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>

namespace carroll::detail {

/// Which column is made, r.
struct ReduceTurn {
  int r, older;  ///< see ReduceColumn
  int begin;     ///< the first row and column of tiles that are multiplied
  KOKKOS_FUNCTION explicit ReduceTurn(int row)
      : r(row), older(row > 0 ? (row - 1) % divided_panel : 0), begin((row + 1) / 32) {}
  KOKKOS_FUNCTION int in_panel() const { return r > 0 ? older + 1 : 0; }
};

/// What the warps of DividedReduceColumnsKernel do, each kind in a loop of its own, so that none
/// has another's registers. At each column they
///
///   find(turn)       read what other teams have left, and find x, which is there behind a barrier,
///   multiply(turn)   and what the next column asks for; all of it is there behind the next one.
template <class Member, class T, int Side>
struct ReduceRoles {
  using Real = RealOf<T>;
  using Crew = WarpCrew<Member>;
  using Column = ReduceColumn<T, Crew, 8>;
  using Tiles = SymmetricTiles<T>;
  using Share = ReduceShare<Side>;
  static constexpr int order = Tiles::order;
  static constexpr int at_once = 16 * Side;  ///< groups of 32 rows of which something is on its way
  static constexpr int of_dots = Share::slots, of_sums = of_dots + 1, of_tiles = of_sums + 1;
  static constexpr int warps = of_tiles + Share::tiles_each;

  /// Of a team: V and W in its rows, x there, the dots of ReduceWork, and what all rows need.
  struct Scratch {
    static constexpr int rows = Share::slots * order;
    static constexpr std::size_t bytes =
        ((2 * divided_panel + 1) * rows + 4 * divided_panel + 8) * sizeof(T);
    T *panel, *x, *dots, *common;

    KOKKOS_FUNCTION explicit Scratch(Member const& team) {
      panel = static_cast<T*>(team.team_scratch(0).get_shmem_aligned(std::size_t{bytes}, 16));
      x = panel + 2 * divided_panel * rows;
      dots = x + rows;
      common = dots + 4 * divided_panel;
    }
    KOKKOS_FUNCTION T* v(int c) const { return panel + c * rows; }
    KOKKOS_FUNCTION T* w(int c) const { return v(divided_panel + c); }
  };
  enum Common { square, product, of_r, alpha, a_r };

  struct Team {
    Crew const& crew;
    DividedStorage<T> const& at;
    ReduceWork<T> const& work;
    Share const& share;
    Scratch const& scratch;
    int first;  ///< column

    /// Between those who find what all rows need and those who need it.
    KOKKOS_FORCEINLINE_FUNCTION void common_is_there() const {
      crew.warp.sync();  // a warp that comes in parts would count twice
      named_arrival<1, 32 * of_tiles>();
    }
    KOKKOS_FORCEINLINE_FUNCTION void wait_for_common() const { named_barrier<1, 32 * of_tiles>(); }
  };

  /// The dots, from parts of groups, four of them summed at a time.
  struct Dots {
    Team const& team;

    KOKKOS_FORCEINLINE_FUNCTION void find(ReduceTurn const& turn) const {
      ReduceWork<T> const& work = team.work;
      int const r = turn.r, lane = team.crew.warp.lane, c = lane % divided_panel;
      bool const of_v = lane >= divided_panel;
      if (c < turn.older) {
        T const next = conjugate((of_v ? work.v(c) : work.w(c))[r]);
        T total = 0;
        CARROLL_NO_UNROLL
        for (int group = r / order; group < work.tiles; group += at_once) {
          T read[at_once];
          CARROLL_UNROLL
          for (int g = 0; g < at_once; ++g)
            read[g] = group + g < work.tiles ? work.sums_of(r - 1, group + g)[lane] : T(0);
          CARROLL_UNROLL
          for (int g = 0; g < at_once; g += 4)
            total += (read[g] + read[g + 1]) + (read[g + 2] + read[g + 3]);
        }
        work.dots[4 * c + (of_v ? 1 : 0)] = total;
        work.dots[4 * c + (of_v ? 3 : 2)] = next;
      }
      team.common_is_there();
    }
    KOKKOS_FORCEINLINE_FUNCTION void multiply(ReduceTurn const&) const {}
  };

  /// Other sums of the reflector.
  struct Totals {
    Team const& team;

    KOKKOS_FORCEINLINE_FUNCTION void find(ReduceTurn const& turn) const {
      if (turn.r > 0) find(turn.r);
      team.common_is_there();
    }
    KOKKOS_FORCEINLINE_FUNCTION void multiply(ReduceTurn const&) const {}

   private:
    KOKKOS_FORCEINLINE_FUNCTION void find(int r) const {
      constexpr int products_at_once = Side == 1 ? 5 : 17;
      ReduceWork<T> const& work = team.work;
      DeviceWarp const& warp = team.crew.warp;
      int const k = r - 1, begin = r / order, groups = work.tiles - begin;
      StridedReads<Real, products_at_once> of_product(
          work.products_of(k) + warp.lane, (Tiles::count(groups) - warp.lane + order - 1) / order,
          order);
      int const own = (groups - warp.lane + order - 1) / order;
      StridedReads<Real, 1> of_square(work.squares_of(k) + begin + warp.lane, own, order);
      StridedReads<T, 1> of_row(work.part(k, begin + warp.lane) + r, own, order * work.rows);
      T const first_below = work.first[k % 2];
      Real const diagonal = real_part(work.A(r, r));
      Real const squares = lanes_sum_up(warp, of_square.sum());
      Real const products = lanes_sum_up(warp, of_product.sum());
      T const row = lanes_sum_up(warp, of_row.sum());
      team.crew.once([&] {
        T* const common = team.scratch.common;
        common[square] = squares;
        common[product] = products;
        common[of_r] = row;
        common[alpha] = first_below;
        common[a_r] = diagonal;
      });
    }
  };

  /// A group of rows: V, W and x there, V and W of numbers of 16 bytes in scratch.
  struct Rows {
    static constexpr bool has_registers = sizeof(T) <= 8;
    static constexpr int kept = has_registers ? divided_panel : 1;
    Team const& team;
    int group, place;
    T v[kept], w[kept], x = 0;

    KOKKOS_FORCEINLINE_FUNCTION Rows(Team const& own, int slot)
        : team(own), group(own.share.group(slot)), place(order * slot + own.crew.warp.lane) {
      bool const has_panel = team.first > 0 && group >= team.first / order;
      int const i = order * group + team.crew.warp.lane;
      int const older = ReduceTurn(team.first).older;
      if (has_panel) x = team.work.x(team.first - 1)[i];
      CARROLL_UNROLL
      for (int c = 0; c < divided_panel; ++c) {
        bool const is_there = has_panel && c < older;
        keep(c, is_there ? team.work.v(c)[i] : T(0), is_there ? team.work.w(c)[i] : T(0));
      }
    }

    KOKKOS_FORCEINLINE_FUNCTION void find(ReduceTurn const& turn) {
      ReduceWork<T> const& work = team.work;
      int const r = turn.r, i = order * group + team.crew.warp.lane;
      bool const has_rows = group >= r / order;
      typename Column::Row row{x, 0, has_rows ? work.A(i, r) : T(0)};
      if (r > 0 && has_rows) {
        row.u = StridedReads<T, at_once>(work.part(r - 1, r / order) + i, work.tiles - r / order,
                                         work.rows)
                    .sum();
      }
      team.wait_for_common();
      if (!has_rows) return;
      Column const column(team.crew, team.at, work, r, turn.older);
      typename Column::Reflector H;
      if (r > 0) {
        H = reflector(column, turn);
        T u = 0, b = 0;
        CARROLL_UNROLL
        for (int c = 0; c < divided_panel; ++c) {
          if (c < turn.older) column.add_panel(c, of_v(c), of_w(c), u, b);
        }
        row.u -= u;
        row.b -= b;
      }
      auto const entry = column.entry(i, row, H);
      team.scratch.x[place] = x = entry.x;
      if (r > 0) {
        CARROLL_UNROLL
        for (int c = 0; c < divided_panel; ++c) {
          if (c == turn.older) keep(c, entry.v, entry.w);
        }
      }
      if (team.share.on_diagonal) column.keep(i, entry);
    }

    /// The group's parts of the dots, of numbers of 16 bytes half of them at a time.
    KOKKOS_FORCEINLINE_FUNCTION void multiply(ReduceTurn const& turn) const {
      if (!team.share.on_diagonal || group < turn.begin) return;
      constexpr int times = has_registers ? 1 : 2, terms_each = 2 * divided_panel / times;
      DeviceWarp const& warp = team.crew.warp;
      CARROLL_UNROLL
      for (int first = 0; first < 2 * divided_panel; first += terms_each) {
        T terms[terms_each];
        CARROLL_UNROLL
        for (int k = 0; k < terms_each; ++k) {
          int const c = (first + k) % divided_panel;
          bool const is_of_v = first + k >= divided_panel;
          terms[k] = c < turn.in_panel()
                         ? rounded_product(conjugate(is_of_v ? of_v(c) : of_w(c)), x)
                         : T(0);
        }
        T const sum = scattered_sums(warp, terms);
        if (warp.lane % times == 0)
          team.work.sums_of(turn.r, group)[first + warp.lane / times] = sum;
      }
    }

   private:
    KOKKOS_FORCEINLINE_FUNCTION T of_v(int c) const {
      if constexpr (has_registers)
        return v[c];
      else
        return team.scratch.v(c)[place];
    }
    KOKKOS_FORCEINLINE_FUNCTION T of_w(int c) const {
      if constexpr (has_registers)
        return w[c];
      else
        return team.scratch.w(c)[place];
    }
    KOKKOS_FORCEINLINE_FUNCTION void keep(int c, T const& of_v, T const& of_w) {
      if constexpr (has_registers) v[c] = of_v, w[c] = of_w;
      team.scratch.v(c)[place] = of_v;
      team.scratch.w(c)[place] = of_w;
    }

    KOKKOS_FORCEINLINE_FUNCTION typename Column::Reflector reflector(Column const& column,
                                                                     ReduceTurn const& turn) const {
      DeviceWarp const& warp = team.crew.warp;
      typename Column::Dots sums;
      if (warp.lane < turn.older) column.add_dots(warp.lane, sums);
      CARROLL_UNROLL
      for (int k = 3; k < Column::dot_count; ++k) sums.value[k] = lanes_sum_up(warp, sums.value[k]);
      T const* const common = team.scratch.common;
      Column::set_products(sums, real_part(common[square]), real_part(common[product]),
                           common[of_r]);
      return column.reflector(sums, common[alpha], real_part(common[a_r]),
                              team.share.on_diagonal && group == turn.r / order);
    }
  };

  /// A tile.
  struct Tile {
    using Step = WarpTiles<Member, T>;
    Team const& team;
    int I = -1, J = -1, row = 0, column = 0;
    typename Step::Entries entries{};

    KOKKOS_FORCEINLINE_FUNCTION Tile(Team const& own, int tile) : team(own) {
      Share const& share = team.share;
      if (tile >= share.tiles()) return;
      I = share.group(share.slot_of_row(tile));
      J = share.group(share.slot_of_column(tile));
      row = order * share.slot_of_row(tile);
      column = order * share.slot_of_column(tile);
      if (J >= team.first / order) entries = Step::read(team.crew.warp, team.work.A.tile(I, J));
    }

    KOKKOS_FORCEINLINE_FUNCTION void find(ReduceTurn const&) const {}
    KOKKOS_FORCEINLINE_FUNCTION void multiply(ReduceTurn const& turn) {
      if (J < turn.begin) return;
      ReduceWork<T> const& work = team.work;
      Scratch const& scratch = team.scratch;
      int const r = turn.r;
      TileStep<T> const step{
          .C = work.A.tile(I, J),
          .v_rows = scratch.v(0) + row,
          .v_columns = scratch.v(0) + column,
          .distance = Scratch::rows,
          .x_rows = scratch.x + row,
          .x_columns = scratch.x + column,
          .by_rows = work.part(r, J) + order * I,
          .by_columns = I == J ? nullptr : work.part(r, I) + order * J,
          .product = work.products_of(r) + Tiles::count(I - turn.begin) + J - turn.begin,
          .square = work.squares_of(r) + I};
      if (turn.in_panel() == divided_panel)
        Step::bring_in(team.crew.warp, step, entries, r + 1 - order * J);
      Step::multiply(team.crew, entries, step);
    }
  };
};

}  // namespace carroll::detail
