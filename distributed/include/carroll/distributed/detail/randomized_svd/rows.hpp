// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <carroll/detail/device/launch.hpp>
#include <carroll/detail/gemm/gemm.hpp>
#include <carroll/detail/sparse/multiply.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/detail/team.hpp>
#include <cstdint>

/// A rank's rows of a matrix, dense or sparse, and what is done with a stretch of them: products
/// with a block of few columns from either side, and squares. The bits of a product depend on the
/// stretch, not on the rank that has it.
namespace carroll::distributed::detail {

using carroll::detail::SparseMultiplyKernel;
using carroll::detail::StridedMatrix;

template <class T>
StridedMatrix<T> rows_from(StridedMatrix<T> const& x, std::int64_t row) {
  return {x.data + row * x.row_stride, x.row_stride, x.col_stride};
}
template <class T>
StridedMatrix<T const> as_const(StridedMatrix<T> const& x) {
  return {x.data, x.row_stride, x.col_stride};
}

/// squares(line) := Σ x², a line being a column or, where rows lie closer together, a row. A team
/// per line.
template <class ExecSpace, class Real>
struct LineSquaresKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  StridedMatrix<Real const> lines;  ///< line l is its column l
  int length;
  Real* squares;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const l = team.league_rank();
    auto const line = lines.col(l);
    Real const square =
        carroll::detail::lane_sum<Real>(team, length, [&](int i) { return line(i) * line(i); });
    carroll::detail::once_per_thread(team, [&] { squares[l] = square; });
  }
};

template <class ExecSpace, class Real>
class DenseRows {
 public:
  DenseRows(StridedMatrix<Real const> const& a, int cols) : a_(a), cols_(cols) {}

  /// Stride between rows of blocks of few columns, given their extents.
  static StridedMatrix<Real> block(Real* data, std::int64_t rows, std::int64_t) {
    return {data, 1, rows};
  }
  /// Entries of `partial`.
  static std::int64_t partial_size(int rows, int cols, int width) {
    return std::max(carroll::detail::gemm_partial_size<ExecSpace, Real>(rows, width, cols),
                    carroll::detail::gemm_partial_size<ExecSpace, Real>(cols, width, rows));
  }
  static std::int64_t most_lines(int rows, int cols) { return std::max(rows, cols); }

  /// y := A·x for `count` rows from `row` on.
  void multiply(ExecSpace const& exec, std::int64_t row, int count, int width,
                StridedMatrix<Real> const& x, StridedMatrix<Real> const& y, Real* partial) const {
    carroll::detail::enqueue_gemm(
        "carroll::randomized_svd::multiply", exec,
        carroll::detail::Gemm<Real>{count, width, cols_, 1, rows_from(a_, row), as_const(x), 0, y},
        partial);
  }
  /// z := Aᵀ·y for them.
  void multiply_transposed(ExecSpace const& exec, std::int64_t row, int count, int width,
                           StridedMatrix<Real> const& y, StridedMatrix<Real> const& z,
                           Real* partial) const {
    carroll::detail::enqueue_gemm(
        "carroll::randomized_svd::multiply_transposed", exec,
        carroll::detail::Gemm<Real>{cols_, width, count, 1, rows_from(a_, row).transposed(),
                                    as_const(y), 0, z},
        partial);
  }
  /// Squares of their lines. Returns how many lines there are.
  int enqueue_squares(ExecSpace const& exec, std::int64_t row, int count, Real* squares) const {
    auto const rows = rows_from(a_, row);
    bool const by_columns = a_.row_stride <= a_.col_stride;
    int const lines = by_columns ? cols_ : count;
    carroll::detail::launch_fitting_teams(
        "carroll::randomized_svd::squares", exec,
        LineSquaresKernel<ExecSpace, Real>{by_columns ? rows : rows.transposed(),
                                           by_columns ? count : cols_, squares},
        {lines, 1});
    return lines;
  }

 private:
  StridedMatrix<Real const> a_;
  int cols_;
};

/// z := Aᵀ·y: some columns of the block for each team, which goes through all rows in their order:
/// as parallel as the block is wide.
template <class ExecSpace, class Real, class Offset, class Column>
struct SparseTransposedKernel {
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;
  static constexpr int chunk = carroll::detail::lanes<ExecSpace> > 1 ? 32 : 16;

  Offset const* offsets;
  Column const* columns;
  Real const* values;
  int rows, cols, width;
  StridedMatrix<Real> y, z;  ///< rows without gaps

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const first = team.league_rank() * chunk, count = Kokkos::min(int{chunk}, width - first);
    for (int c = 0; c < cols; ++c) {
      Real* const to = &z(c, first);
      carroll::detail::lane_for(team, count, [&](int j) { to[j] = 0; });
    }
    for (int i = 0; i < rows; ++i) {
      Real const* const from = &y(i, first);
      for (Offset e = offsets[i]; e < offsets[i + 1]; ++e) {
        Real const value = values[e];
        Real* const to = z.data + static_cast<std::ptrdiff_t>(columns[e]) * z.row_stride + first;
        carroll::detail::lane_for(team, count, [&](int j) { to[j] += value * from[j]; });
      }
    }
  }
};

template <class ExecSpace, class Real, class Offset, class Column>
struct SparseSquaresKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;

  Offset const* offsets;
  Real const* values;
  Real* squares;

  KOKKOS_FUNCTION void operator()(int i) const {
    Real sum = 0;
    for (Offset e = offsets[i]; e < offsets[i + 1]; ++e) sum += values[e] * values[e];
    squares[i] = sum;
  }
};

template <class ExecSpace, class Real, class Offset, class Column>
class SparseRows {
 public:
  SparseRows(Offset const* offsets, Column const* columns, Real const* values, int cols)
      : offsets_(offsets), columns_(columns), values_(values), cols_(cols) {}

  static StridedMatrix<Real> block(Real* data, std::int64_t, std::int64_t cols) {
    return {data, cols, 1};
  }
  static std::int64_t partial_size(int, int, int) { return 0; }
  static std::int64_t most_lines(int rows, int) { return rows; }

  void multiply(ExecSpace const& exec, std::int64_t row, int count, int width,
                StridedMatrix<Real> const& x, StridedMatrix<Real> const& y, Real*) const {
    carroll::detail::launch_fitting_teams("carroll::randomized_svd::multiply", exec,
                                          SparseMultiplyKernel<ExecSpace, Real, Offset, Column>{
                                              offsets_ + row, columns_, values_, width, x, y},
                                          {count, 1});
  }
  void multiply_transposed(ExecSpace const& exec, std::int64_t row, int count, int width,
                           StridedMatrix<Real> const& y, StridedMatrix<Real> const& z,
                           Real*) const {
    using Kernel = SparseTransposedKernel<ExecSpace, Real, Offset, Column>;
    carroll::detail::launch_fitting_teams(
        "carroll::randomized_svd::multiply_transposed", exec,
        Kernel{offsets_ + row, columns_, values_, count, cols_, width, y, z},
        {(width + Kernel::chunk - 1) / Kernel::chunk, 1});
  }
  int enqueue_squares(ExecSpace const& exec, std::int64_t row, int count, Real* squares) const {
    using Kernel = SparseSquaresKernel<ExecSpace, Real, Offset, Column>;
    Kokkos::parallel_for("carroll::randomized_svd::squares",
                         typename Kernel::Policy(exec, 0, count),
                         Kernel{offsets_ + row, values_, squares});
    return count;
  }

 private:
  Offset const* offsets_;
  Column const* columns_;
  Real const* values_;
  int cols_;
};

}  // namespace carroll::distributed::detail
