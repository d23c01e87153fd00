// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/host/panel.hpp>
#include <carroll/detail/determinant/host/rows.hpp>
#include <carroll/detail/determinant/host/update.hpp>
#include <carroll/detail/determinant/portable/panels.hpp>
#include <carroll/detail/team.hpp>

/// The kernels of `blocked` on a host beyond scratch, one matrix at a time. Rows are independent of
/// each other once a block is known; the rows of the next block are updated first and condensed by
/// one thread while the others update the rest. No result depends on which thread does what, nor on
/// how many panels a block has.
namespace carroll::detail {

/// A matrix that is worked on.
template <class T>
struct HostProblem {
  DeterminantBatch<T> batch;
  int* flags = nullptr;     ///< of rows, HostRowsKernel::rows at a time
  T* row_bounds = nullptr;  ///< no entry of a row is larger
};

/// A in place becomes its transpose, in memory, by tiles and pairs of tiles. n² entries read and
/// written.
template <class ExecSpace, class T>
class HostTransposeKernel {
 public:
  using Policy =
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>, Kokkos::Schedule<Kokkos::Dynamic>>;

  HostTransposeKernel(StridedMatrix<T> const& A, int n) : A_(A), n_(n) {}
  [[nodiscard]] int items() const { return (n_ + tile - 1) / tile; }

  void operator()(int item) const {
    int const i0 = item * tile, i1 = Kokkos::min(i0 + tile, n_);
    for (int j0 = 0; j0 <= i0; j0 += tile)
      for (int i = i0; i < i1; ++i)
        for (int j = j0; j < Kokkos::min(j0 + tile, i); ++j) {
          T const held = A_(i, j);
          A_(i, j) = A_(j, i);
          A_(j, i) = held;
        }
  }

 private:
  static constexpr int tile = 32;
  StridedMatrix<T> A_;
  int n_;
};

/// Copies, where A is kept, and scales some rows.
template <class ExecSpace, class T>
struct HostRowsKernel {
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  static constexpr int rows = 32;

  HostProblem<T> problem;

  [[nodiscard]] static int items(int n) { return (n + rows - 1) / rows; }
  void operator()(int item) const {
    int const end = Kokkos::min((item + 1) * rows, problem.batch.n);
    with_host_vectors(HostRowsStep<T>{problem.batch, item * rows, end, problem.flags[item]});
  }
};

/// Puts together what rows say, and condenses the first block. One thread.
template <class ExecSpace, class T>
struct HostStartKernel {
  HostProblem<T> problem;
  HostBlock<T> block;

  void operator()(TeamMember<ExecSpace> const& team) const {
    auto const& batch = problem.batch;
    int const n = batch.n;
    DeterminantState<T>& state = batch.states[0];
    state = {};
    int flags = 0;
    for (int k = 0; k < HostRowsKernel<ExecSpace, T>::items(n); ++k) flags |= problem.flags[k];
    std::int64_t exponent;
    Status const status = finish_rows(team, batch, flags, exponent);
    for (int p = 0; p < block.count; ++p) *block.panels[p].moved = HostPanel<T>::unusable;
    if (status != Status::success) return state.finish(status);
    state.info.value = ScaledNumber<T>(T(1), exponent);
    for (int i = 0; i < n; ++i) problem.row_bounds[i] = 1;
    condense_host_block(batch, block, problem.row_bounds, state);
  }
};

/// Updates the rows below a block: the first item those of the next block, which it also condenses,
/// every other one some more. 2bm² flops for each of the block's panels and the m rows below; these
/// are read and written once.
template <class ExecSpace, class T>
class HostUpdateKernel {
 public:
  using Policy =
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>, Kokkos::Schedule<Kokkos::Dynamic>>;

  HostUpdateKernel(HostProblem<T> const& problem, HostBlock<T> const& block,
                   HostBlock<T> const& next, int threads)
      : problem_(problem), block_(block), next_(next) {
    left_ = Kokkos::max(0, problem.batch.n - next.end());
    // More rows share what is read of the panels, but all threads should be busy to the end.
    rows_ = left_ / (12 * threads) >= host_update_rows ? host_update_rows : host_panel_rows;
  }
  [[nodiscard]] int items() const { return 1 + (left_ + rows_ - 1) / rows_; }

  void operator()(int item) const {
    auto const& batch = problem_.batch;
    // The determinant is known where a panel has not been reached.
    bool const done = *block_.panels[block_.count - 1].moved == HostPanel<T>::unusable;
    if (item > 0) {
      int const begin = next_.end() + (item - 1) * rows_;
      if (!done) update(begin, Kokkos::min(begin + rows_, batch.n));
      return;
    }
    int const end = Kokkos::min(next_.end(), batch.n);
    for (int begin = next_.first; begin < end && !done; begin += host_update_rows)
      update(begin, Kokkos::min(begin + host_update_rows, end));
    condense_host_block(batch, next_, problem_.row_bounds, batch.states[0]);
  }

 private:
  void update(int begin, int end) const {
    with_host_vectors(
        HostUpdateStep<T>{problem_.batch, block_, block_.count, problem_.row_bounds, begin, end});
  }

  HostProblem<T> problem_;
  HostBlock<T> block_, next_;
  int left_, rows_;
};

}  // namespace carroll::detail
