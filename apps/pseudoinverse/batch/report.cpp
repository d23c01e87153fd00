// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/members.hpp"
#include "output/table.hpp"
#include "pseudoinverse/batch/command.hpp"
#include "ranks/tell.hpp"

namespace carroll::tool {

std::string json(PinvBatchReport const& report) {
  auto const& frames = report.frames;
  std::int64_t const k = report.motions;
  auto const each = [&](auto const& of) { return list_of(frames.size(), of); };
  Json object{{"status", report.status},
              {"members", frames.size()},
              {"rows", report.rows},
              {"motions", k},
              {"depths", report.depths},
              {"precision", name_of(report.precision)},
              {"backend", report.backend},
              {"method", report.method},
              {"path", report.path},
              {"statuses", each([&](std::size_t f) { return status_of(frames[f]); })},
              {"rank", each([&](std::size_t f) { return frames[f].rank; })},
              {"cutoff", each([&](std::size_t f) { return frames[f].cutoff; })},
              {"motion_step", each([&](std::size_t f) {
                 return numbers(report.motion_steps, static_cast<std::int64_t>(f) * k, k,
                                report.precision);
               })},
              {"relative_gradient", worst(frames, &FrameSolution::relative_gradient)},
              {"seconds", report.seconds}};
  if (!report.covariances.empty())
    object["covariance"] = each([&](std::size_t f) {
      return list_of(static_cast<std::size_t>(k), [&](std::size_t i) {
        auto const row = static_cast<std::int64_t>(f) * k + static_cast<std::int64_t>(i);
        return numbers(report.covariances, row * k, k, report.precision);
      });
    });
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
  add_line(
      text, "relative gradient",
      fmt::format("{:.2e}, the largest", worst(report.frames, &FrameSolution::relative_gradient)));
  add_line(text, "seconds", fmt::format("{:.4g}", report.seconds));
  add_members(text, report.frames, report.motion_steps, report.motions, report.motions);
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

}  // namespace carroll::tool
