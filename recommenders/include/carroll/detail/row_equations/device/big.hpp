// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/row_equations/device/kernel.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// Rows of a device whose triangle fits no team's registers: it stands in memory, tile by tile. A
/// team makes as many tiles at a time as it has threads, the ratings being staged anew for each
/// such pass, and factors it column of tiles by column of tiles, left-looking: d³/3 flops, 2·T
/// numbers from the device's caches for T² multiply-adds.
template <class ExecSpace, class Real, class Shape, class Work>
class BigRowKernel {
  static constexpr int T = Shape::tile;

 public:
  using Policy = BoundedTeams<ExecSpace, Shape::threads, Shape::at_once, most_lent_scratch>;
  using Member = TeamMember<ExecSpace>;
  using Stage = RowStage<Real, Member, Shape::ratings, 2>;
  using Shared = RowShared<Real, T>;
  using System = RowSystem<Real, Member, T>;
  using Tile = EquationTile<Real, T>;

  BigRowKernel(RowEquations<Real> const& problem, Work const* work, std::int64_t count, Real* slots,
               Real* own, bool by_words)
      : problem_(problem),
        work_(work),
        count_(count),
        slots_(slots),
        own_(own),
        by_words_(by_words) {}

  static int threads(int /*unknowns*/) { return Shape::threads; }
  static std::size_t scratch_bytes(int unknowns) {
    int const p = pitch_of(unknowns);
    return Stage::bytes(p) + Shared::bytes(p, false) + 16;
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const pitch = pitch_of(problem_.unknowns());
    auto* const scratch = static_cast<unsigned char*>(team.team_scratch(0).get_shmem_aligned(
        static_cast<std::ptrdiff_t>(Stage::bytes(pitch) + Shared::bytes(pitch, false)), 16));
    Stage const stage(problem_, team, scratch, scratch + Stage::factor_bytes(pitch), pitch, pitch,
                      by_words_);
    Shared const shared(scratch + Stage::bytes(pitch), pitch, false);
    for (;;) {
      if (team.team_rank() == 0)
        *shared.ticket = static_cast<std::int64_t>(
            Kokkos::atomic_fetch_add(&problem_.findings->ticket, std::uint64_t{1}));
      fast_team_barrier(team);
      std::int64_t const next = *shared.ticket;
      if (next >= count_) return;
      deal_with(work_[next], team, stage, shared);
      fast_team_barrier(team);
    }
  }

 private:
  KOKKOS_FUNCTION static int pitch_of(int unknowns) { return tiles_of(unknowns) * T; }
  KOKKOS_FUNCTION static int tiles_of(int unknowns) { return (unknowns + T - 1) / T; }
  KOKKOS_FUNCTION Real* slot(std::int32_t number) const {
    return slots_ + number * row_image<T>(problem_.unknowns());
  }
  KOKKOS_FUNCTION static Real* tile_at(Real* image, int i, int j) {
    return image + (static_cast<std::ptrdiff_t>(TilePlace::before(i)) + j) * (T * T);
  }
  KOKKOS_FUNCTION Real* right_of(Real* image) const {
    return tile_at(image, tiles_of(problem_.unknowns()), 0);
  }

  KOKKOS_FORCEINLINE_FUNCTION void deal_with(RowItem const& item, Member const& team,
                                             Stage const& stage, Shared const& shared) const {
    std::int64_t begin = problem_.offsets[item.row], end = problem_.offsets[item.row + 1];
    Real* image = own_ + team.league_rank() * row_image<T>(problem_.unknowns());
    bool const whole = item.segment < 0;
    if (!whole) {
      begin += item.segment * row_segment;
      end = end - begin < row_segment ? end : begin + row_segment;
      image = slot(item.slot);
    }
    int const all = TilePlace::before(tiles_of(problem_.unknowns()));
    for (int first = 0; first < all; first += team.team_size())
      add_tiles(item.row, begin, end, first, all, team, stage, image);
    add_right(item.row, begin, end, team, stage, shared);
    fast_team_barrier(team);
    if (whole) {
      finish(item.row, team, shared, image);
    } else {
      for (int u = team.team_rank(); u < shared.pitch; u += team.team_size())
        right_of(image)[u] = shared.right[u];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_right(std::int32_t row, std::int64_t begin, std::int64_t end,
                                             Member const& team, Stage const& stage,
                                             Shared const& shared) const {
    auto const entries = [&](auto const& f) {
      for (int u = team.team_rank(); u < shared.pitch; u += team.team_size()) f(u);
    };
    entries([&](int u) { shared.right[u] = 0; });
    for (std::int64_t e = begin; e < end; e += row_chunk) {
      entries([&](int u) { shared.chunk[u] = 0; });
      stage.stream(row, e, end - e < row_chunk ? end : e + row_chunk,
                   [&](Real const* y, Real const*, Real const* h, int terms) {
                     entries([&](int u) {
                       Real sum = shared.chunk[u];
                       for (int s = 0; s < terms; ++s)
                         sum = Kokkos::fma(y[s * shared.pitch + u], h[s], sum);
                       shared.chunk[u] = sum;
                     });
                   });
      entries([&](int u) { shared.right[u] += shared.chunk[u]; });
    }
  }

  /// The thread's tile of those from `first` on, into the image.
  KOKKOS_FORCEINLINE_FUNCTION void add_tiles(std::int32_t row, std::int64_t begin, std::int64_t end,
                                             int first, int all, Member const& team,
                                             Stage const& stage, Real* image) const {
    int const number = first + team.team_rank(), pitch = pitch_of(problem_.unknowns());
    bool const mine = number < all, weighted = problem_.is_weighted();
    TilePlace const place(mine ? number : 0);
    Real* const to = image + static_cast<std::ptrdiff_t>(number) * (T * T);
    Tile tile;
    tile.clear();
    if (begin == end && mine) tile.store(to);
    for (std::int64_t e = begin; e < end; e += row_chunk) {
      tile.clear();
      stage.stream(row, e, end - e < row_chunk ? end : e + row_chunk,
                   [&](Real const* y, Real const* g, Real const*, int terms) {
                     if (!mine) return;
                     for (int s = 0; s < terms; ++s) {
                       auto factor = Tile::read(y + s * pitch + place.col * T);
                       if (weighted) {
                         CARROLL_UNROLL
                         for (int c = 0; c < T; ++c) factor.entry[c] *= g[s];
                       }
                       tile.add_product(Tile::read(y + s * pitch + place.row * T), factor);
                     }
                   });
      if (!mine) continue;
      if (e > begin) tile.add(to);
      tile.store(to);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void deal_with(RowSum const& sum, Member const& team, Stage const&,
                                             Shared const& shared) const {
    bool const carried = sum.carry_from >= 0;
    Real* const total = slot(carried ? sum.carry_from : sum.first);
    std::int64_t const numbers = row_image<T>(problem_.unknowns());
    Real* const to = sum.carry_to < 0 ? total : slot(sum.carry_to);
    for (std::int64_t n = team.team_rank(); n < numbers; n += team.team_size()) {
      Real value = total[n];
      for (int s = carried ? 0 : 1; s < sum.count; ++s) value += slot(sum.first + s)[n];
      to[n] = value;
    }
    fast_team_barrier(team);
    if (sum.carry_to >= 0) return;
    for (int u = team.team_rank(); u < shared.pitch; u += team.team_size())
      shared.right[u] = right_of(total)[u];
    fast_team_barrier(team);
    finish(sum.row, team, shared, total);
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int32_t row, Member const& team,
                                          Shared const& shared, Real* image) const {
    int const d = problem_.unknowns(), tiles = tiles_of(d), rank = team.team_rank();
    int const size = team.team_size();
    if (!problem_.gram && problem_.is_cold(row)) {
      for (int u = rank; u < d; u += size) problem_.clear(row, u);
      return;
    }
    for (int t = rank; t < TilePlace::before(tiles); t += size) {
      TilePlace const place(t);
      Tile tile;
      tile.load(tile_at(image, place.row, place.col));
      if (problem_.gram) {
        tile.hand_over(problem_.gram, d, place.row * T, place.col * T);
        continue;
      }
      tile.add_common(problem_, row, place.row * T, place.col * T);
      tile.store(tile_at(image, place.row, place.col));
      if (place.row == place.col) {
        CARROLL_UNROLL
        for (int r = 0; r < T; ++r) shared.diagonal[place.row * T + r] = tile.a[r][r];
      }
    }
    if (problem_.gram) {
      for (int u = rank; u < d && problem_.sum; u += size) problem_.sum[u] = shared.right[u];
      return;
    }
    System::begin_right(problem_, team, shared, row);
    factor(team, shared, image, tiles);
    if (problem_.sampled)
      for (int u = rank; u < d; u += size) shared.right[u] += problem_.normal(row, u);
    fast_team_barrier(team);
    solve_transposed(team, shared, image, tiles);
    System::store(problem_, team, shared, row);
  }

  /// A thread for each tile of a column, of which there are no more than threads.
  KOKKOS_FORCEINLINE_FUNCTION void factor(Member const& team, Shared const& shared, Real* image,
                                          int tiles) const {
    int const rank = team.team_rank();
    for (int step = 0; step < tiles; ++step) {
      int const at = step * T, i = step + rank;
      Tile tile;
      if (i < tiles) {
        tile.load(tile_at(image, i, step));
        for (int p = 0; p < step; ++p) {
          Tile own, other;
          own.load(tile_at(image, i, p));
          other.load(tile_at(image, step, p));
          CARROLL_UNROLL
          for (int c = 0; c < T; ++c) {
            CARROLL_UNROLL
            for (int r = 0; r < T; ++r) {
              CARROLL_UNROLL
              for (int q = 0; q < T; ++q)
                tile.a[r][q] = Kokkos::fma(-own.a[r][c], other.a[q][c], tile.a[r][q]);
            }
          }
        }
      }
      if (rank == 0) {
        std::uint32_t const flags =
            tile.factor(shared.diagonal + at, shared.inverse + at, shared.right + at);
        if (flags) *shared.flags = flags;
        tile.store(shared.block);
        tile.store(tile_at(image, step, step));
      }
      fast_team_barrier(team);
      if (rank > 0 && i < tiles) {
        tile.solve(shared.block, shared.inverse + at, shared.right + at, shared.right + i * T);
        tile.store(tile_at(image, i, step));
      }
      fast_team_barrier(team);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void solve_transposed(Member const& team, Shared const& shared,
                                                    Real* image, int tiles) const {
    for (int step = tiles - 1; step >= 0; --step) {
      int const at = step * T;
      Tile tile;
      if (team.team_rank() == 0) {
        tile.load(tile_at(image, step, step));
        tile.solve_transposed(shared.inverse + at, shared.right + at);
      }
      fast_team_barrier(team);
      for (int j = team.team_rank(); j < step; j += team.team_size()) {
        tile.load(tile_at(image, step, j));
        tile.subtract_transposed(shared.right + at, shared.right + j * T);
      }
      fast_team_barrier(team);
    }
  }

  RowEquations<Real> problem_;
  Work const* work_;
  std::int64_t count_;
  Real *slots_, *own_;
  bool by_words_;
};

}  // namespace carroll::detail
