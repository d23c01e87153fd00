// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/host_panel.hpp>
#include <carroll/detail/determinant/host_rows.hpp>
#include <carroll/detail/determinant/host_update.hpp>
#include <carroll/detail/determinant/panels.hpp>
#include <carroll/detail/team.hpp>

/// The kernels of `blocked` on a host beyond scratch, one matrix at a time. Rows are independent of
/// each other once a panel is known; the rows of the next panel are updated first and condensed by
/// one thread while the others update the rest. No result depends on which thread does what.
namespace carroll::detail {

/// A matrix that is worked on.
template <class T>
struct HostProblem {
  DeterminantBatch<T> batch;
  HostPanel<T> panels[2];   ///< used in turns
  int* flags = nullptr;     ///< of blocks of rows
  T* row_bounds = nullptr;  ///< no entry of a row is larger

  [[nodiscard]] int panel_rows(int first) const {
    return batch.n - first < host_panel_rows ? batch.n - first : host_panel_rows;
  }
  HostPanel<T> const& panel_of(int first) const { return panels[first / host_panel_rows % 2]; }
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
class HostRowsKernel {
 public:
  using Policy = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>;
  static constexpr int rows = 32;

  explicit HostRowsKernel(HostProblem<T> const& problem) : problem_(problem) {}
  [[nodiscard]] static int items(int n) { return (n + rows - 1) / rows; }
  void operator()(int item) const {
    int const end = Kokkos::min((item + 1) * rows, problem_.batch.n);
    with_host_vectors(HostRowsStep<T>{problem_.batch, item * rows, end, problem_.flags[item]});
  }

 private:
  HostProblem<T> problem_;
};

/// Puts together what rows say, and condenses the first panel. One thread.
template <class ExecSpace, class T>
class HostStartKernel {
 public:
  using Policy = Kokkos::TeamPolicy<ExecSpace>;
  using Member = typename Policy::member_type;

  explicit HostStartKernel(HostProblem<T> const& problem) : problem_(problem) {}

  void operator()(Member const& team) const {
    auto const& batch = problem_.batch;
    int const n = batch.n;
    DeterminantState<T>& state = batch.states[0];
    state = {};
    int flags = 0;
    for (int k = 0; k < HostRowsKernel<ExecSpace, T>::items(n); ++k) flags |= problem_.flags[k];
    std::int64_t exponent;
    Status const status = finish_rows(team, batch, flags, exponent);
    *problem_.panels[0].moved = HostPanel<T>::unusable;
    if (status != Status::success) return state.finish(status);
    state.info.value = ScaledNumber<T>(T(1), exponent);
    for (int i = 0; i < n; ++i) problem_.row_bounds[i] = 1;
    with_host_vectors(
        HostPanelStep<T>{batch, problem_.panels[0], 0, problem_.panel_rows(0), state});
  }

 private:
  HostProblem<T> problem_;
};

/// Updates the rows below the panel that begins at `first`; b rows per item, of which the first one
/// also condenses them, as the next panel. 2b·m² flops for the m rows below; they are read and
/// written once.
template <class ExecSpace, class T>
class HostUpdateKernel {
 public:
  using Policy =
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>, Kokkos::Schedule<Kokkos::Dynamic>>;
  static constexpr int b = host_panel_rows;

  HostUpdateKernel(HostProblem<T> const& problem, int first) : problem_(problem), first_(first) {}
  [[nodiscard]] int items() const { return (problem_.batch.n - first_ - 1) / b; }

  void operator()(int item) const {
    auto const& batch = problem_.batch;
    int const begin = first_ + (item + 1) * b;
    int const end = Kokkos::min(begin + b, batch.n);
    HostPanel<T> const& panel = problem_.panel_of(first_);
    HostPanel<T> const& next = problem_.panel_of(begin);
    if (item == 0) *next.moved = HostPanel<T>::unusable;
    if (*panel.moved == HostPanel<T>::unusable) return;  // the determinant is known
    with_host_vectors(HostUpdateStep<T>{batch, panel, first_, problem_.row_bounds, begin, end});
    if (item == 0)
      with_host_vectors(HostPanelStep<T>{batch, next, begin, end - begin, batch.states[0]});
  }

 private:
  HostProblem<T> problem_;
  int first_;
};

}  // namespace carroll::detail
