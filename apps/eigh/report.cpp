// SPDX-License-Identifier: BSD-3-Clause
#include "eigh/report.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/members.hpp"
#include "output/table.hpp"
#include "ranks/tell.hpp"

namespace carroll::tool {

std::string json(EighReport const& report) {
  auto const& members = report.members;
  // One value of every member: a list, or that of the one matrix.
  auto const each = [&](auto const& of) {
    return report.is_batch ? list_of(members.size(), of) : Json(of(0));
  };
  Json object{{"status", report.status}};
  if (report.is_batch) object["members"] = members.size();
  object["n"] = report.n;
  object["precision"] = name_of(report.precision);
  if (report.is_complex) object["complex"] = true;
  object["backend"] = report.backend;
  object["method"] = report.method;
  if (report.is_batch)
    object["statuses"] = each([&](std::size_t b) { return status_of(members[b]); });
  object["eigenvalues"] = each([&](std::size_t b) {
    return numbers(report.eigenvalues, static_cast<std::int64_t>(b) * report.n, report.n,
                   report.precision);
  });
  object["sweeps"] = worst(members, &EighMemberResult::sweeps);
  object["rank"] = each([&](std::size_t b) { return members[b].rank; });
  object["negative"] = each([&](std::size_t b) { return members[b].negative; });
  object["relative_residual"] =
      report.vectors ? Json(worst(members, &EighMemberResult::relative_residual)) : Json();
  object["seconds"] = report.seconds;
  add_sharing(object, report.sharing);
  return line(object);
}

std::string table(EighReport const& report) {
  std::string text;
  add_line(text, report.is_batch ? "batch" : "matrix", one_line(report.input));
  add_line(text, "size", size_text(report, report.n, report.n));
  add_line(text, "backend", report.backend);
  add_sharing(text, report.sharing);
  add_line(text, "method", report.method);
  add_line(text, "status", report.status);
  add_line(text, "sweeps", fmt::format("{}", worst(report.members, &EighMemberResult::sweeps)));
  if (!report.is_batch)
    add_line(text, "rank",
             fmt::format("{}, {} negative", report.members[0].rank, report.members[0].negative));
  if (report.vectors)
    add_line(text, "relative residual",
             fmt::format("{:.3g}", worst(report.members, &EighMemberResult::relative_residual)));
  add_line(text, "seconds", fmt::format("{:.4g}", report.seconds));
  if (report.is_batch)
    add_members(text, report.members, report.eigenvalues, report.n, report.n);
  else
    for (std::size_t k = 0; k < report.eigenvalues.size(); ++k)
      text += fmt::format("{:>8}  {:>14.7g}\n", k, report.eigenvalues[k]);
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

}  // namespace carroll::tool
