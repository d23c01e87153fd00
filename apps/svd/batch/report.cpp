// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/table.hpp"
#include "ranks/tell.hpp"
#include "svd/batch/command.hpp"

namespace carroll::tool {

namespace {

/// The largest of all members; NaN where one has it.
template <class Number>
Number worst(SvdBatchReport const& report, Number MemberDecomposition::*of) {
  Number largest = 0;
  for (auto const& member : report.members)
    if (!(member.*of <= largest)) largest = member.*of;
  return largest;
}

double value(SvdBatchReport const& report, std::size_t member, std::int64_t k) {
  return report.singular_values[member * static_cast<std::size_t>(report.values) +
                                static_cast<std::size_t>(k)];
}

}  // namespace

std::string json(SvdBatchReport const& report) {
  Json statuses = Json::array(), values = Json::array(), ranks = Json::array();
  for (std::size_t b = 0; b < report.members.size(); ++b) {
    statuses.push_back(status_of(report.members[b]));
    ranks.push_back(report.members[b].rank);
    Json row = Json::array();
    for (std::int64_t k = 0; k < report.kept; ++k)
      row.push_back(number(value(report, b, k), report.precision));
    values.push_back(std::move(row));
  }
  Json object;
  object["status"] = report.status;
  object["members"] = report.members.size();
  object["rows"] = report.rows;
  object["cols"] = report.cols;
  object["precision"] = name_of(report.precision);
  object["backend"] = report.backend;
  object["statuses"] = std::move(statuses);
  object["singular_values"] = std::move(values);
  object["sweeps"] = worst(report, &MemberDecomposition::sweeps);
  object["max_cosine"] = number(worst(report, &MemberDecomposition::max_cosine), report.precision);
  object["relative_residual"] =
      report.vectors ? Json(worst(report, &MemberDecomposition::relative_residual)) : Json();
  object["rank"] = std::move(ranks);
  object["seconds"] = report.seconds;
  add_sharing(object, report.sharing);
  return line(object);
}

std::string table(SvdBatchReport const& report) {
  std::string text;
  add_line(text, "batch", one_line(report.input));
  add_line(text, "size",
           fmt::format("{} of {} x {}, {} precision", report.members.size(), report.rows,
                       report.cols, name_of(report.precision)));
  add_line(text, "backend", report.backend);
  add_sharing(text, report.sharing);
  add_line(text, "method", report.method);
  add_line(text, "status", report.status);
  add_line(text, "sweeps", fmt::format("at most {}", worst(report, &MemberDecomposition::sweeps)));
  add_line(text, "largest cosine",
           fmt::format("{:.3g}", worst(report, &MemberDecomposition::max_cosine)));
  if (report.vectors)
    add_line(
        text, "relative residual",
        fmt::format("{:.3g}, the largest", worst(report, &MemberDecomposition::relative_residual)));
  add_line(text, "seconds", fmt::format("{:.4g}", report.seconds));
  for (std::size_t b = 0; b < report.members.size(); ++b) {
    std::string const status = status_of(report.members[b]);
    text += fmt::format("{:>8}", b);
    constexpr std::int64_t most = 5;  // a line of a terminal
    for (std::int64_t k = 0; k < std::min(report.kept, most); ++k)
      text += fmt::format("  {:>11.5g}", value(report, b, k));
    if (report.kept > most) text += "  ...";
    text += (status == "success" ? "" : "  " + status) + "\n";
  }
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

}  // namespace carroll::tool
