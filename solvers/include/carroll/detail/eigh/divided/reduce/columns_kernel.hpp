// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/device/rounding.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/eigh/batch.hpp>
#include <carroll/detail/eigh/divided/reduce/column.hpp>
#include <carroll/detail/eigh/divided/reduce/crew.hpp>
#include <carroll/detail/eigh/divided/reduce/shares.hpp>
#include <carroll/detail/eigh/divided/reduce/tiles.hpp>
#include <carroll/detail/eigh/divided/reduce/work.hpp>
#include <carroll/detail/eigh/divided/storage.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstddef>

namespace carroll::detail {

/// The same as DividedReduceKernel, to the bit, by many teams for a matrix: for few matrices, of
/// which each has the tiles of one multiprocessor and more. One launch does the columns from
/// `first` to `past` - 1. A team has the tiles of a ReduceShare, in registers of a warp each. It
/// finds for itself what it needs of a column, in the rows and the columns of these tiles, and
/// keeps there V and W of the panel in its scratch; teams on the diagonal leave for all what others
/// ask of these rows. Teams meet once a column: behind the products with their tiles, of which
/// everybody's next column takes the sums.
///
/// A launch of more than one column has teams that wait for one another: not more of them for a
/// matrix than the device has multiprocessors, by ticket; see device/signals.hpp. Teams that have
/// no tile left leave.
///
/// A team reads n/32 numbers for each of its 64·Side rows a column, and once as many for 32 sums
/// that all need, and n²/2048 for another.
template <class ExecSpace, class Real, int Side>
class DividedReduceColumnsKernel {
  using Crew = WarpCrew<TeamMember<ExecSpace>>;
  using Column = ReduceColumn<Real, Crew, 8>;
  using Tiles = SymmetricTiles<Real>;
  using Step = WarpTiles<TeamMember<ExecSpace>, Real>;
  using Share = ReduceShare<Side>;
  static constexpr int order = Tiles::order;
  static constexpr int of_dots = Share::slots, of_sums = of_dots + 1, of_tiles = of_sums + 1;
  static constexpr int at_once = 16 * Side;  // groups of 32 rows of which something is on its way

 public:
  static constexpr int threads = 32 * (of_tiles + Share::tiles_each);
  using Policy = Kokkos::TeamPolicy<ExecSpace, Kokkos::LaunchBounds<threads>>;

  int first, past, teams_each;

  /// Teams of a matrix of order n from column `first` on.
  static constexpr int teams(int n, int first) {
    return Share::teams(Tiles::across(n) - first / order);
  }

  /// `n`: order of the largest matrix.
  DividedReduceColumnsKernel(EighBatch<Real> const& batch, int n, int first_column, int past_column)
      : first(first_column), past(past_column), teams_each(teams(n, first_column)), batch_(batch) {}

  [[nodiscard]] TeamLaunch launch(int members) const {
    return {.count = members * teams_each, .threads = threads, .scratch = scratch_bytes + 16};
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int number = team.league_rank();
    if (past - first > 1) {
      DividedStorage<Real> const at(batch_(batch_.index(0)));
      if (team.team_rank() == 0) number = draw_ticket(at.signals + at.begun);
      team.team_broadcast(number, 0);
    }
    EighProblem<Real> const problem = batch_(batch_.index(number / teams_each));
    DividedStorage<Real> const at(problem);
    if (first >= at.n || at.message[DividedStorage<Real>::is_finite] == 0) return;
    ReduceWork<Real> work(at.n, at.P.data);
    Share const share(number % teams_each, first / order, work.tiles);
    if (!share.has_columns(first / order)) return;
    Crew const crew(team);
    Scratch const scratch(team);
    work.dots = scratch.dots;
    run(crew, at, work, share, scratch);
  }

 private:
  using Entries = typename Step::Entries;

  static constexpr int rows = Share::slots * order;
  static constexpr std::size_t scratch_bytes =
      ((2 * divided_panel + 1) * rows + 4 * divided_panel + 8) * sizeof(Real);

  /// Of a team: V and W in its rows, x there, the dots of ReduceWork, and what all rows need.
  struct Scratch {
    Real *panel, *x, *dots, *common;
    KOKKOS_FUNCTION explicit Scratch(TeamMember<ExecSpace> const& team) {
      panel = static_cast<Real*>(
          team.team_scratch(0).get_shmem_aligned(std::size_t{scratch_bytes}, 16));
      x = panel + 2 * divided_panel * rows;
      dots = x + rows;
      common = dots + 4 * divided_panel;
    }
    KOKKOS_FUNCTION Real* v(int c) const { return panel + c * rows; }
    KOKKOS_FUNCTION Real* w(int c) const { return v(divided_panel + c); }
  };
  /// Of a tile: its place in the triangle, none if J < 0, and its rows and columns among the
  /// team's.
  struct TilePlace {
    int I = -1, J = -1, row = 0, column = 0;
    KOKKOS_DEFAULTED_FUNCTION TilePlace() = default;
    KOKKOS_FUNCTION TilePlace(Share const& share, int tile)
        : I(share.group(share.slot_of_row(tile))),
          J(share.group(share.slot_of_column(tile))),
          row(order * share.slot_of_row(tile)),
          column(order * share.slot_of_column(tile)) {}
  };
  enum Common { square, product, of_r, alpha, a_r };

  KOKKOS_FORCEINLINE_FUNCTION void run(Crew const& crew, DividedStorage<Real> const& at,
                                       ReduceWork<Real> const& work, Share const& share,
                                       Scratch const& scratch) const {
    int const worker = crew.worker(), tile = worker - of_tiles;
    int const group = worker < Share::slots ? share.group(worker) : -1;
    bool const has_tile = tile >= 0 && tile < share.tiles();
    TilePlace const place = has_tile ? TilePlace(share, tile) : TilePlace{};
    Entries entries{};
    Real x = 0;
    if (place.J >= first / order) entries = Step::read(crew.warp, work.A.tile(place.I, place.J));
    if (first > 0 && group >= first / order) {
      int const i = order * group + crew.warp.lane;
      x = work.x(first - 1)[i];
      for (int c = 0; c < (first - 1) % divided_panel; ++c) {
        scratch.v(c)[order * worker + crew.warp.lane] = work.v(c)[i];
        scratch.w(c)[order * worker + crew.warp.lane] = work.w(c)[i];
      }
    }
    int met = 0;
    int const end = past < at.n ? past : at.n;
    CARROLL_NO_UNROLL
    for (int r = first;; ++r) {
      int const older = r > 0 ? (r - 1) % divided_panel : 0;
      int const begin = (r + 1) / order;
      if (r > 0) {
        if (worker == of_dots) find_dots(crew, work, r, older);
        if (worker == of_sums) find_sums(crew, work, scratch, r);
      }
      if (worker < Share::slots) {
        bool const has_rows = group >= r / order;
        Real const a = has_rows ? work.A(order * group + crew.warp.lane, r) : Real(0);
        Real u = 0;
        if (r > 0 && has_rows)
          u = StridedReads<Real, at_once>(
                  work.part(r - 1, r / order) + order * group + crew.warp.lane,
                  work.tiles - r / order, work.rows)
                  .sum();
        crew.barrier();
        if (has_rows) x = finish(crew, at, work, share, scratch, r, older, group, {x, u, a});
      } else {
        crew.barrier();
      }
      if (!share.has_columns(begin)) return;
      crew.barrier();
      bool const full = r > 0 && older + 1 == divided_panel;
      if (place.J >= begin) {
        TileStep<Real> const step = this->step(work, scratch, r, place);
        if (full) Step::bring_in(crew.warp, step, entries, r + 1 - order * place.J);
        Step::multiply(crew, entries, step);
      } else if (group >= begin && share.on_diagonal) {
        leave_sums(crew, work, scratch, r, r > 0 ? older + 1 : 0, group, x);
      }
      if (r + 1 == end) return;
      crew.barrier();
      met += Share::teams(work.tiles - begin);
      if (worker == 0)
        crew.once([&] {
          publish(at.signals + at.met);
          wait_for(at.signals + at.met, met);
        });
      crew.barrier();
    }
  }

  /// From parts of groups, four of them summed at a time.
  KOKKOS_FORCEINLINE_FUNCTION static void find_dots(Crew const& crew, ReduceWork<Real> const& work,
                                                    int r, int older) {
    int const lane = crew.warp.lane, c = lane % divided_panel;
    bool const of_v = lane >= divided_panel;
    if (c >= older) return;
    Real const next = (of_v ? work.v(c) : work.w(c))[r];
    Real total = 0;
    CARROLL_NO_UNROLL
    for (int group = r / order; group < work.tiles; group += at_once) {
      Real read[at_once];
      CARROLL_UNROLL
      for (int g = 0; g < at_once; ++g)
        read[g] = group + g < work.tiles ? work.sums_of(r - 1, group + g)[lane] : Real(0);
      CARROLL_UNROLL
      for (int g = 0; g < at_once; g += 4)
        total += (read[g] + read[g + 1]) + (read[g + 2] + read[g + 3]);
    }
    work.dots[4 * c + (of_v ? 1 : 0)] = total;
    work.dots[4 * c + (of_v ? 3 : 2)] = next;
  }

  KOKKOS_FORCEINLINE_FUNCTION static void find_sums(Crew const& crew, ReduceWork<Real> const& work,
                                                    Scratch const& scratch, int r) {
    constexpr int products_at_once = Side == 1 ? 5 : 17;
    int const k = r - 1, begin = r / order, groups = work.tiles - begin, lane = crew.warp.lane;
    StridedReads<Real, products_at_once> of_product(
        work.products_of(k) + lane, (Tiles::count(groups) - lane + order - 1) / order, order);
    int const own = (groups - lane + order - 1) / order;
    StridedReads<Real, 1> of_square(work.squares_of(k) + begin + lane, own, order);
    StridedReads<Real, 1> of_row(work.part(k, begin + lane) + r, own, order * work.rows);
    Real const first_below = work.first[k % 2], diagonal = work.A(r, r);
    auto const sums = crew.template sums<Real, 3>(order, [&](int) {
      return Sums<Real, 3>{{of_square.sum(), of_product.sum(), of_row.sum()}};
    });
    crew.once([&] {
      scratch.common[square] = sums[0];
      scratch.common[product] = sums[1];
      scratch.common[of_r] = sums[2];
      scratch.common[alpha] = first_below;
      scratch.common[a_r] = diagonal;
    });
  }

  /// A group's rows of the column: returns the lane's entry of x.
  KOKKOS_FORCEINLINE_FUNCTION Real finish(Crew const& crew, DividedStorage<Real> const& at,
                                          ReduceWork<Real> const& work, Share const& share,
                                          Scratch const& scratch, int r, int older, int group,
                                          typename Column::Row row) const {
    int const lane = crew.warp.lane, place = order * crew.worker() + lane;
    Column const column(crew, at, work, r, older);
    typename Column::Reflector H;
    if (r > 0) {
      Real u = 0, b = 0;
      constexpr int columns = 4;
      CARROLL_NO_UNROLL
      for (int c = 0; c < older; c += columns) {
        CARROLL_UNROLL
        for (int j = c; j < c + columns; ++j) {
          if (j < older) column.add_panel(j, scratch.v(j)[place], scratch.w(j)[place], u, b);
        }
      }
      row.u -= u;
      row.b -= b;
      Sums<Real, 6> own;
      if (lane < older) column.add_dots(lane, own);
      auto const dots = crew.template sums<Real, 3>(order, [&](int) {
        return Sums<Real, 3>{{own[3], own[4], own[5]}};
      });
      Real const* const common = scratch.common;
      H = column.reflector(
          {{common[square], common[product], common[of_r], dots[0], dots[1], dots[2]}},
          common[alpha], common[a_r], share.on_diagonal && group == r / order);
    }
    int const i = order * group + lane;
    auto const entry = column.entry(i, row, H);
    scratch.x[place] = entry.x;
    if (r > 0) {
      scratch.v(older)[place] = entry.v;
      scratch.w(older)[place] = entry.w;
    }
    if (share.on_diagonal) column.keep(i, entry);
    return entry.x;
  }

  /// A group's parts of the dots of column r.
  KOKKOS_FORCEINLINE_FUNCTION static void leave_sums(Crew const& crew, ReduceWork<Real> const& work,
                                                     Scratch const& scratch, int r, int in_panel,
                                                     int group, Real x) {
    int const place = order * crew.worker() + crew.warp.lane;
    Real terms[2 * divided_panel];
    CARROLL_UNROLL
    for (int c = 0; c < divided_panel; ++c) {
      terms[c] = c < in_panel ? rounded_product(scratch.w(c)[place], x) : Real(0);
      terms[divided_panel + c] = c < in_panel ? rounded_product(scratch.v(c)[place], x) : Real(0);
    }
    work.sums_of(r, group)[crew.warp.lane] = scattered_sums(crew.warp, terms);
  }

  KOKKOS_FORCEINLINE_FUNCTION static TileStep<Real> step(ReduceWork<Real> const& work,
                                                         Scratch const& scratch, int r,
                                                         TilePlace const& at) {
    int const begin = (r + 1) / order, I = at.I, J = at.J;
    return {.C = work.A.tile(I, J),
            .v_rows = scratch.v(0) + at.row,
            .v_columns = scratch.v(0) + at.column,
            .distance = rows,
            .x_rows = scratch.x + at.row,
            .x_columns = scratch.x + at.column,
            .by_rows = work.part(r, J) + order * I,
            .by_columns = I == J ? nullptr : work.part(r, I) + order * J,
            .product = work.products_of(r) + Tiles::count(I - begin) + J - begin,
            .square = work.squares_of(r) + I};
  }

  EighBatch<Real> batch_;
};

}  // namespace carroll::detail
