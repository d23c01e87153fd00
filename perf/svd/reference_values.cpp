// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "svd/column_matrix.hpp"
#include "svd/reference.hpp"

namespace carroll::perf {
namespace {

using reference::Matrix, reference::dot;
using Wide = long double;

/// Replaces m×n A, m ≥ n, by the lower triangle Rᵀ of its QR factorisation.
Matrix<Wide> transposed_triangle(Matrix<Wide> A) {
  std::size_t const m = A.rows, n = A.cols;
  Matrix<Wide> L(n, n);
  for (std::size_t k = 0; k < n; ++k) {
    Wide* const v = A.column(k) + k;
    Wide const norm = std::sqrt(dot(v, v, m - k));
    Wide const diagonal = v[0] > 0 ? -norm : norm;
    Wide const scale = norm * norm - v[0] * diagonal;  // ½‖v − diagonal·e₁‖²
    if (norm > 0) {
      v[0] -= diagonal;
      for (std::size_t j = k + 1; j < n; ++j) {
        Wide* const a = A.column(j) + k;
        Wide const factor = dot(v, a, m - k) / scale;
        for (std::size_t i = 0; i < m - k; ++i) a[i] -= factor * v[i];
      }
    }
    L.column(k)[k] = diagonal;
    for (std::size_t j = k + 1; j < n; ++j) L.column(k)[j] = A.column(j)[k];
  }
  return L;
}

/// Singular values by one-sided Jacobi in the widest type there is, to its own precision.
std::vector<Wide> jacobi_values(Matrix<Wide> A) {
  std::size_t const n = A.cols;
  Wide const tolerance =
      std::numeric_limits<Wide>::epsilon() * std::sqrt(static_cast<Wide>(A.rows));
  bool rotated = true;
  for (int sweep = 0; sweep < 40 && rotated; ++sweep) {
    rotated = false;
    for (std::size_t p = 0; p + 1 < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        Wide *const x = A.column(p), *const y = A.column(q);
        Wide alpha = 0, beta = 0, gamma = 0;
        for (std::size_t i = 0; i < A.rows; ++i) {
          alpha += x[i] * x[i];
          beta += y[i] * y[i];
          gamma += x[i] * y[i];
        }
        if (std::abs(gamma) <= tolerance * std::sqrt(alpha * beta)) continue;
        rotated = true;
        Wide const zeta = (beta - alpha) / (2 * gamma);
        Wide const tangent = std::copysign(1 / (std::abs(zeta) + std::hypot(Wide(1), zeta)), zeta);
        Wide const cosine = 1 / std::sqrt(1 + tangent * tangent), sine = cosine * tangent;
        for (std::size_t i = 0; i < A.rows; ++i) {
          Wide const xi = x[i];
          x[i] = cosine * xi - sine * y[i];
          y[i] = sine * xi + cosine * y[i];
        }
      }
  }
  std::vector<Wide> values(n);
  for (std::size_t j = 0; j < n; ++j) values[j] = std::sqrt(dot(A.column(j), A.column(j), A.rows));
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

}  // namespace

std::vector<long double> reference_values(SvdShape const& shape) {
  std::vector<long double> values;
  if (shape.rank() > reference_limit) return values;
  bool const tall = shape.rows >= shape.cols;
  auto const m = static_cast<std::size_t>(shape.rows), n = static_cast<std::size_t>(shape.cols);
  Matrix<double> A(m, n);
  for (int const member : sampled_members(shape)) {
    fill_uniform(shape, member, A.data.data());
    Matrix<Wide> M(std::max(m, n), std::min(m, n));
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < m; ++i) (tall ? M.column(j)[i] : M.column(i)[j]) = A.column(j)[i];
    auto const part = jacobi_values(transposed_triangle(std::move(M)));
    values.insert(values.end(), part.begin(), part.end());
  }
  return values;
}

template <class Real>
std::vector<long double> precise_values(int rows, int cols, std::span<Real const> A) {
  Matrix<Wide> M(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
  std::copy(A.begin(), A.end(), M.data.begin());
  return jacobi_values(std::move(M));
}
template std::vector<long double> precise_values(int, int, std::span<float const>);
template std::vector<long double> precise_values(int, int, std::span<double const>);

}  // namespace carroll::perf
