// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <carroll/detail/reduction/operation.hpp>
#include <cstddef>
#include <cstdint>

namespace carroll::detail {

/// A chunk's sum by one thread of a device without a backend of its own: lanes are an array. Right,
/// and slow.
template <class Op>
class ThreadChunk {
  using T = typename Op::T;
  using Real = typename Op::Real;
  using Lane = typename Op::template Lane<Real>;

 public:
  using Partial = typename Op::Partial;

  /// Of entries 0, …, below terms, from 1 to 1024.
  KOKKOS_FUNCTION static Partial sum(T const* x, std::ptrdiff_t x_stride, T const* y,
                                     std::ptrdiff_t y_stride, int terms) {
    Partial result = sum_of(x, x_stride, y, y_stride, terms, 0);
    if constexpr (Op::squares)
      if (Op::needs_scaling(result)) result = scaled_sum(x, x_stride, terms);
    return result;
  }

 private:
  KOKKOS_FUNCTION static Real part(T const* x, std::ptrdiff_t stride, int terms, int i, int p,
                                   Real otherwise) {
    if (i >= terms) return otherwise;
    return reinterpret_cast<Real const*>(x + i * stride)[p];
  }

  KOKKOS_FUNCTION static Partial sum_of(T const* x, std::ptrdiff_t x_stride, T const* y,
                                        std::ptrdiff_t y_stride, int terms, int exponent) {
    constexpr int parts = Op::parts;
    Lane lanes[Op::row];
    for (int first = 0; first < terms; first += row_terms<T>)
      for (int l = 0; l < Op::row; ++l) {
        int const i = first + l / parts, p = l % parts;
        Real const a = scale(part(x, x_stride, terms, i, p, Real(-0.0)), -exponent);
        if constexpr (Op::two_vectors)
          lanes[l].add(a, part(y, y_stride, terms, i, p, Real(0)),
                       part(y, y_stride, terms, i, parts - 1 - p, Real(0)));
        else
          lanes[l].add(a);
      }
    for (int half = Op::row / 2; half >= Op::kept; half /= 2)
      for (int l = 0; l < half; ++l) lanes[l].join(lanes[l + half]);
    Lane kept[Op::kept];
    for (int k = 0; k < Op::kept; ++k) kept[k] = lanes[k];
    return Op::partial(kept);
  }

  KOKKOS_FUNCTION static Partial scaled_sum(T const* x, std::ptrdiff_t stride, int terms) {
    Real largest = 0;
    for (int i = 0; i < terms; ++i)
      for (int p = 0; p < Op::parts; ++p)
        largest = larger_size(largest, part(x, stride, terms, i, p, Real(0)));
    Partial result{};
    if (largest == 0) return result;
    if (!(largest - largest == Real(0))) {
      result.sum.add(largest);
      return result;
    }
    int const exponent = exponent_of(largest);
    result = sum_of(x, stride, nullptr, 1, terms, exponent);
    result.exponent = exponent;
    return result;
  }
};

}  // namespace carroll::detail
