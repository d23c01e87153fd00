// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/qr/batch.hpp>
#include <carroll/detail/qr/dispatch.hpp>
#include <carroll/detail/qr/tiled/storage.hpp>
#include <carroll/detail/svd/layout.hpp>
#include <carroll/qr/types.hpp>
#include <cstddef>
#include <cstdint>

/// QR of one tile of very long columns: blocks of rows, and their triangles one below the other.
namespace carroll::detail {

/// A matrix of at most 16 columns and more than `most_block_rows` rows as its blocks, of half as
/// many rows at least, and the stacked triangles see it: problems, too.
template <class Real>
class QrTallMember {
 public:
  KOKKOS_FUNCTION explicit QrTallMember(QrProblem<Real> const& problem)
      : whole_(problem), blocks_(block_count(problem.m)) {}

  KOKKOS_FUNCTION static constexpr int block_count(std::int64_t rows) {
    return static_cast<int>((rows + most_block_rows - 1) / most_block_rows);
  }
  KOKKOS_FUNCTION static constexpr int stacked_rows(std::int64_t rows) {
    return tile_columns * block_count(rows);
  }
  static std::int64_t reals(QrExtents const& extents) {
    QrExtents const stacked = of_stack(extents);
    return line(QrTileStorage<Real>::reals(stacked)) +
           line(stacked.rows * (extents.cols + stacked.q_cols())) +
           block_count(extents.rows) * (block_reals(extents.cols) + extents.cols);
  }

  KOKKOS_FUNCTION QrProblem<Real> const& whole() const { return whole_; }
  KOKKOS_FUNCTION int blocks() const { return blocks_; }
  /// The first row of a block.
  KOKKOS_FUNCTION int begin(int block) const {
    return static_cast<int>(std::int64_t{whole_.m} * block / blocks_);
  }

  /// A block's rows of A, with reflectors of its own.
  KOKKOS_FUNCTION QrProblem<Real> block(int block) const {
    QrProblem<Real> problem = whole_;
    problem.m = begin(block + 1) - begin(block);
    problem.a.data += begin(block) * problem.a.row_stride;
    problem.q_cols = 0;
    problem.reals = block_work() + block * block_reals(whole_.n);
    return problem;
  }
  /// The blocks' triangles, 16 rows each: its R, and its info, are those of the whole.
  KOKKOS_FUNCTION QrProblem<Real> stacked() const {
    QrProblem<Real> problem = whole_;
    problem.m = stacked_rows(whole_.m);
    StridedMatrix<Real> const R = triangles();
    problem.a = {R.data, R.row_stride, R.col_stride};
    problem.q_cols = stacked_q_cols();
    problem.q = basis();
    problem.scaled = true;
    return problem;
  }
  /// Where the blocks' triangles lie.
  KOKKOS_FUNCTION StridedMatrix<Real> triangles() const {
    return {stack_work(), 1, stacked_rows(whole_.m)};
  }
  /// And the Q of what they are stacked to.
  KOKKOS_FUNCTION StridedMatrix<Real> basis() const {
    auto const rows = static_cast<std::ptrdiff_t>(stacked_rows(whole_.m));
    return {stack_work() + rows * whole_.n, 1, rows};
  }
  /// Exponents of a block's columns by themselves.
  KOKKOS_FUNCTION int* exponents(int block) const {
    return reinterpret_cast<int*>(block_work() + blocks_ * block_reals(whole_.n)) +
           block * whole_.n;
  }
  KOKKOS_FUNCTION int stacked_q_cols() const {
    return whole_.q_cols > whole_.n ? stacked_rows(whole_.m) : whole_.q_cols;
  }

 private:
  KOKKOS_FUNCTION static std::int64_t line(std::int64_t reals) { return (reals + 31) / 32 * 32; }

  static QrExtents of_stack(QrExtents const& extents) {
    return {1, stacked_rows(extents.rows), extents.cols, extents.mode};
  }
  /// Of a block's slice of the workspace.
  KOKKOS_FUNCTION static std::int64_t block_reals(std::int64_t cols) {
    return line(most_block_rows * cols + BlockFactor<Real>::size + cols + tile_state_reals<Real>);
  }
  KOKKOS_FUNCTION Real* stack_work() const {
    return whole_.reals +
           line(QrTileStorage<Real>::reals(stacked_rows(whole_.m), whole_.n, stacked_q_cols()));
  }
  KOKKOS_FUNCTION Real* block_work() const {
    std::int64_t const rows = stacked_rows(whole_.m);
    return stack_work() + line(rows * (whole_.n + stacked_q_cols()));
  }

  QrProblem<Real> whole_;
  int blocks_;
};

/// The stacked triangles of a batch, for the kernels of tiles.
template <class Real>
struct QrStackedBatch {
  QrBatch<Real> batch;

  KOKKOS_FUNCTION int index(int k) const { return batch.index(k); }
  KOKKOS_FUNCTION QrProblem<Real> operator()(int b) const {
    return QrTallMember<Real>(batch(b)).stacked();
  }
};

}  // namespace carroll::detail
