// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carroll::perf {

struct GemmShape {
  int batch, rows, cols, terms;

  bool operator==(GemmShape const&) const = default;
  [[nodiscard]] std::int64_t size_a() const { return std::int64_t{batch} * rows * terms; }
  [[nodiscard]] std::int64_t size_b() const { return std::int64_t{batch} * terms * cols; }
  [[nodiscard]] std::int64_t size_c() const { return std::int64_t{batch} * rows * cols; }
  [[nodiscard]] std::int64_t entries() const { return size_a() + size_b() + size_c(); }
  [[nodiscard]] double multiplications() const { return double(size_c()) * terms; }
};

struct GemmCase {
  std::string group;
  GemmShape shape;

  [[nodiscard]] std::string extents() const {
    return std::to_string(shape.batch) + "x" + std::to_string(shape.rows) + "x" +
           std::to_string(shape.cols) + "x" + std::to_string(shape.terms);
  }
};

/// Squares, the shapes in which libraries are weak, and batches; a host's are smaller.
inline std::vector<GemmCase> gemm_cases(bool device) {
  std::vector<GemmCase> cases;
  for (int n : device ? std::vector{4096, 1024, 2048, 8192} : std::vector{1024, 64, 256, 2048})
    cases.push_back({"square", {1, n, n, n}});
  int const side = device ? 4096 : 2048;
  for (int k : {16, 32, 64}) cases.push_back({"outer", {1, side, side, k}});
  for (int n : {8, 32, 64}) {
    cases.push_back({"skinny", {1, side, n, side}});
    if (device) cases.push_back({"skinny", {1, 65536, n, 4096}});
  }
  cases.push_back({"tall", {1, 1000000, 32, 32}});
  for (int n : {8, 16, 32}) cases.push_back({"batch", {10000, n, n, n}});
  return cases;
}

}  // namespace carroll::perf
