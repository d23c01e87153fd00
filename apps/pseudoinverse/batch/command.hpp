// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "kokkos_flags.hpp"
#include "output/report_head.hpp"
#include "pseudoinverse/batch/solve.hpp"
#include "pseudoinverse/files.hpp"
#include "ranks/ranks.hpp"

namespace carroll::tool {

/// What `carroll pinv` tells about a batch of frames.
struct PinvBatchReport : BatchReportHead {
  std::int64_t rows = 0;
  std::int64_t motions = 0;
  std::int64_t depths = 0;
  std::string path;
  std::vector<FrameSolution> frames;
  std::vector<double> motion_steps;  ///< of each frame
  std::vector<double> covariances;   ///< of each frame, or none
};

[[nodiscard]] std::string json(PinvBatchReport const& report);
[[nodiscard]] std::string table(PinvBatchReport const& report);

/// Runs `carroll pinv` on a batch, of which each rank has frames; returns the exit status.
[[nodiscard]] int run_pinv_batch(PinvArguments const& arguments, ArrowFiles const& files,
                                 KokkosFlags const& flags, Ranks const& ranks,
                                 Sharing const& sharing);

}  // namespace carroll::tool
