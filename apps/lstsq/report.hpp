// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/host_matrix.hpp"
#include "lstsq/solve.hpp"
#include "ranks/sharing.hpp"

namespace carroll::tool {

/// What `carroll lstsq` and `carroll pinv --general` tell, about one problem or a batch.
struct LstsqReport {
  std::string input, right;
  bool inverse = false, is_batch = false, is_complex = false;
  std::int64_t rows = 0, cols = 0, right_sides = 0;
  Precision precision = Precision::double_precision;
  std::string backend;
  std::string status;  ///< the first that is not success
  std::vector<LstsqMemberResult> members;
  double seconds = 0;
  Sharing sharing;
  std::vector<std::string> files;
};

[[nodiscard]] std::string json(LstsqReport const& report);
[[nodiscard]] std::string table(LstsqReport const& report);

}  // namespace carroll::tool
