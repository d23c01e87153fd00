// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <carroll/detail/reduction/operation.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <cstdint>
#include <vector>

/// How a vector over ranks is cut along its canonical tree
/// (carroll/detail/reduction/operation.hpp): into whole subtrees, of which each rank has at most
/// two of each size. A chunk that ranks share is the first one's, whom the others send their
/// entries.
namespace carroll::distributed::detail {

using carroll::detail::chunk_terms;

/// A subtree of 2^level chunks, the last of which may be short; the first is chunk `first`.
struct ReductionPiece {
  std::int64_t first;
  int level;
};

/// Entries `begin` to `end` - 1 of a chunk, which `rank` has and another one collects.
struct ChunkShare {
  int rank;
  std::int64_t begin, end;
};

struct RankPieces {
  std::vector<ReductionPiece> pieces;
  /// Of the chunk that is not whole here: who has the rest. Empty where there is none.
  std::vector<ChunkShare> shares;
  std::int64_t shared_chunk = -1;
  /// Entries at the begin of this rank's that go to `owner`; none where owner is -1.
  std::int64_t given = 0;
  int owner = -1;
};

constexpr std::int64_t chunk_begin(std::int64_t chunk) {
  return chunk * chunk_terms;
}
constexpr std::int64_t chunks_of(std::int64_t entries) {
  return entries / chunk_terms + (entries % chunk_terms != 0);
}

/// What a rank has.
inline RankPieces rank_pieces(BlockLayout const& layout, int rank) {
  std::int64_t const begin = layout.begin(rank), end = layout.end(rank), length = layout.length();
  RankPieces result;
  if (begin == end) return result;
  std::int64_t first = chunks_of(begin);
  if (chunk_begin(first) != begin) {
    result.given = std::min(chunk_begin(first), end) - begin;
    result.owner = layout.owner(chunk_begin(first - 1));
  }
  // Chunks that begin here are this rank's.
  std::int64_t const last = chunks_of(end);
  if (first < last && std::min(chunk_begin(last), length) > end) {
    result.shared_chunk = last - 1;
    std::int64_t const chunk_end = std::min(chunk_begin(last), length);
    for (int other = rank + 1; other < layout.ranks() && layout.begin(other) < chunk_end; ++other)
      if (layout.count(other) > 0)
        result.shares.push_back(
            {other, layout.begin(other), std::min(chunk_end, layout.end(other))});
  }
  while (first < last) {
    int const aligned = first == 0 ? 62 : std::countr_zero(static_cast<std::uint64_t>(first));
    int const fits = std::bit_width(static_cast<std::uint64_t>(last - first)) - 1;
    // The shared chunk is collected, and so a piece of its own.
    bool const shares = result.shared_chunk >= 0 && last - first > 1;
    int const apart =
        shares ? std::bit_width(static_cast<std::uint64_t>(last - 1 - first)) - 1 : fits;
    int const level = std::min({aligned, fits, apart});
    result.pieces.push_back({first, level});
    first += std::int64_t{1} << level;
  }
  return result;
}

/// Entries of a piece.
inline std::int64_t piece_begin(ReductionPiece const& piece) {
  return chunk_begin(piece.first);
}
inline std::int64_t piece_end(ReductionPiece const& piece, std::int64_t length) {
  return std::min(length, chunk_begin(piece.first + (std::int64_t{1} << piece.level)));
}

}  // namespace carroll::distributed::detail
