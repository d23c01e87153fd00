// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "blas/multiply.hpp"
#include "blas/reduce.hpp"
#include "files/host_matrix.hpp"
#include "ranks/sharing.hpp"

namespace carroll::tool {

/// What `carroll sum`, `dot` and `norm` tell.
struct ReductionReport {
  std::string name;  ///< of the value
  std::vector<std::string> inputs;
  std::optional<std::string> kind;       ///< of a norm
  std::optional<std::string> summation;  ///< where there is a choice
  std::int64_t count = 0;
  Precision precision = Precision::double_precision;
  Reduced result;
  Sharing sharing;
};

/// What `carroll gemv`, `gemm` and `add` tell.
struct ProductReport {
  std::vector<std::string> inputs;
  std::string formula;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::optional<std::int64_t> terms;  ///< of a product
  Precision precision = Precision::double_precision;
  ProductSummary result;
  Sharing sharing;
  std::vector<std::string> files;
};

[[nodiscard]] std::string json(ReductionReport const& report);
[[nodiscard]] std::string json(ProductReport const& report);
[[nodiscard]] std::string table(ReductionReport const& report);
[[nodiscard]] std::string table(ProductReport const& report);

}  // namespace carroll::tool
