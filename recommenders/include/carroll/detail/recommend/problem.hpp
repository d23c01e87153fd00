// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/recommend/order.hpp>
#include <carroll/detail/strided.hpp>
#include <cstdint>

/// The N best of all items for each of some rows: score(j) = (left(row)·V(j) + base(j)) +
/// bias(row).
namespace carroll::detail {

/// What kernels count; integers, in any order.
enum class BestCount { cold, not_full, bad, all };

template <class Real, class MemorySpace>
struct BestProblem {
  using Indices = Kokkos::View<std::int32_t const*, Kokkos::LayoutRight, MemorySpace>;
  using Offsets = Kokkos::View<std::int64_t const*, Kokkos::LayoutRight, MemorySpace>;
  using Numbers = Kokkos::View<Real const*, Kokkos::LayoutRight, MemorySpace>;
  using Matrix = Kokkos::View<Real const**, Kokkos::LayoutRight, MemorySpace>;

  StridedVector<std::int32_t const> rows;  ///< whose scores are wanted: indices into `left`
  std::int64_t row_count = 0;
  Matrix left, V;
  Numbers bias;        ///< of rows of `left`, or empty
  Numbers base;        ///< of items; on devices it may be empty where all have
  Real mean = 0;       ///< … this one
  Offsets offsets;     ///< of the seen items of rows of `left`, where they are asked for
  Indices seen;        ///< behind those
  Indices cold_items;  ///< whose products do not count
  bool leaves_out_seen = false;
  bool cold_by_seen = false;  ///< is a row without seen items cold?
  bool not_itself = false;    ///< is a row no candidate for itself?

  StridedMatrix<std::int32_t> ids;
  StridedMatrix<Real> scores;
  std::int32_t wanted = 0;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t items() const {
    return static_cast<std::int64_t>(V.extent(0));
  }
  /// Is nothing known of the row with that number?
  [[nodiscard]] KOKKOS_FUNCTION bool is_cold(std::int64_t row) const {
    if (row < 0 || row >= static_cast<std::int64_t>(left.extent(0))) return true;
    return cold_by_seen && offsets(row) == offsets(row + 1);
  }
  [[nodiscard]] KOKKOS_FUNCTION Real bias_of(std::int64_t row) const {
    return bias.extent(0) == 0 || is_cold(row) ? Real(0) : bias(row);
  }
};

/// The scores of some consecutive rows, and what has been counted.
template <class Real, class MemorySpace>
struct BestTile {
  std::int64_t begin = 0, end = 0;  ///< of rows
  std::int64_t factors = 0;
  Real* left = nullptr;                   ///< rows × factors, rows of all tiles
  Real* scores = nullptr;                 ///< rows × items
  Candidate<Real>* candidates = nullptr;  ///< rows × capacity, of hosts
  std::int64_t capacity = 0;
  std::int64_t* counts = nullptr;  ///< of BestCount
};

}  // namespace carroll::detail
