// SPDX-License-Identifier: BSD-3-Clause
#include "blas/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/table.hpp"
#include "ranks/tell.hpp"

namespace carroll::tool {

namespace {

/// With all digits that tell a number of that precision from its neighbours.
std::string digits_of(double value, Precision precision) {
  return precision == Precision::single_precision ? fmt::format("{:.8e}", static_cast<float>(value))
                                                  : fmt::format("{:.16e}", value);
}

std::string value_text(ReductionReport const& report) {
  Reduced const& found = report.result;
  std::string text = digits_of(found.value, report.precision);
  if (!found.is_complex) return text;
  return text + (found.imaginary < 0 ? " - " : " + ") +
         digits_of(std::abs(found.imaginary), report.precision) + " i";
}

void add_inputs(std::string& text, std::vector<std::string> const& inputs) {
  for (auto const& input : inputs) add_line(text, "input", one_line(input));
}

}  // namespace

std::string json(ReductionReport const& report) {
  Reduced const& found = report.result;
  Json value = number(found.value, report.precision);
  if (found.is_complex)
    value = Json::array({std::move(value), number(found.imaginary, report.precision)});
  Json object;
  object["status"] = found.status;
  object["value"] = std::move(value);
  if (report.kind) object["kind"] = *report.kind;
  object["summation"] = or_null(report.summation);
  object["count"] = report.count;
  object["precision"] = name_of(report.precision);
  object["backend"] = found.backend;
  object["seconds"] = found.seconds;
  add_sharing(object, report.sharing);
  return line(object);
}

std::string json(ProductReport const& report) {
  ProductSummary const& found = report.result;
  Json object{{"status", found.status},
              {"rows", report.rows},
              {"cols", report.cols},
              {"terms", or_null(report.terms)},
              {"norm", number(found.norm, report.precision)},
              {"method", or_null(found.method)},
              {"kernel", or_null(found.kernel)},
              {"precision", name_of(report.precision)},
              {"backend", found.backend},
              {"seconds", found.seconds}};
  add_sharing(object, report.sharing);
  return line(object);
}

std::string table(ReductionReport const& report) {
  Reduced const& found = report.result;
  std::string status = found.status;
  if (status == "non_finite") status += ": an entry or a sum of entries is not finite";
  if (status == "overflow") status += ": the value is beyond the precision";
  std::string text;
  add_inputs(text, report.inputs);
  add_line(text, "entries",
           fmt::format("{}, {} precision", report.count, name_of(report.precision)));
  add_line(text, "backend", found.backend);
  add_sharing(text, report.sharing);
  if (report.summation) add_line(text, "summation", *report.summation);
  add_line(text, "status", status);
  add_line(text, report.name, value_text(report));
  add_line(text, "seconds", fmt::format("{:.4g}", found.seconds));
  return text;
}

std::string table(ProductReport const& report) {
  ProductSummary const& found = report.result;
  std::string status = found.status;
  if (status == "non_finite") status += ": an entry of the result is not finite";
  std::string text;
  add_inputs(text, report.inputs);
  add_line(text, "result", report.formula);
  std::string size = fmt::format("{} x {}", report.rows, report.cols);
  if (report.terms) size += fmt::format(", sums of {} terms", *report.terms);
  add_line(text, "size", fmt::format("{}, {} precision", size, name_of(report.precision)));
  add_line(text, "backend", found.backend);
  add_sharing(text, report.sharing);
  if (found.method) add_line(text, "method", *found.method);
  if (found.kernel) add_line(text, "kernel", *found.kernel);
  add_line(text, "status", status);
  add_line(text, "Frobenius norm", digits_of(found.norm, report.precision));
  add_line(text, "seconds", fmt::format("{:.4g}", found.seconds));
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

}  // namespace carroll::tool
