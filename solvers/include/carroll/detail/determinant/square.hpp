// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/bind.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <string>

/// What the checks of views of square matrices have in common.
namespace carroll::detail {

struct SquareExtents {
  std::int64_t batch, n;
};

/// Of a View of rank 2 (one matrix) or 3 (a batch).
template <class AView>
SquareExtents square_extents(char const* function, AView const& A) {
  constexpr int rank = int(AView::rank);
  auto const rows = static_cast<std::int64_t>(A.extent(rank - 2));
  auto const cols = static_cast<std::int64_t>(A.extent(rank - 1));
  require(rows == cols, function, [&] {
    return "A is " + view_extents_text(A) + ", must be square: it has " + std::to_string(rows) +
           " rows and " + std::to_string(cols) + " columns";
  });
  return {rank == 3 ? static_cast<std::int64_t>(A.extent(0)) : 1, rows};
}

/// The same, which must be those of the workspace.
template <class AView, class Extents>
void require_square(char const* function, AView const& A, Extents const& made) {
  auto const actual = square_extents(function, A);
  require(actual.batch == made.batch && actual.n == made.n, function, [&] {
    return "A is " + view_extents_text(A) + ", the workspace was made for " +
           extents_text({made.batch, made.n, made.n}) + " (batch×n×n)";
  });
}

}  // namespace carroll::detail
