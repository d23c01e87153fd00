// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/distributed/block_layout.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/detail/scalapack/grid.hpp>
#include <carroll/distributed/detail/scalapack/scalar.hpp>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// Between ranks' rows and ScaLAPACK's blocks in two dimensions.
namespace carroll::distributed::detail::scalapack {

template <class T>
using Buffer = Kokkos::View<T*, Kokkos::HostSpace>;

template <class T>
Buffer<T> buffer(std::int64_t entries) {
  return carroll::detail::allocate<Buffer<T>>(Kokkos::DefaultHostExecutionSpace(),
                                              "carroll::distributed::scalapack", entries);
}

/// A matrix in blocks, with this rank's share of it.
template <class T>
struct Share {
  Matrix matrix;
  Buffer<T> data;

  void allocate() { data = buffer<T>(matrix.entries()); }
  [[nodiscard]] auto* scalars() const { return scalapack::scalars(data.data()); }
};

/// A grid of ranks that work on a matrix, and one for each rank alone, from which its rows come and
/// to which they go. Each rank of the grid has a block of the matrix at least: p?gesvd takes it for
/// a failure of the machine that one without any knows no singular values. Making it is collective.
class RankGrids {
 public:
  /// `blocks`: that fit side by side on the shortest side.
  RankGrids(MPI_Comm comm, std::int64_t blocks) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    auto const shape = GridShape::of(ranks, blocks);
    work_ = Grid(comm, 0, shape.rows, shape.cols);
    all_ = Grid(comm, 0, 1, ranks);
    for (int rank = 0; rank < ranks; ++rank) own_.emplace_back(comm, rank, 1, 1);
  }
  /// Of which rank 0 is the first.
  [[nodiscard]] Grid const& work() const { return work_; }
  [[nodiscard]] bool works() const { return work_.row() >= 0; }

  /// Rows of all ranks, column by column without gaps, into a matrix, or back.
  template <class T>
  void scatter(BlockLayout const& layout, T const* rows, std::int64_t cols,
               Share<T> const& to) const {
    for_each_rank(layout, cols, [&](int m, int n, int first, Matrix const& from) {
      move(m, n, scalars(rows), 1, 1, from.descriptor(), to.scalars(), first, 1,
           to.matrix.descriptor(), all_.context());
    });
  }
  template <class T>
  void gather(BlockLayout const& layout, Share<T> const& from, T* rows, std::int64_t cols) const {
    for_each_rank(layout, cols, [&](int m, int n, int first, Matrix const& to) {
      move(m, n, from.scalars(), first, 1, from.matrix.descriptor(), scalars(rows), 1, 1,
           to.descriptor(), all_.context());
    });
  }
  /// Columns of a matrix as rows of all ranks, row by row without gaps.
  template <class T>
  void gather_transposed(BlockLayout const& layout, Share<T> const& from, T* rows,
                         std::int64_t cols) const {
    for (int rank = 0; rank < layout.ranks(); ++rank) {
      if (layout.count(rank) == 0 || cols == 0) continue;
      Matrix const to(own_[static_cast<std::size_t>(rank)], cols, layout.count(rank), cols,
                      layout.count(rank), cols);
      move(static_cast<int>(cols), static_cast<int>(layout.count(rank)), from.scalars(), 1,
           static_cast<int>(layout.begin(rank)) + 1, from.matrix.descriptor(), scalars(rows), 1, 1,
           to.descriptor(), all_.context());
    }
  }

 private:
  template <class F>
  void for_each_rank(BlockLayout const& layout, std::int64_t cols, F const& f) const {
    for (int rank = 0; rank < layout.ranks(); ++rank) {
      std::int64_t const rows = layout.count(rank);
      if (rows == 0 || cols == 0) continue;
      Matrix const own(own_[static_cast<std::size_t>(rank)], rows, cols, rows, cols, rows);
      f(static_cast<int>(rows), static_cast<int>(cols), static_cast<int>(layout.begin(rank)) + 1,
        own);
    }
  }

  Grid work_, all_;
  std::vector<Grid> own_;
};

/// Throws std::invalid_argument unless ScaLAPACK can count a rank's entries.
inline void require_countable(char const* function, Matrix const& matrix) {
  carroll::detail::require(matrix.entries() <= std::numeric_limits<int>::max(), function, [&] {
    return "ScaLAPACK counts with int: " + std::to_string(matrix.entries()) +
           " entries are too many for a rank";
  });
}

/// A View's entries column by column. False if one is NaN or infinite.
template <class View, class T>
bool pack(View const& A, Buffer<T> const& packed) {
  auto const m = A.extent(0), n = A.extent(1);
  bool finite = true;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < m; ++i) {
      packed(j * m + i) = A(i, j);
      finite = finite && Kokkos::isfinite(carroll::detail::largest_part(T(A(i, j))));
    }
  return finite;
}

/// All entries := x.
template <class View, class T>
void fill(View const& A, T const& x) {
  for (std::size_t i = 0; i < A.extent(0); ++i)
    for (std::size_t j = 0; j < A.extent(1); ++j) A(i, j) = x;
}

}  // namespace carroll::distributed::detail::scalapack
