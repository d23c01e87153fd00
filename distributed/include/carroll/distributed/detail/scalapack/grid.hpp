// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <carroll/distributed/detail/scalapack/prototypes.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

/// Ranks and matrices as ScaLAPACK wants them.
namespace carroll::distributed::detail::scalapack {

/// A communicator as BLACS knows it: there is one number for all grids on it, which is given back
/// with the last of them.
class SystemHandle {
 public:
  [[nodiscard]] static std::shared_ptr<SystemHandle const> of(MPI_Comm comm) {
    static std::map<int, std::weak_ptr<SystemHandle const>> known;
    int const number = Csys2blacs_handle(comm);
    auto handle = known[number].lock();
    if (!handle) known[number] = handle = std::make_shared<SystemHandle const>(number);
    return handle;
  }

  explicit SystemHandle(int number) : number_(number) {}
  SystemHandle(SystemHandle const&) = delete;
  SystemHandle& operator=(SystemHandle const&) = delete;
  ~SystemHandle() { Cfree_blacs_system_handle(number_); }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// A grid of ranks, `rows`×`cols`, numbered row by row from rank `first` on, or `turned`, from the
/// last of these on; the others are not in it. Making one is collective. It must be gone before
/// MPI_Finalize.
class Grid {
 public:
  Grid() = default;
  Grid(MPI_Comm comm, int first, int rows, int cols, bool turned = false)
      : context_(std::make_shared<Context>(comm, first, rows, cols, turned)) {}

  [[nodiscard]] int context() const { return context_->number; }
  [[nodiscard]] int rows() const { return context_->rows; }
  [[nodiscard]] int cols() const { return context_->cols; }
  /// This rank's place, -1 where it has none.
  [[nodiscard]] int row() const { return context_->row; }
  [[nodiscard]] int col() const { return context_->col; }

 private:
  struct Context {
    std::shared_ptr<SystemHandle const> handle;
    int number, rows, cols, row = -1, col = -1;

    Context(MPI_Comm comm, int first, int grid_rows, int grid_cols, bool turned)
        : handle(SystemHandle::of(comm)),
          number(handle->number()),
          rows(grid_rows),
          cols(grid_cols) {
      std::vector<int> map;
      for (int c = 0; c < cols; ++c)
        for (int r = 0; r < rows; ++r) {
          int const place = r * cols + c;
          map.push_back(first + (turned ? rows * cols - 1 - place : place));
        }
      Cblacs_gridmap(&number, map.data(), rows, rows, cols);
      int all_rows = 0, all_cols = 0;
      if (number >= 0) Cblacs_gridinfo(number, &all_rows, &all_cols, &row, &col);
    }
    Context(Context const&) = delete;
    Context& operator=(Context const&) = delete;
    ~Context() {
      if (number >= 0) Cblacs_gridexit(number);
    }
  };
  std::shared_ptr<Context> context_;
};

/// All ranks in as square a grid as there is, no more rows than columns. Up to three they are one
/// row, so that columns of a matrix are whole.
struct GridShape {
  int rows, cols;

  static GridShape of(int ranks) {
    int rows = 1;
    for (int r = 2; r * r <= ranks; ++r)
      if (ranks % r == 0) rows = r;
    return {rows, ranks / rows};
  }
  /// As many of the ranks as there is use for, in a grid of up to `most` rows and columns.
  static GridShape of(int ranks, std::int64_t most) {
    GridShape best{1, 1};
    for (int rows = 1; rows <= most && rows * rows <= ranks; ++rows) {
      auto const cols = static_cast<int>(std::min<std::int64_t>(ranks / rows, most));
      if (rows * cols >= best.rows * best.cols) best = {rows, cols};
    }
    return best;
  }
};

/// A matrix on a grid, in blocks: ScaLAPACK's descriptor.
class Matrix {
 public:
  Matrix() = default;
  /// m×n in blocks of row_block × col_block, which are dealt out from the grid's first row on and
  /// from its column `first_col` on.
  Matrix(Grid const& grid, std::int64_t m, std::int64_t n, std::int64_t row_block,
         std::int64_t col_block, std::int64_t leading = 0, int first_col = 0) {
    local_rows_ = count(m, row_block, grid.row(), grid.rows());
    turn_ = grid.col() < 0 ? -1 : (grid.col() + grid.cols() - first_col) % grid.cols();
    local_cols_ = count(n, col_block, turn_, grid.cols());
    std::int64_t const least = std::max<std::int64_t>(local_rows_, 1);
    auto const number = [](std::int64_t x) { return static_cast<int>(x); };
    descriptor_ = {1,         grid.context(),    number(m),
                   number(n), number(row_block), number(col_block),
                   0,         first_col,         number(std::max(leading, least))};
  }

  [[nodiscard]] int const* descriptor() const { return descriptor_.data(); }
  [[nodiscard]] std::int64_t leading() const { return descriptor_[8]; }
  [[nodiscard]] std::int64_t local_rows() const { return local_rows_; }
  [[nodiscard]] std::int64_t local_cols() const { return local_cols_; }
  /// This rank's place among those that columns are dealt out to; -1 where it has none.
  [[nodiscard]] int turn() const { return turn_; }
  /// Entries that this rank holds, and at least one, so that there is something to point to.
  [[nodiscard]] std::int64_t entries() const {
    return std::max<std::int64_t>(leading() * local_cols_, 1);
  }

  /// Rows or columns of those in turns of `block`, of one of `ranks`.
  static std::int64_t count(std::int64_t length, std::int64_t block, int rank, int ranks) {
    if (rank < 0) return 0;
    std::int64_t const whole = length / block, rounds = whole / ranks;
    std::int64_t const more = whole % ranks;
    return rounds * block + (rank < more ? block : rank == more ? length % block : 0);
  }
  /// The row (column) that has place `local` on a rank.
  static std::int64_t global(std::int64_t local, std::int64_t block, int rank, int ranks) {
    return (local / block * ranks + rank) * block + local % block;
  }

 private:
  std::array<int, 9> descriptor_{};
  std::int64_t local_rows_ = 0, local_cols_ = 0;
  int turn_ = 0;
};

/// Rows and columns of a block of what ScaLAPACK works on.
inline constexpr std::int64_t default_block = 64;

}  // namespace carroll::distributed::detail::scalapack
