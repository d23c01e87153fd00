// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/distributed/cyclic_layout.hpp>
#include <cstddef>
#include <cstdint>

/// A rank's rows of a matrix, and the steps of its condensation. As in the plain solver
/// (carroll/detail/determinant/problem.hpp) rows and columns are counted from the last one: row 0
/// is condensed first. Blocks and steps are counted likewise, all whole but the last.
///
/// A rank's rows stand one behind the other, but kernels number them as rows of the whole matrix:
/// for the rows of one block that is a shift.
namespace carroll::distributed::detail {

using carroll::detail::DeterminantBatch;
using carroll::detail::DeterminantRows;
using carroll::detail::DeterminantState;
using carroll::detail::StridedMatrix;

/// Some of a rank's rows, by their places among them.
struct LocalRange {
  int begin = 0, end = 0;
  [[nodiscard]] int count() const { return end - begin; }
};

template <class T>
struct RankProblem {
  CyclicLayout layout;
  int rank = 0;
  int unit = 1;           ///< rows of a step, which divide a block
  StridedMatrix<T> rows;  ///< this rank's, from the last one
  int count = 0;          ///< of them
  int n = 0, block = 1, ranks = 1;
  int last = 0;  ///< of this rank's blocks, counted from the matrix' last
  /// Arrays of all rows of the matrix, of which those of this rank's rows are in use.
  DeterminantRows<T> lines;
  carroll::detail::RealOf<T>* row_bounds = nullptr;  ///< no entry of a row is larger

  RankProblem() = default;
  /// `A`: in the caller's order, in which columns may stay.
  RankProblem(CyclicLayout const& cyclic, int my_rank, int rows_of_step, StridedMatrix<T> const& A,
              bool turn_columns)
      : layout(cyclic), rank(my_rank), unit(rows_of_step) {
    count = static_cast<int>(layout.rows(rank));
    n = static_cast<int>(layout.n);
    block = static_cast<int>(layout.block);
    ranks = layout.ranks;
    // The matrix' last block, number 0 here, is that of rank (blocks - 1) mod ranks.
    last = static_cast<int>((layout.blocks() - 1 - rank) % ranks);
    rows = A;
    if (A.data == nullptr) return;  // nothing but a shape
    if (count > 0) {
      rows.data += (count - 1) * A.row_stride;
      rows.row_stride = -A.row_stride;
    }
    if (count > 0 && turn_columns) {
      rows.data += (n - 1) * A.col_stride;
      rows.col_stride = -A.col_stride;
    }
  }

  [[nodiscard]] int steps() const { return (n + unit - 1) / unit; }
  [[nodiscard]] int first(int step) const { return step * unit; }
  [[nodiscard]] int rows_of(int step) const { return std::min(unit, n - first(step)); }
  [[nodiscard]] int owner(int step) const {
    return layout.rank_of_block(layout.blocks() - 1 - first(step) / layout.block);
  }
  [[nodiscard]] bool is_mine(int step) const { return owner(step) == rank; }

  /// What takes place `local` among this rank's rows to the row's number.
  [[nodiscard]] KOKKOS_FUNCTION int shift_of(int local) const {
    int const turn = local / block;  // of this rank's blocks
    return (last + turn * ranks - turn) * block;
  }
  /// This rank's rows of a step, or of those from it on.
  [[nodiscard]] LocalRange of_step(int step) const {
    LocalRange const all = from_step(step);
    return {all.begin, is_mine(step) ? all.begin + rows_of(step) : all.begin};
  }
  [[nodiscard]] LocalRange from_step(int step) const {
    int const g = first(step);
    if (g >= n) return {count, count};
    int const number = g / block;  // of the block
    // Whole blocks before that one, and, if it is this rank's, the rows before the step.
    int const before = number > last ? (number - last - 1) / ranks + 1 : 0;
    int const within = is_mine(step) ? g % block : 0;
    return {std::min(before * block + within, count), count};
  }

  /// The matrix with rows numbered as all kernels do: its rows of the block that has place `local`
  /// may be used.
  [[nodiscard]] KOKKOS_FUNCTION StridedMatrix<T> numbered(int local) const {
    return {rows.data - shift_of(local) * rows.row_stride, rows.row_stride, rows.col_stride};
  }
  /// The same as the batch that the plain solver's kernels ask for, which turn it around again.
  [[nodiscard]] KOKKOS_FUNCTION DeterminantBatch<T> batch(int local) const {
    return batch_of(numbered(local));
  }
  [[nodiscard]] KOKKOS_FUNCTION DeterminantBatch<T> batch_of(StridedMatrix<T> const& A) const {
    DeterminantBatch<T> batch;
    batch.n = n;
    batch.members = 1;
    batch.work.data = A.data + static_cast<std::ptrdiff_t>(n - 1) * (A.row_stride + A.col_stride);
    batch.work.strides = {0, -A.row_stride, -A.col_stride};
    batch.source.data = batch.work.data;
    batch.source.strides = batch.work.strides;
    batch.exponents = lines.row_exponent;
    batch.row_tops = lines.row_top;
    return batch;
  }
};

}  // namespace carroll::distributed::detail
