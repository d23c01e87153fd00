// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/members.hpp"
#include "output/table.hpp"
#include "ranks/tell.hpp"
#include "svd/batch/command.hpp"

namespace carroll::tool {

std::string json(SvdBatchReport const& report) {
  auto const& members = report.members;
  auto const each = [&](auto const& of) { return list_of(members.size(), of); };
  Json object{
      {"status", report.status},
      {"members", members.size()},
      {"rows", report.rows},
      {"cols", report.cols},
      {"precision", name_of(report.precision)},
      {"backend", report.backend},
      {"statuses", each([&](std::size_t b) { return status_of(members[b]); })},
      {"singular_values", each([&](std::size_t b) {
         return numbers(report.singular_values, static_cast<std::int64_t>(b) * report.values,
                        report.kept, report.precision);
       })},
      {"sweeps", worst(members, &MemberDecomposition::sweeps)},
      {"max_cosine", number(worst(members, &MemberDecomposition::max_cosine), report.precision)},
      {"relative_residual",
       report.vectors ? Json(worst(members, &MemberDecomposition::relative_residual)) : Json()},
      {"rank", each([&](std::size_t b) { return members[b].rank; })},
      {"seconds", report.seconds}};
  if (report.is_complex) object["complex"] = true;
  add_sharing(object, report.sharing);
  return line(object);
}

std::string table(SvdBatchReport const& report) {
  std::string text;
  add_line(text, "batch", one_line(report.input));
  add_line(
      text, "size",
      fmt::format("{} of {} x {}, {}{} precision", report.members.size(), report.rows, report.cols,
                  report.is_complex ? "complex, " : "", name_of(report.precision)));
  add_line(text, "backend", report.backend);
  add_sharing(text, report.sharing);
  add_line(text, "method", report.method);
  add_line(text, "status", report.status);
  add_line(text, "sweeps",
           fmt::format("at most {}", worst(report.members, &MemberDecomposition::sweeps)));
  add_line(text, "largest cosine",
           fmt::format("{:.3g}", worst(report.members, &MemberDecomposition::max_cosine)));
  if (report.vectors)
    add_line(text, "relative residual",
             fmt::format("{:.3g}, the largest",
                         worst(report.members, &MemberDecomposition::relative_residual)));
  add_line(text, "seconds", fmt::format("{:.4g}", report.seconds));
  add_members(text, report.members, report.singular_values, report.kept, report.values);
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

}  // namespace carroll::tool
