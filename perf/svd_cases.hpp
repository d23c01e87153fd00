// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace carroll::perf {

struct SvdCase {
  std::string group;  // "study", "square" or "batch"
  int batch, rows, cols;

  std::string extents() const {
    return std::to_string(batch) + "x" + std::to_string(rows) + "x" + std::to_string(cols);
  }
};

/// "study": the matrices of the 2020 Jetson study (Orlandini, Pagliuca), columns 3/4 of the rows.
/// Batches are smaller on a host, where they would otherwise take minutes; times per matrix
/// compare.
inline std::vector<SvdCase> svd_cases(bool device) {
  std::vector<SvdCase> cases;
  for (int const rows : {32, 48, 96, 128, 160, 200})
    cases.push_back({"study", 1, rows, rows * 3 / 4});
  struct Batch {
    int on_device, on_host, rows, cols;
  };
  for (auto const& batch :
       {Batch{10000, 400, 8, 8}, Batch{10000, 200, 16, 16}, Batch{10000, 64, 32, 32},
        Batch{2000, 16, 64, 64}, Batch{1000, 6, 128, 128}, Batch{500, 4, 200, 150}})
    cases.push_back({"batch", device ? batch.on_device : batch.on_host, batch.rows, batch.cols});
  for (int const n : {256, 300, 512}) cases.push_back({"square", 1, n, n});
  return cases;
}

/// Tolerance on cosines of the study.
inline constexpr double study_tolerance = 1e-4;

}  // namespace carroll::perf
