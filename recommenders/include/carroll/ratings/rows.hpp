// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace carroll {

/// Ratings one way: by user, a row is a user and a column an item; by item, the other way round.
/// The ratings of row r stand at offsets(r) <= e < offsets(r + 1), ascending by column, each column
/// at most once. Read only; copies share the memory.
template <class Real, class MemorySpace>
struct RatingRows {
  using value_type = Real;
  using memory_space = MemorySpace;

  Kokkos::View<std::int64_t const*, Kokkos::LayoutRight, MemorySpace> offsets;  ///< row_count + 1
  Kokkos::View<std::int32_t const*, Kokkos::LayoutRight, MemorySpace> columns;
  Kokkos::View<Real const*, Kokkos::LayoutRight, MemorySpace> values;
  std::int32_t row_count = 0;
  std::int32_t column_count = 0;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t rating_count() const {
    return static_cast<std::int64_t>(columns.extent(0));
  }
};

}  // namespace carroll
