// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <carroll/detail/determinant/common/balance.hpp>
#include <carroll/detail/simd/vectors.hpp>
#include <cstdint>

/// What `common/balance.hpp` does, for a host: rows are copied, measured and scaled while they are
/// in the cache.
namespace carroll::detail {

/// What one row or several say about a determinant.
enum HostRowFlags { row_non_finite = 1, row_zero = 2, row_wide = 4 };

/// Rows of one matrix, scaled by powers of two so that their largest entries are in [1/2, 1).
/// A row whose entries differ so much that columns have to be scaled first is left as it is.
template <class T, int Bytes>
class HostRows {
 public:
  using V = HostVector<T, Bytes>;
  using Vector = typename V::Type;

  HostRows(StridedMatrix<T const> const& A, StridedMatrix<T> const& B, int n,
           DeterminantRows<T> const& lines)
      : A_(A), B_(B), lines_(lines), n_(n) {}

  /// Rows begin … end-1 of A into B, which may be A, scaled. Returns their flags.
  int run(int begin, int end) const {
    if (A_.data != B_.data) copy(begin, end);
    int flags = 0;
    for (int i = begin; i < end; ++i) {
      bool const contiguous = B_.col_stride == -1;
      auto const range = contiguous ? measure(&B_(i, n_ - 1)) : measure_strided(i);
      lines_.row_exponent[i] = 0;
      if (range.bad) {
        flags |= row_non_finite;
      } else if (range.high == 0) {
        flags |= row_zero;
      } else {
        int const e = exponent_of(range.high);
        if (e - exponent_of(range.low) > widest_row<T>) {
          flags |= row_wide;
          continue;
        }
        lines_.row_exponent[i] = e;
        lines_.row_top[i] = scale(range.high, -e);
        if (e != 0) scale_row(i, e);
      }
    }
    return flags;
  }

 private:
  /// Lines of the cache that are read or written are used up before they are left.
  void copy(int begin, int end) const {
    bool const by_rows = Kokkos::abs(A_.col_stride) <= Kokkos::abs(A_.row_stride);
    int const step = by_rows ? n_ : 64 / int(sizeof(T));
    for (int high = n_; high > 0; high -= step)
      for (int i = begin; i < end; ++i)
        for (int j = high - 1; j >= Kokkos::max(high - step, 0); --j) B_(i, j) = A_(i, j);
  }

  EntryRange<T> measure_strided(int i) const {
    EntryRange<T> range;
    for (int j = 0; j < n_; ++j) range.add(Kokkos::abs(B_(i, j)));
    return range;
  }
  EntryRange<T> measure(T const* x) const {
    constexpr T huge = Kokkos::Experimental::finite_max_v<T>;
    Vector high{}, low = huge - Vector{}, differences{};
    int j = 0;
    for (; j + V::width <= n_; j += V::width) {
      Vector const entries = V::loose(x + j);
      Vector const sizes = entries < Vector{} ? -entries : entries;
      high = sizes > high ? sizes : high;
      Vector const or_huge = sizes > Vector{} ? sizes : huge - Vector{};
      low = or_huge < low ? or_huge : low;
      differences += entries - entries;  // NaN for what is not finite
    }
    EntryRange<T> range;
    for (int lane = 0; lane < V::width; ++lane) {
      range += {high[lane], low[lane], differences[lane] != T(0)};
    }
    for (; j < n_; ++j) range.add(Kokkos::abs(x[j]));
    return range;
  }

  void scale_row(int i, int e) const {
    if (Kokkos::abs(e) >= exponent_bias<T>) {
      for (int j = 0; j < n_; ++j) B_(i, j) = scale(B_(i, j), -e);
      return;
    }
    T const factor = power_of_two<T>(-e);
    if (B_.col_stride == -1) {
      T* const x = &B_(i, n_ - 1);
      for (int j = 0; j < n_; ++j) x[j] *= factor;
    } else {
      for (int j = 0; j < n_; ++j) B_(i, j) *= factor;
    }
  }

  StridedMatrix<T const> A_;
  StridedMatrix<T> B_;
  DeterminantRows<T> lines_;
  int n_;
};

/// HostRows with this processor's vectors. Compiled once for all kernels that call it.
template <class T>
struct HostRowsStep {
  DeterminantBatch<T> const& batch;
  int begin, end;
  int& flags;

  template <int Bytes>
  void run() const {
    flags = HostRows<T, Bytes>(batch.source_of(0), batch.work_of(0), batch.n, batch.rows_of(0))
                .run(begin, end);
  }
};

/// What the flags of all rows say. Where some are wide, all rows are put back, which is exact, and
/// columns are scaled before rows. `exponent`: what that takes out of the determinant.
template <class T, class Member>
Status finish_rows(Member const& team, DeterminantBatch<T> const& batch, int flags,
                   std::int64_t& exponent) {
  exponent = 0;
  if (flags & row_non_finite) return Status::non_finite;
  if (flags & row_zero) return Status::singular;
  if (!(flags & row_wide)) return Status::success;
  StridedMatrix<T> const A = batch.work_of(0);
  auto const lines = batch.rows_of(0);
  int const n = batch.n;
  for (int i = 0; i < n; ++i)
    if (int const e = lines.row_exponent[i]; e != 0)
      for (int j = 0; j < n; ++j) A(i, j) = scale(A(i, j), e);
  Balance<T, Member> balance(team, {A.data, A.row_stride, A.col_stride}, n, lines);
  Status const status = balance.measure();
  if (status == Status::success) balance.copy_to(A);
  for (int i = 0; i < n; ++i) lines.row_exponent[i] = 0;
  exponent = balance.exponent();
  return status;
}

}  // namespace carroll::detail
