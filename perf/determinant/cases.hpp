// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace carroll::perf {

struct DeterminantCase {
  std::string group;  // "single", "batch", "stream", "memory" or "huge"
  int batch, n;

  std::string extents() const { return std::to_string(batch) + "x" + std::to_string(n); }
};

/// "single": one matrix, among them the orders around which condensation on a GPU of 2010 overtook
/// its host (Miti, 2014: 350 and 1000), and those that PyTorch's slogdet was measured on.
/// "stream": the smallest members of "batch", so many that the time is that of their bytes.
/// "memory" and "huge": matrices with a known determinant, for the memory that is used beyond
/// them and for indices of more than 31 bits. Hosts have smaller batches, where they would
/// otherwise take minutes, and no large matrices.
inline std::vector<DeterminantCase> determinant_cases(bool device) {
  std::vector<DeterminantCase> cases;
  for (int const n : {64, 100, 128, 200, 256, 350, 500, 512, 700, 1000, 1024, 2000, 2048, 4000,
                      4096, 8192, 10000, 20000, 32768})
    if (device || n <= 4000) cases.push_back({"single", 1, n});
  for (int const n : {2, 3, 4, 8, 16, 24, 32})
    cases.push_back({"batch", device ? 100000 : 20000, n});
  struct Batch {
    int on_device, on_host, n;
  };
  for (auto const& batch : {Batch{5000, 500, 64}, Batch{1000, 100, 128}, Batch{200, 40, 256},
                            Batch{64, 8, 512}, Batch{16, 4, 1024}})
    cases.push_back({"batch", device ? batch.on_device : batch.on_host, batch.n});
  if (!device) return cases;
  for (int const n : {2, 3, 4, 8, 16}) cases.push_back({"stream", 2000000, n});
  cases.push_back({"memory", 1, 20000});
  cases.push_back({"huge", 1, 50000});
  return cases;
}

}  // namespace carroll::perf
