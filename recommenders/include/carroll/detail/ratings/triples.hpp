// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

namespace carroll::detail {

/// Ratings as triples, in memory of their own.
template <class Real, class MemorySpace>
struct Triples {
  using Indices = Kokkos::View<std::int32_t*, Kokkos::LayoutRight, MemorySpace>;
  using Values = Kokkos::View<Real*, Kokkos::LayoutRight, MemorySpace>;

  Indices rows, cols;
  Values values;

  template <class ExecSpace>
  static Triples make(ExecSpace const& exec, std::int64_t count) {
    return {allocate<Indices>(exec, "carroll::ratings::rows", count),
            allocate<Indices>(exec, "carroll::ratings::columns", count),
            allocate<Values>(exec, "carroll::ratings::values", count)};
  }

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const {
    return static_cast<std::int64_t>(values.extent(0));
  }
  /// The same ratings of the transposed matrix.
  [[nodiscard]] Triples transposed() const { return {cols, rows, values}; }

  /// Entry `to` := entry `from` of another.
  KOKKOS_FUNCTION void take(std::int64_t to, Triples const& other, std::int64_t from) const {
    rows(to) = other.rows(from);
    cols(to) = other.cols(from);
    values(to) = other.values(from);
  }
  /// Is it of the same user and item as the one before?
  [[nodiscard]] KOKKOS_FUNCTION bool repeats(std::int64_t e) const {
    return e > 0 && rows(e) == rows(e - 1) && cols(e) == cols(e - 1);
  }
};

/// An uninitialised matrix made on the given instance, or an error that says what it was for.
template <class Matrix, class ExecSpace>
Matrix allocate_matrix(ExecSpace const& exec, char const* label, std::size_t rows,
                       std::size_t cols) {
  try {
    return Matrix(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)), rows,
                  cols);
  } catch (std::exception const& cause) {
    throw AllocationError(label, rows * cols * sizeof(typename Matrix::value_type), cause.what());
  }
}

template <class ExecSpace>
using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

}  // namespace carroll::detail
