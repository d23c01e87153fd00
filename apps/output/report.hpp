// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "determinant/determine.hpp"
#include "output/report_head.hpp"
#include "pseudoinverse/pseudoinvert.hpp"
#include "runtime.hpp"
#include "svd/decompose.hpp"

namespace carroll::tool {

/// What `carroll svd` tells about one matrix.
struct SvdReport : ReportHead {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  bool is_complex = false;
  std::vector<double> singular_values;  ///< all of them, or, truncated, those that are kept
  std::int64_t kept = 0;                ///< how many the report shows, the largest ones
  DecompositionSummary result;
  std::optional<double> energy;  ///< the fraction that was asked for
  std::vector<std::string> files;
};

/// What `carroll det` tells about one matrix.
struct DetReport : ReportHead {
  std::int64_t n = 0;
  Determination result;
};

/// What `carroll pinv` tells about one problem.
struct PinvReport : ReportHead {
  std::int64_t rows = 0;
  std::int64_t motions = 0;
  std::int64_t depths = 0;
  ArrowSummary result;
  std::vector<std::string> files;
};

/// One JSON object on one line. Numbers that are not finite are null: JSON has no word for them.
[[nodiscard]] std::string json(SvdReport const& report);
[[nodiscard]] std::string json(DetReport const& report);
[[nodiscard]] std::string json(PinvReport const& report);
[[nodiscard]] std::string json(RuntimeInfo const& info);

/// The same for people, in lines that fit on a terminal.
[[nodiscard]] std::string table(SvdReport const& report);
[[nodiscard]] std::string table(DetReport const& report);
[[nodiscard]] std::string table(PinvReport const& report);
[[nodiscard]] std::string table(RuntimeInfo const& info);

}  // namespace carroll::tool
