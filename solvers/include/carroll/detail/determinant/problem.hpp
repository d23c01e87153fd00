// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/field.hpp>
#include <carroll/detail/strided.hpp>
#include <carroll/determinant/types.hpp>
#include <cstdint>

/// What the determinant's kernels share: where the matrices are, and what is known of them.
///
/// Condensation takes away the last row and one column at a time. All kernels see the matrix from
/// its last entry, rows and columns reversed, which leaves the determinant as it is: the seed's
/// last row is row 0 here.
namespace carroll::detail {

template <class T>
KOKKOS_INLINE_FUNCTION StridedMatrix<T> reversed(StridedMatrix<T> const& A, int n) {
  if (n == 0) return A;
  return {A.data + static_cast<std::ptrdiff_t>(n - 1) * (A.row_stride + A.col_stride),
          -A.row_stride, -A.col_stride};
}

/// Elimination steps after which an entry that was at most 1 might leave the range: each step at
/// most doubles the largest entry of a row (complex numbers: both parts grow by up to 1 + √2).
template <class T>
inline constexpr int safe_steps = (exponent_bias<RealOf<T>> - 16) / (is_complex<T> ? 2 : 1);

/// A row whose exponents differ by more than this has its columns scaled too.
template <class T>
inline constexpr int widest_row = exponent_bias<RealOf<T>> / 2 - 1;

/// What is known of one matrix while it is condensed.
template <class T>
struct DeterminantState {
  DeterminantInfo<T> info;
  /// Not 0 when the determinant is known and nothing is left to do. An int, for Gemm::skip.
  int done = 0;

  KOKKOS_FUNCTION void finish(Status status) {
    info.status = status;
    info.value = status == Status::singular ? ScaledNumber<T>() : ScaledNumber<T>::nan();
    if (status != Status::singular) info.growth = quiet_nan<RealOf<T>>();
    done = 1;
  }
  /// One more pivot. `exchanged`: its column was not in its place.
  KOKKOS_FUNCTION void take_pivot(T const& pivot, bool exchanged, RealOf<T> row_top) {
    info.value *= ScaledNumber<T>(exchanged ? -pivot : pivot);
    RealOf<T> const growth = largest_part(pivot) / row_top;
    if (growth > info.growth) info.growth = growth;
  }
};

/// Arrays of one matrix's n rows and columns.
template <class T>
struct DeterminantRows {
  int* row_exponent = nullptr;   ///< powers of two that have been taken out of rows …
  int* col_exponent = nullptr;   ///< … and columns
  RealOf<T>* row_top = nullptr;  ///< largest entry of each row of A, scaled as the row is now
};

/// One matrix of a ragged batch: where its entries begin, its order, and which member it is.
struct DeterminantSlot {
  std::int64_t first = 0;
  int n = 0;
  int member = 0;
};

/// A batch, as kernels see it.
template <class T>
struct DeterminantBatch {
  StridedBatch<T const> source;  ///< what is read first
  StridedBatch<T> work;          ///< where it is condensed; may be the source itself
  int n = 0;                     ///< the order; of a ragged batch the largest
  int members = 0;
  /// Of a ragged batch, one per member: matrices of source, each row by row, in any order.
  DeterminantSlot const* slots = nullptr;
  DeterminantSlot const* host_slots = nullptr;  ///< the same, where the host can read them
  DeterminantState<T>* states = nullptr;
  int* exponents = nullptr;       ///< 2n per member
  RealOf<T>* row_tops = nullptr;  ///< n per member
  T* second = nullptr;            ///< n² per member: the matrix of every other order
  T* column = nullptr;            ///< n: condensation's pivot column
  DeterminantInfo<T>* infos = nullptr;
  std::ptrdiff_t info_stride = 1;

  KOKKOS_FUNCTION int order_of(int member) const { return slots ? slot(member).n : n; }
  KOKKOS_FUNCTION StridedMatrix<T const> source_of(int member) const {
    if (slots) return packed(source.data, slot(member));
    return reversed(StridedMatrix<T const>{source.data + member * source.strides[0],
                                           source.strides[1], source.strides[2]},
                    n);
  }
  KOKKOS_FUNCTION StridedMatrix<T> work_of(int member) const {
    if (slots && work.data == source.data) return packed(work.data, slot(member));
    return reversed(
        StridedMatrix<T>{work.data + member * work.strides[0], work.strides[1], work.strides[2]},
        n);
  }
  KOKKOS_FUNCTION DeterminantRows<T> rows_of(int member) const {
    std::ptrdiff_t const first = static_cast<std::ptrdiff_t>(member) * n;
    return {exponents + 2 * first, exponents + 2 * first + n, row_tops + first};
  }
  KOKKOS_FUNCTION DeterminantInfo<T>& info_of(int member) const {
    return infos[(slots ? slot(member).member : member) * info_stride];
  }
  /// The same for members from `first` on.
  DeterminantBatch from(int first) const {
    DeterminantBatch batch = *this;
    batch.source.data += first * source.strides[0];
    batch.work.data += first * work.strides[0];
    batch.states += first;
    if (slots) {
      batch.slots += first;
      batch.host_slots += first;
    } else {
      batch.infos += first * info_stride;
    }
    return batch;
  }

 private:
  KOKKOS_FUNCTION DeterminantSlot slot(int member) const {
    KOKKOS_IF_ON_HOST((return host_slots[member];))
    KOKKOS_IF_ON_DEVICE((return slots[member];))
  }
  template <class U>
  KOKKOS_FUNCTION static StridedMatrix<U> packed(U* data, DeterminantSlot const& slot) {
    return reversed(StridedMatrix<U>{data + slot.first, slot.n, 1}, slot.n);
  }
};

}  // namespace carroll::detail
