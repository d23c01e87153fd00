// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

/// Of what references are computed with.
namespace carroll::perf::reference {

/// Column-major matrix of doubles or wider on the host.
template <class T>
struct Matrix {
  std::size_t rows, cols;
  std::vector<T> data;
  Matrix(std::size_t m, std::size_t n) : rows(m), cols(n), data(m * n) {}
  T* column(std::size_t j) { return data.data() + j * rows; }
  T const* column(std::size_t j) const { return data.data() + j * rows; }
};

/// In four partial sums, which need not wait for each other.
template <class T>
T dot(T const* x, T const* y, std::size_t n) {
  T sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += x[i + k] * y[i + k];
  for (; i < n; ++i) sums[0] += x[i] * y[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace carroll::perf::reference
