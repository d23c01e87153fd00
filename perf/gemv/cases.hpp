// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carroll::perf {

/// A matrix of rows × cols, columns without gaps, or its transpose times a vector.
struct GemvCase {
  std::int64_t rows, cols;
  bool transposed;

  bool operator==(GemvCase const&) const = default;
  /// In the name of an entry.
  [[nodiscard]] std::string key() const {
    return std::to_string(rows) + "x" + std::to_string(cols) + "/" + (transposed ? "t" : "n");
  }
  /// Of y, and of each sum.
  [[nodiscard]] std::int64_t results() const { return transposed ? cols : rows; }
  [[nodiscard]] std::int64_t terms() const { return transposed ? rows : cols; }
  [[nodiscard]] double multiplications() const { return double(rows) * double(cols); }
  [[nodiscard]] double entries() const { return multiplications() + double(rows + cols); }
};

/// Squares, and tall and flat matrices, in which libraries are weak; those of a host are a tenth as
/// long.
inline std::vector<GemvCase> gemv_cases(bool device) {
  std::int64_t const share = device ? 1 : 10;
  std::vector<GemvCase> cases;
  auto const add = [&](std::int64_t rows, std::int64_t cols) {
    for (bool const transposed : {false, true}) cases.push_back({rows, cols, transposed});
  };
  add(4096, 4096);
  add(10'000'000 / share, 8);
  add(8, 10'000'000 / share);
  add(1'000'000 / share, 32);
  add(64, 1'000'000 / share);
  for (std::int64_t const n : {1024, 256, 32}) add(n, n);
  if (device) add(16384, 16384);
  return cases;
}

}  // namespace carroll::perf
