// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/random.hpp>
#include <carroll/detail/ratings/triples.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstdint>
#include <limits>

/// Marks of ratings that are kept back: 1 at their places among those by user. Random ones are a
/// function of the seed, the user and the item, so that they do not depend on what else is there.
namespace carroll::detail {

template <class MemorySpace>
using Marks = Kokkos::View<std::uint8_t*, Kokkos::LayoutRight, MemorySpace>;

/// Streams of random numbers of a seed.
enum class SplitStream : std::uint32_t { random = 0x53504c49, leave_out };

/// 64 bits for a user and an item; streams of one seed are independent.
KOKKOS_INLINE_FUNCTION std::uint64_t split_bits(std::uint64_t seed, SplitStream stream,
                                                std::int32_t user, std::int32_t item) {
  auto const bits =
      philox(seed, {static_cast<std::uint32_t>(user), static_cast<std::uint32_t>(item),
                    static_cast<std::uint32_t>(stream), 0});
  return std::uint64_t{bits[0]} << 32U | bits[1];
}

/// The row in which entry e stands.
template <class Offsets>
KOKKOS_INLINE_FUNCTION std::int32_t row_of(Offsets const& offsets, std::int32_t rows,
                                           std::int64_t e) {
  std::int32_t begin = 0, end = rows;  // offsets(begin) <= e < offsets(end)
  while (end - begin > 1) {
    std::int32_t const middle = begin + (end - begin) / 2;
    if (offsets(middle) <= e)
      begin = middle;
    else
      end = middle;
  }
  return begin;
}

template <class Real, class MemorySpace>
struct MarkAtRandom {
  RatingRows<Real, MemorySpace> rows;
  Marks<MemorySpace> marks;
  std::uint64_t seed;
  double fraction;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    std::int32_t const user = row_of(rows.offsets, rows.row_count, e);
    std::uint64_t const bits = split_bits(seed, SplitStream::random, user, rows.columns(e));
    marks(e) = static_cast<double>(bits >> 11U) * 0x1p-53 < fraction ? 1 : 0;
  }
};

/// A team for each user looks for the smallest of their ratings' random numbers, `leave_out` times.
template <class ExecSpace, class Real>
struct MarkOfEach {
  using Memory = typename ExecSpace::memory_space;
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  RatingRows<Real, Memory> rows;
  Marks<Memory> marks;
  std::uint64_t seed;
  std::int64_t leave_out;

  /// Different for different ratings of a user, and never 0.
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t key(std::int32_t user, std::int64_t e) const {
    std::int32_t const item = rows.columns(e);
    std::uint64_t const bits = split_bits(seed, SplitStream::leave_out, user, item);
    return (bits & 0xffffffff00000000U) | (static_cast<std::uint32_t>(item) + 1U);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const user = static_cast<std::int32_t>(team.league_rank());
    std::int64_t const begin = rows.offsets(user), end = rows.offsets(user + 1);
    // Who has no more than that keeps them all.
    std::int64_t const wanted = end - begin > leave_out ? leave_out : 0;
    std::uint64_t last = 0;
    for (std::int64_t k = 0; k < wanted; ++k) {
      std::uint64_t next = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, begin, end),
          [&](std::int64_t e, std::uint64_t& least) {
            std::uint64_t const own = key(user, e);
            if (own > last && own < least) least = own;
          },
          Kokkos::Min<std::uint64_t>(next));
      last = next;
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end),
                         [&](std::int64_t e) { marks(e) = key(user, e) <= last ? 1 : 0; });
  }
};

/// Those later than a time.
template <class TimeRows, class MemorySpace>
struct MarkLater {
  TimeRows times;
  Marks<MemorySpace> marks;
  typename TimeRows::value_type last;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const { marks(e) = times.values(e) > last; }
};

/// The first place where two sets of ratings are not of the same user and item.
template <class Rows, class OtherRows>
struct FirstOtherPair {
  Rows rows;
  OtherRows others;
  KOKKOS_FUNCTION void operator()(std::int64_t e, std::int64_t& first) const {
    bool const same =
        rows.columns(e) == others.columns(e) &&
        row_of(rows.offsets, rows.row_count, e) == row_of(others.offsets, others.row_count, e);
    if (!same) first = Kokkos::min(first, e);
  }
};

/// Those with a mark to one place, those without to the other.
template <class Real, class MemorySpace>
struct Part {
  RatingRows<Real, MemorySpace> rows;
  Marks<MemorySpace> marks;
  Triples<Real, MemorySpace> without, with;

  KOKKOS_FUNCTION void operator()(std::int64_t e, std::int64_t& marked, bool final) const {
    bool const mark = marks(e) != 0;
    if (final) {
      auto const& to = mark ? with : without;
      std::int64_t const place = mark ? marked : e - marked;
      to.rows(place) = row_of(rows.offsets, rows.row_count, e);
      to.cols(place) = rows.columns(e);
      to.values(place) = rows.values(e);
    }
    marked += mark ? 1 : 0;
  }
};

template <class MemorySpace>
struct CountMarks {
  Marks<MemorySpace> marks;
  KOKKOS_FUNCTION void operator()(std::int64_t e, std::int64_t& count) const { count += marks(e); }
};

}  // namespace carroll::detail
