// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstddef>

#include "determinant/batch/command.hpp"
#include "determinant/number.hpp"
#include "files/file_error.hpp"
#include "output/table.hpp"
#include "ranks/tell.hpp"

namespace carroll::tool {

std::string json(DetBatchReport const& report) {
  BatchDeterminants const& found = report.result;
  Json determinants = Json::array();
  for (auto const& member : found.members) {
    Determination const one = told(member, report.precision);
    Json object;
    object["status"] = one.status;
    add_number(object, one, report.precision);
    object["growth"] = number(one.growth, report.precision);
    determinants.push_back(std::move(object));
  }
  Json object{{"status", report.status},
              {"members", found.members.size()},
              {"n", report.n},
              {"precision", name_of(report.precision)},
              {"backend", found.backend},
              {"determinants", std::move(determinants)},
              {"seconds", found.seconds}};
  add_sharing(object, report.sharing);
  return line(object);
}

std::string table(DetBatchReport const& report) {
  BatchDeterminants const& found = report.result;
  std::string text;
  add_line(text, "batch", one_line(report.input));
  add_line(text, "size",
           fmt::format("{} of {} x {}, {} precision", found.members.size(), report.n, report.n,
                       name_of(report.precision)));
  add_line(text, "backend", found.backend);
  add_sharing(text, report.sharing);
  add_line(text, "method", report.method);
  add_line(text, "status", report.status);
  add_line(text, "seconds", fmt::format("{:.4g}", found.seconds));
  for (std::size_t k = 0; k < found.members.size(); ++k) {
    Determination const one = told(found.members[k], report.precision);
    text += fmt::format("{:>8}  {:<24}{}\n", k, one.decimal,
                        one.status == "success" ? "" : "  " + one.status);
  }
  return text;
}

}  // namespace carroll::tool
