// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

namespace carroll::tool {

enum class Precision { single_precision, double_precision };

template <class Number>
inline constexpr Precision precision_of =
    std::is_same_v<Number, float> ? Precision::single_precision : Precision::double_precision;

/// "single" or "double"
[[nodiscard]] constexpr char const* name_of(Precision precision) {
  return precision == Precision::single_precision ? "single" : "double";
}

/// A dense matrix in host memory, column after column without padding.
template <class Real>
struct HostMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<Real> values;  ///< rows * cols of them

  Real& operator()(std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>(j * rows + i)];
  }
  Real const& operator()(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(j * rows + i)];
  }
};

/// Of a matrix: rows and columns from `…begin` to `…end` - 1.
struct Block {
  std::int64_t row_begin = 0, row_end = 0, col_begin = 0, col_end = 0;
  [[nodiscard]] std::int64_t rows() const { return row_end - row_begin; }
  [[nodiscard]] std::int64_t cols() const { return col_end - col_begin; }
};

using AnyMatrix = std::variant<HostMatrix<float>, HostMatrix<double>>;

}  // namespace carroll::tool
