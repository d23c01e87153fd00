// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "kokkos_flags.hpp"
#include "output/report_head.hpp"
#include "ranks/ranks.hpp"
#include "svd/batch/decompose.hpp"

namespace carroll::tool {

/// What `carroll svd` tells about a batch.
struct SvdBatchReport : BatchReportHead {
  bool is_complex = false;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<MemberDecomposition> members;
  std::vector<double> singular_values;  ///< `values` of each member, of which `kept` are shown
  std::int64_t values = 0;
  std::int64_t kept = 0;
  bool vectors = true;
};

[[nodiscard]] std::string json(SvdBatchReport const& report);
[[nodiscard]] std::string table(SvdBatchReport const& report);

/// Runs `carroll svd` on a batch, of which each rank has members; returns the exit status.
[[nodiscard]] int run_svd_batch(SvdArguments const& arguments, KokkosFlags const& flags,
                                Ranks const& ranks, Sharing const& sharing);

}  // namespace carroll::tool
