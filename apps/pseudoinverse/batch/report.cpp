// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/table.hpp"
#include "pseudoinverse/batch/command.hpp"
#include "ranks/tell.hpp"

namespace carroll::tool {

namespace {

/// The largest of all frames; NaN where one has it.
double worst_gradient(PinvBatchReport const& report) {
  double largest = 0;
  for (auto const& frame : report.frames)
    if (!(frame.relative_gradient <= largest)) largest = frame.relative_gradient;
  return largest;
}

/// `count` numbers from `at` on.
Json list(std::vector<double> const& values, std::int64_t at, std::int64_t count,
          Precision precision) {
  Json numbers = Json::array();
  for (std::int64_t j = at; j < at + count; ++j)
    numbers.push_back(number(values[static_cast<std::size_t>(j)], precision));
  return numbers;
}

}  // namespace

std::string json(PinvBatchReport const& report) {
  std::int64_t const k = report.motions;
  Json statuses = Json::array(), ranks = Json::array(), cutoffs = Json::array(),
       steps = Json::array(), covariances = Json::array();
  for (std::int64_t f = 0; f < std::ssize(report.frames); ++f) {
    auto const& frame = report.frames[static_cast<std::size_t>(f)];
    statuses.push_back(status_of(frame));
    ranks.push_back(frame.rank);
    cutoffs.push_back(frame.cutoff);
    steps.push_back(list(report.motion_steps, f * k, k, report.precision));
    if (report.covariances.empty()) continue;
    Json rows = Json::array();
    for (std::int64_t i = 0; i < k; ++i)
      rows.push_back(list(report.covariances, (f * k + i) * k, k, report.precision));
    covariances.push_back(std::move(rows));
  }
  Json object;
  object["status"] = report.status;
  object["members"] = report.frames.size();
  object["rows"] = report.rows;
  object["motions"] = report.motions;
  object["depths"] = report.depths;
  object["precision"] = name_of(report.precision);
  object["backend"] = report.backend;
  object["method"] = report.method;
  object["path"] = report.path;
  object["statuses"] = std::move(statuses);
  object["rank"] = std::move(ranks);
  object["cutoff"] = std::move(cutoffs);
  object["motion_step"] = std::move(steps);
  object["relative_gradient"] = worst_gradient(report);
  object["seconds"] = report.seconds;
  if (!report.covariances.empty()) object["covariance"] = std::move(covariances);
  add_sharing(object, report.sharing);
  return line(object);
}

std::string table(PinvBatchReport const& report) {
  std::string text;
  add_line(text, "frames", one_line(report.input));
  add_line(text, "size",
           fmt::format("{} of {} rows, {} motion and {} depth columns, {} precision",
                       report.frames.size(), report.rows, report.motions, report.depths,
                       name_of(report.precision)));
  add_line(text, "backend", report.backend);
  add_sharing(text, report.sharing);
  add_line(text, "method", report.method + " by " + report.path);
  add_line(text, "status", report.status);
  add_line(text, "relative gradient", fmt::format("{:.2e}, the largest", worst_gradient(report)));
  add_line(text, "seconds", fmt::format("{:.4g}", report.seconds));
  for (std::size_t f = 0; f < report.frames.size(); ++f) {
    constexpr std::int64_t most = 5;  // a line of a terminal
    std::string const status = status_of(report.frames[f]);
    text += fmt::format("{:>8}", f);
    for (std::int64_t j = 0; j < std::min(report.motions, most); ++j)
      text += fmt::format(
          "  {:>11.5g}",
          report.motion_steps[f * static_cast<std::size_t>(report.motions) + std::size_t(j)]);
    if (report.motions > most) text += "  ...";
    text += (status == "success" ? "" : "  " + status) + "\n";
  }
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

}  // namespace carroll::tool
