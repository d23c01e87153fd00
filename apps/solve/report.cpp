// SPDX-License-Identifier: BSD-3-Clause
#include "solve/report.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/members.hpp"
#include "output/table.hpp"
#include "ranks/tell.hpp"

namespace carroll::tool {

std::string json(SolveReport const& report) {
  auto const& members = report.members;
  // One value of every member: a list, or that of the one system.
  auto const each = [&](auto const& of) {
    auto const value = [&](std::size_t b) { return Json(of(members[b])); };
    return report.is_batch ? list_of(members.size(), value) : value(0);
  };
  Json object{{"status", report.status}};
  if (report.is_batch) object["members"] = members.size();
  object["n"] = report.n;
  object["columns"] = report.columns;
  object["precision"] = name_of(report.precision);
  object["backend"] = report.backend;
  if (report.is_batch) object["statuses"] = each(status_of<SolveMemberResult>);
  object["rcond"] = each([&](auto const& own) { return number(own.rcond, report.precision); });
  object["ill_conditioned"] = each([](auto const& own) { return own.ill_conditioned; });
  object["growth"] = each([&](auto const& own) { return number(own.growth, report.precision); });
  object["relative_residual"] = worst(members, &SolveMemberResult::relative_residual);
  object["seconds"] = report.seconds;
  if (report.is_complex) object["complex"] = true;
  add_sharing(object, report.sharing);
  return line(object);
}

std::string table(SolveReport const& report) {
  std::string text;
  auto const& members = report.members;
  for (std::size_t k = 0; k < report.inputs.size(); ++k)
    add_line(text,
             k > 0             ? "right-hand sides"
             : report.is_batch ? "batch"
                               : "matrix",
             one_line(report.inputs[k]));
  add_line(text, "size", size_text(report, report.n, report.n));
  add_line(text, "columns", fmt::format("{}", report.columns));
  add_line(text, "backend", report.backend);
  add_sharing(text, report.sharing);
  if (report.path != "automatic") add_line(text, "path", report.path);
  add_line(text, "status", report.status);
  auto const condition = [](SolveMemberResult const& own) {
    return fmt::format("{:.3g}{}", own.rcond, own.ill_conditioned ? ", ill-conditioned" : "");
  };
  if (!report.is_batch) {
    add_line(text, "rcond", condition(members[0]));
    add_line(text, "growth", fmt::format("{:.3g}", members[0].growth));
  }
  add_line(text, "relative residual",
           fmt::format("{:.3g}", worst(members, &SolveMemberResult::relative_residual)));
  add_line(text, "seconds", fmt::format("{:.4g}", report.seconds));
  for (std::size_t b = 0; report.is_batch && b < members.size(); ++b) {
    std::string const status = status_of(members[b]);
    text += fmt::format("{:>8}  rcond {}{}\n", b, condition(members[b]),
                        status == "success" ? "" : "  " + status);
  }
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

}  // namespace carroll::tool
