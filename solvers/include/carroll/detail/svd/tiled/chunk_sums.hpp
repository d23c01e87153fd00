// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/device/signals.hpp>
#include <carroll/detail/device/warp.hpp>
#include <carroll/detail/power_of_two.hpp>
#include <carroll/detail/svd/batch.hpp>
#include <carroll/detail/svd/dispatch.hpp>
#include <carroll/detail/svd/tiled/panel.hpp>
#include <carroll/detail/unroll.hpp>
#include <cstdint>

/// What the teams of one launch owe one another: sums over the chunks of long columns, and the
/// order in which tiles are begun.
namespace carroll::detail {

/// Sums over the teams that hold the chunks of one tile. They pass through memory in words that
/// carry the number of their round beside half a number each, so that a word that has arrived is
/// known by itself. All of these teams have to be resident together; they begin next to one another
/// (see TeamOrder), after teams that wait for none of them.
template <class Real>
class ChunkSums {
 public:
  /// `words` are the tile's; rounds are counted apart in every launch.
  KOKKOS_FUNCTION ChunkSums(std::uint64_t* words, int launch, TilePanelThreads const& threads)
      : words_(words),
        stamp_(static_cast<std::uint32_t>(launch + 1) << 24),
        chunk_(threads.chunk()),
        chunks_(threads.chunks()) {}

  KOKKOS_FUNCTION bool alone() const { return chunks_ == 1; }
  /// Before each round, by all threads.
  KOKKOS_FUNCTION void next_round() { ++stamp_; }

  /// Σ over the chunks from `from` on, of sum `e` < 256 of this round.
  KOKKOS_FUNCTION Real operator()(int from, int e, Real mine) const {
    put(place(chunk_, e), mine);
    std::uint64_t words[most_chunks][words_each];
    auto const others = [&](int c) { return c >= from && c < chunks_ && c != chunk_; };
    CARROLL_UNROLL
    for (int c = 0; c < most_chunks; ++c) CARROLL_UNROLL
    for (int w = 0; w < words_each; ++w)
      words[c][w] = others(c) ? look_at_stamped(place(c, e) + w) : 0;
    Real sum = 0;
    CARROLL_UNROLL
    for (int c = 0; c < most_chunks; ++c) {
      if (c == chunk_) sum += mine;
      if (others(c)) sum += get(place(c, e), words[c]);
    }
    return sum;
  }

 private:
  static constexpr int most_chunks = most_tile_rows / panel_chunk_rows<Real>;
  static constexpr int words_each = sizeof(Real) / 4;

  KOKKOS_FUNCTION std::uint64_t* place(int chunk, int e) const {
    int const turn = static_cast<int>(stamp_ & 1U);
    return words_ + ((turn * chunks_ + chunk) * tile_columns * tile_columns + e) * words_each;
  }
  KOKKOS_FUNCTION void put(std::uint64_t* to, Real x) const {
    auto const bits = static_cast<std::uint64_t>(Kokkos::bit_cast<BitsOf<Real>>(x));
    CARROLL_UNROLL
    for (int w = 0; w < words_each; ++w)
      post_stamped(to + w, stamp_, static_cast<std::uint32_t>(bits >> 32 * w));
  }
  /// The number in words that are looked at until they are those of this round.
  KOKKOS_FUNCTION Real get(std::uint64_t const* from,
                           std::uint64_t const (&words)[words_each]) const {
    std::uint64_t bits = 0;
    CARROLL_UNROLL
    for (int w = 0; w < words_each; ++w)
      bits |= std::uint64_t{wait_for_stamped(from + w, stamp_, words[w])} << 32 * w;
    return Kokkos::bit_cast<Real>(static_cast<BitsOf<Real>>(bits));
  }

  std::uint64_t* words_;
  std::uint32_t stamp_;
  int chunk_, chunks_;
};

/// Teams, one for each chunk of each tile of each member: as many as the widest and the longest of
/// them have.
struct TileTeams {
  int members, tiles, chunks;

  int count() const { return members * tiles * chunks; }
};

/// Which tile a team works on: teams take numbers as they begin. The teams of a tile's chunks begin
/// together, those of tile 0 of all members first. A team may therefore wait for any tile before
/// its own, whatever order the device starts teams in.
struct TeamOrder {
  int tile, member, chunk;

  template <class Member, class Real>
  KOKKOS_FUNCTION static TeamOrder next(Member const& team, SvdBatch<Real> const& batch, int launch,
                                        TileTeams const& teams) {
    int number = 0;
    if (team.team_rank() == 0) number = draw_ticket(&batch.states[batch.index(0)].begun[launch]);
    team.team_broadcast(number, 0);
    return {number / teams.chunks / teams.members, number / teams.chunks % teams.members,
            number % teams.chunks};
  }
};

}  // namespace carroll::detail
