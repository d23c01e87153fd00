// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/host_matrix.hpp"
#include "ranks/sharing.hpp"
#include "solve/solve.hpp"

namespace carroll::tool {

/// What `carroll solve` and `carroll inverse` tell, about one system or a batch.
struct SolveReport {
  std::vector<std::string> inputs;
  bool is_batch = false, is_complex = false;
  std::int64_t n = 0, columns = 0;
  Precision precision = Precision::double_precision;
  std::string path, backend;
  std::string status;  ///< the first that is not success
  std::vector<SolveMemberResult> members;
  double seconds = 0;
  Sharing sharing;
  std::vector<std::string> files;
};

[[nodiscard]] std::string json(SolveReport const& report);
[[nodiscard]] std::string table(SolveReport const& report);

}  // namespace carroll::tool
