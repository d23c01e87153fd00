// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/host_matrix.hpp"
#include "files/ratings/table.hpp"
#include "recommend/run.hpp"

namespace carroll::tool {

/// What `carroll recommend` tells.
struct RecommendReport {
  std::string input;
  std::string method;
  Precision precision = Precision::single_precision;
  int top = 10;
  Ids const* users = nullptr;
  Ids const* items = nullptr;
  std::vector<std::int32_t> asked;
  std::size_t shown = 0;  ///< of the asked users, in the table
  RecommendResult result;
  std::vector<std::string> files;
};

[[nodiscard]] std::string json(RecommendReport const& report);
[[nodiscard]] std::string table(RecommendReport const& report);

}  // namespace carroll::tool
