// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/concepts.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/error.hpp>
#include <cstdint>
#include <string>

namespace carroll::distributed {

/// Ranks as a Cartesian grid: rank r·columns() + c stands in row r and column c. With one column a
/// matrix is distributed by rows, with one row by columns.
template <ExecutionSpace ExecSpace = Kokkos::DefaultExecutionSpace>
class Grid {
 public:
  /// Collective. Throws std::invalid_argument on all ranks unless rows·columns is their number.
  Grid(Communicator<ExecSpace> const& comm, int rows, int columns)
      : comm_(comm), row_ranks_(comm), column_ranks_(comm), rows_(rows), columns_(columns) {
    constexpr char const* function = "carroll::distributed::Grid";
    comm.agree(function, static_cast<std::uint64_t>(rows), [&] {
      carroll::detail::require(
          rows >= 1 && columns >= 1 && std::int64_t{rows} * columns == comm.size(), function, [&] {
            return "a grid of " + std::to_string(rows) + "×" + std::to_string(columns) + " for " +
                   std::to_string(comm.size()) + " ranks";
          });
    });
    row_ranks_ = comm.split(row(), column());
    column_ranks_ = comm.split(column(), row());
  }

  [[nodiscard]] Communicator<ExecSpace> const& comm() const { return comm_; }
  /// The ranks of this one's row, and of its column.
  [[nodiscard]] Communicator<ExecSpace> const& row_ranks() const { return row_ranks_; }
  [[nodiscard]] Communicator<ExecSpace> const& column_ranks() const { return column_ranks_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int row() const { return comm_.rank() / columns_; }
  [[nodiscard]] int column() const { return comm_.rank() % columns_; }

 private:
  Communicator<ExecSpace> comm_, row_ranks_, column_ranks_;
  int rows_, columns_;
};

/// A matrix on a grid: the rank in row r and column c has the block of rows r and columns c.
struct GridLayout {
  BlockLayout rows, columns;
  friend bool operator==(GridLayout const&, GridLayout const&) = default;
};

}  // namespace carroll::distributed
