// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/determinant/common/pivot.hpp>
#include <carroll/detail/determinant/portable/condensation.hpp>
#include <carroll/detail/device/memory.hpp>
#include <carroll/detail/team.hpp>
#include <type_traits>
#include <utility>

/// Condensation as it was done on a GPU in 2014 (A. M. Miti, "Implementazione di un modulo per il
/// calcolo del determinante in una libreria ibrida CPU-GPU", §§2.3–4.1): two launches per pivot,
/// the first for its row, the second for
///
///   b_ij = a_ij − a_i0·a_0j,  i, j >= 1,
///
/// written in place or into a second array, of which the first reads some through a device's
/// read-only cache. Unlike there, pivots stay on the device, and entries in their places. 2n³/3
/// flops, 2n³/3 entries moved, 2n launches.
namespace carroll::detail {

struct PlainReads {};
struct ReadOnlyMatrix {};  ///< all of the array that is condensed
struct ReadOnlyColumn {};  ///< a copy of the pivot's column

/// The matrix as it is now, and the array that the next step writes.
template <class T>
class CondensationArrays {
 public:
  CondensationArrays(DeterminantBatch<T> const& batch, bool in_place)
      : n_(batch.n), from_(batch.work_of(0)), to_(from_) {
    if (in_place) return;
    bool const by_rows = Kokkos::abs(from_.col_stride) <= Kokkos::abs(from_.row_stride);
    to_ = reversed(StridedMatrix<T>{batch.second, by_rows ? n_ : 1, by_rows ? 1 : n_}, n_);
  }
  void advance() { std::swap(from_, to_); }

  /// As rows in which entries stand next to each other: A or its transpose, for which the formula
  /// is the same.
  [[nodiscard]] StridedMatrix<T> from() const { return in_rows(from_); }
  [[nodiscard]] StridedMatrix<T> to() const { return in_rows(to_); }
  [[nodiscard]] bool transposed() const { return from().row_stride != from_.row_stride; }

  /// The batch, to work in the matrix as it is now.
  [[nodiscard]] DeterminantBatch<T> in(DeterminantBatch<T> batch) const {
    batch.work.data = &from_(n_ - 1, n_ - 1);
    batch.work.strides = {0, -from_.row_stride, -from_.col_stride};
    return batch;
  }

 private:
  static StridedMatrix<T> in_rows(StridedMatrix<T> const& A) {
    return Kokkos::abs(A.col_stride) <= Kokkos::abs(A.row_stride) ? A : A.transposed();
  }

  int n_;
  StridedMatrix<T> from_, to_;
};

/// The row of pivot k: its largest entry is found and exchanged to the leader with its column, the
/// row divided by it. `column`, if it is there, gets the factors a_i0. One team.
template <class ExecSpace, class T>
class CondensationPivotKernel {
 public:
  CondensationPivotKernel(DeterminantBatch<T> const& batch, CondensationArrays<T> const& arrays,
                          int k)
      : batch_(arrays.in(batch)), rows_(arrays.from()), k_(k) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    DeterminantState<T>& shared = batch_.states[0];
    if (shared.done) return;
    DeterminantState<T> state = shared;
    team.team_barrier();  // all have read the state
    int const n = batch_.n;
    StridedMatrix<T> const A = batch_.work_of(0);
    StridedVector<T> const row = row_of(A, k_);
    auto const pivot = Pivot<T>::find(team, row, k_, n);
    if (pivot.size == 0) {
      state.finish(Status::singular);
    } else {
      T const p = row(pivot.column);
      state.take_pivot(p, pivot.column != k_, batch_.rows_of(0).row_top[k_]);
      team.team_barrier();  // all have read the pivot
      Condensation::exchange_columns(team, A, k_, n, k_, pivot.column);
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, k_ + 1, n),
                           [&](int j) { row(j) = divided(row(j), p); });
      team.team_barrier();
      if (batch_.column)
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, k_ + 1, n),
                             [&](int i) { batch_.column[i] = rows_(i, k_); });
    }
    Kokkos::single(Kokkos::PerTeam(team), [&] { shared = state; });
  }

 private:
  DeterminantBatch<T> batch_;
  StridedMatrix<T> rows_;
  int k_;
};

/// B = A − a_i0·a_0j behind pivot k: a team per row, whose threads read and write neighbours and
/// share the factor a_i0.
template <class ExecSpace, class T, class Reads>
class CondensationStepKernel {
 public:
  static constexpr int team_threads = lanes<ExecSpace> == 1 ? 1 : 4;

  CondensationStepKernel(DeterminantBatch<T> const& batch, CondensationArrays<T> const& arrays,
                         int k)
      : A_(arrays.from()),
        B_(arrays.to()),
        column_(batch.column),
        n_(batch.n),
        k_(k),
        transposed_(arrays.transposed()),
        done_(&batch.states[0].done) {}

  KOKKOS_FUNCTION void operator()(TeamMember<ExecSpace> const& team) const {
    if (*done_) return;
    int const i = k_ + 1 + team.league_rank();
    T const factor = factor_of(i);
    // Products of complex numbers depend on the order of their factors where a compiler contracts
    // them: the column's entry comes first.
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, k_ + 1, n_), [&](int j) {
      T const other = entry(k_, j);
      B_(i, j) = entry(i, j) - (transposed_ ? other * factor : factor * other);
    });
  }

 private:
  KOKKOS_FUNCTION T entry(int i, int j) const {
    if constexpr (std::is_same_v<Reads, ReadOnlyMatrix>)
      return load_read_only(&A_(i, j));
    else
      return A_(i, j);
  }
  KOKKOS_FUNCTION T factor_of(int i) const {
    if constexpr (std::is_same_v<Reads, ReadOnlyColumn>)
      return load_read_only(column_ + i);
    else
      return entry(i, k_);
  }

  StridedMatrix<T> A_, B_;
  T const* column_;
  int n_;
  int k_;
  bool transposed_;
  int const* done_;
};

}  // namespace carroll::detail
