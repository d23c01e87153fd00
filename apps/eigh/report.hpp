// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eigh/decompose.hpp"
#include "files/host_matrix.hpp"
#include "ranks/sharing.hpp"

namespace carroll::tool {

/// What `carroll eigh` tells, about one matrix or a batch.
struct EighReport {
  std::string input;
  bool is_batch = false;
  std::int64_t n = 0;
  bool is_complex = false;
  Precision precision = Precision::double_precision;
  std::string method;
  std::string backend;
  std::string status;  ///< the first that is not success
  std::vector<EighMemberResult> members;
  std::vector<double> eigenvalues;  ///< members × n
  bool vectors = true;
  double seconds = 0;
  Sharing sharing;
  std::vector<std::string> files;
};

[[nodiscard]] std::string json(EighReport const& report);
[[nodiscard]] std::string table(EighReport const& report);

}  // namespace carroll::tool
