// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/allocate.hpp>
#include <carroll/detail/determinant/problem.hpp>
#include <carroll/distributed/communicator.hpp>
#include <carroll/distributed/cyclic_layout.hpp>
#include <carroll/distributed/detail/determinant/problem.hpp>
#include <carroll/distributed/detail/scalapack/grid.hpp>
#include <carroll/distributed/detail/scalapack/scalar.hpp>
#include <carroll/error.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// The determinant by p?getrf: of Aᵀ, whose columns are the ranks' rows. Partial pivoting there is
/// pivoting in the row of A, as Carroll's own.
namespace carroll::distributed::detail {

template <class T>
class ScalapackDeterminant {
 public:
  using Real = carroll::detail::RealOf<T>;

  /// Grids, and room for a layout in blocks of two dimensions. Collective.
  template <class ExecSpace>
  void prepare(Communicator<ExecSpace> const& comm, char const* function,
               CyclicLayout const& layout) {
    layout_ = layout;
    lines_ = scalapack::Grid(comm.raw(), 0, 1, comm.size());
    turned_lines_ = scalapack::Grid(comm.raw(), 0, 1, comm.size(), true);
    auto const shape = scalapack::GridShape::of(comm.size());
    grid_ = scalapack::Grid(comm.raw(), 0, shape.rows, shape.cols);
    whole_ = scalapack::Matrix(grid_, layout.n, layout.n, scalapack::default_block,
                               scalapack::default_block);
    comm.agree(function, 0, [&] {
      carroll::detail::require(whole_.entries() <= std::numeric_limits<int>::max(), function, [&] {
        return "ScaLAPACK counts with int: " + std::to_string(whole_.entries()) +
               " entries are too many for a rank";
      });
      pivots_.resize(static_cast<std::size_t>(
          std::max(whole_.local_rows() + scalapack::default_block, layout.n + layout.block)));
    });
  }

  /// Of the scaled matrix; `tops`: of all rows, from the first one on.
  template <class ExecSpace>
  DeterminantState<T> run(Communicator<ExecSpace> const& comm, char const* function,
                          StridedMatrix<T> const& A, std::vector<Real> const& tops,
                          DeterminantState<T> state) {
    Factors const factors = factorise(comm, function, A);
    auto const n = static_cast<int>(layout_.n);
    if (factors.turned && n / 2 % 2 == 1) state.info.value *= ScaledNumber<T>(T(-1), 0);
    if (factors.info > 0) {
      state.finish(Status::singular);
      return state;
    }
    // All diagonal entries and exchanges to everybody, who multiplies them from the first to the
    // last.
    std::vector<Entry> mine;
    for (std::int64_t j = 0; j < factors.matrix.local_cols(); ++j) {
      std::int64_t const g = factors.global_col(j);
      if (auto const i = factors.local_row(g); i >= 0)
        mine.push_back({factors.data[j * factors.matrix.leading() + i], static_cast<int>(g),
                        pivots_[static_cast<std::size_t>(i)] != g + 1});
    }
    auto lengths = comm.all_gather_value(static_cast<std::int64_t>(mine.size() * sizeof(Entry)));
    std::vector<Entry> all(static_cast<std::size_t>(layout_.n));
    all_gather_bytes(comm.raw(), comm.rank(), reinterpret_cast<std::byte const*>(mine.data()),
                     reinterpret_cast<std::byte*>(all.data()), lengths);
    std::sort(all.begin(), all.end(), [](Entry const& x, Entry const& y) { return x.row < y.row; });
    for (Entry const& entry : all) {
      int const row = factors.turned ? n - 1 - entry.row : entry.row;
      state.take_pivot(entry.pivot, entry.exchanged, tops[static_cast<std::size_t>(row)]);
    }
    return state;
  }

 private:
  struct Entry {
    T pivot;
    int row;
    bool exchanged;
  };

  /// U on its diagonal, and where it lies.
  struct Factors {
    scalapack::Matrix matrix;
    T const* data = nullptr;
    int info = 0;
    std::int64_t block = 1;
    int row = 0, rows = 1, cols = 1;
    bool turned = false;  ///< the last row of A is the first column

    [[nodiscard]] std::int64_t global_col(std::int64_t j) const {
      return scalapack::Matrix::global(j, block, matrix.turn(), cols);
    }
    /// -1 where another rank has it.
    [[nodiscard]] std::int64_t local_row(std::int64_t g) const {
      if (g / block % rows != row) return -1;
      return g / block / rows * block + g % block;
    }
  };

  /// Where a rank's rows are columns of a grid of one row, they are factorised in place: as they
  /// are where all blocks are whole, or else from the last row on, since it is the first block that
  /// is cut, where ScaLAPACK wants the last one. Otherwise in blocks of two dimensions.
  template <class ExecSpace>
  Factors factorise(Communicator<ExecSpace> const& comm, char const* function,
                    StridedMatrix<T> const& A) {
    std::int64_t const n = layout_.n;
    std::int64_t const missing = layout_.blocks() * layout_.block - n;
    std::int64_t const count = layout_.rows(comm.rank());
    bool const lines = count == 0 || (A.col_stride == 1 && (A.row_stride >= n || count == 1));
    std::int64_t const leading = std::max<std::int64_t>(A.row_stride, n);
    bool in_place = grid_.rows() == 1;
    bool const countable = count * leading <= std::numeric_limits<int>::max();
    for (int const there : comm.all_gather_value(int{lines && countable}))
      in_place = in_place && there != 0;
    Factors factors;
    if (in_place) {
      factors.turned = missing > 0;
      if (factors.turned) turn_rows(comm.exec(), A, count, n);
      auto const& grid = factors.turned ? turned_lines_ : lines_;
      int const last = layout_.rank_of_block(layout_.blocks() - 1);
      factors.matrix = scalapack::Matrix(grid, n, n, layout_.block, layout_.block, leading,
                                         factors.turned ? comm.size() - 1 - last : 0);
      factors.block = layout_.block;
      factors.cols = grid.cols();
      factors.data = A.data;
      scalapack::getrf(static_cast<int>(n), scalapack::scalars(A.data), 1,
                       factors.matrix.descriptor(), pivots_.data(), factors.info);
      return factors;
    }
    Buffer packed;
    comm.agree(function, 0, [&] {
      constexpr char const* label = "carroll::distributed::determinant::scalapack";
      auto const& host = Kokkos::DefaultHostExecutionSpace();
      memory_ = carroll::detail::allocate<Buffer>(host, label, whole_.entries());
      if (!lines) packed = carroll::detail::allocate<Buffer>(host, label, count * n);
    });
    T const* rows = A.data;
    if (!lines) {
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t j = 0; j < n; ++j)
          packed.data()[i * n + j] = A.data[i * A.row_stride + j * A.col_stride];
      rows = packed.data();
    }
    scalapack::Matrix const source(lines_, n, n + missing, n, layout_.block, lines ? leading : n);
    // The first block is whole in the descriptor's matrix, of which `missing` columns do not exist.
    if (comm.rank() == 0) rows -= missing * source.leading();
    scalapack::move(static_cast<int>(n), static_cast<int>(n), scalapack::scalars(rows), 1,
                    static_cast<int>(missing) + 1, source.descriptor(),
                    scalapack::scalars(memory_.data()), 1, 1, whole_.descriptor(),
                    lines_.context());
    factors.matrix = whole_;
    factors.block = scalapack::default_block;
    factors.row = grid_.row();
    factors.rows = grid_.rows();
    factors.cols = grid_.cols();
    factors.data = memory_.data();
    scalapack::getrf(static_cast<int>(n), scalapack::scalars(memory_.data()), 1,
                     whole_.descriptor(), pivots_.data(), factors.info);
    return factors;
  }

  /// The last of `count` rows becomes the first one. 2·count·n entries read and written.
  template <class ExecSpace>
  static void turn_rows(ExecSpace const& exec, StridedMatrix<T> const& A, std::int64_t count,
                        std::int64_t n) {
    Kokkos::parallel_for("carroll::distributed::determinant::turn",
                         Kokkos::RangePolicy<ExecSpace>(exec, 0, count / 2), [=](std::int64_t i) {
                           T* const row = A.data + i * A.row_stride;
                           std::swap_ranges(row, row + n, A.data + (count - 1 - i) * A.row_stride);
                         });
    exec.fence("carroll::distributed::determinant::turn");
  }

  using Buffer = Kokkos::View<T*, Kokkos::HostSpace>;

  CyclicLayout layout_;
  scalapack::Grid lines_, turned_lines_, grid_;
  scalapack::Matrix whole_;
  std::vector<int> pivots_;
  Buffer memory_;
};

}  // namespace carroll::distributed::detail
