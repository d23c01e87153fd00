// SPDX-License-Identifier: BSD-3-Clause
#include "eigh/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/table.hpp"
#include "ranks/tell.hpp"

namespace carroll::tool {

namespace {

/// The largest of all members; NaN where one has it.
template <class Number>
Number worst(EighReport const& report, Number EighMemberResult::*of) {
  Number largest = 0;
  for (auto const& member : report.members)
    if (!(member.*of <= largest)) largest = member.*of;
  return largest;
}

double value(EighReport const& report, std::size_t member, std::int64_t k) {
  return report
      .eigenvalues[member * static_cast<std::size_t>(report.n) + static_cast<std::size_t>(k)];
}

/// One value of every member: a list, or that of the one matrix.
template <class Of>
Json each(EighReport const& report, Of const& of) {
  if (!report.is_batch) return of(0);
  Json list = Json::array();
  for (std::size_t b = 0; b < report.members.size(); ++b) list.push_back(of(b));
  return list;
}

}  // namespace

std::string json(EighReport const& report) {
  Json object;
  object["status"] = report.status;
  if (report.is_batch) object["members"] = report.members.size();
  object["n"] = report.n;
  object["precision"] = name_of(report.precision);
  object["backend"] = report.backend;
  object["method"] = report.method;
  if (report.is_batch)
    object["statuses"] =
        each(report, [&](std::size_t b) { return Json(status_of(report.members[b])); });
  object["eigenvalues"] = each(report, [&](std::size_t b) {
    Json row = Json::array();
    for (std::int64_t k = 0; k < report.n; ++k)
      row.push_back(number(value(report, b, k), report.precision));
    return row;
  });
  object["sweeps"] = worst(report, &EighMemberResult::sweeps);
  object["rank"] = each(report, [&](std::size_t b) { return Json(report.members[b].rank); });
  object["negative"] =
      each(report, [&](std::size_t b) { return Json(report.members[b].negative); });
  object["relative_residual"] =
      report.vectors ? Json(worst(report, &EighMemberResult::relative_residual)) : Json();
  object["seconds"] = report.seconds;
  add_sharing(object, report.sharing);
  return line(object);
}

std::string table(EighReport const& report) {
  std::string text;
  std::string const size =
      fmt::format("{} x {}, {} precision", report.n, report.n, name_of(report.precision));
  add_line(text, report.is_batch ? "batch" : "matrix", one_line(report.input));
  add_line(text, "size",
           report.is_batch ? fmt::format("{} of {}", report.members.size(), size) : size);
  add_line(text, "backend", report.backend);
  add_sharing(text, report.sharing);
  add_line(text, "method", report.method);
  add_line(text, "status", report.status);
  add_line(text, "sweeps", fmt::format("{}", worst(report, &EighMemberResult::sweeps)));
  if (!report.is_batch)
    add_line(text, "rank",
             fmt::format("{}, {} negative", report.members[0].rank, report.members[0].negative));
  if (report.vectors)
    add_line(text, "relative residual",
             fmt::format("{:.3g}", worst(report, &EighMemberResult::relative_residual)));
  add_line(text, "seconds", fmt::format("{:.4g}", report.seconds));
  if (!report.is_batch)
    for (std::int64_t k = 0; k < report.n; ++k)
      text += fmt::format("{:>8}  {:>14.7g}\n", k, value(report, 0, k));
  for (std::size_t b = 0; report.is_batch && b < report.members.size(); ++b) {
    std::string const status = status_of(report.members[b]);
    text += fmt::format("{:>8}", b);
    constexpr std::int64_t most = 5;  // a line of a terminal
    for (std::int64_t k = 0; k < std::min(report.n, most); ++k)
      text += fmt::format("  {:>11.5g}", value(report, b, k));
    if (report.n > most) text += "  ...";
    text += (status == "success" ? "" : "  " + status) + "\n";
  }
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

}  // namespace carroll::tool
