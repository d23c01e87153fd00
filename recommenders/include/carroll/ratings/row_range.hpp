// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/concepts.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/host_copy.hpp>
#include <carroll/error.hpp>
#include <carroll/ratings/rows.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace carroll {

namespace detail {

/// to(r) := from(r) - from(0)
template <class From, class To>
struct OffsetsFromZero {
  From from;
  To to;
  KOKKOS_FUNCTION void operator()(std::int64_t r) const { to(r) = from(r) - from(0); }
};

}  // namespace detail

/// Rows begin, …, end - 1 of ratings one way, by themselves: columns and values are shared with
/// `rows`, offsets are new ones, from 0. O(end - begin) work; fences `exec`.
///
/// Throws std::invalid_argument unless 0 <= begin <= end <= rows.row_count, AllocationError for
/// want of memory.
template <ExecutionSpace ExecSpace, class Real>
[[nodiscard]] RatingRows<Real, typename ExecSpace::memory_space> row_range(
    ExecSpace const& exec, RatingRows<Real, typename ExecSpace::memory_space> const& rows,
    std::int64_t begin, std::int64_t end) {
  using MemorySpace = typename ExecSpace::memory_space;
  detail::require(0 <= begin && begin <= end && end <= rows.row_count, "carroll::row_range", [&] {
    return "rows " + std::to_string(begin) + " to " + std::to_string(end) + " are wanted of " +
           std::to_string(rows.row_count);
  });
  RatingRows<Real, MemorySpace> part;
  part.row_count = static_cast<std::int32_t>(end - begin);
  part.column_count = rows.column_count;
  using Offsets = Kokkos::View<std::int64_t*, Kokkos::LayoutRight, MemorySpace>;
  auto const offsets =
      detail::allocate<Offsets>(exec, "carroll::ratings::offsets", end - begin + 1);
  part.offsets = offsets;
  if (rows.row_count == 0) {
    Kokkos::deep_copy(exec, offsets, std::int64_t{0});
    exec.fence("carroll::row_range");
    return part;
  }
  auto const from = Kokkos::subview(
      rows.offsets, std::pair(static_cast<std::size_t>(begin), static_cast<std::size_t>(end) + 1));
  auto const at = [&](std::int64_t row) {
    auto const i = static_cast<std::size_t>(row);
    return static_cast<std::size_t>(
        detail::on_host(exec, Kokkos::subview(rows.offsets, std::pair(i, i + 1))).front());
  };
  std::pair const ratings(at(begin), at(end));
  part.columns = Kokkos::subview(rows.columns, ratings);
  part.values = Kokkos::subview(rows.values, ratings);
  using Kernel = detail::OffsetsFromZero<decltype(from), Offsets>;
  Kokkos::parallel_for(
      "carroll::ratings::offsets",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, end - begin + 1),
      Kernel{from, offsets});
  exec.fence("carroll::row_range");
  return part;
}

}  // namespace carroll
