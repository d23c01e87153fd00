// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "files/host_matrix.hpp"
#include "ranks/sharing.hpp"

namespace carroll::tool {

/// What reports of matrices begin with.
struct ReportHead {
  std::string input;
  Precision precision = Precision::double_precision;
  std::string method;
  Sharing sharing;
};

/// Of a batch, the members of which are told in turn.
struct BatchReportHead : ReportHead {
  std::string backend;
  std::string status;  ///< the first that is no success
  double seconds = 0;
  std::vector<std::string> files;
};

/// The beginning of a report of work in `Real` on what the arguments name.
template <class Report, class Real, class Arguments>
[[nodiscard]] Report begin_report(Arguments const& arguments, Sharing const& sharing) {
  Report report;
  report.input = arguments.input;
  report.precision = precision_of<Real>;
  report.method = arguments.method;
  report.sharing = sharing;
  return report;
}

}  // namespace carroll::tool
