// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "arguments.hpp"
#include "determinant/batch/determine.hpp"
#include "kokkos_flags.hpp"
#include "output/report_head.hpp"
#include "ranks/ranks.hpp"

namespace carroll::tool {

/// What `carroll det` tells about a batch.
struct DetBatchReport : ReportHead {
  std::int64_t n = 0;
  std::string status;  ///< the first that is no success
  BatchDeterminants result;
};

[[nodiscard]] std::string json(DetBatchReport const& report);
[[nodiscard]] std::string table(DetBatchReport const& report);

/// Runs `carroll det` on a batch, of which each rank has members; returns the exit status.
[[nodiscard]] int run_det_batch(DetArguments const& arguments, KokkosFlags const& flags,
                                Ranks const& ranks, Sharing const& sharing);

}  // namespace carroll::tool
