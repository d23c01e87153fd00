// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/host_matrix.hpp"
#include "qr/factorise.hpp"
#include "ranks/sharing.hpp"

namespace carroll::tool {

/// What `carroll qr` tells, about one matrix or a batch.
struct QrReport {
  std::string input;
  bool is_batch = false;
  std::int64_t rows = 0, cols = 0;
  Precision precision = Precision::double_precision;
  bool is_complex = false;
  std::string mode, path;
  bool pivoted = false;
  std::string backend;
  std::string status;  ///< the first that is not success
  std::vector<QrMemberResult> members;
  std::vector<double> diagonal;  ///< of R: members × min(rows, cols)
  std::vector<int> permutation;  ///< members × cols; empty without pivoting
  double seconds = 0;
  Sharing sharing;
  std::vector<std::string> files;
};

[[nodiscard]] std::string json(QrReport const& report);
[[nodiscard]] std::string table(QrReport const& report);

}  // namespace carroll::tool
