// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/ratings/sort.hpp>
#include <carroll/detail/ratings/triples.hpp>
#include <carroll/ratings/rows.hpp>
#include <carroll/ratings/types.hpp>
#include <cstdint>

namespace carroll::detail {

/// offsets(r) := the first of the sorted triples whose row is not below r.
template <class Offsets, class Indices>
struct FindOffsets {
  Offsets offsets;
  Indices rows;
  KOKKOS_FUNCTION void operator()(std::int64_t r) const {
    std::int64_t begin = 0, end = static_cast<std::int64_t>(rows.extent(0));
    while (begin < end) {
      std::int64_t const middle = begin + (end - begin) / 2;
      if (rows(middle) < r)
        begin = middle + 1;
      else
        end = middle;
    }
    offsets(r) = begin;
  }
};

/// Places of those triples that stay: of each user and item the first.
template <class Real, class MemorySpace>
struct MergeRepeats {
  Triples<Real, MemorySpace> sorted, merged;
  Duplicates duplicates;

  KOKKOS_FUNCTION void operator()(std::int64_t e, std::int64_t& place, bool final) const {
    if (sorted.repeats(e)) return;
    if (final && merged.count() > 0) {
      merged.take(place, sorted, e);
      Real value = sorted.values(e);
      for (std::int64_t next = e + 1; next < sorted.count() && sorted.repeats(next); ++next)
        value = duplicates == Duplicates::sum ? value + sorted.values(next) : sorted.values(next);
      merged.values(place) = value;
    }
    ++place;
  }
};

/// Rows of triples that are sorted by row, then by column.
template <class ExecSpace, class Real>
RatingRows<Real, typename ExecSpace::memory_space> rating_rows(
    ExecSpace const& exec, Triples<Real, typename ExecSpace::memory_space> const& sorted,
    std::int32_t row_count, std::int32_t column_count) {
  using Offsets =
      Kokkos::View<std::int64_t*, Kokkos::LayoutRight, typename ExecSpace::memory_space>;
  auto const offsets =
      allocate<Offsets>(exec, "carroll::ratings::offsets", std::int64_t{row_count} + 1);
  using Find = FindOffsets<Offsets, decltype(sorted.rows)>;
  Kokkos::parallel_for("carroll::ratings::offsets",
                       Range<ExecSpace>(exec, 0, std::int64_t{row_count} + 1),
                       Find{offsets, sorted.rows});
  return {offsets, sorted.cols, sorted.values, row_count, column_count};
}

}  // namespace carroll::detail
