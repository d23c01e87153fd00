// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/threads.hpp>
#include <carroll/detail/row_equations/device/stage.hpp>
#include <carroll/detail/row_equations/device/system.hpp>
#include <carroll/detail/row_equations/plan.hpp>
#include <carroll/detail/team.hpp>
#include <carroll/occupancy/residency.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace carroll::detail {

/// Numbers of a slot: all tiles of a triangle, then its right hand side.
template <int T>
KOKKOS_FUNCTION std::int64_t row_image(int unknowns) {
  std::int64_t const tiles = (unknowns + T - 1) / T;
  return tiles * (tiles + 1) / 2 * (T * T) + (tiles * T + 3) / 4 * 4;
}

/// Rows of a device whose triangle fits the registers of a team: teams take items, or sums of long
/// rows' segments, as they come to them.
///
/// 2·d²/2 flops a rating: a thread reads 2·T numbers from scratch for T² multiply-adds, all of
/// which are one chain for 512 ratings. Sums of chunks are added up in memory of the team's own.
template <class ExecSpace, class Real, class Shape, class Work>
class DeviceRowKernel {
  static constexpr int T = Shape::tile;

 public:
  using Policy = BoundedTeams<ExecSpace, Shape::threads, Shape::at_once, most_lent_scratch>;
  using Stage = RowStage<Real, TeamMember<ExecSpace>, Shape::ratings, 2>;
  using Shared = RowShared<Real, T>;
  using System = RowSystem<Real, TeamMember<ExecSpace>, T>;
  using Tile = EquationTile<Real, T>;

  /// `slots` and `own`: row_image<T>() numbers each, `own` of each team.
  DeviceRowKernel(RowEquations<Real> const& problem, Work const* work, std::int64_t count,
                  Real* slots, Real* own, bool by_words)
      : problem_(problem),
        work_(work),
        count_(count),
        slots_(slots),
        own_(own),
        by_words_(by_words) {}

  static int threads(int unknowns) {
    int const tiles = (unknowns + T - 1) / T;
    return (tiles * (tiles + 1) / 2 + 31) / 32 * 32;
  }
  static std::size_t scratch_bytes(int unknowns) {
    int const p = pitch_of(unknowns);
    return Stage::bytes(p) + Shared::bytes(p, true) + 16;
  }

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    int const d = problem_.unknowns(), pitch = pitch_of(d), tiles = (d + T - 1) / T;
    auto* const scratch = static_cast<unsigned char*>(team.team_scratch(0).get_shmem_aligned(
        static_cast<std::ptrdiff_t>(Stage::bytes(pitch) + Shared::bytes(pitch, true)), 16));
    Stage const stage(problem_, team, scratch, scratch + Stage::factor_bytes(pitch), pitch, pitch,
                      by_words_);
    Shared const shared(scratch + Stage::bytes(pitch), pitch, true);
    TilePlace const place(team.team_rank());
    bool const has_tile = team.team_rank() < TilePlace::before(tiles);
    System const system{
        problem_, team, shared, tiles, has_tile ? place.row : -1, has_tile ? place.col : -1};
    for (;;) {
      if (team.team_rank() == 0)
        *shared.ticket = static_cast<std::int64_t>(
            Kokkos::atomic_fetch_add(&problem_.findings->ticket, std::uint64_t{1}));
      fast_team_barrier(team);
      std::int64_t const next = *shared.ticket;
      if (next >= count_) return;
      deal_with(work_[next], team, stage, shared, system);
      fast_team_barrier(team);
    }
  }

 private:
  KOKKOS_FUNCTION static int pitch_of(int unknowns) {
    int const tiles = (unknowns + T - 1) / T;
    return (tiles * T + 3) / 4 * 4;
  }
  KOKKOS_FUNCTION Real* slot(std::int32_t number) const {
    return slots_ + number * row_image<T>(problem_.unknowns());
  }

  KOKKOS_FORCEINLINE_FUNCTION void deal_with(RowItem const& item, TeamMember<ExecSpace> const& team,
                                             Stage const& stage, Shared const& shared,
                                             System const& system) const {
    std::int64_t begin = problem_.offsets[item.row], end = problem_.offsets[item.row + 1];
    Real* image = own_ + team.league_rank() * row_image<T>(problem_.unknowns());
    bool const whole = item.segment < 0;
    if (!whole) {
      begin += item.segment * row_segment;
      end = end - begin < row_segment ? end : begin + row_segment;
      image = slot(item.slot);
    }
    int const rank = team.team_rank();
    Real* const of_tile = image + static_cast<std::ptrdiff_t>(rank) * (T * T);
    for (int u = rank; u < shared.pitch; u += team.team_size()) shared.right[u] = 0;
    Tile tile;
    tile.clear();
    for (std::int64_t e = begin; e < end; e += row_chunk) {
      if (e > begin) tile.clear();
      add_chunk(item.row, e, end - e < row_chunk ? end : e + row_chunk, team, stage, shared, system,
                tile);
      if (system.i >= 0) {
        if (e > begin) tile.add(of_tile);
        if (!whole || end - e > row_chunk) tile.store(of_tile);
      }
    }
    if (whole) {
      fast_team_barrier(team);
      system.finish(item.row, tile);
    } else {
      Real* const right = right_of(image);
      for (int u = rank; u < shared.pitch; u += team.team_size()) right[u] = shared.right[u];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_chunk(std::int32_t row, std::int64_t begin, std::int64_t end,
                                             TeamMember<ExecSpace> const& team, Stage const& stage,
                                             Shared const& shared, System const& system,
                                             Tile& tile) const {
    int const pitch = shared.pitch;
    bool const weighted = problem_.is_weighted();
    for (int u = team.team_rank(); u < pitch; u += team.team_size()) shared.chunk[u] = 0;
    stage.stream(row, begin, end, [&](Real const* y, Real const* g, Real const* h, int terms) {
      if (system.i >= 0) {
        Real const* x = y + system.i * T;
        Real const* z = y + system.j * T;
        if (weighted) {
          for (int s = 0; s < terms; ++s) {
            auto factor = Tile::read(z + s * pitch);
            CARROLL_UNROLL
            for (int c = 0; c < T; ++c) factor.entry[c] *= g[s];
            tile.add_product(Tile::read(x + s * pitch), factor);
          }
        } else {
          for (int s = 0; s < terms; ++s)
            tile.add_product(Tile::read(x + s * pitch), Tile::read(z + s * pitch));
        }
      }
      for (int u = team.team_rank(); u < pitch; u += team.team_size()) {
        Real sum = shared.chunk[u];
        for (int s = 0; s < terms; ++s) sum = Kokkos::fma(y[s * pitch + u], h[s], sum);
        shared.chunk[u] = sum;
      }
    });
    for (int u = team.team_rank(); u < pitch; u += team.team_size())
      shared.right[u] += shared.chunk[u];
  }

  KOKKOS_FORCEINLINE_FUNCTION void deal_with(RowSum const& sum, TeamMember<ExecSpace> const& team,
                                             Stage const&, Shared const& shared,
                                             System const& system) const {
    bool const carried = sum.carry_from >= 0;
    std::int32_t const first = carried ? sum.carry_from : sum.first;
    std::ptrdiff_t const at = static_cast<std::ptrdiff_t>(team.team_rank()) * (T * T);
    Tile tile;
    tile.clear();
    if (system.i >= 0) {
      tile.load(slot(first) + at);
      for (int s = carried ? 0 : 1; s < sum.count; ++s) tile.add(slot(sum.first + s) + at);
    }
    for (int u = team.team_rank(); u < shared.pitch; u += team.team_size()) {
      Real right = right_of(slot(first))[u];
      for (int s = carried ? 0 : 1; s < sum.count; ++s) right += right_of(slot(sum.first + s))[u];
      shared.right[u] = right;
    }
    if (sum.carry_to < 0) {
      fast_team_barrier(team);
      system.finish(sum.row, tile);
    } else {
      Real* const to = slot(sum.carry_to);
      if (system.i >= 0) tile.store(to + at);
      for (int u = team.team_rank(); u < shared.pitch; u += team.team_size())
        right_of(to)[u] = shared.right[u];
    }
  }

  KOKKOS_FUNCTION Real* right_of(Real* image) const {
    int const tiles = (problem_.unknowns() + T - 1) / T;
    return image + static_cast<std::ptrdiff_t>(TilePlace::before(tiles)) * (T * T);
  }

  RowEquations<Real> problem_;
  Work const* work_;
  std::int64_t count_;
  Real *slots_, *own_;
  bool by_words_;
};

}  // namespace carroll::detail
