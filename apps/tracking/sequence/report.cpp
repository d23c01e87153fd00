// SPDX-License-Identifier: BSD-3-Clause
#include "tracking/sequence/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "files/file_error.hpp"
#include "output/json.hpp"
#include "output/table.hpp"

namespace carroll::tool {

int SequenceReport::lost() const {
  return static_cast<int>(std::ranges::count_if(
      steps, [](SequenceStep const& step) { return step.found.status != "success"; }));
}

std::string SequenceReport::status() const {
  for (auto const& step : steps)
    if (step.found.status != "success") return step.found.status;
  return "success";
}

std::string json(SequenceReport const& report) {
  Json steps = Json::array();
  for (auto const& step : report.steps) {
    Json entry{{"picture", step.picture},
               {"status", step.found.status},
               {"end", step.found.end},
               {"again", step.again},
               {"window", step.window},
               {"rotation", step.found.rotation},
               {"translation", step.found.translation},
               {"gain", step.found.gain},
               {"offset", step.found.offset},
               {"textured_triangles", step.found.textured_triangles},
               {"matched_triangles", step.found.matched_triangles},
               {"cost", step.found.cost},
               {"setup_seconds", step.found.setup_seconds},
               {"seconds", step.found.seconds}};
    steps.push_back(std::move(entry));
  }
  Json object{{"status", report.status()},
              {"frames", report.frames},
              {"lost", report.lost()},
              {"motion", report.motion},
              {"precision", name_of(report.precision)},
              {"backend", report.steps.empty() ? "" : report.steps.front().found.backend},
              {"method", report.method},
              {"window", report.window},
              {"steps", std::move(steps)}};
  Json errors;
  if (report.errors) {
    auto const& found = *report.errors;
    errors = {{"poses", found.poses},
              {"length", found.length},
              {"scale", found.scale},
              {"ate", found.ate},
              {"rotation_rms_degrees", found.rotation_rms},
              {"rotation_median_degrees", found.rotation_median},
              {"translation_rms", found.translation_rms},
              {"direction_median_degrees", or_null(found.direction_median)},
              {"drift", found.drift}};
  }
  object["errors"] = std::move(errors);
  object["seconds"] = report.seconds;
  return line(object);
}

std::string table(SequenceReport const& report) {
  std::string text;
  add_line(text, "sequence", one_line(report.sequence));
  add_line(text, "frames", std::to_string(report.frames));
  add_line(
      text, "method",
      fmt::format("{}, {}, {} precision", report.motion, report.method, name_of(report.precision)));
  if (report.window > 1)
    add_line(text, "window", fmt::format("{} pictures besides the reference", report.window));
  add_line(text, "status", report.status());
  add_line(text, "lost", fmt::format("{} of {} steps", report.lost(), report.steps.size()));
  if (report.errors) {
    auto const& found = *report.errors;
    add_line(text, "truth",
             fmt::format("{} poses, {:.6g} long, {:.4g} times what was found", found.poses,
                         found.length, found.scale));
    add_line(text, "trajectory", fmt::format("{:.4g} off, root mean square (ATE)", found.ate));
    add_line(text, "steps",
             fmt::format("{:.4g} degrees and {:.4g} off (RPE); medians {:.4g}, direction {:.4g}",
                         found.rotation_rms, found.translation_rms, found.rotation_median,
                         found.direction_median.value_or(0)));
    add_line(text, "drift", fmt::format("{:.4g} at the end, with true lengths", found.drift));
  }
  add_line(text, "seconds", fmt::format("{:.4g}", report.seconds));
  text += fmt::format("\n{:>5}  {:>10}  {:>10}  {:>10}  {:>10}  {}\n", "step", "heading", "x", "y",
                      "z", "end");
  int k = 0;
  for (auto const& step : report.steps) {
    auto const& t = step.found.translation;
    text += fmt::format("{:>5}  {:>10.5f}  {:>10.4g}  {:>10.4g}  {:>10.4g}  {}\n", ++k,
                        step.found.heading_degrees, t[0], t[1], t[2], step.found.end);
  }
  if (!report.files.empty()) text += "\n";
  for (auto const& file : report.files) add_line(text, "written", one_line(file));
  return text;
}

}  // namespace carroll::tool
