// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace carroll::perf {

struct SvdCase {
  std::string group;  // "study", "square", "batch" or "scaling"
  int batch, rows, cols;

  std::string extents() const {
    return std::to_string(batch) + "x" + std::to_string(rows) + "x" + std::to_string(cols);
  }
};

/// "study": the matrices of the 2020 Jetson study (Orlandini, Pagliuca), columns 3/4 of the rows.
/// "scaling": more and fewer of the smallest members of "batch", for the time of each.
/// Batches are smaller on a host, where they would otherwise take minutes; times per matrix
/// compare. The largest matrices are for devices.
inline std::vector<SvdCase> svd_cases(bool device) {
  std::vector<SvdCase> cases;
  for (int const rows : {32, 48, 96, 128, 160, 200})
    cases.push_back({"study", 1, rows, rows * 3 / 4});
  struct Batch {
    int on_device, on_host, rows, cols;
  };
  for (auto const& batch :
       {Batch{10000, 1000, 8, 8}, Batch{10000, 1000, 16, 16}, Batch{10000, 1000, 24, 24},
        Batch{10000, 1000, 32, 32}, Batch{2000, 64, 64, 64}, Batch{1000, 16, 128, 128},
        Batch{500, 8, 200, 150}, Batch{200, 8, 256, 256}, Batch{64, 4, 512, 512},
        Batch{10000, 1000, 64, 8}, Batch{10000, 1000, 128, 16}, Batch{10000, 1000, 512, 4}})
    cases.push_back({"batch", device ? batch.on_device : batch.on_host, batch.rows, batch.cols});
  for (int const n : {8, 16, 32})
    for (int const batch : {100, 1000, 10000, 100000}) {
      bool const measured = batch == (device ? 10000 : 1000);  // in "batch"
      if (!measured && (device ? batch >= 1000 : batch <= 10000))
        cases.push_back({"scaling", batch, n, n});
    }
  for (int const n : {256, 300, 512, 1024, 2048, 4096})
    if (device || n <= 1024) cases.push_back({"square", 1, n, n});
  return cases;
}

/// Tolerance on cosines of the study.
inline constexpr double study_tolerance = 1e-4;

}  // namespace carroll::perf
