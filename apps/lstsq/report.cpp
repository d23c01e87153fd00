// SPDX-License-Identifier: BSD-3-Clause
#include "lstsq/report.hpp"

#include <fmt/format.h>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/members.hpp"
#include "output/table.hpp"
#include "ranks/tell.hpp"

namespace carroll::tool {

std::string json(LstsqReport const& report) {
  // One value of every member: a list, or that of the one problem.
  auto const each = [&](auto const& of) {
    return report.is_batch ? list_of(report.members.size(),
                                     [&](std::size_t b) { return Json(of(report.members[b])); })
                           : Json(of(report.members[0]));
  };
  auto const sigma = [&](double LstsqMemberResult::*which) {
    return each([&](auto const& member) { return number(member.*which, report.precision); });
  };
  Json object;
  object["status"] = report.status;
  if (report.is_batch) object["members"] = report.members.size();
  object["rows"] = report.rows;
  object["cols"] = report.cols;
  if (!report.inverse) object["right_sides"] = report.right_sides;
  object["precision"] = name_of(report.precision);
  if (report.is_complex) object["complex"] = true;
  object["backend"] = report.backend;
  if (report.is_batch)
    object["statuses"] = each([](auto const& member) { return status_of(member); });
  object["rank"] = each([](auto const& member) { return member.rank; });
  object["sigma_max"] = sigma(&LstsqMemberResult::sigma_max);
  object["sigma_min"] = sigma(&LstsqMemberResult::sigma_min);
  object["relative_residual"] = worst(report.members, &LstsqMemberResult::relative_residual);
  object["seconds"] = report.seconds;
  add_sharing(object, report.sharing);
  return line(object);
}

std::string table(LstsqReport const& report) {
  std::string text;
  add_line(text, report.is_batch ? "batch" : "matrix", one_line(report.input));
  if (!report.inverse) add_line(text, "right-hand sides", one_line(report.right));
  add_line(text, "size", size_text(report, report.rows, report.cols));
  if (!report.inverse) add_line(text, "columns", fmt::format("{}", report.right_sides));
  add_line(text, "backend", report.backend);
  add_sharing(text, report.sharing);
  add_line(text, "status", report.status);
  add_line(text, "relative residual",
           fmt::format("{:.3g}", worst(report.members, &LstsqMemberResult::relative_residual)));
  add_line(text, "seconds", fmt::format("{:.4g}", report.seconds));
  auto const values = [](LstsqMemberResult const& member) {
    return fmt::format("rank {}, singular values from {:.7g} to {:.7g}", member.rank,
                       member.sigma_max, member.sigma_min);
  };
  if (!report.is_batch) add_line(text, "matrix has", values(report.members[0]));
  for (std::size_t b = 0; report.is_batch && b < report.members.size(); ++b) {
    std::string const status = status_of(report.members[b]);
    text += fmt::format("{:>8}  {}{}\n", b, values(report.members[b]),
                        status == "success" ? "" : "  " + status);
  }
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

}  // namespace carroll::tool
