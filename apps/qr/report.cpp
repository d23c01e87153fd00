// SPDX-License-Identifier: BSD-3-Clause
#include "qr/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/members.hpp"
#include "output/table.hpp"
#include "ranks/tell.hpp"

namespace carroll::tool {

namespace {

std::int64_t diagonal_length(QrReport const& report) {
  return std::min(report.rows, report.cols);
}

/// Entry k of a member's part of a list that has `length` for each.
template <class Number>
Number entry_of(std::vector<Number> const& all, std::size_t member, std::int64_t length,
                std::int64_t k) {
  return all[member * static_cast<std::size_t>(length) + static_cast<std::size_t>(k)];
}

/// One value of every member: a list, or that of the one matrix.
template <class Of>
Json each_member(QrReport const& report, Of const& of) {
  return report.is_batch ? list_of(report.members.size(), of) : Json(of(0));
}

}  // namespace

std::string json(QrReport const& report) {
  Json object;
  object["status"] = report.status;
  if (report.is_batch) object["members"] = report.members.size();
  object["rows"] = report.rows;
  object["cols"] = report.cols;
  object["precision"] = name_of(report.precision);
  if (report.is_complex) object["complex"] = true;
  object["backend"] = report.backend;
  object["mode"] = report.mode;
  if (report.is_batch)
    object["statuses"] =
        each_member(report, [&](std::size_t b) { return Json(status_of(report.members[b])); });
  std::int64_t const length = diagonal_length(report);
  object["diagonal"] = each_member(report, [&](std::size_t b) {
    return list_of(length, [&](std::int64_t k) {
      return number(entry_of(report.diagonal, b, length, k), report.precision);
    });
  });
  object["rank"] =
      report.pivoted
          ? each_member(report, [&](std::size_t b) { return Json(report.members[b].rank); })
          : Json();
  object["permutation"] =
      report.pivoted ? each_member(report,
                                   [&](std::size_t b) {
                                     return list_of(report.cols, [&](std::int64_t k) {
                                       return Json(entry_of(report.permutation, b, report.cols, k));
                                     });
                                   })
                     : Json();
  object["relative_residual"] =
      report.mode == "r" ? Json() : Json(worst(report.members, &QrMemberResult::relative_residual));
  object["seconds"] = report.seconds;
  add_sharing(object, report.sharing);
  return line(object);
}

std::string table(QrReport const& report) {
  std::string text;
  add_line(text, report.is_batch ? "batch" : "matrix", one_line(report.input));
  add_line(text, "size", size_text(report, report.rows, report.cols));
  add_line(text, "backend", report.backend);
  add_sharing(text, report.sharing);
  add_line(text, "mode",
           report.mode + (report.pivoted ? ", pivoted" : "") +
               (report.path == "automatic" ? "" : ", path " + report.path));
  add_line(text, "status", report.status);
  if (!report.is_batch && report.pivoted)
    add_line(text, "rank", fmt::format("{}", report.members[0].rank));
  if (report.mode != "r")
    add_line(text, "relative residual",
             fmt::format("{:.3g}", worst(report.members, &QrMemberResult::relative_residual)));
  add_line(text, "seconds", fmt::format("{:.4g}", report.seconds));
  std::int64_t const length = diagonal_length(report);
  for (std::int64_t k = 0; !report.is_batch && k < length; ++k) {
    text += fmt::format("{:>8}  {:>14.7g}", k, report.diagonal[static_cast<std::size_t>(k)]);
    if (report.pivoted)
      text += fmt::format("  column {}", report.permutation[static_cast<std::size_t>(k)]);
    text += '\n';
  }
  for (std::size_t b = 0; report.is_batch && b < report.members.size(); ++b) {
    std::string const status = status_of(report.members[b]);
    text += fmt::format("{:>8}", b);
    constexpr std::int64_t most = 5;  // a line of a terminal
    for (std::int64_t k = 0; k < std::min(length, most); ++k)
      text += fmt::format("  {:>11.5g}", entry_of(report.diagonal, b, length, k));
    if (length > most) text += "  ...";
    text += (status == "success" ? "" : "  " + status) + "\n";
  }
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

}  // namespace carroll::tool
