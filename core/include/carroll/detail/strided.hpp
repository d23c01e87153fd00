// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

/// Views reduced to a pointer and strides. A kernel written on these is compiled once per scalar
/// type instead of once per combination of layouts, and a transpose costs nothing.
namespace carroll::detail {

template <class T>
struct StridedVector {
  T* data = nullptr;
  std::ptrdiff_t stride = 1;
  KOKKOS_FUNCTION T& operator()(int i) const { return data[i * stride]; }
};

template <class T>
struct StridedMatrix {
  T* data = nullptr;
  std::ptrdiff_t row_stride = 1;
  std::ptrdiff_t col_stride = 0;
  KOKKOS_FUNCTION T& operator()(int i, int j) const {
    return data[i * row_stride + j * col_stride];
  }
  KOKKOS_FUNCTION StridedVector<T> col(int j) const { return {data + j * col_stride, row_stride}; }
  KOKKOS_FUNCTION StridedMatrix transposed() const { return {data, col_stride, row_stride}; }
};

/// A batch of matrices (or, with `extents[2] == 1`, of vectors) at equal distances.
/// `data == nullptr` stands for an output that the caller does not want.
template <class T>
struct StridedBatch {
  T* data = nullptr;
  Kokkos::Array<std::int64_t, 3> extents{};  ///< members, rows, columns
  Kokkos::Array<std::ptrdiff_t, 3> strides{};
};

/// The batch behind a View: of problems, one for each first index, or one problem.
template <class View>
StridedBatch<typename View::value_type> strided_batch(View const& view, bool is_batch) {
  StridedBatch<typename View::value_type> batch;
  batch.data = view.data();
  int const first = is_batch ? 0 : 1;
  batch.extents = {1, 1, 1};
  batch.strides = {0, 0, 0};
  for (int d = 0; d < int(View::rank); ++d) {
    batch.extents[first + d] = static_cast<std::int64_t>(view.extent(d));
    batch.strides[first + d] = static_cast<std::ptrdiff_t>(view.stride(d));
  }
  return batch;
}

/// Matrices: rank 2 is one, rank 3 a batch of them.
template <class View>
StridedBatch<typename View::value_type> strided_batch(View const& view) {
  return strided_batch(view, int(View::rank) == 3);
}

/// Where the entries of a batch lie.
struct Footprint {
  std::intptr_t begin = 0;
  std::int64_t entry_bytes = 0;
  Kokkos::Array<std::int64_t, 3> extents{};
  Kokkos::Array<std::ptrdiff_t, 3> strides{};
};

template <class T>
Footprint footprint(StridedBatch<T> const& x) {
  return {reinterpret_cast<std::intptr_t>(x.data), static_cast<std::int64_t>(sizeof(T)), x.extents,
          x.strides};
}

/// Dimensions of two batches with the same strides, outermost first.
struct SharedDimension {
  std::int64_t stride;
  std::int64_t a_extent, b_extent;
};

/// Are there indices i of a and j of b with Σ (j_k - i_k)·stride_k = distance? Strides are nested:
/// a step of an outer dimension outweighs all inner ones, so that only the two multiples next to
/// the distance can work.
inline bool reaches(std::int64_t distance, Kokkos::Array<SharedDimension, 3> const& dimensions,
                    int level = 0) {
  if (level == 3) return distance == 0;
  auto const& [stride, a_extent, b_extent] = dimensions[level];
  if (stride == 0 || (a_extent == 1 && b_extent == 1))
    return reaches(distance, dimensions, level + 1);
  std::int64_t below = distance / stride;
  if (below * stride > distance) --below;
  for (std::int64_t step : {below, below + 1})
    if (-a_extent < step && step < b_extent &&
        reaches(distance - step * stride, dimensions, level + 1))
      return true;
  return false;
}

/// Can an entry of `a` be an entry of `b`? Exact for sub-blocks of one parent array (equal
/// strides); otherwise address ranges that meet count as aliasing.
inline bool may_alias(Footprint const& a, Footprint const& b) {
  auto const count = [](auto const& x) { return x.extents[0] * x.extents[1] * x.extents[2]; };
  if (a.begin == 0 || b.begin == 0 || count(a) == 0 || count(b) == 0) return false;
  auto const bytes = [](auto const& x) {
    std::ptrdiff_t last = 0;
    for (int d = 0; d < 3; ++d) last += (x.extents[d] - 1) * x.strides[d];
    return (last + 1) * x.entry_bytes;
  };
  if (a.begin + bytes(a) <= b.begin || b.begin + bytes(b) <= a.begin) return false;

  std::int64_t const size = a.entry_bytes, distance = a.begin - b.begin;
  if (size != b.entry_bytes || distance % size != 0) return true;
  Kokkos::Array<SharedDimension, 3> dimensions{};
  for (int d = 0; d < 3; ++d) {
    bool const extended = a.extents[d] > 1 || b.extents[d] > 1;
    if (extended && a.strides[d] != b.strides[d]) return true;
    dimensions[d] = {extended ? a.strides[d] : 0, a.extents[d], b.extents[d]};
  }
  std::sort(dimensions.data(), dimensions.data() + 3,
            [](auto const& x, auto const& y) { return x.stride > y.stride; });
  std::int64_t inner = 0;
  for (int d = 2; d >= 0; --d) {
    auto const& [stride, a_extent, b_extent] = dimensions[d];
    if (stride != 0 && stride <= inner) return true;  // not nested
    inner += (std::max(a_extent, b_extent) - 1) * stride;
  }
  // a + i·stride = b + j·stride: the distance from b to a is Σ (j - i)·stride.
  return reaches(distance / size, dimensions);
}

template <class T, class U>
bool may_alias(StridedBatch<T> const& a, StridedBatch<U> const& b) {
  return may_alias(footprint(a), footprint(b));
}

}  // namespace carroll::detail
